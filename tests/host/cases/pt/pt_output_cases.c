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
TRACED_CASES(CASES)
