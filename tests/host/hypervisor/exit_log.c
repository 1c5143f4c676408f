/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.c - which exits are in the log, and how they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/silicon/hypervisor/host/exit_log.h"

static char printed[2 * EXIT_LOG_MAX][200];
static unsigned lines;

static void line(const char *text)
{
    assert_true(lines < 2 * EXIT_LOG_MAX);
    strncpy(printed[lines++], text, sizeof(printed[0]) - 1);
}

static void add(struct exit_log *r, unsigned count)
{
    static struct vmcb b;

    for (unsigned n = 0; n < count; n++) {
        b.exit_code = EXIT_NPF;
        b.rip = r->count;
        b.exit_info1 = 6;
        b.exit_info2 = UINT64_C(0xFEE00300);
        b.exit_int_info = EVENT_VALID | 32;
        b.rflags = RFLAGS_IF;
        exit_log_add(r, &b);
    }
}

static void prints_all_of_few(void **state)
{
    struct exit_log r = {.count = 0};

    (void)state;
    lines = 0;
    exit_log_print(&r, line);
    assert_int_equal(lines, 0);
    add(&r, 2);
    exit_log_print(&r, line);
    assert_int_equal(lines, 2);
    assert_string_equal(printed[1],
                        "exit 400H, RIP 1H, information 6H FEE00300H, "
                        "event 80000020H, RFLAGS 200H");
}

static void has_the_last(void **state)
{
    struct exit_log r = {.count = 0};

    (void)state;
    lines = 0;
    add(&r, EXIT_LOG_MAX + 3);
    exit_log_print(&r, line);
    assert_int_equal(lines, EXIT_LOG_MAX);
    assert_non_null(strstr(printed[0], "RIP 3H,"));
    assert_non_null(strstr(printed[EXIT_LOG_MAX - 1], "RIP 22H,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_all_of_few),
        cmocka_unit_test(has_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
