/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_output_cases.c - the cases of Processor Trace about output, PSB and time.
 */
#include "tests/host/cases/pt/pt_fixture.h"

#define CASES(ROW)                                            \
    ROW(pt_psb, PASS, PASS, "")                               \
    ROW(pt_timing, PASS, PASS, "")                            \
    ROW(pt_range_wrap, NONE, PASS, "")                        \
    ROW(pt_topa_reserved, PASS, PASS, "")                     \
    ROW(pt_output_offset, PASS, PASS, "pt_table_of_one_page") \
    ROW(pt_ratio, PASS, PASS, "")                             \
    ROW(pt_cycles, SKIP, PASS, "pt_cyc_counts_untraced")      \
    ROW(pt_topa_output, PASS, PASS, "pt_nmi_silent")          \
    ROW(pt_psb_place, SKIP, PASS, "")                         \
    ROW(pt_pmi_freezes, PASS, PASS, "lvt_not_masked_by_topa")
CASES(TRACED_CASE)

/* SKL069, CML050: CycThresh = 13 has a CYC with each packet that takes one. */
static void threshold_13(void **state)
{
    (void)state;
    traced_erratum = "CML050";
    expect(&test_pt_cycles, "cometlake-rtm-2022", "none", VERDICT_PASS);
    traced_erratum = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASES(TRACED_UNIT) cmocka_unit_test(threshold_13),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
