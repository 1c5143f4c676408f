/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * register_rules.c - registers and enumeration of performance monitoring: bits
 * that are lost, what is shared, what is refused. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(fixed_ctrl_drops_pmi_2, .what = "[any] IA32_FIXED_CTR_CTRL[11] stays 0",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = 1 << 11)

FAULT(fixed_ctrl_drops_any_0, .what = "[any] IA32_FIXED_CTR_CTRL[2] stays 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = 1 << 2)

FAULT(fixed_ctrl_drops_usr_1, .what = "[any] IA32_FIXED_CTR_CTRL[5] stays 0",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = 1 << 5)

FAULT(global_ctrl_drops_34, .what = "[any] GLOBAL_CTRL[34] stays 0",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38F, .clear = UINT64_C(1) << 34)

FAULT(global_ctrl_drops_6,
      .what = "[any with 8 counters] GLOBAL_CTRL[6] stays 0",
      .caught = {"skylake-2018 off 1 counter_enable_bits FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38F, .clear = 1 << 6)

FAULT(select_drops_event_7, .what = "[any] PERFEVTSEL2[7] stays 0",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x188, .clear = 1 << 7)

FAULT(select_drops_umask_15, .what = "[any] PERFEVTSEL0[15] stays 0",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x186, .clear = 1 << 15)

FAULT(select_drops_usr, .what = "[any] PERFEVTSEL1.USR stays 0",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x187, .clear = 1 << 16)

FAULT(select_drops_edge, .what = "[any] PERFEVTSEL3.E stays 0",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x189, .clear = 1 << 18)

FAULT(select_drops_inv, .what = "[any] PERFEVTSEL2.INV stays 0",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x188, .clear = 1 << 23)

FAULT(select_reads_en_zero, .what = "[any] PERFEVTSEL0.EN reads 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x186, .clear = 1 << 22)

FAULT(select_reads_umask_zero, .what = "[any] PERFEVTSEL1[15:8] read 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x187, .clear = 0xFF00)

FAULT(fixed0_reads_47_zero, .what = "[any] IA32_FIXED_CTR0[47] reads 0",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .quantity = OF_MSR_READ, .number = 0x309, .clear = UINT64_C(1) << 47)

FAULT(fixed2_drops_low, .what = "[any] IA32_FIXED_CTR2[0] stays 0",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x30B, .clear = 1)

FAULT(wide_1_drops_low, .what = "[any] a write of IA32_A_PMC1 loses bit 0",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x4C2, .clear = 1)

FAULT(wide_2_of_32_bits,
      .what = "[any] a write of IA32_A_PMC2 loses bits 47:32",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x4C3,
      .clear = UINT64_C(0xFFFF) << 32)

FAULT(global_ctrl_reads_zero_fixed, .what = "[any] GLOBAL_CTRL[34:32] read 0",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38F, .clear = UINT64_C(7) << 32)

FAULT(fixed_ctrl_reads_pmi_0, .what = "[any] IA32_FIXED_CTR_CTRL[3] reads 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38D, .clear = 1 << 3)

FAULT(capabilities_format_less,
      .what = "[any] IA32_PERF_CAPABILITIES[8] is the other one",
      .caught = {"skylake-2018 on 1 data_address FAIL"},
      .quantity = OF_MSR_READ, .number = 0x345, .clear = 1 << 8)

FAULT(capabilities_no_full_width,
      .what = "[any] IA32_PERF_CAPABILITIES[13] = 0 though 4C1H takes the "
              "full width",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"},
      .quantity = OF_MSR_READ, .number = 0x345, .clear = 1 << 13)

FAULT(refused_select_changes,
      .what = "[any] a write of PERFEVTSEL1 that raises #GP sets its event",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x187, .set = 0xC0)

FAULT(refused_select_clears,
      .what = "[any] a write of PERFEVTSEL2 that raises #GP clears it",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x188, .set = 0)

FAULT(refused_global_ctrl_clears,
      .what = "[any] a write of GLOBAL_CTRL that raises #GP clears it",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x38F, .set = 0)

FAULT(refused_pebs_enable_clears,
      .what = "[any] a write of IA32_PEBS_ENABLE that raises #GP clears it",
      .caught = {"skylake-2018 on 1 pebs_registers FAIL",
                 "icelake-server on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x3F1, .set = 0)

FAULT(refused_fixed_ctrl_changes,
      .what = "[any] a write of IA32_FIXED_CTR_CTRL that raises #GP sets [0]",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x38D, .set = 1)

FAULT(refused_global_ctrl_changes,
      .what = "[any] a write of GLOBAL_CTRL that raises #GP sets [0]",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x38F, .set = 1)

FAULT(refused_debugctl_changes,
      .what = "[any] a write of IA32_DEBUGCTL that raises #GP sets [12]",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x1D9, .set = 1 << 12)

FAULT(refused_offcore_changes,
      .what = "[off-core] a write of 1A7H that raises #GP sets it to 1",
      .caught = {"skylake-2018 on 1 offcore_reserved FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x1A7, .set = 1)

FAULT(refused_tsx_ctrl_changes,
      .what = "[F] a write of 122H that raises #GP sets RTM_DISABLE",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_CHANGED, .number = 0x122, .set = 1)

FAULT(capabilities_written,
      .what = "[any] a write of IA32_PERF_CAPABILITIES does not raise #GP",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_DISCARDED, .number = 0x345)

FAULT(misc_no_perfmon,
      .what = "[any] IA32_MISC_ENABLE[7] = 0: no performance monitoring",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_READ, .number = 0x1A0, .clear = 1 << 7)

FAULT(debugctl_drops_freeze, .what = "[any] IA32_DEBUGCTL[12] stays 0",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1D9, .clear = 1 << 12)

FAULT(status_reset_refused, .what = "[any] MSR 390H raises #GP",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x390)

FAULT(fixed_counters_of_core,
      .what = "[any] both threads of a core have one IA32_FIXED_CTR0",
      .caught = {"skylake-2018 on 2 counter_carry FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x309)

FAULT(fixed_1_of_core,
      .what = "[any] both threads of a core have one IA32_FIXED_CTR1",
      .caught = {"skylake-2018 on 2 counter_enumeration FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x30A)

FAULT(select_3_of_core,
      .what = "[any] both threads of a core have one PERFEVTSEL3",
      .caught = {"skylake-2018 on 2 counters_independent FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x189)

FAULT(counter_3_of_core,
      .what = "[any] both threads of a core have one IA32_PMC3",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0xC4)

FAULT(wide_0_of_core,
      .what = "[any] a write of IA32_A_PMC0 changes that of both threads "
              "of the core",
      .caught = {"skylake-2018 on 2 counter_carry FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x4C1)

FAULT(debugctl_of_core,
      .what = "[any] both threads of a core have one IA32_DEBUGCTL",
      .caught = {"skylake-2018 on 2 lbr_freeze_on_pmi FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x1D9)

FAULT(reset_of_core,
      .what = "[any] MSR 390H clears the bits of both threads of a core",
      .caught = {"skylake-2018 on 2 counter_overflow_bits FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x390)

FAULT(pebs_enable_of_core,
      .what = "[any] both threads of a core have one IA32_PEBS_ENABLE",
      .caught = {"skylake-2018 on 2 pebs_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x3F1)

FAULT(ds_area_of_core,
      .what = "[any] both threads of a core have one IA32_DS_AREA",
      .caught = {"skylake-2018 on 2 pebs_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x600)

FAULT(ld_lat_of_core,
      .what = "[any] both threads of a core have one "
              "MSR_PEBS_LD_LAT_THRESHOLD",
      .caught = {"skylake-2018 on 2 pebs_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x3F6)

FAULT(ds_area_drops_low, .what = "[any] IA32_DS_AREA[3:0] stay 0",
      .caught = {"skylake-2018 on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x600, .clear = 0xF)

FAULT(pebs_enable_reads_zero, .what = "[any] IA32_PEBS_ENABLE[35:32] read 0",
      .caught = {"skylake-2018 on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x3F1, .clear = UINT64_C(0xF) << 32)

FAULT(ld_lat_drops_15, .what = "[any] MSR_PEBS_LD_LAT_THRESHOLD[15] stays 0",
      .caught = {"skylake-2018 on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F6, .clear = 1 << 15)

FAULT(offcore_rsp_drops_37,
      .what = "[any with off-core] MSR_OFFCORE_RSP_0[37] stays 0",
      .caught = {"haswell on 1 offcore_reserved FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1A6, .clear = UINT64_C(1) << 37)

FAULT(offcore_rsp_drops_15,
      .what = "[any with off-core] MSR_OFFCORE_RSP_1[15] stays 0",
      .caught = {"haswell on 1 offcore_reserved FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1A7, .clear = 1 << 15)

FAULT(cpuid_version_2, .what = "[any] CPUID 0AH:EAX[7:0] says version 2",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"}, .quantity = OF_EAX,
      .number = 0x0A, .clear = 0xFD, .set = 2)

FAULT(cpuid_version_3,
      .what = "[any with perfmon 4] CPUID 0AH:EAX[7:0] says version 3",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"}, .quantity = OF_EAX,
      .number = 0x0A, .clear = 0xFC, .set = 3)

FAULT(cpuid_no_pdcm, .what = "[any] CPUID.1:ECX[15] (PDCM) = 0",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"},
      .quantity = OF_ECX, .number = 1, .clear = 1 << 15)

FAULT(cpuid_one_more,
      .what = "[any] CPUID 0AH says one general counter too many",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EAX, .number = 0x0A, .add = 1 << 8)

FAULT(revision_low,
      .what = "[any] CPUID(1) loads IA32_BIOS_SIGN_ID[31:0] with the "
              "revision",
      .caught = {"skylake-2018 on 1 microcode_signature FAIL"},
      .quantity = OF_MSR_READ, .number = 0x8B, .clear = UINT64_MAX, .set = 0xC6)

FAULT(revision_stays,
      .what = "[any] a write of 0 to IA32_BIOS_SIGN_ID changes nothing",
      .caught = {"skylake-2018 on 1 microcode_signature FAIL"},
      .breaks = REVISION_CLEARED)

FAULT(debugctl_drops_freeze_smm, .what = "[any] IA32_DEBUGCTL[14] stays 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1D9, .clear = 1 << 14)

FAULT(debugctl_drops_freeze_lbrs, .what = "[any] IA32_DEBUGCTL[11] stays 0",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1D9, .clear = 1 << 11)

FAULT(
    fixed_msr_beyond,
    .what = "[any] IA32_FIXED_CTR3 exists beyond the number that CPUID 0AH has",
    .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
    .breaks = ABSENT_FIXED_REFUSED)

FAULT(cpuid_no_events,
      .what = "[any] CPUID 0AH:EAX[31:24] = 0: no architectural events",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EAX, .number = 0xA, .clear = 0xFF000000)

FAULT(cpuid_one_fixed_more, .what = "[any] CPUID 0AH:EDX says 4 fixed counters",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EDX, .number = 0xA, .add = 1)

FAULT(debugctl_takes_5_2, .what = "[any] IA32_DEBUGCTL[5:2] can be written",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x1D9, .set = 0x3C)

FAULT(ebx_cycles_missing,
      .what = "[any] CPUID 0AH:EBX[0] = 1 though the event counts",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EBX, .number = 0xA, .set = 1)

FAULT(ebx_instructions_missing,
      .what = "[any] CPUID 0AH:EBX[1] = 1 though the event counts",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EBX, .number = 0xA, .set = 2)

FAULT(ebx_branches_missing,
      .what = "[any] CPUID 0AH:EBX[5] = 1 though the event counts",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EBX, .number = 0xA, .set = 0x20)

FAULT(ebx_all_missing,
      .what = "[any] CPUID 0AH:EBX[6:0] are 1 though the events count",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"},
      .quantity = OF_EBX, .number = 0xA, .set = 0x7F)

FAULT(cpuid_fixed_width_49,
      .what = "[any] CPUID 0AH:EDX says 49 bits of fixed counters",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"},
      .quantity = OF_EDX, .number = 0xA, .add = 0x20)

FAULT(pebs_enable_clears_ctrl,
      .what = "[PEBS] 0 written to IA32_PEBS_ENABLE clears GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL"},
      .breaks = PEBS_ENABLE_KEEPS_CTRL)

FAULT(ds_area_clears_enable,
      .what = "[PEBS] a write of IA32_DS_AREA clears IA32_PEBS_ENABLE",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL"},
      .breaks = DS_AREA_KEEPS_ENABLE)

FAULT(debugctl_clears_status,
      .what = "[any] a write of IA32_DEBUGCTL clears GLOBAL_STATUS",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL"},
      .breaks = DEBUGCTL_KEEPS_STATUS)

FAULT(debugctl_sets_status,
      .what = "[PEBS] a write of IA32_DEBUGCTL sets GLOBAL_STATUS[62]",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL",
                 "haswell on 1 pebs_registers_apart FAIL"},
      .breaks = DEBUGCTL_SETS_NO_STATUS)

FAULT(write_of_same_overflows,
      .what = "[any] a write of what a counter holds sets its overflow bit "
              "where its highest bit is 1",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL",
                 "sandybridge on 1 counter_overflow_bits FAIL"},
      .breaks = WRITE_OF_SAME)

FAULT(fixed_stop_clears_next,
      .what = "[any] IA32_FIXED_CTR_CTRL[3:0] set to 0 sets IA32_FIXED_CTR1 to "
              "0",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"},
      .breaks = FIXED_STOPS_ALONE)

FAULT(ds_area_narrows_counter,
      .what = "[any] a write of IA32_DS_AREA clears IA32_PMC0[47:32]",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .breaks = DS_AREA_KEEPS_PMC)

FAULT(offcore_write_clears_counter,
      .what = "[any with off-core] a write of MSR_OFFCORE_RSP_1 sets IA32_PMC0 "
              "to 0 where it is to count event BBH",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .breaks = OFFCORE_KEEPS_PMC)

FAULT(leaf_0a_less_while_enabled,
      .what = "[any] CPUID.0AH has one counter less while "
              "IA32_PERF_GLOBAL_CTRL[34:32] are not 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .breaks = LEAF_0A_WHILE_ENABLED)
