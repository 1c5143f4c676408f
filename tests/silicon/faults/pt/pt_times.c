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

FAULT(pt_crystal_slower,
      .what = "[PT with MTC] leaf 15H says a slower crystal than MTC has",
      .caught = {"skylake-2018 on 1 pt_timing FAIL",
                 "icelake-client on 1 pt_timing FAIL"},
      .quantity = OF_EBX, .number = 0x15, .add = 30)

FAULT(pt_cbr_missing, .what = "[PT] no CBR",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_CBR)

FAULT(pt_cyc_threshold_ignored, .what = "[PT with CYC] CycThresh is ignored",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_CYC_THRESHOLD,
      .clear = UINT64_MAX)

FAULT(pt_cyc_missing,
      .what = "[PT with CYC] CYC does not come though CYCEn = 1",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_CYC)

FAULT(pt_mtc_freq_ignored, .what = "[PT with MTC] MTCFreq is ignored",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_MTC_SHIFT,
      .clear = UINT64_MAX)

FAULT(pt_mtc_freq_off,
      .what = "[PT with MTC] MTC begins a bit higher than MTCFreq says",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_MTC_SHIFT,
      .add = 1)

FAULT(pt_mtc_missing,
      .what = "[PT with MTC] MTC does not come though MTCEn = 1",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC)

FAULT(pt_mtc_same,
      .what = "[PT with MTC] MTC comes though its 8 bits are the same",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC_SAME)

FAULT(pt_mtc_payload_stuck, .what = "[PT with MTC] MTC has bit 7 = 0",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_MTC_PAYLOAD,
      .clear = 0x80)

FAULT(pt_tma_missing, .what = "[PT with MTC] no TMA after TSC",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_TMA)

FAULT(pt_cyc_exp_missing,
      .what = "[PT with CYC] a CYC of more than one byte has Exp = 0",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_CYC_EXP)

FAULT(pt_tma_unasked, .what = "[PT with MTC] TMA comes though MTCEn = 0",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .rule = PT_TMA,
      .is = true)

FAULT(pt_tsc_32_bits, .what = "[PT] the TSC packet has TSC[31:0] alone",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TSC_PAYLOAD,
      .clear = UINT64_MAX << 32)

FAULT(pt_cyc_high, .what = "[PT with CYC] CYC has 1000 cycles too many",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .value = PT_CYCLES,
      .add = 1000)

FAULT(pt_cyc_low_bits,
      .what = "[PT with CYC] CYC has the low five bits of the cycles alone",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .value = PT_CYCLES,
      .clear = ~(uint64_t)0x1F)

FAULT(pt_cyc_accumulates,
      .what = "[PT with CYC] CYC counts from where tracing began",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_RESETS)

FAULT(pt_cyc_threshold_twice,
      .what = "[PT with CYC] CycThresh counts twice the cycles",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_CYC_THRESHOLD,
      .add = 1)

FAULT(pt_mtc_payload_wrong,
      .what = "[PT with MTC] MTC is not what CTC has in these bits",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_MTC_PAYLOAD,
      .add = 0x55)

FAULT(pt_tma_ctc_wrong, .what = "[PT with MTC] TMA has another CTC",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TMA_CTC,
      .add = 0x1234)

FAULT(pt_tma_fast_zero, .what = "[PT with MTC] TMA.FastCounter is 0",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TMA_FAST,
      .clear = UINT64_MAX)

FAULT(pt_cbr_more, .what = "[PT] CBR has one more than the ratio",
      .caught = {"skylake-2018 on 1 pt_ratio FAIL",
                 "broadwell on 1 pt_ratio FAIL"},
      .value = PT_RATIO, .add = 1)

FAULT(pt_cyc_one_more, .what = "[PT with CYC] CYC has one cycle too many",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL",
                 "skylake-2018 off 1 pt_ring3 FAIL"},
      .value = PT_CYCLES, .add = 1)

FAULT(pt_cyc_of_mtc_missing, .what = "[PT with CYC] no CYC comes before an MTC",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_MTC)

FAULT(pt_cyc_of_tnt_missing, .what = "[PT with CYC] no CYC comes before a TNT",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_TNT)

FAULT(pt_cyc_of_pip_missing, .what = "[PT with CYC] no CYC comes before a PIP",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_PIP)

FAULT(pt_cyc_of_pge_missing,
      .what = "[PT with CYC] no CYC comes before a TIP.PGE",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_PGE)

FAULT(pt_cyc_of_pgd_missing,
      .what = "[PT with CYC] no CYC comes before a TIP.PGD",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_PGD)

FAULT(pt_cyc_twice, .what = "[PT with CYC] CYC comes twice in a cycle",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_SENT)

FAULT(pt_cyc_counts_untraced,
      .what = "[PT with CYC] CYC counts the cycles while TraceEn = 0",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"},
      .rule = PT_START_RESETS_CYCLES)

FAULT(pt_cyc_thresh_low_bits,
      .what = "[PT with CYC] a CycThresh of 8 and more is taken as 8 less",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .value = PT_CYC_THRESHOLD,
      .clear = 8)

FAULT(pt_mtc_needs_filter,
      .what = "[PT with MTC] no MTC comes where FilterEn = 0",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC_FILTERED)

FAULT(pt_cyc_thresh_cap,
      .what = "[PT with CYC] the lower three bits of CycThresh are ignored",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .value = PT_CYC_THRESHOLD,
      .clear = 7)

FAULT(pt_cyc_of_abort_missing,
      .what = "[PT with CYC, TSX] no CYC comes before the MODE.TSX of an abort",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"}, .rule = PT_CYC_OF_ABORT)

FAULT(pt_mtc_freq_kept,
      .what = "[PT with MTC] MTCFreq is taken where MTCEn is first set, and "
              "not afterwards",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC_FREQ_TAKEN)

FAULT(pt_tnt_ring3_without_cyc,
      .what = "[PT with CYC] no CYC comes before a TNT of ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL",
                 "sapphirerapids on 1 pt_ring3 FAIL"},
      .rule = PT_CYC_OF_TNT_RING_3)

FAULT(pt_abort_ring3_without_cyc,
      .what = "[PT with CYC, TSX] no CYC comes before the MODE.TSX of an abort "
              "at ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_CYC_OF_ABORT_RING_3)

FAULT(pt_tx_cyc_threshold_ignored,
      .what = "[PT with CYC, TSX] CycThresh is ignored in transactions",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"},
      .rule = PT_CYC_THRESH_IN_TX)

FAULT(pt_mtc_odd_missing,
      .what = "[PT with MTC] an MTC that is odd is not sent",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .rule = PT_MTC_ODD)

FAULT(pt_ring3_mtc_wrong,
      .what = "[PT with MTC] an MTC at ring 3 has bit 7 the other way round",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_MTC_RIGHT_IN_RING_3)

FAULT(pt_tx_mtc_wrong,
      .what = "[PT with MTC, TSX] an MTC in a transaction has bit 7 the other "
              "way round",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_MTC_RIGHT_IN_TX)

FAULT(
    pt_cyc_thresh_13_zero,
    .what = "[PT with CYC] a CycThresh of 13 is taken for 0, as SKL069 has it",
    .caught = {"alderlake-n on 1 pt_cycles FAIL"}, .rule = PT_CYC_THRESH_13)

FAULT(pt_cyc_needs_branch_en,
      .what = "[PT with MTC, CYC] no CYC comes where BranchEn is 0",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"},
      .rule = PT_CYC_NO_BRANCHES)

FAULT(pt_mtc_needs_branch_en,
      .what = "[PT with MTC, CYC] no MTC comes where BranchEn is 0",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL"},
      .rule = PT_MTC_NO_BRANCHES)

FAULT(pt_tsc_with_psb_alone,
      .what =
          "[PT with PacketByteCnt] no TSC comes where TraceEn is set and no "
          "PSB does",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_TSC_AT_START)

FAULT(pt_time_needs_context,
      .what = "[PT] PSB+ has neither TSC nor CBR where ContextEn is 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_TIME_OUTSIDE)

FAULT(pt_cbr_needs_branch_en,
      .what = "[PT, BranchEn = 0 legal] no CBR comes where BranchEn is 0",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_CBR_NO_BRANCHES)

FAULT(pt_mtc_ring3_without_cyc,
      .what = "[PT with MTC, CYC] no CYC comes before an MTC of ring 3",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .rule = PT_CYC_OF_MTC_RING_3)
