/* SPDX-License-Identifier: BSD-2-Clause */
/* test_count_bounds.c - what a window may count, and which counters disagree.
 */
#include "src/counting/count_bounds.h"
#include "src/counting/abort_reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void bounds_of_each_event(void **state)
{
    static const struct window_shape plain = {21, 8, 0, 0};
    static const struct window_shape two = {28, 5, 2, 8};
    static const struct {
        const struct window_shape *shape;
        enum pmu_event_kind kind;
        uint64_t aborted, least, most;
    } rows[] = {
        {&plain, COUNTS_INSTRUCTIONS, 0, 21, 22}, /* the closing WRMSR or not */
        {&plain, COUNTS_BRANCHES, 0, 8, 8},
        {&plain, COUNTS_TIME, 0, 1, UINT64_MAX}, /* 0 is never right */
        {&two, COUNTS_INSTRUCTIONS, 0, 28, 29},
        {&two, COUNTS_INSTRUCTIONS, 1, 24, 29},
        {&two, COUNTS_INSTRUCTIONS, 2, 20, 29},
        {&two, COUNTS_INSTRUCTIONS, 9, 20, 29}, /* no more than there are */
        {&two, COUNTS_BRANCHES, 0, 5, 9},
        {&two, COUNTS_BRANCHES, 2, 3, 9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct count_bounds got =
            count_bounds(rows[i].shape, rows[i].kind, rows[i].aborted);
        assert_int_equal(got.least, rows[i].least);
        assert_true(got.most == rows[i].most);
    }
}

static void outliers_are_named(void **state)
{
    const uint64_t gp[] = {22, 22, 21, 22, 40, 22, 22, 22};
    const uint64_t far[] = {0, UINT64_MAX};

    (void)state;
    assert_int_equal(count_majority((const uint64_t[]){7, 7, 8}), 7);
    assert_int_equal(count_majority((const uint64_t[]){7, 8, 7}), 7);
    assert_int_equal(count_majority((const uint64_t[]){8, 7, 7}), 7);
    assert_int_equal(count_majority((const uint64_t[]){8, 9, 7}), 8);
    assert_int_equal(count_outliers(gp, 8, 22, 0), 0x14);
    assert_int_equal(count_outliers(gp, 4, 22, 0), 0x04);
    assert_int_equal(count_outliers(gp, 8, 22, 1), 0x10);
    assert_int_equal(count_outliers(gp, 8, 21, 0), 0xfb);
    assert_int_equal(count_outliers(gp, 8, 22, 18), 0);
    assert_int_equal(count_outliers(gp, 0, 99, 0), 0);
    assert_int_equal(count_outliers(far, 2, 5, 4), 3);
}

static void only_time_has_a_margin(void **state)
{
    (void)state;
    assert_int_equal(count_margin(COUNTS_INSTRUCTIONS, 1000), 0);
    assert_int_equal(count_margin(COUNTS_BRANCHES, 1000), 0);
    assert_int_equal(count_margin(COUNTS_TIME, 0), 4);
    assert_int_equal(count_margin(COUNTS_TIME, 800), 104);
}

static void half_the_body_is_having_run(void **state)
{
    (void)state; /* 30 in the window, 27 of them inside: 3 outside */
    assert_false(abort_reach_body_ran(3, 30, 27));
    assert_false(
        abort_reach_body_ran(5, 30, 27)); /* XBEGIN and WRMSR counted */
    assert_false(abort_reach_body_ran(15, 30, 27));
    assert_true(abort_reach_body_ran(16, 30, 27));
    assert_true(abort_reach_body_ran(31, 30, 27));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_each_event),
        cmocka_unit_test(outliers_are_named),
        cmocka_unit_test(only_time_has_a_margin),
        cmocka_unit_test(half_the_body_is_having_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
