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

FAULT(pt_abort_by_int3_silent,
      .what = "[PT and TSX] an abort by INT3 makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL",
                 "broadwell on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_OF_INT3)

FAULT(pt_abort_by_nesting_silent,
      .what = "[PT and TSX] an abort by one XBEGIN too many makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_OF_NESTING)

FAULT(pt_abort_by_cpuid_silent,
      .what = "[PT and TSX] an abort by CPUID makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_OF_CPUID)

FAULT(pt_hle_abort_by_cpuid_silent,
      .what = "[PT and HLE] an abort of an elided section by CPUID makes no "
              "packets",
      .caught = {"skylake-2017 on 1 pt_hle_abort FAIL",
                 "broadwell on 1 pt_hle_abort FAIL"},
      .rule = PT_HLE_ABORT_OF_CPUID)

FAULT(pt_hle_abort_by_pause_silent,
      .what = "[PT and HLE] an abort of an elided section by PAUSE makes no "
              "packets",
      .caught = {"skylake-2017 on 1 pt_hle_abort FAIL"},
      .rule = PT_HLE_ABORT_OF_PAUSE)

FAULT(pt_hle_abort_by_fault_silent,
      .what = "[PT and HLE] an abort of an elided section by an exception "
              "makes no packets",
      .caught = {"skylake-2017 on 1 pt_hle_abort FAIL"},
      .rule = PT_HLE_ABORT_OF_EXCEPTION)

FAULT(pt_hle_abort_by_capacity_silent,
      .what = "[PT and HLE] an abort of an elided section by capacity makes no "
              "packets",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_causes FAIL",
                 "broadwell on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_HLE_ABORT_OF_WRITES)

FAULT(pt_hle_abort_by_conflict_silent,
      .what = "[PT and HLE] an abort of an elided section by a conflict makes "
              "no packets",
      .caught = {"skylake-2017 on 2 pt_rtm_abort_conflict FAIL",
                 "broadwell on 2 pt_rtm_abort_conflict FAIL"},
      .rule = PT_HLE_ABORT_OF_CONFLICT)

FAULT(pt_hle_abort_by_interrupt_silent,
      .what = "[PT and HLE] an abort of an elided section by an interrupt "
              "makes no packets",
      .caught = {"skylake-2017 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_HLE_ABORT_OF_EVENT)

FAULT(pt_abort_by_loads_silent,
      .what = "[PT and TSX] an abort by too many loads makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_ABORT_OF_READS)

FAULT(pt_abort_by_breakpoint_silent,
      .what = "[PT and TSX] an abort by a data breakpoint makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL",
                 "broadwell on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_OF_BREAKPOINT)

FAULT(pt_abort_by_page_fault_silent,
      .what = "[PT and TSX] an abort by a page fault makes no packets",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_by_fault FAIL",
                 "broadwell on 1 pt_rtm_abort_by_fault FAIL"},
      .rule = PT_ABORT_OF_PAGE_FAULT)

FAULT(pt_hle_needs_filter,
      .what = "[PT and HLE] MODE.TSX of an elided section is missing where "
              "FilterEn = 0, before TIP.PGE too",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"}, .rule = PT_HLE_FILTER)

FAULT(pt_hle_abort_pgd_missing,
      .what = "[PT and HLE] an abort of an elided section that leaves the "
              "filter has no TIP.PGD",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"},
      .rule = PT_HLE_ABORT_PGD)

FAULT(pt_hle_abort_pge_missing,
      .what = "[PT and HLE] an abort of an elided section that enters the "
              "filter has no TIP.PGE",
      .caught = {"skylake-2017 on 1 pt_hle_path FAIL"},
      .rule = PT_HLE_ABORT_PGE)

FAULT(pt_abort_without_branch_en,
      .what = "[PT and TSX] MODE.TSX of an abort comes with BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"},
      .rule = PT_ABORT_NEEDS_BRANCH_EN)

FAULT(pt_pip_keeps_low,
      .what = "[PT] PIP has CR3[11:5], which are no part of an address",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL",
                 "alderlake-n off 1 pt_filter_context FAIL"},
      .rule = PT_PIP_ADDRESS_ALONE)

FAULT(pt_table_at_2k_accepted,
      .what = "[PT with ToPA] a ToPA table at 2 KiB of a page is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_TABLE_LOOKED, .clear = BIT(11))

FAULT(pt_table_at_256_accepted,
      .what = "[PT with ToPA] a ToPA table at 256 bytes of a page is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_TABLE_LOOKED, .clear = BIT(8))

FAULT(pt_abort_ip_beyond,
      .what = "[PT and TSX] the FUP of an abort is 4 KiB after it",
      .caught = {"broadwell on 1 pt_rtm_abort_causes FAIL",
                 "skylake-2017 on 1 pt_hle_abort FAIL",
                 "skylake-2018 on 2 pt_rtm_abort_conflict FAIL"},
      .value = PT_ABORT_IP, .add = 4096)

FAULT(reset_misses_topa,
      .what = "[PT with ToPA] writing bit 55 of 390H leaves Trace_ToPA_PMI 1",
      .caught = {"broadwell on 1 pt_topa_output FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER, .clear = BIT(55))

FAULT(pt_int_sets_ovf_buffer,
      .what = "[PT with ToPA] INT of a ToPA entry sets GLOBAL_STATUS[62], too",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_TOPA_STATUS, .set = BIT(62))

FAULT(pt_flags_of_next_entry,
      .what = "[PT with ToPA entries] INT and STOP of a ToPA entry act where "
              "the region before it is full, too",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_FLAGS_AHEAD, .set = 1)

FAULT(pt_flags_of_last_entry,
      .what = "[PT with ToPA entries] INT and STOP of a ToPA entry act where "
              "the region after it is full, too",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_FLAGS_AHEAD, .set = UINT64_MAX)

FAULT(pt_mask_low_gap_accepted,
      .what = "[PT with single range] a mask with a gap below bit 12 is no "
              "error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL",
                 "alderlake-n off 1 pt_output_offset FAIL"},
      .value = PT_MASK_GAPS, .set = BITS(11, 7))

FAULT(pt_mask_bit_8_gap_accepted,
      .what = "[PT with single range] a mask that lacks bit 8 is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL",
                 "alderlake-n off 1 pt_output_offset FAIL"},
      .value = PT_MASK_GAPS, .set = BIT(8))

FAULT(pt_base_low_overlap_accepted,
      .what = "[PT with single range] a base that overlaps the mask below bit "
              "12 is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL",
                 "alderlake-n off 1 pt_output_offset FAIL"},
      .value = PT_BASE_LOOKED, .clear = BITS(11, 7))

FAULT(pt_region_alignment_of_8k,
      .what = "[PT with ToPA] of a region's base bit 12 alone has to be 0",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ALIGNED_BITS, .clear = ~BIT(12))

FAULT(pt_cbr_with_psb_alone,
      .what = "[PT with PacketByteCnt] no CBR comes where TraceEn is set and "
              "no PSB does",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_CBR_AT_START)

FAULT(pt_tma_fast_high, .what = "[PT with MTC] TMA.FastCounter is 256 too high",
      .caught = {"skylake-2018 on 1 pt_timing FAIL"}, .value = PT_TMA_FAST,
      .add = 256)

FAULT(pt_cbr_zero, .what = "[PT] CBR is 0, and IA32_PERF_STATUS, too",
      .caught = {"skylake-2018 on 1 pt_ratio FAIL",
                 "broadwell on 1 pt_ratio FAIL"},
      .value = PT_RATIO, .quantity = OF_MSR_READ, .number = 0x198,
      .clear = UINT64_MAX)

FAULT(pt_cbr_beyond, .what = "[PT] CBR is 255, and IA32_PERF_STATUS[7:0], too",
      .caught = {"skylake-2018 on 1 pt_ratio FAIL"}, .value = PT_RATIO,
      .quantity = OF_MSR_READ, .number = 0x198, .set = 0xFF)

FAULT(pt_ret_low_21,
      .what = "[PT] of a RET's target bits 20:0 alone are compared with its "
              "CALL",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .value = PT_RETURN_BITS, .clear = BITS(63, 21))

FAULT(pt_ret_low_32,
      .what = "[PT] of a RET's target bits 31:0 alone are compared with its "
              "CALL",
      .caught = {"skylake-2018 on 1 pt_ip_compression FAIL"},
      .value = PT_RETURN_BITS, .clear = BITS(63, 32))

FAULT(pt_range_low_32,
      .what = "[PT with ranges] of IPs and bounds bits 31:0 alone are compared",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .value = PT_RANGE_BITS,
      .clear = BITS(63, 32))

FAULT(pt_range_low_39,
      .what = "[PT with ranges] of IPs and bounds bits 38:0 alone are compared",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .value = PT_RANGE_BITS,
      .clear = BITS(63, 39))

FAULT(pt_range_low_46,
      .what = "[PT with ranges] of IPs and bounds bits 45:0 alone are compared",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .value = PT_RANGE_BITS,
      .clear = BITS(63, 46))

FAULT(pt_stop_any_level,
      .what = "[PT with ranges] a TraceStop range stops though no level that "
              "runs is traced",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPS_LEVEL)

FAULT(topa_pmi_stops_silently,
      .what = "[PT with ToPA] counters stand still while Trace_ToPA_PMI is 1, "
              "though CTR_Frz is 0",
      .caught = {"icelake-client on 1 pt_pmi_freezes FAIL"},
      .rule = PT_PMI_LETS_COUNT)

FAULT(topa_freeze_of_status_alone,
      .what = "[PT with ToPA, perfmon 4] the interrupt of INT sets CTR_Frz, "
              "and counters go on",
      .caught = {"icelake-client on 1 pt_pmi_freezes FAIL"},
      .rule = PT_PMI_FREEZES)

FAULT(pt_ctl_tsc_en_dropped,
      .what = "[PT] a WRMSR that changes IA32_RTIT_CTL.TSCEn alone while "
              "TraceEn = 1 does nothing, and raises no #GP",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_CTL_IGNORED, .set = RTIT_TSC_EN)

FAULT(pt_ctl_mtc_freq_dropped,
      .what = "[PT with MTC] the same of IA32_RTIT_CTL.MTCFreq",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_CTL_IGNORED, .set = RTIT_MTC_FREQ)

FAULT(pt_tnt_without_branch_en, .what = "[PT] TNTs come though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_KIND_TNT_8))

FAULT(pt_tip_without_branch_en, .what = "[PT] TIPs come though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_TIP))

FAULT(pt_pge_without_branch_en,
      .what = "[PT] TIP.PGE comes though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_TIP_PGE))

FAULT(pt_pgd_without_branch_en,
      .what = "[PT] TIP.PGD comes though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_TIP_PGD))

FAULT(pt_fup_without_branch_en, .what = "[PT] FUPs come though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_FUP))

FAULT(pt_exec_without_branch_en,
      .what = "[PT] MODE.Exec comes though BranchEn = 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_UNASKED,
      .set = BIT(PT_KIND_MODE_EXEC))

FAULT(ptwrite_takes_lock,
      .what = "[PT with PTWRITE] PTWRITE with LOCK is executed",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_LOCK_REFUSED)

FAULT(pt_writes_dropped,
      .what = "[PT] a WRMSR of a register but IA32_RTIT_CTL while TraceEn = 1 "
              "does nothing, and raises no #GP",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL",
                 "broadwell on 1 pt_write_while_enabled FAIL"},
      .rule = PT_WRITES_REFUSED)

FAULT(pt_stopped_out_of_context,
      .what = "[PT with ranges] a branch into a TraceStop range with ContextEn "
              "= 0 sets Stopped",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_STOPPED_SEEN)

FAULT(pt_psb_fup_outside,
      .what = "[PT, no erratum] PSB+ has MODE.Exec and a FUP though PacketEn = "
              "0",
      .caught = {"arrowlake on 1 pt_filter_context FAIL",
                 "arrowlake on 1 pt_filter_ip FAIL"},
      .rule = PT_PSB_FUP_INSIDE)

FAULT(ptw_fup_unasked,
      .what = "[PT with PTWRITE] PTW has IP = 1 and a FUP though FUPonPTW = 0",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"},
      .rule = PT_PTW_FUP_ASKED)

FAULT(ptw_ip_bit_unasked,
      .what = "[PT with PTWRITE] IP of PTW is 1 though no FUP follows",
      .caught = {"sapphirerapids on 1 pt_ptwrite FAIL"}, .rule = PT_PTW_IP_BIT,
      .is = true)

FAULT(pt_ring3_interrupt_no_fup,
      .what = "[PT] an interrupt at ring 3 has no FUP",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_INTERRUPT_FUP_RING_3)

FAULT(pt_ring3_interrupt_ip_next,
      .what = "[PT] the FUP of an interrupt at ring 3 is its handler",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_INTERRUPT_IP_RING_3)

FAULT(pt_ring3_interrupt_no_tip,
      .what = "[PT] an interrupt at ring 3 has no TIP, where ring 0 is traced, "
              "too",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_INTERRUPT_TIP_RING_3)

FAULT(pt_ring3_interrupt_pgd_ip,
      .what = "[PT] TIP.PGD of an interrupt at ring 3 has the IP of its "
              "handler, which is not traced",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"},
      .rule = PT_INTERRUPT_PGD_RING_3)
