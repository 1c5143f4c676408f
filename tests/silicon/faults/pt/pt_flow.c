/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_flow.c - what goes wrong with packets of branches and events, and where
 * TraceEn is set and cleared.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_end_fup_missing, .what = "[PT] clearing TraceEn makes no FUP",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_STOP_FUP)

FAULT(pt_end_fup_next,
      .what = "[PT] the FUP of the WRMSR that clears TraceEn is the next IP",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_STOP_FUP_IP)

FAULT(pt_end_pgd_missing, .what = "[PT] clearing TraceEn makes no TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"}, .rule = PT_STOP_PGD)

FAULT(pt_end_pgd_ip, .what = "[PT] the TIP.PGD of clearing TraceEn has an IP",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_STOP_PGD_IP,
      .is = true)

FAULT(pt_calls_unbounded,
      .what = "[PT] RETs are compressed at a depth of more than 64 CALLs",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"},
      .value = PT_CALLS_KNOWN, .add = 1000)

FAULT(pt_ret_compressed_wrongly,
      .what = "[PT] a RET that goes elsewhere is compressed",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"},
      .rule = PT_RET_AS_CALLED, .is = true)

FAULT(pt_dis_retc_ignored,
      .what = "[PT] RETs are compressed though DisRETC = 1",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_RET_MAY,
      .is = true)

FAULT(pt_tnt_taken_alone,
      .what = "[PT] a branch that is not taken leaves no bit in a TNT",
      .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
      .rule = PT_TNT_NOT_TAKEN)

FAULT(pt_tnt_inverted, .what = "[PT] a bit of a TNT is 1 for not taken",
      .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
      .rule = PT_TNT_TAKEN)

FAULT(pt_tnt_of_ret_zero, .what = "[PT] a compressed RET is a 0 in the TNT",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"}, .rule = PT_TNT_OF_RET)

FAULT(pt_direct_tip, .what = "[PT] a direct JMP or CALL makes a TIP",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_DIRECT_TIP,
      .is = true)

FAULT(pt_far_tip_missing, .what = "[PT] a far transfer makes no TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_FAR_TIP)

FAULT(pt_call_tip_missing, .what = "[PT] an indirect CALL makes no TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_CALL_TIP)

FAULT(pt_jump_tip_missing,
      .what = "[PT] an indirect JMP, or a RET, makes no TIP",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"}, .rule = PT_JUMP_TIP)

FAULT(pt_far_fup, .what = "[PT] a far transfer has a FUP in front of its TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_FAR_FUP,
      .is = true)

FAULT(pt_tip_of_source, .what = "[PT] a TIP has the IP of the branch",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_TIP_NEXT)

FAULT(pt_end_loses_tnt,
      .what = "[PT] results that are not sent when TraceEn is cleared are lost",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_STOP_FLUSHES)

FAULT(pt_ret_tip_missing,
      .what = "[PT] a RET that is not compressed makes no TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_RET_TIP)

FAULT(pt_iret_tip_missing, .what = "[PT] IRET and far RET make no TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_IRET_TIP)

FAULT(pt_tnt_after_tip,
      .what = "[PT] a TNT comes after the TIP of a younger branch",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_TNT_FIRST)

FAULT(pt_tnt_stop_bit_low, .what = "[PT] a TNT has no stop bit but at its top",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TNT_BYTE,
      .set = 0x80)

FAULT(
    pt_long_tnt_wrong,
    .what = "[PT] a long TNT, of up to 47 results, has a wrong youngest result",
    .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
    .value = PT_TNT_LONG_BITS, .clear = 1, .rule = PT_TNT_LONG, .is = true)

FAULT(pt_tnt_full_lost, .what = "[PT] a TNT that is full is lost",
      .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
      .rule = PT_TNT_FULL)

FAULT(pt_event_fup_missing, .what = "[PT] an exception or interrupt has no FUP",
      .caught = {"skylake-2018 on 1 pt_events FAIL"}, .rule = PT_EVENT_FUP)

FAULT(pt_event_fup_target,
      .what = "[PT] the FUP of an exception or interrupt is its handler",
      .caught = {"skylake-2018 on 1 pt_events FAIL"}, .rule = PT_EVENT_FUP_IP)

FAULT(pt_event_tip_missing, .what = "[PT] an exception or interrupt has no TIP",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_EVENT_TIP)

FAULT(pt_interrupt_fup_wrong,
      .what =
          "[PT] the FUP of an interrupt is a byte before the next instruction",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_INTERRUPT_IP, .add = (uint64_t)(-1))

FAULT(pt_events_silent,
      .what = "[PT] exceptions and interrupts make no packets",
      .caught = {"skylake-2018 on 1 pt_events FAIL"}, .rule = PT_EVENTS)

FAULT(pt_psb_time_at_start_alone,
      .what =
          "[PT] PSB+ has TSC, TMA and CBR where tracing starts and never again",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_TIME_LATER)

FAULT(pt_tnt_near_missing,
      .what = "[PT] a conditional branch of 32-bit displacement leaves no bit "
              "in a TNT",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_TNT_NEAR)

FAULT(pt_syscall_tip_missing, .what = "[PT] SYSCALL makes no TIP",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_SYSCALL_TIP)

FAULT(pt_sysret_tip_missing, .what = "[PT] SYSRET makes no TIP",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_SYSRET_TIP)

FAULT(pt_event_tip_first,
      .what = "[PT] the TIP of an exception or interrupt comes before its FUP",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_EVENT_FUP_FIRST)

FAULT(pt_last_tnt_short, .what = "[PT] a TNT of six results has five",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .value = PT_TNT_BYTE,
      .clear = 0x80)

FAULT(pt_zero_call_kept,
      .what = "[PT] the RET of a CALL of displacement 0 is compressed",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"}, .rule = PT_ZERO_CALL)

FAULT(pt_far_call_tip_missing, .what = "[PT] a far CALL or JMP makes no TIP",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"},
      .rule = PT_FAR_CALL_TIP)

FAULT(pt_calls_across_start,
      .what = "[PT] a RET is compressed though TraceEn was 0 since its CALL",
      .caught = {"skylake-2018 on 1 pt_transfers FAIL"},
      .rule = PT_START_ENDS_CALLS)

FAULT(pt_ring3_ret_wrong,
      .what = "[PT] a RET of ring 3 that goes elsewhere is compressed",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_RET_AS_CALLED_IN_RING_3, .is = true)

FAULT(
    pt_pgd_drops_tnt,
    .what = "[PT] results that are not sent when PacketEn is cleared are lost",
    .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_PGD_TNT)

FAULT(pt_event_drops_tnt,
      .what = "[PT] results that are not sent when an exception or interrupt "
              "comes are lost",
      .caught = {"skylake-2018 on 1 pt_events FAIL"}, .rule = PT_EVENT_TNT)

FAULT(pt_event_out_drops_tnt,
      .what = "[PT] results that are not sent when an exception clears "
              "ContextEn are lost",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_EVENT_TNT_OUT)

FAULT(
    pt_ring3_event_loses_tnt,
    .what = "[PT] an exception at ring 3 loses the TNT of the branches before "
            "it where ring 0 is traced too",
    .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_EVENT_TNT_RING_3)

FAULT(pt_ring3_abort_loses_tnt,
      .what = "[PT and TSX] an abort at ring 3 loses the TNT of the branches "
              "before it",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_ABORT_TNT_RING_3)

FAULT(pt_ring3_pgd_of_source,
      .what =
          "[PT with filters] TIP.PGD of a jump out of a range at ring 3 has "
          "the address of the jump",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_PGD_NEXT_IN_RING_3)

FAULT(pt_exec_context_missing,
      .what = "[any with PT] MODE.Exec is missing where the mode changed while "
              "ContextEn was 0",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_EXEC_OF_CONTEXT)

FAULT(pt_exec_start_missing,
      .what =
          "[any with PT] a trace that begins without a PSB has no MODE.Exec "
          "before its first TIP.PGE, though the mode is another",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_EXEC_OF_START)

FAULT(
    pt_calls_across_level,
    .what = "[any with PT] a RET of ring 3 is compressed though ring 0, which "
            "is not traced, was called since its CALL",
    .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_LEVEL_ENDS_CALLS)

FAULT(pt_calls_across_cr3,
      .what = "[PT with CR3 filtering] a RET is compressed though another CR3 "
              "was in use since its CALL",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CR3_ENDS_CALLS)

FAULT(pt_calls_across_event,
      .what = "[PT with ranges] a RET is compressed though an exception left "
              "the filter since its CALL",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_EVENT_ENDS_CALLS)

FAULT(pt_call_of_other_cr3,
      .what = "[PT with CR3 filtering] a CALL under another CR3 is remembered "
              "for the compression of its RET",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CALL_OUTSIDE)
