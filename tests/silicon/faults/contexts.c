/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contexts.c - what is right elsewhere, and wrong at ring 3 or in a
 * transaction. Each entry names what it breaks: rules.h, pt_rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(ring3_cycles_more,
      .what = "[any] fixed counter 1 counts one cycle too many per instruction "
              "at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL",
                 "sandybridge on 1 events_in_contexts FAIL"},
      .breaks = RING3_CYCLES_COUNT_ONCE)

FAULT(ring3_reference_lost,
      .what = "[any] fixed counter 2 counts nothing at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = RING3_REFERENCE_CYCLES)

FAULT(ring3_lines_count_twice,
      .what = "[any] an instruction on two lines counts twice at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = RING3_LINES_COUNT_ONCE)

FAULT(ring3_locked_loads_lost,
      .what = "[4th to 6th generation] D0H/21H counts nothing at ring 3",
      .caught = {"haswell on 1 events_in_contexts FAIL"},
      .breaks = LOCKED_LOADS_IN_RING_3)

FAULT(ring3_offcore_lost,
      .what = "[client] off-core events count nothing at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = OFFCORE_IN_RING_3)

FAULT(tx_offcore_lost,
      .what = "[A B F; C with bit 2] off-core events count nothing in a "
              "transaction",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = OFFCORE_IN_TX)

FAULT(in_tx_overflow_silent,
      .what = "[A B F; C with bit 2] an overflow of a counter with IN_TX sets "
              "no status bit",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = OVERFLOW_OF_IN_TX)

FAULT(tx_carry_lost,
      .what = "[A B F; C with bit 2] a counter loses the carry from bit 31 in "
              "a transaction",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = CARRY_IN_TX)

FAULT(in_tx_ends_with_inner,
      .what = "[A B F; C with bit 2] IN_TX counts nothing after the XEND of "
              "an inner transaction",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = IN_TX_AFTER_INNER)

FAULT(txcp_of_instructions_alone,
      .what = "[A B F; C with bit 2] IN_TXCP takes back instructions, and no "
              "other event",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = TXCP_OF_ANY_EVENT)

FAULT(txcp_keeps_one,
      .what =
          "[A B F; C with bit 2] IN_TXCP keeps an event of each region that "
          "aborts",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .quantity = TXCP_RESTORED, .number = ANY_NUMBER, .add = 1)

FAULT(pt_ring3_no_psb, .what = "[PT] no PSB comes while ring 3 runs",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_PSB_IN_RING_3)

FAULT(pt_ring3_psb_no_pip, .what = "[PT] PSB+ at ring 3 has no PIP",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_PSB_PIP_IN_RING_3)

FAULT(pt_psb_fup_xbegin,
      .what = "[PT and TSX] the FUP of PSB+ in a transaction is its XBEGIN",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_PSB_FUP_IN_TX)

FAULT(pt_ring3_begin_no_fup,
      .what = "[PT and TSX] MODE.TSX of a begin at ring 3 has no FUP",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_TX_FUP_IN_RING_3)

FAULT(pebs_ring3_address_8,
      .what = "[format 2, 3] 98H has 0 in bits 2:0 at ring 3",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_ADDRESS_WHOLE)

FAULT(xend_ring3_ignored,
      .what = "[A B F; C with bit 2] XEND outside raises nothing at ring 3",
      .caught = {"skylake-2018 on 1 tsx_ring3_state FAIL"},
      .breaks = XEND_OUTSIDE_RING3)

FAULT(abort_ring3_keeps_rsp,
      .what = "[A B F; C with bit 2] an abort at ring 3 does not restore RSP",
      .caught = {"skylake-2018 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_RSP)

FAULT(abort_ring3_keeps_xmm,
      .what = "[A B F; C with bit 2] an abort at ring 3 does not restore the "
              "XMM registers",
      .caught = {"haswell on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_EXTENDED)

FAULT(backward_fallback_next,
      .what = "[A B F; C with bit 2] an abort goes on after XBEGIN where its "
              "fallback is before it",
      .caught = {"skylake-2018 on 1 tsx_ring3_state FAIL"},
      .breaks = BACKWARD_FALLBACK)

FAULT(hle_release_high_byte,
      .what = "[A] XRELEASE of a lock that differs in its highest byte alone "
              "commits",
      .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
      .breaks = LOCK_HIGH_BYTE)

FAULT(tx_load_breakpoint_lost,
      .what = "[A B F; C with bit 2] a breakpoint on a load in a transaction "
              "is not seen",
      .caught = {"skylake-2018 on 1 tsx_debug_breakpoint FAIL"},
      .breaks = LOADS_WATCHED)

FAULT(forced_ring3_commits,
      .what = "[B] RTM_FORCE_ABORT = 1 lets transactions at ring 3 commit",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCED_IN_RING_3)

FAULT(nested_begin_not_counted,
      .what = "[A B F; C with bit 2] an XBEGIN inside is not counted as an "
              "instruction",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = NESTED_BEGIN_COUNTS)

FAULT(ring3_cmask_less, .what = "[any] CMASK counts as one less at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL",
                 "sandybridge on 1 events_in_contexts FAIL"},
      .breaks = CMASK_IN_RING_3)

FAULT(ring3_edge_ignored, .what = "[any] EDGE does nothing at ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = EDGE_IN_RING_3)

FAULT(tx_pmi_freezes_nothing,
      .what = "[A B F; C with bit 2] an interrupt that aborts a transaction "
              "freezes nothing",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL"},
      .breaks = FREEZE_IN_TX)

FAULT(in_tx_pmi_missing,
      .what = "[A B F; C with bit 2] a counter with IN_TX does not interrupt",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL",
                 "haswell on 1 pmi_in_contexts FAIL"},
      .breaks = PMI_OF_IN_TX)

FAULT(ring3_lvt_unmasked,
      .what = "[any] an interrupt at ring 3 does not set the LVT's mask bit",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL",
                 "sandybridge on 1 pmi_in_contexts FAIL"},
      .breaks = LVT_MASKED_RING3)

FAULT(rdpmc_fixed_stale_in_tx,
      .what = "[A B F; C with bit 2] RDPMC of a fixed counter in a transaction "
              "gives what it was at XBEGIN",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .breaks = RDPMC_FIXED_LIVE_IN_TX)

FAULT(hle_release_upper_half,
      .what =
          "[A] XRELEASE of 8 bytes that differ in the upper half alone commits",
      .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
      .breaks = LOCK_UPPER_HALF)

FAULT(abort_keeps_movnti,
      .what = "[A B F; C with bit 2] an abort does not undo MOVNTI",
      .caught = {"skylake-2018 on 1 tsx_rollback_bytes FAIL"},
      .breaks = NONTEMPORAL_UNDONE)

FAULT(exception_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort by an exception does not restore "
              "the upper halves of YMM",
      .caught = {"haswell on 1 tsx_abort_state FAIL"},
      .breaks = EXCEPTION_RESTORES_YMM)

FAULT(ring3_threshold_silent,
      .what = "[any] a record of ring 3 that reaches the threshold does not "
              "set GLOBAL_STATUS[62]",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_SETS_62)

FAULT(ring3_reload_bit,
      .what = "[any] a record of ring 3 loses a bit of the reset value",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_RELOADS)

FAULT(in_tx_ignored_with_cmask,
      .what = "[A B F; C with bit 2] IN_TX does nothing where CMASK is not 0",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = IN_TX_WITH_CMASK)

FAULT(nested_exception_debug,
      .what = "[A B F; C with bit 2] an exception in an inner transaction sets "
              "EAX[4]",
      .caught = {"skylake-2018 on 1 tsx_ring3_state FAIL"},
      .breaks = NESTED_EXCEPTION_PLAIN)

FAULT(commit_200_not_counted,
      .what = "[any with RTM] RTM_RETIRED.COMMIT leaves out one in 200",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = COMMIT_200_COUNTS)

FAULT(deep_abort_not_counted,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED leaves out aborts at "
              "the third level",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = ABORT_AT_3_COUNTS)

FAULT(deep_abort_counted_twice,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED counts an abort at "
              "the third level twice",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = ABORT_AT_3_ONCE)

FAULT(rdpmc_2_stale_in_tx,
      .what = "[A B F; C with bit 2] RDPMC of IA32_PMC2 in a transaction gives "
              "what it was at XBEGIN",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .breaks = RDPMC_2_LIVE_IN_TX)

FAULT(any_ignores_in_tx,
      .what = "[any with RTM and AnyThread] with AnyThread IN_TX does nothing",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"},
      .breaks = ANY_HAS_IN_TX)

FAULT(forced_ring3_beside_counter3,
      .what = "[B] RTM_FORCE_ABORT = 1 lets transactions at ring 3 commit "
              "while counter 3 is enabled",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCED_BESIDE_3)

FAULT(tx_ring3_breakpoint_lost,
      .what = "[A B F; C with bit 2] a breakpoint on a store in a transaction "
              "at ring 3 is not seen",
      .caught = {"skylake-2018 on 1 tsx_ring3_state FAIL"},
      .breaks = WRITES_WATCHED_RING3)

FAULT(in_txcp_kept_while_traced,
      .what = "[PT and TSX] IN_TXCP counts what an abort has undone while "
              "TraceEn is 1",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .breaks = TXCP_WHILE_TRACED)

FAULT(ring3_abort_no_record,
      .what = "[A B F; C with bit 2] an abort at ring 3 makes no record",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_ABORT_RECORD)

FAULT(ring3_abort_of_neither,
      .what = "[A B F; C with bit 2] B8H[33:32] are 0 in the record of an "
              "abort at ring 3",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_ABORT_INFO)

FAULT(ring3_latency_0, .what = "[2nd to 6th generation] A8H is 0 at ring 3",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"},
      .breaks = LATENCY_IN_RING_3)

FAULT(latency_of_counter_2,
      .what = "[2nd to 6th generation] LL_EN of IA32_PMC2 enables load "
              "latency on IA32_PMC0, too, and so on",
      .caught = {"skylake-2018 on 1 load_latency_enable FAIL"},
      .breaks = LATENCY_OF_ITS_COUNTER)

FAULT(lbr_far_beside_level,
      .what = "[any] CPL_EQ_0 keeps out far branches of ring 3, too",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_FAR_BESIDE_LEVEL)

FAULT(lbr_flush_at_0,
      .what = "[4th generation on] a return takes no record away where TOS is "
              "0",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_FLUSH_WRAPS)

FAULT(status_reads_60, .what = "[any] IA32_PERF_GLOBAL_STATUS[60] reads 1",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38E, .set = UINT64_C(1) << 60)

FAULT(status_reads_61, .what = "[any] IA32_PERF_GLOBAL_STATUS[61] reads 1",
      .caught = {"haswell on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38E, .set = UINT64_C(1) << 61)

FAULT(pt_ring3_no_tsc, .what = "[PT] PSB+ at ring 3 has no TSC",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_TSC_IN_RING_3)

FAULT(pt_tx_no_tsc, .what = "[PT and TSX] PSB+ in a transaction has no TSC",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_TSC_IN_TX)

FAULT(pt_ring3_no_mtc, .what = "[PT] no MTC comes while ring 3 runs",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_MTC_IN_RING_3)

FAULT(pt_tx_no_mtc, .what = "[PT and TSX] no MTC comes in transactions",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_MTC_IN_TX)

FAULT(pt_tx_no_cyc, .what = "[PT and TSX] no CYC comes in transactions",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_CYC_IN_TX)

FAULT(pt_tip_without_cyc, .what = "[PT] no CYC comes before a TIP",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_CYC_OF_TIP)

FAULT(tx_large_disturbs_1,
      .what = "[B] a transaction of 256 lines adds 1 to IA32_PMC1",
      .caught = {"skylake-2018 on 1 counter3_provoked FAIL"},
      .breaks = LARGE_KEEPS_OTHERS)

FAULT(tx_large_disables_1,
      .what = "[any with RTM] a transaction of 256 lines clears GLOBAL_CTRL[1]",
      .caught = {"skylake-2018 on 1 counter3_provoked FAIL"},
      .breaks = LARGE_KEEPS_CTRL)

FAULT(tx_abort_clears_int_1,
      .what = "[any with RTM] an abort clears INT of PERFEVTSEL1",
      .caught = {"skylake-2018 on 1 counter3_provoked FAIL"},
      .breaks = ABORT_KEEPS_SELECT)

FAULT(tx_of_sibling_sets_status,
      .what = "[any with RTM] a transaction sets GLOBAL_STATUS[0] of the other "
              "thread",
      .caught = {"skylake-2018 on 2 counter3_other_processor FAIL"},
      .breaks = STATUS_OF_THREAD)

FAULT(forced_beside_sibling,
      .what = "[B] counter 3 counts one more for each transaction of the other "
              "thread though bit 0 is set here",
      .caught = {"skylake-2018 on 2 counter3_other_processor FAIL"},
      .breaks = FORCED_BESIDE_SIBLING)

FAULT(forced_cmask_off,
      .what = "[B] counter 3 with CMASK counts one more for each forced abort",
      .caught = {"skylake-2018 on 1 counter3_provoked FAIL"},
      .breaks = FORCED_WITH_CMASK)

FAULT(rdpmc_ring3_beyond,
      .what = "[any] RDPMC at ring 3 beyond the last counter gives 0",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"},
      .breaks = ABSENT_REFUSED_IN_RING_3)

FAULT(rdpmc_ring3_fixed_beyond,
      .what = "[any] RDPMC at ring 3 beyond the last fixed counter gives 0",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"},
      .breaks = ABSENT_FIXED_REFUSED_IN_RING_3)

FAULT(capacity_takes_counts_back,
      .what = "[A B F; C with bit 2] an abort by too many stores takes back "
              "what all general counters have counted",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = CAPACITY_KEEPS_COUNTS)

FAULT(capacity_keeps_xmm,
      .what = "[A B F; C with bit 2] an abort by too many stores does not "
              "restore XMM0 to XMM15",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .breaks = CAPACITY_RESTORES_EXTENDED)

FAULT(abort_ring3_keeps_mxcsr,
      .what = "[A B F; C with bit 2] an abort at ring 3 does not restore MXCSR",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_MXCSR)

FAULT(abort_keeps_rep_stores,
      .what = "[A B F; C with bit 2] an abort does not undo stores of REP STOS",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = REP_STORES_UNDONE)

FAULT(
    forced_keeps_ymm,
    .what = "[B] a forced abort does not restore upper halves of YMM registers",
    .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
    .breaks = FORCED_RESTORES_YMM)

FAULT(abort_50_not_counted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out one in 50",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = EVERY_ABORT_COUNTS)
