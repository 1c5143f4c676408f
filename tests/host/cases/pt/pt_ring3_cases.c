/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_ring3_cases.c - the cases of Processor Trace at ring 3 (traced_ring3.c).
 */
#include "tests/host/cases/pt/pt_fixture.h"

#define CASES(ROW)                                                     \
    ROW(pt_ptwrite_ring3, NONE, NONE, "")                              \
    ROW(pt_ring3, PASS, PASS,                                          \
        "pt_last_ip_skips_tip pt_evd_ring3_missing pt_evd_ring3_page") \
    ROW(pt_ring3_tx, PASS, PASS,                                       \
        "pt_ring3_no_tsc pt_tx_no_tsc pt_ring3_no_mtc pt_tx_no_mtc "   \
        "pt_hidden_ip_clears pt_ring3_mtc_wrong pt_tx_mtc_wrong "      \
        "pt_mtc_ring3_without_cyc")
TRACED_CASES(CASES)
