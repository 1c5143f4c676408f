/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_tx_cases.c - the cases of Processor Trace about transactions. */
#include "tests/host/cases/pt/pt_fixture.h"

#define CASES(ROW)                                                   \
    ROW(pt_nested_silent, PASS, PASS, "")                            \
    ROW(pt_rtm_abort, PASS, PASS, "")                                \
    ROW(pt_rtm_abort_causes, PASS, PASS,                             \
        "pt_abort_by_loads_silent pt_hle_abort_by_capacity_silent "  \
        "pt_hle_abort_by_interrupt_silent")                          \
    ROW(pt_rtm_commit, PASS, PASS, "pt_ip_16_too_often")             \
    ROW(pt_hle_commit, PASS, SKIP, "")                               \
    ROW(pt_hle_abort, PASS, SKIP,                                    \
        "pt_hle_abort_by_cpuid_silent "                              \
        "pt_hle_abort_by_pause_silent pt_hle_abort_by_fault_silent") \
    ROW(pt_hle_path, PASS, PASS, "pt_unelided_packets")              \
    ROW(pt_no_branch_en, SKIP, PASS, "")                             \
    ROW(pt_aborted_region_kept, PASS, PASS, "")                      \
    ROW(pt_in_tx_in_psb, PASS, PASS, "")                             \
    ROW(pt_rtm_abort_by_fault, PASS, PASS,                           \
        "pt_pause_abort_after pt_abort_by_cpuid_silent "             \
        "pt_abort_by_breakpoint_silent "                             \
        "pt_abort_by_page_fault_silent")                             \
    ROW(pt_transaction_unchanged, PASS, PASS, "")                    \
    ROW(pt_tx_path, PASS, PASS,                                      \
        "pt_xabort_alone pt_abort_by_instruction_silent")
CASES(TRACED_CASE)

/* No source says what is left of them: it is said. */
static void pt_forced_abort(void **state)
{
    extern const struct test test_pt_forced_abort;
    static const struct {
        const char *cpu;
        enum regime regime;
    } rows[] = {
        {"skylake-2018", REGIME_B},
        {"skylake-2021", REGIME_C},
        {"cometlake-2022", REGIME_F},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        power_on(&test_pt_forced_abort, rows[i].cpu, "none");
        t->regime = rows[i].regime;
        t->cpu.tsx_force_abort = rows[i].regime != REGIME_F;
        expect_case(run_body(), VERDICT_PASS,
                    "NOT OBSERVED a forced abort makes MODE.TSX with InTX = 1: "
                    "0 of 8");
        assert_non_null(strstr(t->text, "TXAbort = 1: 8 of 8"));
        assert_non_null(
            strstr(t->text, "8 of the aborts with a TIP to the fallback"));
        assert_non_null(strstr(t->text, "0 traces could not be read"));
    }
    /* None is forced. */
    power_on(&test_pt_forced_abort, "skylake-2017", "none");
    expect_case(run_body(), VERDICT_FAIL,
                "8 transactions committed while a trace ran");
}

/* Both causes are looked at. */
static void causes(void **state)
{
    extern const struct test test_pt_rtm_abort_causes;

    (void)state;
    power_on(&test_pt_rtm_abort_causes, "skylake-2017", "none");
    expect_case(run_body(), VERDICT_PASS, "");
    assert_null(strstr(t->text, "not looked at"));
    assert_null(strstr(t->text, "no interrupt"));
}

/* Nothing is mapped at the address that is loaded from. */
static void page_fault(void **state)
{
    extern const struct test test_pt_rtm_abort_by_fault;

    (void)state;
    is_faulty = false; /* a body goes on after its first FAIL */
    power_on(&test_pt_rtm_abort_by_fault, "skylake-2018", "none");
    fake_mapped = false;
    expect_case(run_body(), VERDICT_PASS, "");
    power_on(&test_pt_rtm_abort_by_fault, "skylake-2018", "pt_abort_ip_beyond");
    fake_mapped = false;
    expect_case(run_body(), VERDICT_FAIL, "a page that is not present: event");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASES(TRACED_UNIT) cmocka_unit_test(pt_forced_abort),
        cmocka_unit_test(causes),
        cmocka_unit_test(page_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
