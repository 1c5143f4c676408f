/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter_rules.c - what counters do at their ends: enabled, written, read,
 * overflowed. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(enabling_clears_counter,
      .what = "[any] setting its bit of GLOBAL_CTRL sets a counter to 0",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .breaks = ENABLING_KEEPS_COUNTER)

FAULT(rdpmc_carries_late,
      .what = "[any] RDPMC of a counter that counts has the carry into [32] 16 "
              "events late",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL",
                 "haswell on 1 counter_while_running FAIL"},
      .breaks = RDPMC_CARRIES)

FAULT(vex_counts_twice,
      .what = "[any with BMI1] an instruction with a VEX prefix counts twice",
      .caught = {"skylake-2018 on 1 memory_counts FAIL"},
      .breaks = VEX_COUNTS_ONCE)

FAULT(sse_counts_twice, .what = "[any] XORPS counts twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = SSE_COUNTS_ONCE)

FAULT(push_immediate_counts_twice,
      .what = "[any] PUSH of an immediate counts twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = PUSH_COUNTS_ONCE)

FAULT(division_counts_twice,
      .what = "[any] MUL and DIV of R8 to R15 count twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = DIVISION_COUNTS_ONCE)

FAULT(cr3_write_not_counted, .what = "[any] MOV to CR3 counts as none",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = CR3_WRITE_COUNTS)

FAULT(ds_area_clears_status,
      .what = "[any with perfmon 4] a write of IA32_DS_AREA clears "
              "GLOBAL_STATUS[62]",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .breaks = DS_AREA_KEEPS_STATUS)

FAULT(umask_late,
      .what = "[any] a select whose umask changes while its counter counts "
              "waits for a write of GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_pause FAIL"},
      .breaks = UMASK_AT_ONCE)

FAULT(ctrl_clears_frozen,
      .what = "[any with perfmon 4] a write of GLOBAL_CTRL clears CTR_Frz",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = CTRL_KEEPS_FROZEN)

FAULT(running_counter_not_written,
      .what = "[any] a write of a counter that counts is lost",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = TAKES_WHILE_COUNTING)

FAULT(running_fixed_not_written,
      .what = "[any] a write of a fixed counter that is enabled is lost",
      .caught = {"skylake-2018 on 1 counter_registers FAIL",
                 "skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = FIXED_TAKES_WHILE_COUNTING)

FAULT(fixed_ctrl_clears_fixed,
      .what = "[any] a write of IA32_FIXED_CTR_CTRL sets the fixed "
              "counters to 0",
      .caught = {"skylake-2018 on 1 counter_pause FAIL"},
      .breaks = FIXED_CTRL_KEEPS_FIXED)

FAULT(write_of_0_overflows,
      .what = "[any] a write of 0 to a counter sets its overflow bit",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .breaks = WRITE_MAKES_NO_OVERFLOW)

FAULT(overflow_clears_ctrl,
      .what = "[any] an overflow clears the bit of its counter in "
              "GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .breaks = OVERFLOW_KEEPS_CTRL)

FAULT(overflow_reloads,
      .what = "[any] a counter goes on from what was last written to it "
              "after an overflow, without PEBS",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .breaks = OVERFLOW_NOT_RELOADED)

FAULT(overflow_clears_en, .what = "[any] an overflow clears PERFEVTSELn.EN",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .breaks = PMI_KEEPS_EN)

FAULT(pmi_of_core,
      .what = "[any] an overflow interrupts both threads of the core",
      .caught = {"skylake-2018 on 2 counter_pmi FAIL"}, .breaks = PMI_OF_THREAD)

FAULT(pmi_clears_freeze_bit,
      .what = "[any] an interrupt clears FREEZE_PERFMON_ON_PMI",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = PMI_KEEPS_FREEZE_BIT)

FAULT(status_read_clears, .what = "[any] a read of GLOBAL_STATUS clears it",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .breaks = STATUS_READ_KEEPS)

FAULT(read_clears_counter,
      .what = "[any] RDMSR of C1H + n sets the counter to 0",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL"},
      .breaks = READ_KEEPS_COUNTER)

FAULT(rdpmc_clears_counter, .what = "[any] RDPMC sets a counter to 0",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = RDPMC_KEEPS_COUNTER)

FAULT(read_sign_extended,
      .what = "[any] RDMSR of C1H + n copies bit 47 into bits 63:48",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"},
      .breaks = READ_ZERO_EXTENDED)

FAULT(rdpmc_sign_extended, .what = "[any] RDPMC copies bit 47 into EDX[31:16]",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"},
      .breaks = RDPMC_ZERO_EXTENDED)

FAULT(set_misses_lbr_frz,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET does not "
              "set LBR_Frz",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_SET, .number = ANY_NUMBER, .clear = UINT64_C(1) << 58)

FAULT(set_misses_uncore,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET does not "
              "set Ovf_Uncore",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_SET, .number = ANY_NUMBER, .clear = UINT64_C(1) << 61)

FAULT(set_misses_topa,
      .what = "[any with perfmon 4 and PT] IA32_PERF_GLOBAL_STATUS_SET "
              "does not set Trace_ToPA_PMI",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_SET, .number = ANY_NUMBER, .clear = UINT64_C(1) << 55)

FAULT(reset_misses_ds, .what = "[any] MSR 390H does not clear OvfDSBuffer",
      .caught = {"skylake-2018 on 1 pebs_applicable_counter FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER,
      .clear = UINT64_C(1) << 62)

FAULT(reset_misses_lbr_frz,
      .what = "[any with perfmon 4] MSR 390H does not clear LBR_Frz",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER,
      .clear = UINT64_C(1) << 58)

FAULT(reset_misses_uncore, .what = "[any] MSR 390H does not clear Ovf_Uncore",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER,
      .clear = UINT64_C(1) << 61)

FAULT(reset_clears_next,
      .what = "[any] MSR 390H clears the overflow bit of counter 1 with "
              "that of counter 0",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER, .set = 2)

FAULT(reset_misses_fixed,
      .what = "[any] MSR 390H does not clear the bits of fixed counters",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER,
      .clear = UINT64_C(7) << 32)

FAULT(select_same_clears_status,
      .what = "[any] a write of PERFEVTSELn with what it holds clears its "
              "overflow bit",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .breaks = SELECT_KEEPS_STATUS)

FAULT(live_select_late,
      .what = "[any] a write of PERFEVTSELn while its counter is enabled "
              "waits for one of GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = SELECT_AT_ONCE)

FAULT(live_select_clears,
      .what = "[any] a write of PERFEVTSELn sets its counter to 0 while "
              "that counts",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = SELECT_KEEPS_COUNTER)

FAULT(live_ctrl_restarts,
      .what = "[any] a write of GLOBAL_CTRL sets counters to 0 that it "
              "leaves enabled",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = CTRL_KEEPS_ENABLED)

FAULT(live_ctrl_loses_one,
      .what = "[any] a write of GLOBAL_CTRL that changes other bits makes a "
              "counter lose an instruction",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL",
                 "icelake-server on 1 counter_while_running FAIL"})

FAULT(live_rdpmc_stale,
      .what = "[any] RDPMC of a counter that counts gives what it began "
              "with",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = RDPMC_LIVE)

FAULT(live_status_set_stops,
      .what = "[any with perfmon 4] an overflow bit that "
              "IA32_PERF_GLOBAL_STATUS_SET sets stops its counter",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = SET_RUNS_ON)

FAULT(live_freeze_late,
      .what = "[any with perfmon 4] CTR_Frz that software sets stops "
              "counters at the next write of GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = SET_FREEZES_AT_ONCE)

FAULT(running_fixed_keeps_levels,
      .what = "[any] OS or USR of IA32_FIXED_CTR_CTRL changes nothing while "
              "its counter counts",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL",
                 "haswell on 1 counter_while_running FAIL"})

FAULT(running_fixed_1_not_zeroed,
      .what = "[any] a write of 0 to IA32_FIXED_CTR1 is lost while it counts",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL",
                 "haswell on 1 counter_while_running FAIL"})

FAULT(write_clears_ctrl,
      .what = "[any] a write of IA32_PMCn clears GLOBAL_CTRL[n]",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .breaks = WRITE_KEEPS_CTRL)

FAULT(overflow_of_core,
      .what = "[any] an overflow sets its bit of GLOBAL_STATUS on both "
              "threads of the core",
      .caught = {"skylake-2018 on 2 counter_overflow_bits FAIL"},
      .breaks = OVERFLOW_OF_THREAD)

FAULT(fixed0_overflow_early,
      .what = "[any] GLOBAL_STATUS[32] is set where the counter becomes "
              "its largest value",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = FIXED_EARLY, .number = 0)

FAULT(fixed1_overflow_early,
      .what = "[any] GLOBAL_STATUS[33] is set where the counter becomes "
              "its largest value",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = FIXED_EARLY, .number = 1)

FAULT(fixed2_overflow_early,
      .what = "[any] GLOBAL_STATUS[34] is set where the counter becomes "
              "its largest value",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = FIXED_EARLY, .number = 2)

FAULT(reset_62_clears_all,
      .what = "[any] a write of MSR 390H with bit 62 clears all of "
              "GLOBAL_STATUS",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_RESET_62, .number = ANY_NUMBER, .set = UINT64_MAX)

FAULT(reset_62_clears_fixed,
      .what = "[any] a write of MSR 390H with bit 62 clears "
              "GLOBAL_STATUS[33:32] too",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"},
      .quantity = STATUS_RESET_62, .number = ANY_NUMBER,
      .set = UINT64_C(3) << 32)

FAULT(disabling_clears_counter,
      .what = "[any] clearing its bit of GLOBAL_CTRL sets a counter to 0",
      .caught = {"skylake-2018 on 1 counter_pause FAIL"},
      .breaks = DISABLING_KEEPS_COUNTER)

FAULT(write_clears_en,
      .what = "[any] a write of IA32_PMCn clears PERFEVTSELn.EN",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = WRITE_KEEPS_EN)

FAULT(fixed_write_clears_field,
      .what = "[any] a write of a fixed counter clears its field of "
              "IA32_FIXED_CTR_CTRL",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = WRITE_KEEPS_FIELD)

FAULT(pmi_needs_status_clear,
      .what = "[any] a counter whose overflow bit is 1 does not interrupt",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .breaks = PMI_THOUGH_STATUS_SET)

FAULT(status_63_stuck, .what = "[any] GLOBAL_STATUS[63] is always 1",
      .caught = {"skylake-2018 on 1 pebs_applicable_counter FAIL",
                 "skylake-2018 on 1 counter_overflow_bits FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38E, .set = UINT64_C(1) << 63)

FAULT(
    counter_msrs_beyond,
    .what =
        "[any] registers of counters exist beyond the last that CPUID 0AH has",
    .caught = {"skylake-2018 on 1 rdpmc_indices FAIL"},
    .breaks = ABSENT_COUNTER_REFUSED)

FAULT(pmi_at_enable,
      .what = "[any] a write of GLOBAL_CTRL interrupts for an overflow that "
              "was before and is not cleared",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .quantity = PMI_AT_WRITE, .number = 0x38F)

FAULT(pmi_at_select,
      .what = "[any] a write of PERFEVTSEL0 with INT interrupts for an "
              "overflow that was before",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .quantity = PMI_AT_WRITE, .number = 0x186)

FAULT(pmi_at_fixed_ctrl,
      .what = "[any] a write of IA32_FIXED_CTR_CTRL interrupts for an overflow "
              "that was before",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .quantity = PMI_AT_WRITE, .number = 0x38D)

FAULT(live_rdpmc_fixed_low,
      .what = "[any] RDPMC of a fixed counter that counts gives [47:12] alone",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL"},
      .breaks = RDPMC_FIXED_WHOLE)

FAULT(halted_core_cycles,
      .what = "[any] event 3CH/00H goes on while the processor is halted",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL",
                 "haswell off 2 counter_thread_scope FAIL"},
      .breaks = HALT_STOPS_CYCLES)

FAULT(halted_bus_cycles,
      .what = "[any] event 3CH/01H goes on while the processor is halted",
      .caught = {"skylake-2018 off 2 counter_thread_scope FAIL"},
      .breaks = HALT_STOPS_BUS)

FAULT(halted_fixed_1,
      .what = "[any] fixed counter 1 goes on while the processor is halted",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL",
                 "haswell off 2 counter_thread_scope FAIL"},
      .breaks = HALT_STOPS_FIXED_1)

FAULT(halted_fixed_2,
      .what = "[any] fixed counter 2 goes on while the processor is halted",
      .caught = {"skylake-2018 off 2 counter_thread_scope FAIL"},
      .breaks = HALT_STOPS_FIXED_2)

FAULT(instructions_long_nop_twice,
      .what = "[any] the NOP of several bytes, 0FH 1FH, counts twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = LONG_NOP_COUNTS_ONCE)

FAULT(forced_in_tx_counts,
      .what = "[B] IN_TX does nothing on IA32_PMC3 while bit 0 of MSR 10FH is "
              "set",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FORCED_HAS_IN_TX)

FAULT(edge_of_both_levels,
      .what = "[any] EDGE does nothing where OS is 1 and USR is 0",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL",
                 "alderlake-n on 1 counter_mask_edge FAIL"},
      .breaks = EDGE_WITH_OS_ALONE)

FAULT(any_of_one_thread_stops,
      .what = "[any with AnyThread, one thread a core] a fixed counter with "
              "AnyThread stands still",
      .caught = {"skylake-2018 off 1 counter_enable_bits FAIL",
                 "haswell off 1 counter_enable_bits FAIL"},
      .breaks = ANY_OF_ONE_THREAD)
