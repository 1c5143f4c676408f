/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_tx_cases.c - the cases of Processor Trace about transactions. */
#include "tests/host/cases/pt_fixture.h"

#define CASES(ROW)                                       \
    ROW(pt_nested_silent, PASS, PASS, "")                \
    ROW(pt_rtm_abort, PASS, PASS, "")                    \
    ROW(pt_rtm_commit, PASS, PASS, "pt_ip_16_too_often") \
    ROW(pt_hle_commit, PASS, SKIP, "")                   \
    ROW(pt_hle_abort, PASS, SKIP, "")                    \
    ROW(pt_hle_path, PASS, PASS, "pt_unelided_packets")  \
    ROW(pt_no_branch_en, SKIP, PASS, "")                 \
    ROW(pt_aborted_region_kept, PASS, PASS, "")          \
    ROW(pt_in_tx_in_psb, PASS, PASS, "")                 \
    ROW(pt_rtm_abort_by_fault, PASS, PASS, "")           \
    ROW(pt_transaction_unchanged, PASS, PASS, "")        \
    ROW(pt_tx_path, PASS, PASS,                          \
        "pt_xabort_alone pt_abort_by_instruction_silent")
TRACED_CASES(CASES)
