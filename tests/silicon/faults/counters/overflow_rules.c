/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overflow_rules.c - overflows and interrupts of counters in company: of other
 * settings, of other counters, of ring 3. Each entry names what it breaks:
 * rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(overflow_once,
      .what = "[any] a second overflow of a counter sets no overflow bit until "
              "counters are disabled",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL",
                 "haswell on 1 counter_overflow_bits FAIL"})

FAULT(overflow_cmask_silent,
      .what = "[any] a counter with CMASK sets no overflow bit",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = OVERFLOW_WITH_CMASK)

FAULT(overflow_edge_silent,
      .what = "[any] a counter with EDGE sets no overflow bit",
      .caught = {"haswell on 1 counters_mixed FAIL"},
      .breaks = OVERFLOW_WITH_EDGE)

FAULT(overflow_ring3_silent,
      .what = "[any] an overflow in ring 3 sets no overflow bit",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = OVERFLOW_IN_RING_3)

FAULT(fixed_overflow_lost_beside,
      .what = "[any] a fixed counter sets no overflow bit while that of a "
              "general one is 1",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = FIXED_OVERFLOW_BESIDE)

FAULT(pmi_ring3_lost,
      .what = "[any] the interrupt of an overflow in ring 3 is lost",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = PMI_IN_RING_3)

FAULT(pmi_clears_uncore_bit,
      .what = "[any client] an interrupt clears IA32_DEBUGCTL[13]",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = PMI_KEEPS_UNCORE_BIT)

FAULT(int_stops_ring3,
      .what = "[any] a counter with INT does not count in ring 3",
      .caught = {"skylake-2018 on 1 counters_mixed FAIL"},
      .breaks = INT_KEEPS_LEVELS)

FAULT(fixed_pmi_counts_user,
      .what = "[any] a fixed counter with its PMI bit counts ring 3, too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"},
      .breaks = FIXED_PMI_KEEPS_LEVELS)

FAULT(overflow_past_0_no_pmi,
      .what = "[any] an overflow by more events than to 0 does not interrupt",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"}, .breaks = PMI_PAST_0)

FAULT(freeze_lbrs_not_beside_fixed,
      .what = "[any] with both FREEZE bits a fixed counter's interrupt does "
              "not freeze the LBRs",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = BOTH_FREEZE_FIXED)

FAULT(fixed_pmi_needs_status_clear,
      .what = "[any] a fixed counter whose overflow bit is 1 does not "
              "interrupt",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .breaks = FIXED_PMI_THOUGH_SET)

FAULT(pin_control_stops,
      .what = "[any] a counter with PERFEVTSELn.PC does not count",
      .caught = {"skylake-2018 on 1 counters_independent FAIL"},
      .breaks = PIN_CONTROL_COUNTS)

FAULT(edge_ignores_inv, .what = "[any] EDGE with INV counts rising edges",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"},
      .breaks = EDGE_OF_INVERTED)

FAULT(select_1_clears_int_2,
      .what = "[any] a write of PERFEVTSEL1 clears INT of PERFEVTSEL2",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .breaks = SELECT_1_KEEPS_2)

FAULT(freeze_sticks,
      .what = "[any with perfmon 4] counters go on after CTR_Frz was cleared "
              "with the next write of a register of theirs only",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = FREEZE_ENDS_AT_ONCE)

FAULT(rdpmc_ring3_32_bits, .what = "[any] RDPMC in ring 3 gives 32 bits",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"},
      .breaks = RDPMC_WIDE_IN_RING_3)

FAULT(overflow_loses_rest_of_1,
      .what = "[any] IA32_PMC1 goes on from 0 after an overflow, whatever is "
              "beyond it",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .breaks = OVERFLOW_KEEPS_REST_1)

FAULT(fixed_overflow_loses_rest,
      .what = "[any] a fixed counter goes on from 0 after an overflow, "
              "whatever is beyond it",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"},
      .breaks = FIXED_OVERFLOW_KEEPS_REST)

FAULT(rdpmc_rdx_upper, .what = "[any] RDPMC leaves a bit of RDX[63:32] set",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"},
      .breaks = RDPMC_CLEARS_UPPER)

FAULT(rdmsr_keeps_rdx,
      .what = "[any] RDMSR of IA32_PMC0 leaves RDX[63:32] as it was",
      .caught = {"skylake-2018 on 1 counter_carry FAIL",
                 "haswell on 1 counter_carry FAIL"},
      .breaks = RDMSR_CLEARS_UPPER)

FAULT(rdpmc_takes_rcx,
      .what = "[any] RDPMC raises #GP where RCX[63:32] is not 0",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"},
      .breaks = RDPMC_TAKES_ECX)

FAULT(inner_rings_count_os,
      .what = "[any] rings 1 and 2 are counted by OS, not by USR",
      .caught = {"skylake-2018 on 1 counter_inner_rings FAIL",
                 "haswell on 1 counter_inner_rings FAIL"},
      .breaks = INNER_RINGS_ARE_USER)

FAULT(any_overflow_silent,
      .what = "[any] with AnyThread an overflow by the other thread sets no "
              "bit of GLOBAL_STATUS",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"},
      .breaks = ANY_OVERFLOWS)

FAULT(any_fixed_0_alone,
      .what = "[any] AnyThread does nothing on IA32_FIXED_CTR1 and 2",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"},
      .breaks = ANY_ON_FIXED_1_2)

FAULT(frozen_counter_keeps,
      .what = "[any with perfmon 4] writes of general counters are lost while "
              "CTR_Frz is 1",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "icelake-server on 1 freeze_on_pmi FAIL"},
      .breaks = FROZEN_TAKES_WRITES)

FAULT(freeze_keeps_one_overflow,
      .what = "[any] with FREEZE_PERFMON_ON_PMI, of counters that overflow "
              "together the first alone sets its bit of GLOBAL_STATUS",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "haswell on 1 freeze_on_pmi FAIL"},
      .breaks = FREEZE_KEEPS_OVERFLOWS)

FAULT(freeze_clears_62,
      .what = "[any] with FREEZE_PERFMON_ON_PMI the interrupt of the PEBS "
              "threshold leaves GLOBAL_STATUS[62] 0",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL",
                 "haswell on 1 pebs_threshold_pmi FAIL"},
      .breaks = FREEZE_KEEPS_62)

FAULT(inuse_not_while_frozen,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_INUSE is 0 while CTR_Frz "
              "is 1",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "icelake-server on 1 freeze_on_pmi FAIL"},
      .breaks = INUSE_FROZEN)

FAULT(refused_debugctl_written,
      .what = "[any] a WRMSR of IA32_DEBUGCTL with a reserved bit raises #GP, "
              "and writes the others",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL",
                 "haswell on 1 counter_reserved_bits FAIL"},
      .breaks = REFUSED_DEBUGCTL_KEPT)

FAULT(fixed_freezes_unasked,
      .what = "[any with perfmon 4] with FREEZE_PERFMON_ON_PMI a fixed counter "
              "whose PMI bit is 0 freezes the counters, too",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = FIXED_FREEZE_ASKED)

FAULT(nmi_freezes_nothing,
      .what = "[any with perfmon 4] an interrupt that is delivered as NMI does "
              "not freeze the counters",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"}, .breaks = NMI_FREEZES)

FAULT(freeze_of_lbrs_alone,
      .what = "[any] with both freeze bits of IA32_DEBUGCTL an interrupt "
              "freezes the records of branches alone",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "haswell on 1 freeze_on_pmi FAIL"},
      .breaks = BOTH_FREEZE)

FAULT(enabling_clears_status,
      .what = "[any] setting a bit of GLOBAL_CTRL clears that of GLOBAL_STATUS",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL",
                 "haswell on 1 counter_overflow_bits FAIL"},
      .breaks = ENABLING_KEEPS_STATUS)

FAULT(frozen_pebs_counts,
      .what = "[any with perfmon 4] counters that make records count while "
              "CTR_Frz is 1",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL"},
      .breaks = FREEZE_HAS_PEBS)

FAULT(unfreeze_clears_counters,
      .what =
          "[any with perfmon 4] general counters become 0 where 390H clears "
          "CTR_Frz",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = UNFREEZE_KEEPS_COUNTERS)

FAULT(fixed_stop_with_all,
      .what = "[any] IA32_FIXED_CTR1 and 2 go on counting where their bits of "
              "IA32_PERF_GLOBAL_CTRL are cleared and others stay",
      .caught = {"skylake-2018 on 1 counter_while_running FAIL",
                 "haswell on 1 counter_while_running FAIL"},
      .breaks = FIXED_STOP_ALONE)

FAULT(status_reset_interrupts,
      .what = "[any] 390H that clears the bit of a counter raises its "
              "interrupt again",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL",
                 "icelake-server on 1 counter_pmi FAIL"},
      .breaks = STATUS_RESET_IS_NO_PMI)

FAULT(status_set_freezes,
      .what = "[perfmon 4] an overflow bit that is set by 391H freezes what an "
              "interrupt would",
      .caught = {"skylake-2018 on 1 global_status_set FAIL",
                 "icelake-server on 1 global_status_set FAIL"},
      .breaks = STATUS_SET_IS_NO_PMI)

FAULT(branch_misses_of_ring_0,
      .what = "[any] Branch Misses Retired counts no conditional branch of "
              "ring 3",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "haswell on 1 branch_kinds FAIL"},
      .breaks = MISSES_IN_RING_3)

FAULT(overflow_not_beside_others,
      .what =
          "[any with perfmon 4] a general counter's overflow sets no bit of "
          "GLOBAL_STATUS while one of [62:55] is 1",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL",
                 "icelake-server on 1 counter_overflow_bits FAIL"},
      .breaks = OVERFLOW_BESIDE_OTHERS)

FAULT(threshold_freezes_lbrs_alone,
      .what = "[PEBS] with both freeze bits of IA32_DEBUGCTL the interrupt of "
              "the PEBS threshold freezes the records of branches alone",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pebs FAIL",
                 "haswell on 1 lbr_freeze_on_pebs FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pebs FAIL"},
      .breaks = BOTH_FREEZE_AT_THRESHOLD)

FAULT(lbr_ring3_pmi_freezes_not,
      .what = "[any] an interrupt at ring 3 does not freeze the records of "
              "branches",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_FROZEN_AT_RING_3)

FAULT(reset_clears_general,
      .what = "[any] MSR 390H clears the overflow bits of general counters "
              "with those of the fixed ones of the same number",
      .caught = {"haswell on 1 counter_overflow_bits FAIL",
                 "skylake-2018 on 1 counter_overflow_bits FAIL",
                 "sapphirerapids on 1 counter_overflow_bits FAIL"},
      .breaks = RESET_OF_FIXED_ALONE)

FAULT(ring3_pmi_freezes_nothing,
      .what = "[any] an interrupt at ring 3 freezes no counter",
      .caught = {"haswell on 1 pmi_in_contexts FAIL",
                 "skylake-2018 on 1 pmi_in_contexts FAIL",
                 "sapphirerapids on 1 pmi_in_contexts FAIL"},
      .breaks = FREEZE_AT_RING_3)
