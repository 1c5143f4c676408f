/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_packets.c - what goes wrong with PSB+, PIP, MODE.Exec and the IPs of
 * packets.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_psb_at_start_missing,
      .what = "[PT] no PSB where TraceEn is set with PacketByteCnt = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"},
      .rule = PT_PSB_AT_START)

FAULT(pt_psb_period_late,
      .what = "[PT] PSB comes 2 KiB later than PSBFreq says",
      .caught = {"skylake-2018 on 1 pt_in_tx_in_psb FAIL"},
      .value = PT_PSB_PERIOD, .add = 2048)

FAULT(pt_psb_period_2k,
      .what = "[PT with PSBFreq] PSB comes each 2 KiB whatever PSBFreq says",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_PSB_PERIOD,
      .clear = UINT64_MAX, .set = 2048)

FAULT(pt_psb_once,
      .what = "[PT] PSB comes where tracing starts and never again",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_PSB_PERIOD,
      .clear = UINT64_MAX, .set = 0xFFFFFFFF)

FAULT(pt_psb_often, .what = "[PT] PSB comes each 256 bytes",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_PSB_PERIOD,
      .clear = UINT64_MAX, .set = 256)

FAULT(pt_pip_missing, .what = "[PT] MOV to CR3 makes no PIP",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"}, .rule = PT_PIP)

FAULT(pt_pip_out_of_context, .what = "[PT] PIP comes though ContextEn = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PIP_CONTEXT, .is = true)

FAULT(pt_bytes_not_counted,
      .what = "[PT with PacketByteCnt] PacketByteCnt stands still",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_COUNTED,
      .clear = UINT64_MAX)

FAULT(pt_bytes_counted_twice,
      .what = "[PT with PacketByteCnt] PacketByteCnt counts each packet one "
              "byte longer",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_COUNTED,
      .add = 1)

FAULT(pt_ip_16_too_often,
      .what = "[PT] IPBytes = 1 where only IP[63:32] are those of last IP",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"}, .value = PT_SAME_FROM,
      .add = 16)

FAULT(pt_ip_odd, .what = "[PT] each IP is one too high",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"},
      .value = PT_IP_PAYLOAD, .add = 1)

FAULT(pt_pip_low_bits, .what = "[PT] PIP has CR3[5] = 1",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_PIP_CR3, .set = 0x20)

FAULT(pt_pip_cr3_wrong, .what = "[PT] PIP has another page",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_PIP_CR3, .add = 0x1000)

FAULT(pt_pip_cr3_truncated, .what = "[PT] PIP has CR3[19:12] = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_PIP_CR3, .clear = 0xFF000)

FAULT(pt_pip_nr, .what = "[PT] PIP has NR = 1 outside of VMX operation",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_PIP_PAYLOAD, .set = 1)

FAULT(pt_exec_missing, .what = "[PT] MODE.Exec is missing",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_EXEC)

FAULT(pt_exec_32, .what = "[PT] MODE.Exec says 32-bit mode in 64-bit mode",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .value = PT_EXEC_MODE,
      .clear = 3, .set = 2)

FAULT(pt_exec_16, .what = "[PT] MODE.Exec says 16-bit mode in 64-bit mode",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .value = PT_EXEC_MODE,
      .clear = 3)

FAULT(pt_exec_both, .what = "[PT] MODE.Exec has CS.D and CS.L set",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"}, .value = PT_EXEC_MODE,
      .set = 3)

FAULT(pt_psb_keeps_count,
      .what = "[PT with PacketByteCnt] PSB does not begin PacketByteCnt anew",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_RESETS_COUNT)

FAULT(pt_psb_short, .what = "[PT] PSB has 14 bytes",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"},
      .value = PT_PSB_PAIRS, .add = (uint64_t)(-1))

FAULT(pt_psb_long, .what = "[PT] PSB has 18 bytes",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"}, .value = PT_PSB_PAIRS,
      .add = 1)

FAULT(pt_psb_pip_missing, .what = "[PT] PSB+ has no PIP",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_PIP)

FAULT(pt_psb_pip_filtered, .what = "[PT] PSB+ has no PIP with CR3Filter = 1",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_PIP_FILTERED)

FAULT(pt_psb_pip_always,
      .what = "[PT] PSB+ has a PIP though ContextEn = 0 or OS = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PSB_PIP, .is = true)

FAULT(pt_psb_exec_missing, .what = "[PT] PSB+ has no MODE.Exec",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_EXEC)

FAULT(pt_psb_fup_missing, .what = "[PT] PSB+ has no FUP",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_FUP)

FAULT(pt_psbend_missing, .what = "[PT] PSB+ has no PSBEND",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_PSBEND)

FAULT(pt_psbend_early, .what = "[PT] PSBEND comes before the FUP of PSB+",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_PSBEND_LAST)

FAULT(pt_pip_needs_branches, .what = "[PT] PIP is missing where BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PIP_NO_BRANCHES)

FAULT(pt_last_ip_skips_tip,
      .what = "[PT] TIP, TIP.PGE and TIP.PGD do not become last IP",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_LAST_IP_TIP)

FAULT(pt_ip_byte_0, .what = "[PT] the lowest byte of each IP is 0",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .value = PT_IP_PAYLOAD,
      .clear = 0xFF)

FAULT(pt_psb_fup_wrong, .what = "[PT] the FUP of PSB+ has the IP before",
      .caught = {"skylake-2018 on 1 pt_psb FAIL", "broadwell on 1 pt_psb FAIL"},
      .rule = PT_PSB_FUP_NEXT)

FAULT(pt_ovf_missing, .what = "[PT] packets are lost without OVF",
      .caught = {"skylake-2018 on 1 pt_in_tx_in_psb FAIL"}, .rule = PT_OVF,
      .value = PT_OVF_ONE_IN, .clear = UINT64_MAX, .set = 40)

FAULT(pt_psb_time_outside, .what = "[PT] TSC, TMA and CBR come after PSBEND",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_TIME_FIRST)

FAULT(pt_psb_cr3_wrong,
      .what = "[PT] the PIP of PSB+ has another page than CR3",
      .caught = {"skylake-2018 on 1 pt_psb FAIL", "broadwell on 1 pt_psb FAIL"},
      .value = PT_PSB_CR3, .add = 0x1000)

FAULT(pt_psb_needs_context,
      .what = "[PT] no PSB where TraceEn is set with ContextEn = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PSB_ANYWHERE)

FAULT(pt_exec_after_pge, .what = "[PT] MODE.Exec comes after TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_EXEC_FIRST)

FAULT(pt_ip_16_bits_wrong, .what = "[PT] each IP has bit 1 set",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .value = PT_IP_PAYLOAD,
      .set = 2)

FAULT(pt_last_ip_skips_fup, .what = "[PT] a FUP does not become last IP",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .rule = PT_LAST_IP_FUP)

FAULT(pt_calls_across_psb,
      .what = "[PT] a RET is compressed though its CALL was before PSB",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_ENDS_CALLS)

FAULT(pt_mode_change_silent,
      .what = "[PT] a far transfer to another mode has no MODE.Exec",
      .caught = {"skylake-2018 on 1 pt_mode_exec FAIL"}, .rule = PT_EXEC_CHANGE)

FAULT(pt_exec_after_tip,
      .what = "[PT] MODE.Exec of a far transfer comes after its TIP",
      .caught = {"skylake-2018 on 1 pt_mode_exec FAIL"},
      .rule = PT_EXEC_BEFORE_TIP)

FAULT(pt_ovf_fup_before, .what = "[PT] the FUP after OVF has the IP before",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_OVF_FUP_NEXT,
      .value = PT_OVF_ONE_IN, .clear = UINT64_MAX, .set = 2000)

FAULT(pt_psb_cr3_of_start,
      .what = "[PT with PacketByteCnt] the PIP of PSB+ has CR3 as it was where "
              "TraceEn was set",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"}, .rule = PT_PSB_CR3_NOW)

FAULT(pt_ring3_psb_no_tx,
      .what = "[PT and TSX] PSB+ in a transaction at ring 3 has no MODE.TSX",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_PSB_TX_IN_RING_3)

FAULT(pt_ring3_psb_no_exec, .what = "[PT] PSB+ at ring 3 has no MODE.Exec",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_PSB_EXEC_IN_RING_3)

FAULT(pt_psb_amid_event,
      .what = "[PT with PacketByteCnt] a PSB that is due comes between the FUP "
              "and the TIP of an exception, interrupt or abort",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"}, .rule = PT_PSB_APART)

FAULT(pt_ring3_psb_no_cbr, .what = "[PT] PSB+ at ring 3 has no CBR",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_CBR_IN_RING_3)

FAULT(pt_tx_psb_no_cbr, .what = "[PT and TSX] PSB+ in a transaction has no CBR",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"}, .rule = PT_CBR_IN_TX)

FAULT(pt_psb_outside_no_exec,
      .what = "[PT with ranges] no MODE.Exec comes with the TIP.PGE after a "
              "PSB where PacketEn was 0",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"},
      .rule = PT_PSB_EXEC_DUE)

FAULT(
    pt_hidden_ip_clears,
    .what = "[PT with PacketByteCnt] a packet without an IP sets last IP to 0",
    .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_LAST_IP_STAYS)

FAULT(pt_hidden_ip_is_last,
      .what =
          "[PT with PacketByteCnt] the IP that a TIP.PGD leaves out is last "
          "IP",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"}, .rule = PT_LAST_IP_SENT)

FAULT(pt_psb_needs_branch_en,
      .what =
          "[PT, BranchEn = 0 legal] no PSB comes in mid-trace where BranchEn "
          "is 0",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .rule = PT_PSB_NO_BRANCHES)

FAULT(pt_ret_tip_16, .what = "[PT] the TIP of a RET has 16 bits",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .rule = PT_RET_TIP_WHOLE)

FAULT(
    pt_ptw_fup_16,
    .what = "[PT with PTWRITE] the FUP of a PTW has 16 bits, whatever last IP",
    .caught = {"alderlake-n on 1 pt_ip_compression FAIL"},
    .rule = PT_PTW_FUP_WHOLE)

FAULT(pt_cfe_fup_16,
      .what = "[PT with events] the FUP of a CFE has 16 bits, whatever last IP",
      .caught = {"alderlake-n on 1 pt_ip_compression FAIL"},
      .rule = PT_CFE_FUP_WHOLE)
