/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_ptwrite.c - what goes wrong with PTWRITE. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/fault.h"

#define CAUGHT                                \
    {                                         \
        "sapphirerapids on 1 pt_ptwrite FAIL" \
    }

FAULT(ptw_missing, .what = "[PT with PTWRITE] PTWRITE makes no PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW)

FAULT(ptw_without_ptw_en,
      .what = "[PT with PTWRITE] PTWRITE makes a PTW though PTWEn is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW,
      .is = true)

FAULT(ptw_out_of_context,
      .what = "[PT with PTWRITE] PTWRITE makes a PTW though ContextEn is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_CONTEXT,
      .is = true)

FAULT(ptw_outside_filter,
      .what = "[PT with PTWRITE] PTWRITE makes a PTW though FilterEn is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_FILTER,
      .is = true)

FAULT(ptw_needs_branch_en,
      .what = "[PT with PTWRITE] PTWRITE makes no PTW where BranchEn is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_NO_BRANCHES)

FAULT(ptw_loses_tnt,
      .what = "[PT with PTWRITE] PTW drops the results that are not sent",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_TNT)

FAULT(ptw_ip_bit_zero,
      .what = "[PT with PTWRITE] IP of PTW is 0 though FUPonPTW is 1",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_IP_BIT)

FAULT(ptw_fup_missing, .what = "[PT with PTWRITE] no FUP follows a PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_FUP)

FAULT(ptw_fup_next, .what = "[PT with PTWRITE] the FUP of a PTW is the next IP",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_FUP_HERE)

FAULT(ptw_high_zero,
      .what = "[PT with PTWRITE] the upper half of a PTW of 8 bytes is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .value = PT_PTW_PAYLOAD, .clear = BITS(63, 32))

FAULT(ptw_byte_lost, .what = "[PT with PTWRITE] byte 1 of a PTW is 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .value = PT_PTW_PAYLOAD, .clear = BITS(15, 8))

FAULT(ptw_ring3_missing,
      .what = "[PT with PTWRITE] PTWRITE at ring 3 makes no PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite_ring3 FAIL"},
      .rule = PT_PTW_IN_RING_3)

FAULT(ptwrite_takes_66,
      .what = "[PT with PTWRITE] PTWRITE with 66H is executed",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_66_REFUSED)

FAULT(ptw_missing_in_tx,
      .what = "[PT with PTWRITE and TSX] PTWRITE in a transaction makes no PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_IN_TX)

FAULT(ptw_4_ring3_missing,
      .what = "[PT with PTWRITE] PTWRITE of 4 bytes at ring 3 makes no PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite_ring3 FAIL"},
      .rule = PT_PTW_4_IN_RING_3)

FAULT(ptw_4_tx_missing,
      .what = "[PT with PTWRITE and TSX] PTWRITE of 4 bytes in a transaction "
              "makes no PTW",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_4_IN_TX)

FAULT(pt_ptw_upper_zero_short,
      .what = "[PT with PTWRITE] a PTW of 8 bytes whose "
              "upper half is 0 has 4",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_WHOLE)

FAULT(ptw_tx_fup_missing,
      .what = "[PT with PTWRITE and TSX] no FUP follows a PTW in a transaction",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_FUP_IN_TX)
