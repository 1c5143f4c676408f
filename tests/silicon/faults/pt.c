/* SPDX-License-Identifier: BSD-2-Clause */
/* pt.c - what goes wrong with Processor Trace: packets, registers, output. */
#include "tests/silicon/faults/hooks.h"

FAULT(pt_fup_missing,
      .what = "[PT and TSX] MODE.TSX comes without its FUP",
      .caught = { "skylake-2017 on 1 pt_rtm_commit FAIL" })

FAULT(pt_mode_after_fup,
      .what = "[PT and TSX] MODE.TSX comes after its FUP",
      .caught = { "broadwell on 1 pt_rtm_commit FAIL" })

FAULT(pt_begin_ip_next,
      .what = "[PT and TSX] the FUP of a begin is the instruction after it",
      .caught = { "skylake-2018 on 1 pt_rtm_commit FAIL" })

FAULT(pt_commit_silent,
      .what = "[PT and TSX] a commit makes no packet",
      .caught = { "broadwell on 1 pt_hle_commit FAIL" })

FAULT(pt_abort_is_commit,
      .what = "[PT and TSX] MODE.TSX of an abort says TXAbort = 0",
      .caught = { "skylake-2017 on 1 pt_rtm_abort FAIL",
                  "broadwell on 1 pt_hle_abort FAIL" })

FAULT(pt_abort_ip_wrong,
      .what = "[PT and TSX] the FUP of an abort is where execution goes on",
      .caught = { "skylake-2017 on 1 pt_rtm_abort_by_fault FAIL" })

FAULT(pt_abort_target_wrong,
      .what = "[PT and TSX] the TIP of an abort is the aborting instruction",
      .caught = { "broadwell on 1 pt_rtm_abort FAIL" })

FAULT(pt_abort_tip_missing,
      .what = "[PT and TSX] an abort has no TIP",
      .caught = { "skylake-2018 on 1 pt_rtm_abort FAIL" })

FAULT(pt_packets_rolled_back,
      .what = "[PT and TSX] an abort takes back the packets since the begin",
      .caught = { "skylake-2017 on 1 pt_aborted_region_kept FAIL" })

FAULT(pt_branches_lost_in_tx,
      .what = "[PT and TSX] branches in a transaction make no packet",
      .caught = { "broadwell on 1 pt_aborted_region_kept FAIL" })

FAULT(pt_nested_packets,
      .what = "[PT and TSX] a nested begin or end makes packets",
      .caught = { "skylake-2017 on 1 pt_nested_silent FAIL" })

FAULT(pt_hle_silent,
      .what = "[PT and TSX] transactions of HLE make no packets",
      .caught = { "skylake-2017 on 1 pt_hle_commit FAIL" })

FAULT(pt_mode_without_branch_en,
      .what = "[PT and TSX] MODE.TSX and its FUP come with BranchEn = 0",
      .caught = { "skylake-2017 on 1 pt_no_branch_en FAIL" })

FAULT(pt_aborts_transaction,
      .what = "[PT and TSX] an instruction that is traced aborts its "
              "transaction",
      .caught = { "skylake-2017 on 1 pt_transaction_unchanged FAIL" })

FAULT(pt_psb_without_tx,
      .what = "[PT and TSX] PSB+ has no MODE.TSX",
      .caught = { "skylake-2017 on 1 pt_in_tx_in_psb FAIL" })

FAULT(pt_psb_never_in_tx,
      .what = "[PT and TSX] MODE.TSX in PSB+ always says InTX = 0",
      .caught = { "broadwell on 1 pt_in_tx_in_psb FAIL" })

FAULT(pt_last_ip_kept,
      .what = "[PT] PSB does not set last IP to 0",
      .caught = { "skylake-2017 on 1 pt_in_tx_in_psb FAIL" })

FAULT(pt_tnt_reversed,
      .what = "[PT] a TNT has the youngest branch first",
      .caught = { "skylake-2017 on 1 pt_aborted_region_kept FAIL" })

FAULT(pt_registers_unlocked,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS can be written while TraceEn = "
              "1",
      .caught = { "skylake-2017 on 1 pt_write_while_enabled FAIL" })

FAULT(pt_offset_error_missed,
      .what = "[PT] an OutputOffset beyond the output is no error",
      .caught = { "skylake-2017 on 1 pt_output_offset FAIL" })

FAULT(pt_topa_reserved_ignored,
      .what = "[PT] reserved bits of ToPA entries are ignored",
      .caught = { "broadwell on 1 pt_topa_reserved FAIL" })

FAULT(pt_stop_ignored,
      .what = "[PT] STOP of a ToPA entry is ignored",
      .caught = { "skylake-2017 on 1 pt_topa_output FAIL" })

FAULT(pt_int_missing,
      .what = "[PT] INT of a ToPA entry makes no interrupt and no status",
      .caught = { "skylake-2017 on 1 pt_topa_output FAIL" })

FAULT(pt_int_without_status,
      .what = "[PT] INT of a ToPA entry does not set GLOBAL_STATUS[55]",
      .caught = { "skylake-2017 on 1 pt_topa_output FAIL" })

FAULT(pt_topa_stays,
      .what = "[PT] the first region of a ToPA table is used again and again",
      .caught = { "skylake-2017 on 1 pt_topa_output FAIL" })

FAULT(pt_wrap_missing,
      .what = "[PT with single range] output goes on after the range, for as "
              "long again",
      .caught = { "skylake-2017 on 1 pt_range_wrap FAIL" })
