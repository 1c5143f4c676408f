/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_abort_cases.c - what aborts a transaction, and the status of that, as the
 * manual says, and with one abort otherwise. */
#include "tests/host/cases/tsx/tsx_tries.h"

extern const struct test test_tsx_abort_status, test_tsx_aborting_instructions,
    test_tsx_exceptions_abort;

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

static void none_commits(void **state)
{
    (void)state;
    skipped(&test_tsx_abort_status);
    skipped(&test_tsx_aborting_instructions);
    skipped(&test_tsx_exceptions_abort);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abort_status),
        cmocka_unit_test(conflicts_from_outside),
        cmocka_unit_test(aborting_instructions),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(below_the_stack),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
