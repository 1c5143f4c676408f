/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_combined.c - what goes wrong where two things of Processor Trace meet:
 * filters, filters and transactions, time and transactions, two processors.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_ranges_any_cr3,
      .what = "[PT with ranges] CR3 is not compared where a range filters",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CR3_IN_RANGES)

FAULT(pt_cr3_any_range,
      .what = "[PT with ranges] ranges do not filter where CR3Filter = 1",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_RANGES_OF_CR3)

FAULT(pt_tx_any_cr3, .what = "[PT] MODE.TSX comes though CR3 does not match",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_TX_CONTEXT)

FAULT(pt_stop_any_cr3,
      .what = "[PT with ranges] a TraceStop range stops though CR3 does not "
              "match",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPS_CONTEXT)

FAULT(pt_abort_not_stopped,
      .what = "[PT with ranges] an abort into a TraceStop range does not stop",
      .caught = {"cometlake-rtm-2022 on 1 pt_trace_stop FAIL"},
      .rule = PT_ABORT_STOPS)

FAULT(pt_ip_32_too_often,
      .what = "[PT] an IP that differs in bit 32 is compressed to 32 bits",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .value = PT_SAME_FROM_32, .add = 1)

FAULT(pt_rewrite_starts,
      .what = "[PT] writing IA32_RTIT_CTL with what it holds starts anew",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_REWRITE_SILENT)

FAULT(pt_ctl_refuses_two,
      .what = "[PT] DisRETC and CR3Filter cannot be set together",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_CTL_COMBINES)

FAULT(pt_syscall_pge_missing,
      .what = "[PT] SYSCALL into the context has a TIP, and no TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_SYSCALL_PGE)

FAULT(pt_sysret_pgd_missing,
      .what = "[PT] SYSRET out of the context has a TIP, and no TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_SYSRET_PGD)

FAULT(pt_xabort_alone,
      .what = "[PT] XABORT outside of a transaction makes the packets of an "
              "abort",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_XABORT_ALONE,
      .is = true)

FAULT(pt_cyc_aborts,
      .what = "[PT] a transaction that is traced with CYCEn = 1 aborts",
      .caught = {"skylake-2018 on 1 pt_transaction_unchanged FAIL"},
      .rule = PT_TIMED_COMMITS)

FAULT(pt_cyc_of_tx_missing, .what = "[PT] no CYC comes before a MODE.TSX",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_TX)

FAULT(pt_psb_freq_low,
      .what = "[PT] PSBFreq is read as if its upper three bits were 0",
      .caught = {"skylake-2018 on 1 pt_psb FAIL"}, .value = PT_PSB_FREQ,
      .clear = 0xE)

FAULT(pt_traces_one,
      .what = "[PT] setting TraceEn clears it on the other processors",
      .caught = {"skylake-2018 on 2 pt_thread_scope FAIL"},
      .rule = PT_TRACES_APART)

FAULT(pt_cycles_of_filter,
      .what = "[PT with ranges] the cycles of CYC do not count outside of a "
              "filter range",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"},
      .rule = PT_CYCLES_FILTERED)

FAULT(pt_cycles_of_context,
      .what = "[PT] the cycles of CYC do not count where ContextEn is 0",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYCLES_OUTSIDE)

FAULT(pt_ring3_cyc_short, .what = "[PT] each CYC at ring 3 has a cycle less",
      .caught = {"skylake-2018 off 1 pt_ring3 FAIL"},
      .rule = PT_CYCLES_IN_RING_3)

FAULT(pt_ring3_far_missing,
      .what = "[PT] far JMP and CALL at ring 3 have no TIP",
      .caught = {"skylake-2018 off 1 pt_ring3 FAIL"}, .rule = PT_FAR_IN_RING_3)

FAULT(pt_ring3_ret_16_taken,
      .what = "[PT] a RET with an operand at ring 3 is compressed wherever it "
              "goes",
      .caught = {"skylake-2018 off 1 pt_ring3 FAIL"},
      .rule = PT_FREES_IN_RING_3)

FAULT(pt_same_int_missing,
      .what = "[PT] a ToPA region with INT that is full again does not "
              "interrupt",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_SAME_INT)

FAULT(pt_nmi_silent, .what = "[PT] an NMI makes no packets",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_NMI_TRACED)
