/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_filters.c - what goes wrong with what is traced: levels, CR3, ranges,
 * TraceStop, and the ends of tracing.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_range_base_exclusive,
      .what = "[PT with ranges] a range begins after IA32_RTIT_ADDRn_A",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_RANGE_BASE, .add = 1)

FAULT(pt_range_limit_exclusive,
      .what = "[PT with ranges] a range ends before IA32_RTIT_ADDRn_B",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_RANGE_LIMIT, .add = (uint64_t)(-1))

FAULT(pt_range_of_pages,
      .what = "[PT with ranges] a range reaches to the end of its page",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_RANGE_LIMIT, .set = 0xFFF)

FAULT(pt_range_0_alone, .what = "[PT with ranges] ADDR1_CFG does nothing",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_SECOND_RANGE)

FAULT(pt_filter_ignored,
      .what = "[PT with ranges] a filter range does not filter",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_UNFILTERED,
      .is = true)

FAULT(pt_stop_range_ignored,
      .what = "[PT with ranges] a TraceStop range does nothing",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"}, .rule = PT_STOPS)

FAULT(pt_cr3_filter_ignored, .what = "[PT] CR3Filter = 1 changes nothing",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CR3_ANY, .is = true)

FAULT(pt_cr3_compares_low,
      .what = "[PT] CR3[11:5] are compared with IA32_RTIT_CR3_MATCH",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_CR3_FROM, .add = (uint64_t)(-7))

FAULT(pt_cr3_compares_high,
      .what = "[PT] CR3[20:12] are not compared with IA32_RTIT_CR3_MATCH",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_CR3_FROM, .add = 9)

FAULT(pt_os_ignored, .what = "[PT] CPL 0 is traced though OS = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"}, .rule = PT_OS,
      .is = true)

FAULT(pt_branch_en_ignored, .what = "[PT] BranchEn = 0 suppresses no packet",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"},
      .rule = PT_BRANCH_EN, .is = true)

FAULT(pt_pge_missing, .what = "[PT] TIP.PGE is missing",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_PGE)

FAULT(pt_pge_ip_wrong,
      .what = "[PT] TIP.PGE has the IP of the instruction before",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_PGE_NEXT)

FAULT(pt_pgd_missing,
      .what = "[PT] TIP.PGD is missing but where TraceEn is cleared",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"}, .rule = PT_PGD)

FAULT(pt_pgd_out_of_context,
      .what = "[PT] TIP.PGD has an IP though ContextEn = 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_PGD_ALWAYS_IP, .is = true)

FAULT(pt_pgd_ip_missing,
      .what = "[PT with ranges] TIP.PGD has no IP where FilterEn is cleared",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL",
                 "skylake-u-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_PGD_IP)

FAULT(
    pt_calls_across_pgd,
    .what = "[PT] a RET is compressed though its CALL was before PacketEn = 0",
    .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
    .rule = PT_PGD_ENDS_CALLS)

FAULT(pt_trace_stop_without_stopped,
      .what = "[PT with ranges] TraceStop does not set Stopped",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_SET_STOPPED)

FAULT(pt_trace_stop_missing, .what = "[PT with ranges] no TraceStop packet",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"}, .rule = PT_TRACE_STOP)

FAULT(pt_pgd_and_packet,
      .what = "[PT with ranges] a branch that clears PacketEn has its TNT or "
              "TIP before TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_PGD_TWO,
      .is = true)

FAULT(pt_pgd_conditional_ip,
      .what = "[PT with ranges] TIP.PGD has an IP where a conditional branch "
              "clears FilterEn",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_PGD_CONDITIONAL)

FAULT(pt_cr3_filter_always, .what = "[PT] CR3 is compared though CR3Filter = 0",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_CR3_ANY)

FAULT(pt_user_ignored, .what = "[PT] CPL 3 is traced though User = 0",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_USER,
      .is = true)

FAULT(pt_os_never, .what = "[PT] CPL 0 is never traced",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_OS)

FAULT(pt_user_never, .what = "[PT] CPL 3 is never traced",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_USER)

FAULT(pt_ranges_all,
      .what = "[PT with ranges] an IP has to be in all filter ranges",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_RANGES_ANY)

FAULT(pt_cr3_change_ignored,
      .what = "[PT] CR3 is compared where TraceEn is set, not where it changes",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CR3_FOLLOWED)

FAULT(pt_pge_at_start_missing,
      .what = "[PT] TIP.PGE is missing where TraceEn is set",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_PGE_AT_START)

FAULT(pt_range_base_of_8,
      .what = "[PT with ranges] a range begins at a multiple of 8",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_RANGE_BASE, .clear = 7)

FAULT(pt_range_limit_of_8,
      .what = "[PT with ranges] a range ends before a multiple of 8",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_RANGE_LIMIT, .set = 7)

FAULT(pt_stop_at_start_ignored,
      .what = "[PT with ranges] setting TraceEn in a TraceStop range does not "
              "stop",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPS_AT_START)

FAULT(pt_gap_traced,
      .what = "[PT with ranges] what lies between two filter ranges is traced",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_GAP_OUTSIDE)

FAULT(pt_stop_by_event_ignored,
      .what = "[PT with ranges] an exception or interrupt into a TraceStop "
              "range does not stop",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPS_EVENT)

FAULT(pt_stop_by_cr3_ignored,
      .what = "[PT with ranges] MOV to CR3 in a TraceStop range does not stop",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"}, .rule = PT_STOPS_CR3)

FAULT(pt_stop_by_jcc_ignored,
      .what = "[PT with ranges] a conditional branch into a TraceStop range "
              "does not stop",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPS_CONDITIONAL)

FAULT(pt_ring3_stop_ignored,
      .what = "[PT with ranges] a TraceStop range does nothing at ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_STOPS_IN_RING_3)

FAULT(pt_ring3_cr3_ignored, .what = "[PT] CR3Filter does nothing at ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_CR3_IN_RING_3)

FAULT(pt_ring3_filter_ignored,
      .what = "[PT with ranges] a filter range does nothing at ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_FILTER_IN_RING_3)

FAULT(pt_range_to_range,
      .what = "[PT with ranges] a branch from one filter range to another "
              "makes TIP.PGD and TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_RANGE_TO_RANGE)

FAULT(pt_event_pgd_no_fup,
      .what = "[PT with ranges] an exception or interrupt that clears FilterEn "
              "has no FUP",
      .caught = {"skylake-2018 on 1 pt_events FAIL"},
      .rule = PT_EVENT_FUP_OF_PGD)

FAULT(pt_event_pgd_no_ip,
      .what = "[PT with ranges] TIP.PGD of an exception or interrupt has no IP",
      .caught = {"skylake-2018 on 1 pt_events FAIL"}, .rule = PT_EVENT_PGD_IP)

FAULT(
    pt_event_in_fup,
    .what = "[PT with ranges] an exception into a filter has a FUP before its "
            "TIP.PGE",
    .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_EVENT_PGE_FUP)

FAULT(pt_far_pgd_no_ip,
      .what = "[PT with ranges] TIP.PGD of a far transfer out of a filter has "
              "no IP",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_FAR_PGD_IP)

FAULT(pt_cr3_drops_tnt,
      .what = "[PT with CR3 filtering] results that are not sent when MOV to "
              "CR3 clears ContextEn are lost",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CR3_TNT)

FAULT(pt_psb_pip_needs_filter,
      .what = "[PT with ranges] PSB+ has no PIP outside of a filter",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
      .rule = PT_PSB_PIP_OUTSIDE)

FAULT(pt_event_out_no_fup,
      .what = "[PT] an exception that clears ContextEn has no FUP",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_EVENT_FUP_OUT)
