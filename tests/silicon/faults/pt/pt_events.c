/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_events.c - what goes wrong with event trace, and with traces without TNT.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(pt_tnt_not_disabled,
      .what = "[PT with DisTNT] conditional branches make TNT all the same",
      .caught = {"alderlake-n off 1 pt_tnt_disabled FAIL"}, .rule = PT_TNT_SENT,
      .is = true)

FAULT(pt_tnt_disabled_not_at_ring3,
      .what =
          "[PT with DisTNT] conditional branches at ring 3 make TNT all the "
          "same",
      .caught = {"alderlake-n on 1 pt_tnt_disabled FAIL"},
      .rule = PT_DIS_TNT_IN_RING_3)

FAULT(pt_tnt_disabled_rets,
      .what = "[PT with DisTNT] returns are compressed all the same",
      .caught = {"alderlake-n off 1 pt_tnt_disabled FAIL"}, .rule = PT_RET_MAY,
      .is = true)

FAULT(pt_cfe_missing,
      .what = "[PT with EventEn] interrupts and exceptions have no CFE",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_CFE_OF_EVENT)

FAULT(pt_cfe_ring3_missing,
      .what = "[PT with EventEn] what ends code at ring 3 has no CFE",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"}, .rule = PT_CFE_FROM_RING_3)

FAULT(pt_cfe_interrupt_missing,
      .what = "[PT with EventEn] external interrupts have no CFE",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"},
      .rule = PT_CFE_OF_INTERRUPT)

FAULT(pt_cfe_iret_missing, .what = "[PT with EventEn] IRET has no CFE",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_CFE_OF_IRET)

FAULT(pt_cfe_fup_missing,
      .what = "[PT with EventEn] no FUP follows a CFE with IP = 1",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"}, .rule = PT_CFE_FUP)

FAULT(pt_cfe_vector_zero, .what = "[PT with EventEn] the vector of a CFE is 0",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .value = PT_CFE_PAYLOAD, .clear = BITS(15, 8))

FAULT(pt_cfe_type_zero, .what = "[PT with EventEn] the type of a CFE is 0",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .value = PT_CFE_PAYLOAD, .clear = BITS(4, 0))

FAULT(pt_cfe_needs_branch_en,
      .what = "[PT with EventEn] interrupts and exceptions have no CFE where "
              "BranchEn is 0",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_CFE_NO_BRANCHES)

FAULT(pt_evd_of_first,
      .what = "[PT with EventEn] EVD has the address of the first page fault "
              "since TraceEn",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_EVD_OF_EACH)

FAULT(pt_exec_if_zero, .what = "[PT with EventEn] IF of MODE.Exec is 0",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"}, .rule = PT_EXEC_IF)

FAULT(pt_exec_of_if_missing,
      .what = "[PT with EventEn] a change of IF by an instruction that is no "
              "branch has no MODE.Exec",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_EXEC_OF_IF)

FAULT(pt_exec_of_popf_missing,
      .what = "[PT with EventEn] a change of IF by POPF has no MODE.Exec",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_EXEC_OF_POPF)

FAULT(pt_cfe_loses_tnt,
      .what = "[PT with EventEn] results that are not sent before an "
              "interrupt or exception are lost",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"}, .rule = PT_CFE_TNT)

FAULT(pt_evd_ring3_missing,
      .what = "[PT with EventEn] page faults at ring 3 have no EVD",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"}, .rule = PT_EVD_OF_RING_3)

FAULT(pt_evd_ring3_page,
      .what = "[PT with EventEn] the EVD of a page fault at ring 3 has its "
              "page",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"}, .rule = PT_EVD_OFFSET)

FAULT(pt_evd_after_cfe,
      .what = "[PT with EventEn] the EVD of a page fault comes after its CFE",
      .caught = {"alderlake-n off 1 pt_event_packets FAIL"},
      .rule = PT_EVD_FIRST)

FAULT(pt_tnt_disabled_pgd,
      .what = "[PT with DisTNT] a conditional branch out of a filter range has "
              "no TIP.PGD",
      .caught = {"alderlake-n off 1 pt_tnt_disabled FAIL"},
      .rule = PT_PGD_DIS_TNT)

FAULT(pt_cfe_interrupt_vector,
      .what =
          "[PT with EventEn] the vector of the CFE of an external interrupt "
          "is another",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"}, .rule = PT_CFE_VECTOR)

FAULT(pt_cfe_iret_to_ring3_missing,
      .what = "[PT with EventEn] IRET to ring 3 has no CFE",
      .caught = {"alderlake-n off 1 pt_ring3 FAIL"},
      .rule = PT_CFE_IRET_TO_RING_3)

FAULT(pt_cfe_ring3_fup_target,
      .what = "[PT with EventEn] the FUP of the CFE of an exception at ring 3 "
              "is its handler",
      .caught = {"alderlake-n on 1 pt_ring3 FAIL"}, .rule = PT_CFE_IP_IN_RING_3)

FAULT(pt_cfe_ring3_gp_as_bp,
      .what = "[PT with events] the CFE of an INT3 of ring 3 that its gate "
              "refuses has vector 3, not that of #GP",
      .caught = {"alderlake-n on 1 pt_ring3 FAIL"}, .rule = PT_CFE_GP_RING_3)
