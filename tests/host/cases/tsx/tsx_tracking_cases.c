/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_tracking_cases.c - XSUSLDTRK and XRESLDTRK over transactions that abort
 * as the manual says, and over the same with those of one body otherwise. */
#include "tests/host/cases/tsx/tsx_conflict_fixture.h"

extern const struct test test_tsx_load_tracking;

static void load_tracking(void **state)
{
    static const uint8_t *const aborting[] = {tsx_body_suspended_end,
                                              tsx_body_suspended_begin,
                                              tsx_body_suspended_twice};
    static const char *const names[] = {"XEND after", "XBEGIN after",
                                        "XSUSLDTRK after"};
    const struct test *test = &test_tsx_load_tracking;
    struct end kept = aborted(0);

    (void)state;
    kept.flags = 1;
    for (unsigned i = 0; i < 3; i++) {
        begin(test); /* the store between is not undone, in the last try */
        tsx_wrong(aborting[i], kept, TRIES - 1);
        expect_case(case_end(), VERDICT_FAIL, "a store in between, and ");
        assert_non_null(
            strstr(t->text, "the store of an aborted transaction remained"));
        begin(test);
        tsx_wrong(aborting[i], committed(), TRIES - 1);
        expect_case(case_end(), VERDICT_FAIL, names[i]);
        assert_non_null(strstr(t->text, "1 of 5 transactions committed; "));
    }
    begin(test);
    tsx_wrong(tsx_body_suspended_once, aborted(0), 0);
    device.to = TRIES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(test);
    tsx_wrong(tsx_body_suspended_once, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_FAIL,
                "XSUSLDTRK and XRESLDTRK: none of 5 transactions committed");
    begin(test); /* what is stored there is lost, once */
    tsx_wrong(tsx_body_suspended_once, committed(), TRIES - 1);
    expect_case(case_end(), VERDICT_FAIL,
                "a store between XSUSLDTRK and XRESLDTRK: there after 4 of 5 "
                "commits; wanted each");
    for (unsigned i = 0; i < 2; i++) { /* it holds for the next one */
        begin(test);
        other.outlives[i] = true;
        expect_case(case_end(), VERDICT_FAIL,
                    i == 0 ? "XSUSLDTRK was outside of a transaction: "
                           : "has aborted after XSUSLDTRK: ");
    }
    begin(test); /* XSUSLDTRK does nothing */
    other.tracks = true;
    expect_case(case_end(), VERDICT_FAIL,
                "5 of 5 transactions set EAX[2] (conflict), and 5 of 5 with a "
                "load that is tracked; wanted half of that at most");
    /* Untracked: half of those with a tracked load at most, and one commits. */
    for (unsigned n = 0; n < 4; n++) {
        begin(test);
        tsx_wrong(tsx_body_hold_untracked,
                  aborted(n < 2 ? CONFLICT : RTM_STATUS_RETRY), 0);
        device.to = n == 0   ? TRIES / 2 - 1
                    : n == 1 ? TRIES / 2
                    : n == 2 ? TRIES - 2
                             : TRIES - 1;
        expect_case(case_end(), n % 2 == 0 ? VERDICT_PASS : VERDICT_FAIL,
                    n == 1   ? "3 of 5 transactions set EAX[2] (conflict), "
                               "and 5 of 5 with a load that is tracked"
                    : n == 3 ? "and before XRESLDTRK: none of 5 transactions"
                             : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_tracking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
