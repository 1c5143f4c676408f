/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_cases.c - XBEGIN, XEND, XABORT and XTEST, and transactions in one
 * another, over such as end as the manual says, and over the same with one
 * otherwise. */
#include "tests/host/cases/tsx/tsx_tries.h"

extern const struct test test_tsx_commit, test_tsx_nesting,
    test_tsx_xabort_codes, test_tsx_xend_outside, test_tsx_xtest;

static void commit(void **state)
{
    const struct test *test = &test_tsx_commit;
    struct end wrong = committed();

    (void)state;
    passes(test, "one store: 25 of 25 transactions committed");
    assert_non_null(strstr(t->text, "8 lines: 25 of 25 transactions"));
    assert_int_equal(device.all, 1 + 2 * TRIALS);
    never(test, tsx_body_write_lines, committed(), TRIALS - 1);
    wrong.memory_wrong = true;
    fails(test, tsx_body_write_lines, wrong, 0, 0,
          "1 lines of 25 transactions");
    wrong = aborted(RTM_STATUS_CONFLICT);
    wrong.memory_wrong = true;
    fails(test, tsx_body_write_lines, wrong, TRIALS - 1, 0, "1 lines of 25");
    fails(test, tsx_body_nothing, with(committed(), true, false), 3, 0,
          "one store");
    fails(test, tsx_body_nothing, aborted(0), 0, LATER, "0 of 25 transactions");
    /* One that commits is enough; the option's number is. */
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 2);
    device.to = LATER;
    expect_case(case_end(), VERDICT_PASS, "one store: 1 of 25");
}

/* Where even one store is not promised to commit. */
static void commit_in_development(void **state)
{
    static const struct {
        enum regime regime;
        enum verdict verdict;
    } rows[] = {
        {REGIME_A, VERDICT_FAIL},       {REGIME_C, VERDICT_SKIP},
        {REGIME_C_PRIME, VERDICT_SKIP}, {REGIME_D, VERDICT_SKIP},
        {REGIME_B, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_commit);
        tsx_wrong(tsx_body_nothing, aborted(0), 0);
        device.to = LATER;
        t->regime = rows[i].regime;
        t->allow = UINT32_MAX;
        t->cpu.tsx_force_abort = rows[i].regime != REGIME_A;
        expect_case(case_end(), rows[i].verdict, "25");
    }
}

static void xabort_codes(void **state)
{
    const struct test *test = &test_tsx_xabort_codes;

    (void)state;
    passes(test, "256 codes in 256 transactions, of which 0 aborted");
    for (unsigned code = 0; code < 256; code += 51) {
        const uint8_t *body = tsx_bodies_xabort + code * TSX_XABORT_BYTES;
        const uint32_t status = 1 | code << 24;
        never(test, body, aborted(status), 0);
        fails(test, body, aborted(status ^ 1u << 24), 0, 0,
              "1 of 256 codes came back as another one");
        for (unsigned bit = 0; bit < 3; bit++)
            fails(test, body, aborted(status | (bit == 0 ? 2 : 8u << bit)), 0,
                  0, "with 1 of 256 codes; wanted always clear");
        fails(test, body, committed(), 0, 0, "1 of 257 transactions");
        /* Another reason may come first, each time but one. */
        begin(test);
        tsx_wrong(body, aborted(RTM_STATUS_CONFLICT), 0);
        device.to = PROBES - 2;
        expect_case(case_end(), VERDICT_PASS, "of which 99 aborted");
        fails(test, body, aborted(RTM_STATUS_CONFLICT), 0, PROBES - 1,
              "1 of 256 codes left no abort");
    }
}

static void nesting(void **state)
{
    const struct test *test = &test_tsx_nesting;

    (void)state;
    passes(test, "7 transactions in one another commit, 8 do not");
    assert_non_null(strstr(t->text, "sets EAX[5]: 100 of 100"));
    assert_non_null(strstr(t->text, "after an inner XEND: 0 of 1"));
    begin(test);
    device.depth = 65;
    expect_case(case_end(), VERDICT_PASS,
                "64 transactions in one another "
                "commit; more were not tried");
    begin(test);
    device.depth = 64;
    expect_case(case_end(), VERDICT_PASS,
                "64 transactions in one another "
                "commit; more were not tried");
    begin(test);
    device.depth = 63;
    expect_case(case_end(), VERDICT_PASS,
                "63 transactions in one another "
                "commit, 64 do not");
    never(test, tsx_body_nest, aborted(0), 0);
    never(test, tsx_body_nest_xabort, aborted(0x5a000021), 0);
    never(test, tsx_body_nest_xend_xabort, aborted(0x33000001), 0);
    never(test, tsx_body_nest_deep, aborted(0xa5000021), 0);
    never(test, tsx_body_nest_deep, aborted(0xa5000021), 4);
    fails(test, tsx_body_nest, aborted(0x44000001), 0, 0, "XABORT 44H");
    fails(test, tsx_body_nest_deep, aborted(0xa5000001), 0, PROBES - 1,
          "of 3 transactions: EAX = 0xa5000001");
    fails(test, tsx_body_nest_deep, aborted(0x25000021), 0, PROBES - 1,
          "of 3 transactions: EAX = 0x25000021");
    begin(test);
    tsx_wrong(tsx_body_nest_deep, aborted(0xa5000001), 0);
    device.to = PROBES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(test);
    tsx_wrong(tsx_body_nest_deep, aborted(0xa5000001), 4);
    device.to = LATER;
    expect_case(case_end(), VERDICT_FAIL, "of 7 transactions");
    begin(test);
    tsx_wrong(tsx_body_nest_deep, aborted(0xa5000001), 5);
    device.to = LATER;
    expect_case(case_end(), VERDICT_PASS, "");
    /* 6 of these commit, and 100 are too deep: then none commits, or the last.
     */
    begin(test);
    tsx_wrong(tsx_body_nest, aborted(RTM_STATUS_NESTED), 6 + PROBES);
    device.to = LATER;
    expect_case(case_end(), VERDICT_FAIL,
                "7 transactions in one another: 0 of 100 commit after 100 "
                "aborts of 8");
    begin(test);
    tsx_wrong(tsx_body_nest, aborted(RTM_STATUS_NESTED), 6 + PROBES);
    device.to = 6 + 2 * PROBES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    fails(test, tsx_body_nest_xabort, committed(), 0, 0, "1 of 2 committed");
    fails(test, tsx_body_nest_xabort, aborted(0x5b000021), 0, 0, "0x5a");
    fails(test, tsx_body_nest_xabort, aborted(0x5a000001), 0, 0,
          "wanted [5] = 1");
    fails(test, tsx_body_nest_xend_xabort, aborted(0x44000001), 0, 0, "0x33");
    fails(test, tsx_body_nest_xend_xabort, committed(), 0, 0,
          "1 of 2 committed");
    begin(test);
    tsx_wrong(tsx_body_nest_xend_xabort, aborted(0x33000021), 0);
    expect_case(case_end(), VERDICT_PASS, "after an inner XEND: 1 of 1");
}

static void xend_outside(void **state)
{
    const struct test *test = &test_tsx_xend_outside;
    static const uint8_t *const locked[] = {
        tsx_body_lock_xbegin, tsx_body_lock_xend, tsx_body_lock_xabort,
        tsx_body_lock_xtest};

    (void)state;
    passes(test, "");
    /* Of three before which two are transactions. */
    assert_int_equal(device.all, SET_UP + TRIALS + 16 + 10);
    begin(test);
    tsx_wrong(tsx_body_xend, (struct end){.outcome = HW_UD}, TRIALS - 1);
    device.outside = true;
    expect_case(case_end(), VERDICT_FAIL,
                "1 of 25 raised something else, at "
                "last #UD");
    for (unsigned i = 0; i < 4; i++)
        for (unsigned n = 0; n < 2; n++) {
            begin(test);
            tsx_wrong(locked[i],
                      (struct end){.outcome = n == 0 ? TSX_RAN : HW_GP}, 0);
            device.outside = true;
            expect_case(case_end(), VERDICT_FAIL,
                        n == 0 ? "got no exception" : "got #GP");
        }
}

/* Each fallback once elsewhere, and once with a register that is not restored.
 */
static void displacements(void **state)
{
    static const uint8_t *const bodies[] = {
        tsx_body_near_backward, tsx_body_near_forward, tsx_body_far_forward,
        tsx_body_far_backward, tsx_body_on_two_pages};
    struct end elsewhere = {.outcome = TSX_RAN, .flags = 7};
    struct end unrestored = {.outcome = TSX_RAN, .unrestored = true};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        begin(&test_tsx_xabort_codes);
        tsx_wrong(bodies[i], elsewhere, TRIES - 1);
        device.outside = true;
        expect_case(case_end(), VERDICT_FAIL, "1 of 5 aborts did not go on");
        begin(&test_tsx_xabort_codes);
        tsx_wrong(bodies[i], unrestored, 0);
        device.outside = true;
        expect_case(case_end(), VERDICT_FAIL, "1 of 5 aborts");
    }
}

static void xtest(void **state)
{
    const struct test *test = &test_tsx_xtest;
    static const unsigned flags[] = {0, 2, 4, 6, 7, 11};
    struct end wrong;

    (void)state;
    passes(test, "");
    assert_int_equal(t->checks, 15);
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        wrong = committed();
        wrong.flags = BIT(flags[i]);
        fails(test, tsx_body_xtest, wrong, 0, 0, "inside");
        for (unsigned n = 0; n < 4; n++) {
            begin(test);
            wrong.outcome = TSX_RAN;
            tsx_wrong(tsx_body_xtest, wrong, n);
            device.outside = true;
            expect_case(case_end(), VERDICT_FAIL, "outside");
        }
    }
    fails(test, tsx_body_xtest, (struct end){.outcome = HW_UD}, 0, 0,
          "inside a transaction: raised #UD");
    static const char *const raised[] = {
        "outside a transaction: raised", "after one that committed: raised",
        "after one that aborted: raised",
        "after one that aborted at the third level: raised"};
    for (unsigned n = 0; n < 4; n++) {
        begin(test);
        tsx_wrong(tsx_body_xtest, (struct end){.outcome = HW_UD}, n);
        device.outside = true;
        expect_case(case_end(), VERDICT_FAIL, raised[n]);
    }
    begin(test);
    tsx_wrong(tsx_body_xtest, aborted(0), 0);
    device.to = PROBES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    fails(test, tsx_body_xtest, aborted(0), 0, PROBES - 1,
          "none of 100 transactions committed");
}

/* HLE alone: it is there, and no transaction is tried. */
static void xtest_without_rtm(void **state)
{
    (void)state;
    begin(&test_tsx_xtest);
    t->cpu.rtm = false;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(device.all, 1);
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_xtest);
        t->cpu.rtm = t->cpu.hle = false;
        tsx_wrong(tsx_body_xtest, (struct end){.outcome = HW_UD}, 0);
        device.to = n == 0 ? LATER : 0;
        device.outside = true;
        expect_case(case_end(), VERDICT_PASS,
                    n == 0 ? "is enumerated: 25 of 25"
                           : "is enumerated: 1 of 25");
    }
}

static void none_commits(void **state)
{
    (void)state;
    skipped(&test_tsx_nesting);
    skipped(&test_tsx_xabort_codes);
    skipped(&test_tsx_xend_outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit),       cmocka_unit_test(commit_in_development),
        cmocka_unit_test(xabort_codes), cmocka_unit_test(displacements),
        cmocka_unit_test(nesting),      cmocka_unit_test(xend_outside),
        cmocka_unit_test(xtest),        cmocka_unit_test(xtest_without_rtm),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
