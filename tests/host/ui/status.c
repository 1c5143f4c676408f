/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - the row below the report, and colours. */
#include "src/ui/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct status status;

static void say(const char *line)
{
    status_line(&status, line, strlen(line));
}

static const char *row(uint64_t seconds, unsigned columns)
{
    static char text[STATUS_BYTES];
    size_t bytes = status_text(&status, seconds, columns, text);

    assert_int_equal(bytes, strlen(text));
    assert_true(bytes <= columns);
    return text;
}

static void counts(void **state)
{
    (void)state;
    status = (struct status){.test = 0};
    say("KTAP version 1");
    say("1..145");
    say("# options: tests=*");
    assert_string_equal(row(9, 100), "");
    say("# running 1: always_abort_default");
    assert_string_equal(row(3, 120),
                        "0:03  test 1 of 145: 0 passed, 0 failed, 0 in error, "
                        "0 skipped, 0 known; always_abort_default");
    say("ok 1 - always_abort_default # SKIP needs regime C");
    say("ok 2 - a # KNOWN SKL018");
    say("ok 3 - b # OBSERVED 1 of 2");
    say("ok 4 - c");
    say("ok 5 - cc");
    say("not ok 6 - d");
    say("not ok 7 - e # ERROR machine reset");
    say("not ok 8 - e # ERROR machine reset");
    say("# running 12: pebs_reload/2@EAH");
    assert_string_equal(row(725, 120),
                        "12:05  test 12 of 145: 3 passed, 1 failed, 2 in "
                        "error, 1 skipped, 1 known; pebs_reload/2@EAH");
    assert_string_equal(row(725, 22), "12:05  test 12 of 145:");
    say("# summary: 1 tests passed");
    assert_string_not_equal(row(725, 100), "");
    say("# END pass=1");
    assert_string_equal(row(725, 100), "");
}

static void names_of_any_length(void **state)
{
    char line[600] = "# running 1: ";

    (void)state;
    status = (struct status){.test = 0};
    memset(line + strlen(line), 'x', 500);
    say(line);
    assert_int_equal(strlen(status.name), STATUS_NAME_BYTES - 1);
    say("# running 2: ");
    assert_int_equal(status.test, 2);
    assert_string_equal(status.name, "");
    assert_true(strlen(row(UINT32_MAX, 400)) < STATUS_BYTES);
}

static enum status_colour colour(const char *line)
{
    return status_colour(line, strlen(line));
}

static void colours(void **state)
{
    (void)state;
    assert_int_equal(colour("ok 3 - b # OBSERVED 1 of 2"), STATUS_PLAIN);
    assert_int_equal(colour("ok 1 - tsx_known"), STATUS_PLAIN);
    assert_int_equal(colour("# summary: 0 failed"), STATUS_PLAIN);
    assert_int_equal(colour("not ok 6 - d"), STATUS_BAD);
    assert_int_equal(colour("not ok 6 - d # ERROR machine reset"), STATUS_BAD);
    assert_int_equal(colour("# FAIL: EAX: got 1, wanted 2"), STATUS_BAD);
    assert_int_equal(colour("# processors 0-1: FAIL: EAX: got 1"), STATUS_BAD);
    assert_int_equal(colour("# processor 0: ERROR: did not"), STATUS_BAD);
    assert_int_equal(colour("ok 2 - a # KNOWN SKL018"), STATUS_KNOWN);
    assert_int_equal(colour("# KNOWN SKL018: EAX: got 1"), STATUS_KNOWN);
    assert_int_equal(colour("# processors 0,2: KNOWN SKL018: EAX"),
                     STATUS_KNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(names_of_any_length),
        cmocka_unit_test(colours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
