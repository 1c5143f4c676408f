/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_narrow.c - what goes wrong with Processor Trace in one case of several:
 * one bit, one cause, one kind of packet.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/pt/pt.h"

FAULT(pt_abort_by_capacity_silent,
      .what = "[PT and TSX] an abort by capacity makes no packets",
      .caught = {"broadwell on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_ABORT_CAPACITY)

FAULT(pt_abort_ip_beyond,
      .what = "[PT and TSX] the FUP of an abort is 4 KiB after it",
      .caught = {"broadwell on 1 pt_rtm_abort_causes FAIL",
                 "skylake-2017 on 1 pt_hle_abort FAIL",
                 "skylake-2018 on 2 pt_rtm_abort_conflict FAIL"},
      .value = PT_ABORT_IP, .add = 4096)

FAULT(pt_ctl_tsc_en_dropped,
      .what = "[PT] a WRMSR that changes IA32_RTIT_CTL.TSCEn alone while "
              "TraceEn = 1 does nothing, and raises no #GP",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_CTL_IGNORED, .set = RTIT_TSC_EN)

FAULT(pt_ctl_mtc_freq_dropped,
      .what = "[PT with MTC] the same of IA32_RTIT_CTL.MTCFreq",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_CTL_IGNORED, .set = RTIT_MTC_FREQ)
