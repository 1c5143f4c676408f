/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_times.c - what goes wrong with TSC, TMA, MTC, CYC and CBR.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_cyc_unasked, .what = "[PT with CYC] CYC comes though CYCEn = 0",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_CYC,
      .is = true)

FAULT(pt_mtc_unasked, .what = "[PT with MTC] MTC comes though MTCEn = 0",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_MTC,
      .is = true)

FAULT(pt_tsc_missing, .what = "[PT] no TSC packet though TSCEn = 1",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_TSC)

FAULT(pt_tsc_unasked, .what = "[PT] a TSC packet though TSCEn = 0",
      .caught = {"skylake-2018 on 1 pt_branches FAIL"}, .rule = PT_TSC,
      .is = true)

FAULT(pt_tsc_zero, .what = "[PT] the TSC packet has 0",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TSC_PAYLOAD,
      .clear = UINT64_MAX)

FAULT(pt_tsc_ahead, .what = "[PT] the TSC packet has a time to come",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TSC_PAYLOAD,
      .add = UINT64_C(1) << 32)

FAULT(pt_tsc_behind,
      .what = "[PT] the TSC packet has a time from before TraceEn",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TSC_PAYLOAD,
      .add = (uint64_t)(-(INT64_C(1) << 28)))

FAULT(pt_cbr_missing, .what = "[PT] no CBR",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_CBR)
