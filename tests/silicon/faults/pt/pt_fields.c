/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_fields.c - what goes wrong with the registers of Processor Trace field by
 * field: what reads lose, what writes refuse, what processors share.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/pt/pt.h"

FAULT(pt_trigger_en_zero,
      .what = "[PT] IA32_RTIT_STATUS.TriggerEn is 0 while tracing",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_READ_TRIGGER_EN)

FAULT(pt_context_en_zero,
      .what = "[PT] IA32_RTIT_STATUS.ContextEn is 0 in context",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"},
      .rule = PT_READ_CONTEXT_EN)

FAULT(
    pt_filter_en_one,
    .what =
        "[PT with ranges] IA32_RTIT_STATUS.FilterEn is 1 outside of the ranges",
    .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"},
    .rule = PT_READ_FILTER_EN, .is = true)

FAULT(pt_filter_en_zero,
      .what = "[PT] IA32_RTIT_STATUS.FilterEn is 0 though nothing filters",
      .caught = {"skylake-2018 on 1 pt_enable FAIL"}, .rule = PT_READ_FILTER_EN)

FAULT(pt_packet_bytes_zero,
      .what = "[PT with PacketByteCnt] IA32_RTIT_STATUS.PacketByteCnt reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_PACKET_BYTES, .clear = UINT64_MAX)

FAULT(pt_ctl_takes_bit_5,
      .what = "[PT] IA32_RTIT_CTL takes FUPonPTW (bit 5), which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 5)

FAULT(pt_ctl_takes_bit_23,
      .what = "[PT] IA32_RTIT_CTL takes bit 23, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 23)

FAULT(pt_ctl_takes_bit_28,
      .what = "[PT] IA32_RTIT_CTL takes bit 28, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 28)

FAULT(pt_ctl_takes_bit_40,
      .what = "[PT] IA32_RTIT_CTL takes ADDR2_CFG (bit 40), which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 40)

FAULT(pt_ctl_takes_bit_48,
      .what = "[PT] IA32_RTIT_CTL takes bit 48, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 48)

FAULT(pt_ctl_takes_bit_55,
      .what = "[PT] IA32_RTIT_CTL takes bit 55, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 55)

FAULT(pt_ctl_refuses_bit_9,
      .what = "[PT] IA32_RTIT_CTL refuses MTCEn (bit 9), which CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 9)

FAULT(pt_ctl_refuses_bit_10,
      .what = "[PT] IA32_RTIT_CTL refuses TSCEn (bit 10), which CPUID has",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_CTL_BITS, .clear = UINT64_C(1) << 10)

FAULT(pt_cfg_15_taken,
      .what = "[PT with ranges] IA32_RTIT_CTL takes ADDRn_CFG = 15",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CFG_MAX,
      .add = 13)

FAULT(pt_status_takes_bit_6,
      .what = "[PT] IA32_RTIT_STATUS takes bit 6, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_STATUS_BITS, .clear = UINT64_C(1) << 6)

FAULT(pt_status_takes_bit_31,
      .what = "[PT] IA32_RTIT_STATUS takes bit 31, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_STATUS_BITS, .clear = UINT64_C(1) << 31)

FAULT(pt_status_takes_bit_63,
      .what = "[PT] IA32_RTIT_STATUS takes bit 63, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .value = PT_STATUS_BITS, .clear = UINT64_C(1) << 63)

FAULT(
    pt_start_clears_ranges,
    .what = "[PT with ranges] setting TraceEn clears IA32_RTIT_ADDR1_A and _B",
    .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
    .rule = PT_START_KEEPS_RANGES)

FAULT(pt_start_clears_cr3_match,
      .what = "[PT] setting TraceEn clears IA32_RTIT_CR3_MATCH",
      .caught = {"skylake-2018 on 1 pt_filter_context FAIL"},
      .rule = PT_START_KEEPS_CR3)

FAULT(pt_end_clears_stopped, .what = "[PT] clearing TraceEn clears Stopped",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_STATUS_CLEARED_LAST, .set = 1 << 5)

FAULT(pt_end_clears_error, .what = "[PT] clearing TraceEn clears Error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_STATUS_CLEARED_LAST, .set = 1 << 4)

FAULT(pt_addr1_is_addr0,
      .what = "[PT with ranges] IA32_RTIT_ADDR1_A and _B are those of ADDR0",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_ADDRESS_INDEX, .clear = 2)

FAULT(pt_addr_b_is_a,
      .what = "[PT with ranges] IA32_RTIT_ADDRn_B is IA32_RTIT_ADDRn_A",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .value = PT_ADDRESS_INDEX, .clear = 1)

FAULT(pt_ctl_reads_os_zero,
      .what = "[PT] IA32_RTIT_CTL.OS reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_READ, .number = IA32_RTIT_CTL, .clear = 1 << 2)

FAULT(pt_ctl_reads_user_zero,
      .what = "[PT] IA32_RTIT_CTL.User reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 1 << 3)

FAULT(pt_ctl_reads_cr3_filter_zero,
      .what = "[PT] IA32_RTIT_CTL.CR3Filter reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 1 << 7)

FAULT(pt_ctl_reads_topa_zero,
      .what = "[PT] IA32_RTIT_CTL.ToPA reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_READ, .number = IA32_RTIT_CTL, .clear = 1 << 8)

FAULT(pt_ctl_reads_tsc_zero,
      .what = "[PT] IA32_RTIT_CTL.TSCEn reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_READ, .number = IA32_RTIT_CTL, .clear = 1 << 10)

FAULT(pt_ctl_reads_branch_zero,
      .what = "[PT] IA32_RTIT_CTL.BranchEn reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .value = PT_READ, .number = IA32_RTIT_CTL, .clear = 1 << 13)

FAULT(pt_ctl_reads_cyc_zero,
      .what = "[PT] IA32_RTIT_CTL.CYCEn reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 1 << 1)

FAULT(pt_ctl_reads_mtc_zero,
      .what = "[PT] IA32_RTIT_CTL.MTCEn reads 0 when it is set",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 1 << 9)

FAULT(pt_ctl_reads_mtc_freq_zero,
      .what = "[PT with ranges] IA32_RTIT_CTL.MTCFreq reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 0xF << 14)

FAULT(pt_ctl_reads_cyc_thresh_zero,
      .what = "[PT with ranges] IA32_RTIT_CTL.CycThresh reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = 0xF << 19)

FAULT(pt_ctl_reads_psb_freq_zero,
      .what = "[PT with ranges] IA32_RTIT_CTL.PSBFreq reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = UINT64_C(0xF) << 24)

FAULT(pt_ctl_reads_addr0_cfg_zero,
      .what = "[PT with ranges] IA32_RTIT_CTL.ADDR0_CFG reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = UINT64_C(0xF) << 32)

FAULT(pt_ctl_reads_addr1_cfg_zero,
      .what = "[PT with ranges] IA32_RTIT_CTL.ADDR1_CFG reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CTL, .clear = UINT64_C(0xF) << 36)

FAULT(
    pt_mtc_freq_reads_low,
    .what = "[PT with MTC] IA32_RTIT_CTL.MTCFreq reads without its highest bit",
    .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
    .number = IA32_RTIT_CTL, .clear = 1 << 17)

FAULT(pt_error_reads_zero, .what = "[PT] IA32_RTIT_STATUS.Error reads 0",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_STATUS, .clear = 1 << 4)

FAULT(pt_pointers_bit_31_lost,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS[31] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS, .clear = UINT64_C(1) << 31)

FAULT(pt_pointers_bit_63_lost,
      .what = "[PT] IA32_RTIT_OUTPUT_MASK_PTRS[63] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS, .clear = UINT64_C(1) << 63)

FAULT(pt_base_bit_7_lost, .what = "[PT] IA32_RTIT_OUTPUT_BASE[7] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_BASE, .clear = 1 << 7)

FAULT(pt_base_bit_38_lost, .what = "[PT] IA32_RTIT_OUTPUT_BASE[38] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_OUTPUT_BASE, .clear = UINT64_C(1) << 38)

FAULT(pt_cr3_match_bit_5_lost, .what = "[PT] IA32_RTIT_CR3_MATCH[5] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_CR3_MATCH, .clear = 1 << 5)

FAULT(pt_addr0_b_bit_47_lost,
      .what = "[PT with ranges] IA32_RTIT_ADDR0_B[47] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_ADDR0_A + 1, .clear = UINT64_C(1) << 47)

FAULT(pt_addr1_a_bit_0_lost,
      .what = "[PT with ranges] IA32_RTIT_ADDR1_A[0] reads 0",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_READ,
      .number = IA32_RTIT_ADDR0_A + 2, .clear = 1)

FAULT(pt_base_shared,
      .what = "[PT] IA32_RTIT_OUTPUT_BASE reads what another processor wrote",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_SHARED,
      .number = IA32_RTIT_OUTPUT_BASE)

FAULT(pt_pointers_shared,
      .what =
          "[PT] IA32_RTIT_OUTPUT_MASK_PTRS reads what another processor wrote",
      .caught = {"skylake-2018 on 1 pt_no_branch_en FAIL"}, .rule = PT_SHARED,
      .number = IA32_RTIT_OUTPUT_MASK_PTRS)

FAULT(pt_status_shared,
      .what = "[PT] IA32_RTIT_STATUS reads what another processor wrote",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"}, .rule = PT_SHARED,
      .number = IA32_RTIT_STATUS)

FAULT(pt_addr0_b_unlocked,
      .what =
          "[PT with ranges] IA32_RTIT_ADDR0_B can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_ADDR0_A + 1)

FAULT(pt_addr1_a_unlocked,
      .what =
          "[PT with ranges] IA32_RTIT_ADDR1_A can be written while TraceEn = 1",
      .caught = {"skylake-2018 on 1 pt_write_while_enabled FAIL"},
      .rule = PT_UNLOCKED, .is = true, .number = IA32_RTIT_ADDR0_A + 2)

FAULT(pt_ctl_takes_bit_29,
      .what = "[PT] IA32_RTIT_CTL takes bit 29, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 29)

FAULT(pt_ctl_takes_bit_30,
      .what = "[PT] IA32_RTIT_CTL takes bit 30, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 30)

FAULT(pt_ctl_takes_bit_44,
      .what = "[PT] IA32_RTIT_CTL takes bit 44, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 44)

FAULT(pt_ctl_takes_bit_52,
      .what = "[PT] IA32_RTIT_CTL takes bit 52, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 52)

FAULT(pt_ctl_takes_bit_56,
      .what = "[PT] IA32_RTIT_CTL takes bit 56, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 56)

FAULT(pt_ctl_takes_bit_59,
      .what = "[PT] IA32_RTIT_CTL takes bit 59, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 59)

FAULT(pt_ctl_takes_bit_60,
      .what = "[PT] IA32_RTIT_CTL takes bit 60, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 60)

FAULT(pt_ctl_takes_bit_62,
      .what = "[PT] IA32_RTIT_CTL takes bit 62, which is reserved",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .set = UINT64_C(1) << 62)

FAULT(pt_ctl_refuses_bit_2, .what = "[PT] IA32_RTIT_CTL refuses OS (bit 2)",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 2)

FAULT(pt_ctl_refuses_bit_3, .what = "[PT] IA32_RTIT_CTL refuses User (bit 3)",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 3)

FAULT(pt_ctl_refuses_bit_8, .what = "[PT] IA32_RTIT_CTL refuses ToPA (bit 8)",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 8)

FAULT(pt_ctl_refuses_bit_13,
      .what = "[PT] IA32_RTIT_CTL refuses BranchEn (bit 13)",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(1) << 13)

FAULT(pt_ctl_refuses_cyc_thresh,
      .what = "[PT with CYC] IA32_RTIT_CTL refuses a CycThresh that CPUID has",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(8) << 19)

FAULT(pt_ctl_refuses_stop,
      .what = "[PT with ranges] IA32_RTIT_CTL refuses ADDR1_CFG = 2",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_CTL_BITS,
      .clear = UINT64_C(2) << 36)

FAULT(pt_msrs_without_pt,
      .what = "[no PT] the registers of Processor Trace can be read though "
              "CPUID has none",
      .caught = {"haswell on 1 pt_absent FAIL"}, .rule = PT_MSRS_ANYWAY,
      .is = true)

FAULT(pt_cr3_match_missing,
      .what = "[PT] IA32_RTIT_CR3_MATCH raises #GP though CPUID has it",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_HAS_CR3_MATCH)

FAULT(pt_addresses_hidden,
      .what = "[PT with ranges] IA32_RTIT_ADDR1_A and _B raise #GP though "
              "CPUID has them",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"}, .value = PT_ADDRESSES,
      .add = (uint64_t)(-2))

FAULT(pt_status_enables_fault,
      .what = "[PT] writing 1 to IA32_RTIT_STATUS[2:0] raises #GP",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_STATUS_IGNORES)

FAULT(pt_pointers_low_refused,
      .what = "[PT] writing 0 to IA32_RTIT_OUTPUT_MASK_PTRS[6:0] raises #GP",
      .caught = {"skylake-2018 on 1 pt_registers FAIL"},
      .rule = PT_POINTERS_LOW_IGNORED)

FAULT(pt_packet_bytes_refused,
      .what = "[PT with PacketByteCnt] writing PacketByteCnt raises #GP",
      .caught = {"skylake-2018 on 2 pt_thread_scope FAIL"},
      .rule = PT_TAKES_PACKET_BYTES)

FAULT(
    pt_range_needs_nothing,
    .what = "[PT without single range] TraceEn = 1 with ToPA = 0 raises no #GP",
    .caught = {"broadwell on 1 pt_registers FAIL"}, .rule = PT_NEEDS_TOPA)
