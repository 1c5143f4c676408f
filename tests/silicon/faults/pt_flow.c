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
