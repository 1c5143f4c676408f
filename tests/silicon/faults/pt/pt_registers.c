/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_registers.c - what goes wrong with the registers of Processor Trace: which
 * exist, bits that they take, what reads give.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_base_clears_offset,
      .what = "[PT] a write of IA32_RTIT_OUTPUT_BASE clears OutputOffset",
      .caught = {"skylake-2018 on 1 pt_registers FAIL",
                 "broadwell on 1 pt_registers FAIL"},
      .rule = PT_BASE_KEEPS_OFFSET)

FAULT(pt_pointers_clear_stopped,
      .what = "[PT] a write of IA32_RTIT_OUTPUT_MASK_PTRS clears Stopped",
      .caught = {"skylake-2018 on 1 pt_registers FAIL",
                 "alderlake-n off 1 pt_registers FAIL"},
      .rule = PT_POINTERS_KEEP_STATUS)

FAULT(pt_addresses_beyond,
      .what = "[PT] IA32_RTIT_ADDRn_A and _B exist beyond what CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_ADDRESSES,
      .clear = UINT64_MAX, .set = 8)

FAULT(pt_trigger_en_stays,
      .what = "[PT] IA32_RTIT_STATUS.TriggerEn is 1 though tracing has stopped",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_READ_TRIGGER_EN, .is = true)

FAULT(pt_context_en_one,
      .what = "[PT] IA32_RTIT_STATUS.ContextEn is 1 out of context",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_READ_CONTEXT_EN, .is = true)

FAULT(pt_packet_bytes_low,
      .what = "[PT with PacketByteCnt] IA32_RTIT_STATUS.PacketByteCnt has no "
              "bits above 47",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_PACKET_BYTES, .clear = ~(uint64_t)0xFFFF)

FAULT(pt_ctl_takes_bit_4,
      .what = "[PT] IA32_RTIT_CTL takes PwrEvtEn (bit 4), which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 4)

FAULT(pt_ctl_takes_bit_6,
      .what = "[PT] IA32_RTIT_CTL takes FabricEn (bit 6), which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 6)

FAULT(pt_ctl_takes_bit_12,
      .what = "[PT] IA32_RTIT_CTL takes PTWEn (bit 12), which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 12)

FAULT(pt_ctl_takes_bit_18,
      .what = "[PT] IA32_RTIT_CTL takes bit 18, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 18)

FAULT(pt_ctl_takes_bit_31,
      .what = "[PT] IA32_RTIT_CTL takes bit 31, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 31)

FAULT(pt_ctl_takes_bit_63,
      .what = "[PT] IA32_RTIT_CTL takes bit 63, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 63)

FAULT(pt_ctl_refuses_bit_1,
      .what = "[PT] IA32_RTIT_CTL refuses CYCEn (bit 1), which CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 1)

FAULT(pt_ctl_refuses_bit_7,
      .what = "[PT] IA32_RTIT_CTL refuses CR3Filter (bit 7), which CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 7)

FAULT(pt_ctl_refuses_bit_11,
      .what = "[PT] IA32_RTIT_CTL refuses DisRETC (bit 11), which CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 11)

FAULT(pt_ctl_takes_cyc, .what = "[PT without CYC] IA32_RTIT_CTL takes CYCEn",
      .caught = {"broadwell on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 1)

FAULT(pt_ctl_takes_mtc, .what = "[PT without MTC] IA32_RTIT_CTL takes MTCEn",
      .caught = {"broadwell on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 9)

FAULT(pt_ctl_takes_psb_freq,
      .what = "[PT without PSBFreq] IA32_RTIT_CTL takes a PSBFreq",
      .caught = {"broadwell on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(0xF) << 24)

FAULT(pt_ctl_takes_ranges,
      .what = "[PT without ranges] IA32_RTIT_CTL takes ADDR0_CFG",
      .caught = {"broadwell on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(0xF) << 32)

FAULT(pt_cfg_3_taken,
      .what = "[PT with ranges] IA32_RTIT_CTL takes ADDRn_CFG = 3",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CFG_MAX,
      .add = 1)

FAULT(pt_mtc_periods_all,
      .what = "[PT with MTC] IA32_RTIT_CTL takes an MTCFreq that CPUID has not",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_MTC_PERIODS, .set = 0xFFFF)

FAULT(
    pt_cyc_thresholds_all,
    .what = "[PT with CYC] IA32_RTIT_CTL takes a CycThresh that CPUID has not",
    .caught = {"skylake-2018 on 1 pt_registers FAIL"},
    .value = PT_CYC_THRESHOLDS, .set = 0xFFFF)

FAULT(pt_psb_periods_all,
      .what =
          "[PT with PSBFreq] IA32_RTIT_CTL takes a PSBFreq that CPUID has not",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_PSB_PERIODS, .set = 0xFFFF)

FAULT(
    pt_same_ctl_refused,
    .what = "[PT] writing IA32_RTIT_CTL as it is raises #GP while TraceEn = 1",
    .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
    .rule = PT_SAME_CTL)

FAULT(pt_clear_and_change_refused,
      .what = "[PT] a write that clears TraceEn and changes more raises #GP",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_CLEAR_AND_CHANGE)

FAULT(pt_ctl_unlocked,
      .what = "[PT] IA32_RTIT_CTL can be changed while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_CTL_LOCKED)

FAULT(pt_range_refused,
      .what = "[PT with single range] TraceEn = 1 with ToPA = 0 raises #GP",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_NEEDS_TOPA, .is = true)

FAULT(pt_status_takes_bit_3,
      .what = "[PT] IA32_RTIT_STATUS takes bit 3, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_STATUS_BITS, .clear = UINT64_C(1) << 3)

FAULT(pt_status_takes_bit_49,
      .what = "[PT] IA32_RTIT_STATUS takes bit 49, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_STATUS_BITS, .clear = UINT64_C(1) << 49)

FAULT(pt_error_not_written,
      .what = "[PT] software cannot set IA32_RTIT_STATUS.Error",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"},
      .value = PT_STATUS_WRITTEN, .clear = 1 << 4)

FAULT(pt_stopped_not_written,
      .what = "[PT] software cannot set IA32_RTIT_STATUS.Stopped",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"},
      .value = PT_STATUS_WRITTEN, .clear = 1 << 5)

FAULT(pt_address_not_canonical,
      .what = "[PT with ranges] IA32_RTIT_ADDRn takes an address that is not "
              "canonical",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .rule = PT_ADDRESS_BAD)

FAULT(pt_base_unlocked,
      .what = "[PT] IA32_RTIT_OUTPUT_BASE can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_OUTPUT_BASE)

FAULT(pt_status_unlocked,
      .what = "[PT] IA32_RTIT_STATUS can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_STATUS)

FAULT(pt_cr3_match_unlocked,
      .what = "[PT] IA32_RTIT_CR3_MATCH can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_CR3_MATCH)

FAULT(pt_addr0_a_unlocked,
      .what = "[PT] IA32_RTIT_ADDR0_A can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_ADDR0_A)

FAULT(pt_addr1_b_unlocked,
      .what = "[PT] IA32_RTIT_ADDR1_B can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_ADDR0_A + 3)

FAULT(pt_refused_cr3_match_changes,
      .what = "[PT] a write of IA32_RTIT_CR3_MATCH that raises #GP since "
              "TraceEn = 1 sets bit 5",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_REFUSED, .number = IA32_RTIT_CR3_MATCH, .set = 1 << 5)

FAULT(pt_refused_addr1_a_changes,
      .what = "[PT] a write of IA32_RTIT_ADDR1_A that raises #GP since "
              "TraceEn = 1 sets bit 0",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_REFUSED, .number = IA32_RTIT_ADDR0_A + 2, .set = 1)

FAULT(pt_base_takes_low, .what = "[PT] IA32_RTIT_OUTPUT_BASE takes bits 6:0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_WRITTEN,
      .number = IA32_RTIT_OUTPUT_BASE, .clear = 0x7F)

FAULT(pt_base_takes_high,
      .what = "[PT] IA32_RTIT_OUTPUT_BASE takes bits above MAXPHYADDR",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_WRITTEN,
      .number = IA32_RTIT_OUTPUT_BASE, .clear = ~(UINT64_MAX >> 25))

FAULT(pt_cr3_match_takes_low, .what = "[PT] IA32_RTIT_CR3_MATCH takes bits 4:0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_WRITTEN,
      .number = IA32_RTIT_CR3_MATCH, .clear = 0x1F)

FAULT(pt_cr3_match_high_lost,
      .what = "[PT] IA32_RTIT_CR3_MATCH loses bits 63:32",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .value = PT_WRITTEN, .number = IA32_RTIT_CR3_MATCH,
      .clear = UINT64_MAX << 32)

FAULT(pt_pointers_low_zero,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS[6:0] read 0",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS, .clear = 0x7F)

FAULT(pt_pointers_offset_zero,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS.OutputOffset reads 0",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS, .clear = UINT64_MAX << 32)

FAULT(pt_pointers_offset_coarse,
      .what =
          "[PT] IA32_RTIT_OUTPUT_MASK_PTRS.OutputOffset reads a multiple of 8",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS, .clear = UINT64_C(7) << 32)

FAULT(pt_ctl_reads_trace_en_zero,
      .what = "[PT] IA32_RTIT_CTL.TraceEn reads 0 while it is set",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_READ, .number = IA32_RTIT_CTL, .clear = 1)

FAULT(pt_ctl_reads_dis_retc_zero,
      .what = "[PT] IA32_RTIT_CTL.DisRETC reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 1 << 11)

FAULT(pt_addr0_a_high_lost,
      .what = "[PT with ranges] IA32_RTIT_ADDR0_A loses bits 63:48",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_ADDR0_A, .clear = UINT64_MAX << 48)

FAULT(pt_addr1_b_low_lost,
      .what = "[PT with ranges] IA32_RTIT_ADDR1_B loses bits 11:0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_ADDR0_A + 3, .clear = 0xFFF)

FAULT(pt_stopped_ignored,
      .what = "[PT] Stopped = 1 does not keep tracing from starting",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_STATUS_IGNORED, .set = 1 << 5)

FAULT(pt_error_ignored,
      .what = "[PT] Error = 1 does not keep tracing from starting",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_STATUS_IGNORED, .set = 1 << 4)

FAULT(pt_stopped_cleared, .what = "[PT] setting TraceEn clears Stopped",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"},
      .value = PT_STATUS_CLEARED, .set = 1 << 5)

FAULT(pt_error_cleared, .what = "[PT] setting TraceEn clears Error",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"},
      .value = PT_STATUS_CLEARED, .set = 1 << 4)

FAULT(pt_packet_bytes_not_written,
      .what = "[PT with PacketByteCnt] a write of PacketByteCnt sets it to 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_PACKET_BYTES_WRITTEN, .clear = UINT64_MAX)

FAULT(pt_packet_bytes_taken,
      .what = "[PT without PacketByteCnt] PacketByteCnt can be written",
      .caught = {"broadwell on 1 pt_registers FAIL"},
      .rule = PT_TAKES_PACKET_BYTES, .is = true)

FAULT(pt_status_refused_clears,
      .what = "[PT with PacketByteCnt] a write of IA32_RTIT_STATUS that raises "
              "#GP clears PacketByteCnt",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_STATUS_REFUSED)

FAULT(pt_error_triggers,
      .what = "[PT] IA32_RTIT_STATUS.TriggerEn is 1 though Error is, while "
              "TraceEn is 1",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .rule = PT_ERROR_TRIGGER)
