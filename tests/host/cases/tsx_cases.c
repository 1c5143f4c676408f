/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_cases.c - the cases of what a transaction leaves, over transactions that
 * end as the manual says, and over the same with one that does not. */
#include "tests/host/cases/tsx_fixture.h"

extern const struct test test_tsx_abort_status, test_tsx_aborting_instructions,
    test_tsx_commit, test_tsx_exceptions_abort, test_tsx_nesting,
    test_tsx_xabort_codes, test_tsx_xend_outside, test_tsx_xtest;

#define TRIALS 25
#define TRIES  5   /* of a row: a fifth */
#define NESTED 64  /* until EAX[5] is seen, at most */
#define PROBES 100 /* of other loops, at most */
#define SET_UP (PROBES + 1)
#define LATER  UINT32_MAX

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    fake_mapped = false;
}

static void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

/* Tries of that body, from one on. */
static void fails(const struct test *test, const uint8_t *body,
                  struct end wrong, unsigned from, unsigned to,
                  const char *line)
{
    begin(test);
    tsx_wrong(body, wrong, from);
    device.to = to;
    expect_case(case_end(), VERDICT_FAIL, line);
}

static struct end with(struct end end, bool leaks, bool unrestored)
{
    end.leaks = leaks;
    end.unrestored = unrestored;
    return end;
}

/* What no transaction may do, in whichever try of a body. */
static void never(const struct test *test, const uint8_t *body,
                  struct end right, unsigned from)
{
    struct end inner = right, status = right, fault = right;

    if (right.outcome == TSX_COMMITTED) {
        fails(test, body, with(right, true, false), from, 0, "1 of");
    } else {
        fails(test, body, with(right, true, false), from, 0, "1 of");
        fails(test, body, with(right, false, true), from, 0, "1 of");
        status.status |= 1u << 6;
        fails(test, body, status, from, 0, "status that cannot be");
    }
    inner.outcome = TSX_INNER;
    fails(test, body, inner, from, 0, "inner transaction, 1 of");
    fault.outcome = HW_UD;
    fails(test, body, fault, from, 0, "was delivered, 1 of");
}

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

static const struct cause_row {
    const uint8_t *body;
    uint32_t status;
    bool until; /* one is seen, of so many */
} cause_rows[] = {
    {tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES, 0x5a000001, false},
    {tsx_bodies_xabort + 0xa5 * TSX_XABORT_BYTES, 0xa5000001, false},
    {tsx_body_nest_xabort, 0x5a000021, false},
    {tsx_body_cpuid, 0, false},
    {tsx_body_pause, 0, false},
    {tsx_body_ud2, 0, false},
    {tsx_body_divide, 0, false},
    {tsx_body_load, 0, false},
    {tsx_body_int3, 0x10, false},
    {tsx_body_write_lines, 8, true},
};
#define CAUSE_ROWS (sizeof(cause_rows) / sizeof(cause_rows[0]))

static void abort_status(void **state)
{
    const struct test *test = &test_tsx_abort_status;

    (void)state;
    passes(test, "XABORT A5H: 5 of 5 aborted; EAX = 0xa5000001");
    assert_non_null(strstr(t->text, "1024 lines: 1 of 1 aborted"));
    assert_int_equal(device.all, SET_UP + 9 * TRIES + 1 + 2 * 9);
    for (size_t i = 0; i < CAUSE_ROWS; i++) {
        const struct cause_row *row = &cause_rows[i];
        struct end wrong = aborted(row->status);
        never(test, row->body, wrong, 0);
        /* No abort names it, in all that are tried. */
        wrong.status = row->status & ~UINT32_C(0xff000001);
        if (row->status != 0) {
            wrong.status = row->status & RTM_STATUS_NESTED;
            fails(test, row->body, wrong, 0, LATER, "names the cause: ");
            /* The last of 32 more does. */
            begin(test);
            tsx_wrong(row->body, wrong, 0);
            device.to = (row->until ? 0 : TRIES) + 32 - 2;
            expect_case(case_end(), VERDICT_PASS, "");
            begin(test);
            tsx_wrong(row->body, wrong, 0);
            device.to = (row->until ? 0 : TRIES) + 32 - 1;
            expect_case(case_end(), VERDICT_FAIL, "names the cause: ");
        }
        /* Another cause, in one try. */
        wrong.status = row->status ^ RTM_STATUS_BREAKPOINT;
        if ((row->status & RTM_STATUS_BREAKPOINT) == 0)
            fails(test, row->body, wrong, 0, 0, "names another cause");
    }
}

/* From outside one may come, not each. */
static void conflicts_from_outside(void **state)
{
    const struct end conflict = aborted(RTM_STATUS_CONFLICT);

    (void)state;
    begin(&test_tsx_abort_status);
    tsx_wrong(tsx_body_cpuid, conflict, 0);
    device.to = TRIES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    fails(&test_tsx_abort_status, tsx_body_cpuid, conflict, 0, TRIES - 1,
          "in each of 5 aborts");
    fails(&test_tsx_abort_status, tsx_body_cpuid, aborted(RTM_STATUS_CAPACITY),
          0, TRIES - 1, "in each of 5 aborts");
    /* Stores to many lines may meet one, and not the end of what there is. */
    begin(&test_tsx_abort_status);
    tsx_wrong(tsx_body_write_lines,
              aborted(RTM_STATUS_CAPACITY | RTM_STATUS_CONFLICT), 0);
    expect_case(case_end(), VERDICT_PASS, "");
}

static void aborting_instructions(void **state)
{
    const struct test *test = &test_tsx_aborting_instructions;
    static const uint8_t *const others[] = {
        tsx_body_fnop,    tsx_body_fxsave,  tsx_body_cli,     tsx_body_sti,
        tsx_body_popfq,   tsx_body_mov_es,  tsx_body_sgdt,    tsx_body_sldt,
        tsx_body_iretq,   tsx_body_mov_dr0, tsx_body_mov_cr0, tsx_body_mov_cr2,
        tsx_body_mov_cr3, tsx_body_mov_cr4, tsx_body_mov_cr8, tsx_body_clflush,
        tsx_body_invlpg,  tsx_body_movnti,  tsx_body_in,      tsx_body_out,
        tsx_body_rdmsr,   tsx_body_wrmsr};

    struct end writes = aborted(0);

    (void)state;
    passes(test, "OBSERVED WRMSR aborts: 5 of 5");
    assert_non_null(strstr(t->text, "CPUID aborts: 5 of 5"));
    assert_non_null(strstr(t->text, "NOT OBSERVED FNOP aborts: 0 of 5"));
    assert_int_equal(t->rows, 24);
    writes.writes = true;
    fails(test, tsx_body_wrmsr, writes, 2 * TRIES - 1, 0,
          "(C1H) inside a transaction: 1 of 5 that aborted wrote it");
    writes.outcome = TSX_COMMITTED;
    begin(test);
    tsx_wrong(tsx_body_wrmsr, writes, TRIES);
    device.to = LATER;
    expect_case(case_end(), VERDICT_PASS, "");
    fails(test, tsx_body_cpuid, committed(), 4, 0, "1 of 5 committed");
    fails(test, tsx_body_pause, committed(), 4, 0, "1 of 5 committed");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        never(test, others[i], aborted(0), TRIES - 1);
        fails(test, others[i], aborted(RTM_STATUS_BREAKPOINT), 0, 0,
              "names another cause");
        begin(test);
        tsx_wrong(others[i], committed(), 0);
        expect_case(case_end(), VERDICT_PASS,
                    others[i] == tsx_body_fnop || others[i] == tsx_body_sldt ||
                            others[i] == tsx_body_movnti
                        ? "aborts: 0 of 5"
                        : "aborts: 4 of 5");
    }
}

static void exceptions(void **state)
{
    const struct test *test = &test_tsx_exceptions_abort;
    static const struct {
        const uint8_t *body;
        bool load; /* whose second row is of another address */
        const char *what;
    } rows[] = {
        {tsx_body_ud2, false, "UD2"},
        {tsx_body_divide, false, "division by zero"},
        {tsx_body_load, true, "load from a non-canonical address"},
        {tsx_body_load, true, "load from an unmapped address"},
        {tsx_body_store, false, "store to an unmapped address"},
        {tsx_body_sse, false, "MOVAPS with CR0.TS = 1"},
        {tsx_body_x87, false, "an x87 division by zero"},
    };

    (void)state;
    passes(test, "#PF outside, 5 of 5 aborts inside; EAX = 0x00000000");
    assert_int_equal(device.all, SET_UP + 7 + 2 * 8 * TRIES);
    /* The same in an inner transaction. */
    fails(test, tsx_body_nest_jump, committed(), 0, 0,
          "UD2 at the second level inside a transaction: 1 of 5 committed");
    fails(test, tsx_body_nest_jump, (struct end){.outcome = HW_GP}, 2 * TRIES,
          0, "load from a non-canonical address at the second level: #GP was");
    fails(test, tsx_body_nest_jump, aborted(0), 0, NESTED - 1,
          "UD2 at the second level: none of 64 aborts set in EAX");
    /* Once is enough: others may come before the second level is reached. */
    begin(test);
    tsx_wrong(tsx_body_nest_jump, aborted(0), 0);
    device.to = NESTED - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct end wrong = aborted(0);
        const unsigned from = i == 3 ? TRIES : 0;
        never(test, rows[i].body, wrong, from);
        fails(test, rows[i].body, aborted(RTM_STATUS_BREAKPOINT), from, 0,
              rows[i].what);
        fails(test, rows[i].body, committed(), from, 0, "1 of 5 committed");
        wrong.cr2 = 0x1234;
        fails(test, rows[i].body, wrong, from, 0,
              "CR2 changed to 0x1234, 1 of 5");
        /* Not raised outside: nothing would be shown. */
        begin(test);
        tsx_wrong(rows[i].body, (struct end){.outcome = TSX_RAN}, i == 3);
        device.outside = true;
        expect_case(case_end(), VERDICT_ERROR, rows[i].what);
        assert_int_equal(device.all, SET_UP + 7 + 2 * 7 * TRIES);
    }
    begin(test);
    fake_mapped = true;
    expect_case(case_end(), VERDICT_PASS,
                "store to an unmapped address: not tested");
    assert_int_equal(device.all, SET_UP + 5 + 2 * 6 * TRIES);
}

/* Below RSP an interrupt may push, after the abort: not in each of three. */
static void below_the_stack(void **state)
{
    static const uint8_t *const bodies[] = {tsx_body_ud2, tsx_body_divide,
                                            tsx_body_store};
    struct end wrong = aborted(0);

    (void)state;
    wrong.below = 1;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned tries = 2; tries <= TRIES; tries++)
            for (unsigned each = 0; each < 2; each++) {
                const bool seen = each != 0 && tries >= 3;
                begin(&test_tsx_exceptions_abort);
                t->trials = 5 * tries;
                tsx_wrong(bodies[i], wrong, 0);
                device.to = tries - 2 + each;
                expect_case(case_end(), seen ? VERDICT_FAIL : VERDICT_PASS,
                            seen ? "memory below RSP changed, in each of" : "");
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

/* Where none commits nothing is said of them. */
static void none_commits(void **state)
{
    static const struct test *const tests[] = {
        &test_tsx_abort_status,     &test_tsx_aborting_instructions,
        &test_tsx_exceptions_abort, &test_tsx_nesting,
        &test_tsx_xabort_codes,     &test_tsx_xend_outside};

    (void)state;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        begin(tests[i]);
        tsx_wrong(tsx_body_nothing, aborted(0), 0);
        device.to = LATER;
        expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
        assert_int_equal(device.all, SET_UP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit),
        cmocka_unit_test(commit_in_development),
        cmocka_unit_test(abort_status),
        cmocka_unit_test(conflicts_from_outside),
        cmocka_unit_test(aborting_instructions),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(below_the_stack),
        cmocka_unit_test(xabort_codes),
        cmocka_unit_test(displacements),
        cmocka_unit_test(nesting),
        cmocka_unit_test(xend_outside),
        cmocka_unit_test(xtest),
        cmocka_unit_test(xtest_without_rtm),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
