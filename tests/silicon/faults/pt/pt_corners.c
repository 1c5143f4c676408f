/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_corners.c - what goes wrong with Processor Trace in corners: after STOP,
 * beyond the first entry, after an abort, before a PSB.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_ctl_reserved_with_en,
      .what = "[PT] IA32_RTIT_CTL takes reserved bits in the write that sets "
              "TraceEn",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_RESERVED_ON)

FAULT(pt_ctl_reserved_at_end,
      .what = "[PT] IA32_RTIT_CTL takes reserved bits in the write that clears "
              "TraceEn",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_RESERVED_OFF)

FAULT(pt_stopped_unlocked,
      .what = "[PT with ranges] the registers can be written while TraceEn and "
              "Stopped are 1",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPPED_LOCKED)

FAULT(pt_stopped_ctl_changes,
      .what = "[PT with ranges] IA32_RTIT_CTL can be changed while TraceEn and "
              "Stopped are 1",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPPED_CTL)

FAULT(pt_stopped_trigger_en,
      .what = "[PT with ranges] IA32_RTIT_STATUS.TriggerEn is 1 while TraceEn "
              "and Stopped are",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPPED_TRIGGER)

FAULT(pt_addr1_filtered_stops,
      .what = "[PT with ranges] ADDR1 stops nothing where ADDR0 filters",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOP_BESIDE)

FAULT(pt_offset_of_entry_1,
      .what = "[PT with ToPA entries] an OutputOffset beyond a region is no "
              "error but in the first entry",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_OFFSET_ENTRY_0)

FAULT(pt_range_interrupts,
      .what = "[PT with single range] the wrap sets GLOBAL_STATUS[55]",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"},
      .rule = PT_RANGE_SILENT)

FAULT(pt_int_of_next_table,
      .what = "[PT with ToPA entries] INT does nothing in a table that END led "
              "to",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_INT_LINKED)

FAULT(
    pt_stop_before_end,
    .what = "[PT with ToPA entries] STOP does nothing in the entry before END",
    .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
    .rule = PT_STOP_BEFORE_END)

FAULT(
    pt_stop_of_next_table,
    .what = "[PT with ToPA entries] STOP does nothing in a table that END led "
            "to",
    .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_STOP_LINKED)

FAULT(pt_begin_16_silent,
      .what = "[PT and TSX] each 16th begin of a trace has no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"},
      .rule = PT_EVERY_BEGIN)

FAULT(pt_psb_says_abort,
      .what = "[PT and TSX] MODE.TSX in PSB+ has TXAbort = 1 after an abort",
      .caught = {"skylake-2018 on 1 pt_in_tx_in_psb FAIL"},
      .rule = PT_PSB_TX_ABORT_ONCE)

FAULT(pt_psb_drops_tnt, .what = "[PT] the TNT before a PSB is lost",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"}, .rule = PT_PSB_TNT)

FAULT(pt_ret_16_not_compared,
      .what = "[PT] a RET with an operand is compressed wherever it goes",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"},
      .rule = PT_FREES_COMPARED)

FAULT(pt_range_full_offset,
      .what = "[PT with single range] OutputOffset after the last byte is the "
              "size of the range",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"},
      .rule = PT_RANGE_ENDS_AT_0)

FAULT(pt_ret_leaves_silently,
      .what = "[PT with ranges] a RET out of a filter range to where its CALL "
              "was is a TNT, and no TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_RET_PGD)

FAULT(pt_aborting_interrupt_inside,
      .what = "[PT and TSX] the FUP of an interrupt that has aborted a "
              "transaction is in the transaction",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_ABORTED_EVENT_IP)

FAULT(pt_pause_abort_after,
      .what = "[PT and TSX] the FUP of an abort by PAUSE is after it",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_PAUSE_HERE)

FAULT(pt_cfe_iret_target,
      .what = "[PT with EventEn] the FUP of the CFE of IRET is where it goes",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_CFE_IRET_IP)

FAULT(pt_psb_tx_not_outside,
      .what = "[PT with ranges and TSX] PSB+ has no MODE.TSX outside of a "
              "filter",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"},
      .rule = PT_PSB_TX_OUTSIDE)

FAULT(pt_psb_in_tx_once,
      .what = "[PT and TSX] the second PSB+ in a transaction says InTX = 0",
      .caught = {"skylake-2018 on 1 pt_in_tx_in_psb FAIL"},
      .rule = PT_PSB_IN_TX_AGAIN)

FAULT(pt_base_refused_taken,
      .what = "[PT with ToPA] a WRMSR of IA32_RTIT_OUTPUT_BASE while TraceEn "
              "is 1 raises #GP, and changes it",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_BASE_REFUSED)

FAULT(pt_status_refused_taken,
      .what = "[PT] a WRMSR of IA32_RTIT_STATUS while TraceEn is 1 raises #GP, "
              "and changes it",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_STATUS_HELD)

FAULT(pt_refused_write_stops,
      .what = "[PT with ToPA] after a WRMSR that raises #GP since TraceEn is 1 "
              "no packets come until TraceEn is cleared",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL",
                 "broadwell on 1 pt_write_while_enabled FAIL"},
      .rule = PT_REFUSED_TRACED)

FAULT(pt_refused_ctl_stops,
      .what = "[PT with ToPA] the same after one of IA32_RTIT_CTL",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_REFUSED_CTL_TRACED)

FAULT(pt_psb_before_tnt,
      .what = "[PT with CYC] PSB+ comes before results that are due",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"},
      .rule = PT_PSB_AFTER_TNT)

FAULT(pt_mtc_zero_missing, .what = "[PT with MTC] an MTC of 0 is not sent",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC_ZERO)

FAULT(pt_offset_by_eight,
      .what = "[PT with ToPA] OutputOffset reads as a multiple of 8 in all "
              "entries but the first",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_OFFSET_WHOLE)

FAULT(pt_ranges_exclude,
      .what = "[PT with two ranges] what is in two filters is not traced",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_RANGES_OVERLAP)

FAULT(pt_topa_third_size,
      .what = "[PT with ToPA] the region of the third entry has 4 KB",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_LATER_SIZES)

FAULT(pt_end_not_back,
      .what = "[PT with ToPA] END of a second table does not lead back",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_END_BACK)

FAULT(pt_int_not_in_tx,
      .what = "[PT with ToPA and TSX] a region that is full in a transaction "
              "does not interrupt",
      .caught = {"skylake-2018 on 1 pt_pmi_freezes FAIL"}, .rule = PT_INT_IN_TX)

FAULT(pt_pip_filtered,
      .what = "[PT with ranges] MOV to CR3 has no PIP outside of a filter",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PIP_UNFILTERED)

FAULT(pt_filter_stays_with_cr3,
      .what = "[PT with ranges and CR3Filter] FilterEn is what it was where "
              "CR3 matches again",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_FILTER_ANEW)

FAULT(pt_call_leaves_silently,
      .what = "[PT with ranges] a direct CALL out of a filter range has no "
              "TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_CALL_PGD)

FAULT(pt_trigger_en_written,
      .what = "[PT] software can set IA32_RTIT_STATUS.TriggerEn",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_TRIGGER_READ_ONLY)

FAULT(pt_nested_abort_loses_results,
      .what =
          "[PT and TSX] results that are not sent when an inner transaction "
          "aborts are lost",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .rule = PT_NESTED_ABORT_TNT)

FAULT(pt_event_without_cyc,
      .what = "[PT with CYC] no CYC comes before the TIP of an exception",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_EVENT)

FAULT(pt_ptw_without_cyc, .what = "[PT with PTWRITE] no CYC comes before a PTW",
      .caught = {"sapphirerapids on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_PTW)

FAULT(pt_pointers_written_while_enabled,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS takes a value while TraceEn is "
              "1, and raises #GP",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_POINTERS_HELD)

FAULT(pt_ret_leaves_out_frame,
      .what = "[PT] a RET to where the CALL before the last one was is "
              "compressed",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL",
                 "skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_RET_FRAMES)

FAULT(pt_ret_keeps_call,
      .what = "[PT] a RET that is not compressed forgets no CALL",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL",
                 "skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_RET_POPS)

FAULT(pt_call_outside_remembered,
      .what = "[PT with ranges] a CALL outside of a filter is remembered for "
              "its RET",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_CALL_FILTERED)

FAULT(pt_exec_outside_missing,
      .what = "[PT with ranges] a mode that has changed outside of a filter "
              "has no MODE.Exec",
      .caught = {"skylake-2018 on 1 pt_mode_exec FAIL"}, .rule = PT_EXEC_OF_PGE)

FAULT(pt_abort_loses_ret,
      .what = "[PT and TSX] the result of a compressed RET that is not sent "
              "when an inner transaction aborts is lost",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_RET_TNT)

FAULT(pt_commit_inside_no_fup,
      .what = "[PT with ranges and TSX] a commit in a filter has no FUP, where "
              "the transaction began outside",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .rule = PT_COMMIT_ENTERED)

FAULT(pt_abort_inside_no_fup,
      .what = "[PT with ranges and TSX] the same of an abort",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_ENTERED)

FAULT(pt_abort_loses_cycles,
      .what = "[PT with CYC and TSX] cycles before an abort are in no CYC",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_ABORT_CYCLES)

FAULT(pt_psb_pip_of_user,
      .what = "[PT] PSB+ at ring 3 has a PIP though OS is 0",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_PSB_PIP_OS)

FAULT(pt_cyc_fourth_byte_zero,
      .what = "[PT with CYC] bits 19 and above of a CYC are 0",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .value = PT_CYCLES,
      .clear = BITS(31, 19))
