/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr.c - what goes wrong with last branch records. Each entry names what it
 * breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

#define INFO_MISPRED (UINT64_C(1) << 63)
#define INFO_IN_TSX  (UINT64_C(1) << 62)
#define INFO_ABORT   (UINT64_C(1) << 61)

/* --- The stack ----------------------------------------------------------- */

FAULT(lbr_from_next, .what = "[any] FROM of a record is one byte more",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_FROM,
      .number = ANY_NUMBER, .add = 1)

FAULT(lbr_from_aligned, .what = "[any] FROM of a record has [3:0] = 0",
      .caught = {"haswell on 1 lbr_stack FAIL"}, .quantity = LBR_FROM,
      .number = ANY_NUMBER, .clear = 0xF)

FAULT(lbr_to_off, .what = "[any] TO of a record is one byte less",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_TO,
      .number = ANY_NUMBER, .add = UINT64_MAX)

FAULT(lbr_not_taken, .what = "[any] branches not taken are recorded",
      .caught = {"sandybridge on 1 lbr_stack FAIL"}, .breaks = LBR_TAKEN_ALONE)

FAULT(lbr_tos_stuck, .what = "[any] TOS stays where it is",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .breaks = LBR_TOS_FOLLOWS)

FAULT(lbr_tos_skips, .what = "[any] each second record is left out",
      .caught = {"broadwell on 1 lbr_stack FAIL"}, .quantity = LBR_NEXT_TOS,
      .number = ANY_NUMBER, .add = 1)

FAULT(lbr_tos_falls, .what = "[any] TOS is decremented before a record",
      .caught = {"haswell on 1 lbr_stack FAIL"}, .quantity = LBR_NEXT_TOS,
      .number = ANY_NUMBER, .add = 30)

FAULT(lbr_info_reserved, .what = "[format 5] INFO[16], reserved, is 1",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_FLAGS,
      .number = ANY_NUMBER, .set = 1u << 16)

FAULT(lbr_fixed_pmi_freezes_not,
      .what = "[any] a fixed counter's interrupt does not freeze the records",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_FROZEN_BY_FIXED)

FAULT(lbr_pebs_pmi_freezes_not,
      .what = "[PEBS] the interrupt of the PEBS threshold does not freeze the "
              "records",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pebs FAIL",
                 "haswell on 1 lbr_freeze_on_pebs FAIL"},
      .breaks = LBR_FROZEN_BY_PEBS)

FAULT(lbr_frozen_late,
      .what = "[any with perfmon 4] three more records are made after the "
              "overflow that is to freeze them",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"},
      .quantity = LBR_LATE, .number = ANY_NUMBER, .add = 3)

FAULT(lbr_tos_beyond,
      .what = "[format 5] MSR_LASTBRANCH_TOS reads 32 more than it is",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = OF_MSR_READ,
      .number = 0x1C9, .set = 32)

FAULT(lbr_half_deep, .what = "[format 5] TOS wraps after 16 records",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_NEXT_TOS,
      .number = ANY_NUMBER, .clear = 0x10)

FAULT(lbr_end_recorded,
      .what = "[any] the WRMSR that clears DEBUGCTL.LBR leaves a record",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"},
      .breaks = LBR_ENDS_SILENTLY)

FAULT(lbr_mispredicted, .what = "[any] each branch is recorded as mispredicted",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_FLAGS,
      .number = ANY_NUMBER, .set = INFO_MISPRED)

FAULT(lbr_never_mispredicted,
      .what = "[any] no branch is recorded as mispredicted",
      .caught = {"haswell on 1 lbr_stack FAIL"}, .quantity = LBR_FLAGS,
      .number = ANY_NUMBER, .clear = INFO_MISPRED)

FAULT(lbr_cycles_zero, .what = "[format 5] LBR_INFO[15:0] is 0",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_CYCLES,
      .number = ANY_NUMBER, .clear = UINT64_MAX)

FAULT(lbr_cycles_add_up,
      .what = "[format 5] LBR_INFO[15:0] does not restart with a record",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"},
      .breaks = LBR_CYCLES_RESTART)

FAULT(lbr_cycles_15_bits, .what = "[format 5] LBR_INFO[15] is 0",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"}, .quantity = LBR_CYCLES,
      .number = ANY_NUMBER, .clear = 0x8000)

FAULT(lbr_cycles_wrap,
      .what = "[format 5] LBR_INFO[15:0] goes on from 0 after FFFFH",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"},
      .breaks = LBR_CYCLES_SATURATE)

FAULT(lbr_without_events,
      .what = "[any] interrupts and exceptions are not recorded",
      .caught = {"skylake-2018 on 1 lbr_events FAIL"}, .breaks = LBR_HAS_EVENTS)

FAULT(lbr_without_int_n, .what = "[any] INT n is not recorded",
      .caught = {"skylake-2018 on 1 lbr_events FAIL"}, .breaks = LBR_HAS_INT_N)

FAULT(lbr_debug_goes_on,
      .what = "[any] a debug exception does not clear DEBUGCTL.LBR",
      .caught = {"skylake-2018 on 1 lbr_events FAIL"},
      .breaks = LBR_ENDS_AT_DEBUG)

/* --- MSR_LBR_SELECT ------------------------------------------------------ */

FAULT(lbr_select_ring_0_ignored, .what = "[any] MSR_LBR_SELECT[0] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 0)

FAULT(lbr_select_user_ignored, .what = "[any] MSR_LBR_SELECT[1] is ignored",
      .caught = {"haswell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 1)

FAULT(lbr_select_jcc_ignored, .what = "[any] MSR_LBR_SELECT[2] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 2)

FAULT(lbr_select_rel_call_ignored, .what = "[any] MSR_LBR_SELECT[3] is ignored",
      .caught = {"ivybridge on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 3)

FAULT(lbr_select_ind_call_ignored, .what = "[any] MSR_LBR_SELECT[4] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 4)

FAULT(lbr_select_ret_ignored, .what = "[any] MSR_LBR_SELECT[5] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 5)

FAULT(lbr_select_ind_jmp_ignored, .what = "[any] MSR_LBR_SELECT[6] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 6)

FAULT(lbr_select_rel_jmp_ignored, .what = "[any] MSR_LBR_SELECT[7] is ignored",
      .caught = {"broadwell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 7)

FAULT(lbr_select_far_ignored, .what = "[any] MSR_LBR_SELECT[8] is ignored",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 8)

FAULT(lbr_select_ind_jmp_returns,
      .what = "[any] MSR_LBR_SELECT[6] leaves out indirect calls and returns",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_IND_JMP_EXACT)

FAULT(lbr_select_rel_jmp_calls,
      .what = "[any] MSR_LBR_SELECT[7] leaves out relative calls",
      .caught = {"sandybridge on 1 lbr_filter FAIL"},
      .breaks = LBR_REL_JMP_EXACT)

FAULT(lbr_no_call_stack, .what = "[format 4, 5] MSR_LBR_SELECT[9] is ignored",
      .caught = {"haswell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_SELECTED, .number = ANY_NUMBER, .clear = 1 << 9)

FAULT(lbr_returns_recorded,
      .what = "[format 4, 5] with EN_CALLSTACK a return is recorded, and "
              "flushes nothing",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_FLUSHES_LAST)

FAULT(lbr_zero_length_recorded,
      .what = "[format 4, 5] with EN_CALLSTACK zero length calls are recorded",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_NO_ZERO_LENGTH)

/* --- Transactions -------------------------------------------------------- */

FAULT(lbr_in_tx_missing,
      .what = "[A B F; C with bit 2] records have IN_TSX = 0",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL",
                 "haswell on 1 lbr_transactions FAIL"},
      .quantity = LBR_FLAGS, .number = ANY_NUMBER, .clear = INFO_IN_TSX)

FAULT(lbr_in_tx_stuck, .what = "[any with TSX] records have IN_TSX = 1",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .quantity = LBR_FLAGS, .number = ANY_NUMBER, .set = INFO_IN_TSX)

FAULT(lbr_abort_unmarked,
      .what = "[A B F; C with bit 2] the record of an abort has TSX_ABORT = 0",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .quantity = LBR_ABORT_FLAGS, .number = ANY_NUMBER, .clear = INFO_ABORT)

FAULT(lbr_abort_stuck, .what = "[any with TSX] records have TSX_ABORT = 1",
      .caught = {"haswell on 1 lbr_transactions FAIL"}, .quantity = LBR_FLAGS,
      .number = ANY_NUMBER, .set = INFO_ABORT)

FAULT(lbr_abort_missing,
      .what = "[A B F; C with bit 2] an abort is not recorded",
      .caught = {"broadwell on 1 lbr_transactions FAIL"},
      .breaks = LBR_HAS_ABORTS)

FAULT(lbr_abort_at_begin,
      .what = "[A B F; C with bit 2] FROM of an abort is where the transaction "
              "began",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .breaks = LBR_ABORT_HERE)

FAULT(lbr_aborted_undone,
      .what = "[A B F; C with bit 2] an abort takes away the records of its "
              "transaction",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .breaks = LBR_KEEPS_ABORTED)

FAULT(lbr_in_tx_ends_inner,
      .what = "[A B F; C with bit 2] records inside a nested transaction have "
              "IN_TSX = 0",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .breaks = LBR_IN_TSX_NESTED)

FAULT(lbr_elided_abort_next,
      .what = "[A B with HLE] TO of the abort of an elided section is behind "
              "its XACQUIRE",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .breaks = LBR_ELISION_TO_BEGIN)

/* --- Registers ----------------------------------------------------------- */

FAULT(lbr_select_missing, .what = "[any] MSR_LBR_SELECT raises #GP",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x1C8)

FAULT(lbr_select_loses_bit, .what = "[any] MSR_LBR_SELECT[8] cannot be set",
      .caught = {"sandybridge on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1C8, .clear = 1 << 8)

FAULT(lbr_last_missing, .what = "[format 5] FROM of the last record raises #GP",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x69F)

FAULT(lbr_to_32_bits, .what = "[any] TO of record 3 has [31:0] alone",
      .caught = {"haswell on 1 lbr_registers FAIL"}, .quantity = OF_MSR_WRITTEN,
      .number = 0x6C3, .clear = UINT64_MAX << 32)

FAULT(lbr_info_flags_lost,
      .what = "[format 5] LBR_INFO of record 0 has no flags",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0xDC0, .clear = UINT64_MAX << 61)

FAULT(lbr_tos_discards,
      .what = "[any] a write of MSR_LASTBRANCH_TOS is ignored",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1C9, .clear = UINT64_MAX)

FAULT(lbr_from_read_only,
      .what = "[any] a write of FROM of record 2 is ignored",
      .caught = {"broadwell on 1 lbr_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x682, .clear = UINT64_MAX)

FAULT(lbr_select_keeps_reserved, .what = "[any] MSR_LBR_SELECT[10] can be set",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .quantity = LBR_SELECT_BITS, .number = ANY_NUMBER, .set = 1 << 10)

FAULT(lbr_select_shared,
      .what = "[any] the threads of a core have one MSR_LBR_SELECT",
      .caught = {"skylake-2018 on 2 lbr_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x1C8)

/* --- Freezing ------------------------------------------------------------ */

FAULT(lbr_frozen_goes_on,
      .what = "[any with perfmon 4] branches are recorded while LBR_Frz is set",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_STOPS_FROZEN)

/* --- Processor Trace, where it excludes them -------------------------------
 */

FAULT(lbr_read_traced,
      .what = "[3DH 4EH 5EH] registers of records read as they were while "
              "TraceEn = 1",
      .caught = {"broadwell on 1 lbr_while_tracing FAIL"},
      .breaks = LBR_ZERO_TRACED)

FAULT(lbr_kept_after_trace,
      .what = "[3DH 4EH 5EH] records are there again when TraceEn becomes 0",
      .caught = {"skylake-2018 on 1 lbr_while_tracing FAIL"},
      .breaks = LBR_RESET_BY_TRACE)

FAULT(lbr_disabled_by_trace,
      .what =
          "[any with Processor Trace] a change of TraceEn clears DEBUGCTL.LBR",
      .caught = {"skylake-2018 on 1 lbr_while_tracing FAIL"},
      .breaks = LBR_ENABLED_TRACED)

FAULT(
    lbr_select_far_ring3,
    .what = "[any] MSR_LBR_SELECT[8] does not leave out far branches of ring 3",
    .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
    .breaks = LBR_FAR_OF_RING_3)

FAULT(lbr_keeps_entry_0,
      .what = "[format 4, 5] with EN_CALLSTACK a return does not flush entry 0",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_FLUSHES_ENTRY_0)

FAULT(lbr_select_written_traced,
      .what = "[3DH 4EH 5EH] a write of MSR_LBR_SELECT while TraceEn = 1 is "
              "not dropped",
      .caught = {"skylake-2018 on 1 lbr_while_tracing FAIL"},
      .breaks = LBR_SELECT_DROPPED)

FAULT(lbr_kinds_kept_in_tx,
      .what =
          "[any with RTM] MSR_LBR_SELECT keeps no kind of branch out of the "
          "records of a transaction",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL"},
      .breaks = LBR_KINDS_IN_TX)

FAULT(lbr_mispredicted_late,
      .what = "[any] MISPRED is that of the taken branch before",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .breaks = LBR_MISPRED_IN_TIME)

FAULT(lbr_mispredicted_conditions,
      .what = "[any] MISPRED is 0 but for conditional branches",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "sandybridge on 1 lbr_stack FAIL"},
      .breaks = LBR_MISPRED_OF_TARGETS)

FAULT(lbr_cycles_of_left_out,
      .what = "[format 5] cycles are counted from the last taken branch on, "
              "be it recorded or left out",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL"},
      .breaks = LBR_CYCLES_OF_RECORDED)

FAULT(lbr_resumes_late,
      .what = "[any with perfmon 4] after an interrupt has frozen the records "
              "and LBR_Frz was cleared, none comes until DEBUGCTL is written",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_RESUMES)

FAULT(lbr_debug_clears_freeze,
      .what = "[any] a debug exception clears IA32_DEBUGCTL[12:11] too",
      .caught = {"skylake-2018 on 1 lbr_events FAIL",
                 "haswell on 1 lbr_events FAIL"},
      .breaks = DEBUG_KEEPS_FREEZE)
