/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_transactions.c - what goes wrong with packets of transactions; more of
 * them are in pt.c.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_tx_needs_filter,
      .what = "[PT and TSX] MODE.TSX is missing where FilterEn = 0, before "
              "TIP.PGE too",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_TX_FILTER)

FAULT(pt_begin_mode_both,
      .what = "[PT and TSX] MODE.TSX of a begin has InTX = TXAbort = 1",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .value = PT_TX_BEGIN_MODE, .set = 2)

FAULT(pt_begin_mode_zero,
      .what = "[PT and TSX] MODE.TSX of a begin has InTX = 0",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .value = PT_TX_BEGIN_MODE, .clear = 1)

FAULT(pt_commit_ip_next,
      .what = "[PT and TSX] the FUP of a commit is the instruction after it",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_COMMIT_IP)

FAULT(pt_psb_tx_always,
      .what = "[PT and TSX] PSB+ has MODE.TSX though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .rule = PT_PSB_TX,
      .is = true)

FAULT(pt_psb_always_in_tx,
      .what = "[PT and TSX] MODE.TSX in PSB+ always says InTX = 1",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL",
                 "skylake-2018 on 1 pt_psb FAIL"},
      .rule = PT_PSB_IN_TX, .is = true)

FAULT(pt_abort_fup_missing,
      .what = "[PT and TSX] MODE.TSX of an abort has no FUP",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_FUP)

FAULT(
    pt_hle_nested_packets,
    .what = "[PT and HLE] a nested XACQUIRE or an inner XRELEASE makes packets",
    .caught = {"skylake-2017 on 1 pt_hle_path FAIL"}, .rule = PT_HLE_NESTED,
    .is = true)

FAULT(pt_mode_tsx_always_fup,
      .what = "[PT and TSX] MODE.TSX has a FUP though FilterEn = 0",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_TX_FUP,
      .is = true)

FAULT(pt_tnt_after_mode_tsx,
      .what = "[PT and TSX] a TNT comes after MODE.TSX of what was later",
      .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
      .rule = PT_TX_TNT_FIRST)

FAULT(pt_abort_by_instruction_silent,
      .what = "[PT and TSX] an abort by an instruction makes no packets",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_OTHER)

FAULT(pt_abort_by_interrupt_silent,
      .what = "[PT and TSX] an abort by an interrupt makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_ABORT_EVENT)

FAULT(pt_abort_by_conflict_silent,
      .what = "[PT and RTM] an abort by a conflict makes no packets",
      .caught = {"skylake-2018 on 2 pt_rtm_abort_conflict FAIL"},
      .rule = PT_ABORT_CONFLICT)

FAULT(pt_psb_tx_outside,
      .what = "[PT and TSX] MODE.TSX of PSB+ comes after PSBEND",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"},
      .rule = PT_PSB_TX_INSIDE)

FAULT(pt_commit_mode_abort,
      .what = "[PT and TSX] MODE.TSX of a commit has TXAbort = 1",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"},
      .value = PT_TX_COMMIT_MODE, .set = 2)

FAULT(pt_abort_mode_both,
      .what = "[PT and TSX] MODE.TSX of an abort has InTX = TXAbort = 1",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL"},
      .value = PT_TX_ABORT_MODE, .set = 1)

FAULT(pt_mode_tsx_twice,
      .what = "[PT and TSX] MODE.TSX comes again after its FUP",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"},
      .rule = PT_TX_MODE_ONCE)

FAULT(pt_psb_in_tx_after_commit,
      .what = "[PT and TSX] MODE.TSX in PSB+ says InTX = 1 after a commit",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"},
      .rule = PT_COMMIT_ENDS_TX)

FAULT(pt_psb_in_tx_after_abort,
      .what = "[PT and TSX] MODE.TSX in PSB+ says InTX = 1 after an abort",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_ENDS_TX)

FAULT(
    pt_abort_ip_begin,
    .what = "[PT and TSX] the FUP of an abort is the begin of the transaction",
    .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL"},
    .rule = PT_ABORT_HERE)

FAULT(pt_abort_loses_tnt,
      .what = "[PT and TSX] results that are not sent when a transaction "
              "aborts are lost",
      .caught = {"skylake-2018 on 1 pt_aborted_region_kept FAIL"},
      .rule = PT_ABORT_TNT)

FAULT(pt_abort_pgd_missing,
      .what = "[PT and TSX] an abort that leaves the filter has no TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_PGD)

FAULT(pt_abort_pge_missing,
      .what = "[PT and TSX] an abort that enters the filter has no TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_PGE)

FAULT(pt_commit_fup_missing,
      .what = "[PT and TSX] MODE.TSX of a commit has no FUP",
      .caught = {"skylake-2018 on 1 pt_rtm_commit FAIL"}, .rule = PT_COMMIT_FUP)

FAULT(pt_hle_abort_ip_begin,
      .what = "[PT and HLE] the FUP of an HLE abort is the XACQUIRE",
      .caught = {"skylake-2017 on 1 pt_hle_abort FAIL"},
      .rule = PT_HLE_ABORT_HERE)

FAULT(pt_aborting_interrupt_silent,
      .what = "[PT and TSX] an interrupt that has aborted a transaction makes "
              "no packets of its own",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_EVENT_AFTER_ABORT)

FAULT(pt_unelided_packets,
      .what = "[PT and no HLE] an outer XACQUIRE that begins no transaction "
              "makes packets",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_UNELIDED,
      .is = true)

FAULT(
    pt_psb_not_in_hle,
    .what = "[PT and HLE] MODE.TSX in PSB+ says InTX = 0 in an elided section",
    .caught = {"skylake-2017 on 1 pt_psb_place FAIL"}, .rule = PT_PSB_IN_HLE)

FAULT(pt_second_abort_no_fup,
      .what = "[PT and TSX] the second abort of a trace has no FUP",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .rule = PT_EVERY_ABORT_FUP)

FAULT(pt_abort_needs_filter,
      .what =
          "[PT and TSX] MODE.TSX of an abort is missing where FilterEn = 0, "
          "before TIP.PGE too",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_ABORT_FILTER)

FAULT(pt_tx_ret_wrong,
      .what = "[PT and TSX] a RET in a transaction that goes elsewhere is "
              "compressed",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"},
      .rule = PT_RET_AS_CALLED_IN_TX, .is = true)

FAULT(pt_tx_fup_16,
      .what = "[PT and TSX] the FUP of MODE.TSX has 16 bits, whatever last IP",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .rule = PT_TX_FUP_WHOLE)

FAULT(pt_abort_tip_16,
      .what = "[PT and TSX] the TIP of an abort has 16 bits, whatever last IP",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .rule = PT_ABORT_TIP_WHOLE)

FAULT(pt_ring3_tx_needs_filter,
      .what = "[PT and TSX] MODE.TSX is missing at ring 3 where FilterEn = 0, "
              "before TIP.PGE too",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_TX_FILTER_RING_3)

FAULT(pt_ring3_abort_pge_missing,
      .what = "[PT and TSX] an abort at ring 3 into the filter has no TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_ABORT_PGE_RING_3)

FAULT(pt_ring3_hle_begin_missing,
      .what = "[PT and HLE] an elision at ring 3 begins without packets",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"}, .rule = PT_HLE_IN_RING_3)

FAULT(pt_ring3_hle_commit_missing,
      .what = "[PT and HLE] an elision at ring 3 commits without packets",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"},
      .rule = PT_HLE_COMMIT_RING_3)

FAULT(pt_ring3_hle_abort_missing,
      .what = "[PT and HLE] an elision at ring 3 aborts without MODE.TSX",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"},
      .rule = PT_HLE_ABORT_RING_3)

FAULT(pt_ring3_hle_abort_commits,
      .what = "[PT and HLE] MODE.TSX of an abort of HLE at ring 3 has TXAbort "
              "= 0",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"},
      .rule = PT_HLE_TXABORT_RING_3)

FAULT(pt_ring3_hle_target_wrong,
      .what = "[PT and HLE] the TIP of an abort of HLE at ring 3 is not the "
              "XACQUIRE",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"},
      .rule = PT_HLE_TARGET_RING_3)

FAULT(pt_ring3_hle_begin_no_fup,
      .what = "[PT and HLE] MODE.TSX of an elision at ring 3 has no FUP",
      .caught = {"skylake-2017 on 1 pt_ring3 FAIL"}, .rule = PT_HLE_FUP_RING_3)

FAULT(pt_tx_calls_across_psb,
      .what = "[PT and RTM] a RET in a transaction is compressed though a PSB "
              "came after its CALL",
      .caught = {"skylake-2018 on 1 pt_psb_place FAIL"},
      .rule = PT_PSB_ENDS_CALLS_IN_TX)

FAULT(pt_hle_begin_loses_tnt,
      .what = "[PT and HLE] results of branches before XACQUIRE are lost",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"},
      .rule = PT_HLE_BEGIN_TNT)

FAULT(pt_hle_commit_loses_tnt,
      .what = "[PT and HLE] results of branches before XRELEASE are lost",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"},
      .rule = PT_HLE_COMMIT_TNT)

FAULT(pt_hle_returns_silent,
      .what = "[PT and HLE] RETs in an elided section leave no packet",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"}, .rule = PT_HLE_RETURNS)
