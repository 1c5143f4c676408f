/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.c - which exits are in the log, and how they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/silicon/ring.h"

static char told[2 * RING_EXITS][200];
static unsigned lines;

static void line(const char *text)
{
    assert_true(lines < 2 * RING_EXITS);
    strncpy(told[lines++], text, sizeof(told[0]) - 1);
}

static void add(struct ring *r, unsigned count)
{
    static struct vmcb b;

    for (unsigned n = 0; n < count; n++) {
        b.exit_code = EXIT_NPF;
        b.rip = r->count;
        b.exit_info1 = 6;
        b.exit_info2 = UINT64_C(0xFEE00300);
        b.exit_int_info = EVENT_VALID | 32;
        b.rflags = RFLAGS_IF;
        ring_add(r, &b);
    }
}

static void tells_all_of_few(void **state)
{
    struct ring r = { .count = 0 };

    (void)state;
    lines = 0;
    ring_tell(&r, line);
    assert_int_equal(lines, 0);
    add(&r, 2);
    ring_tell(&r, line);
    assert_int_equal(lines, 2);
    assert_string_equal(told[1], "exit 400H, RIP 1H, information 6H FEE00300H, "
                                 "event 80000020H, RFLAGS 200H");
}

static void keeps_the_last(void **state)
{
    struct ring r = { .count = 0 };

    (void)state;
    lines = 0;
    add(&r, RING_EXITS + 3);
    ring_tell(&r, line);
    assert_int_equal(lines, RING_EXITS);
    assert_non_null(strstr(told[0], "RIP 3H,"));
    assert_non_null(strstr(told[RING_EXITS - 1], "RIP 22H,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_all_of_few),
        cmocka_unit_test(keeps_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
