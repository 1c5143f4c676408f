/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr_rules.c - what goes wrong with rules of last branch records, of off-core
 * responses and of the uncore. Each entry names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/lbr/lbr.h"

/* --- Last branch records ------------------------------------------------- */

FAULT(lbr_in_tx_ring3_missing,
      .what = "[A B F; C with bit 2] records of ring 3 have IN_TSX = 0",
      .caught = {"skylake-2017 on 1 lbr_filter FAIL"},
      .breaks = LBR_IN_TSX_RING3)

FAULT(lbr_int_n_beyond,
      .what = "[any] FROM of INT n is neither its address nor the next",
      .caught = {"skylake-2018 on 1 lbr_events FAIL",
                 "sapphirerapids on 1 lbr_events FAIL"},
      .breaks = LBR_INT_N_AT_IT)

FAULT(lbr_predicted_in_tx,
      .what = "[A B F; C with bit 2] MISPRED is 0 in transactions",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL",
                 "sapphirerapids on 1 lbr_transactions FAIL"},
      .breaks = LBR_MISPRED_IN_TX)

FAULT(lbr_cycles_ring3_zero,
      .what = "[format 5] LBR_INFO[15:0] of branches of ring 3 is 0",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL"},
      .breaks = LBR_CYCLES_RING3)

FAULT(lbr_jcc_mispredicted,
      .what = "[any] MISPRED of conditional branches is 1",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_JCC, .set = LBR_INFO_MISPRED)

FAULT(lbr_return_mispredicted, .what = "[any] MISPRED of near returns is 1",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_RET,
      .set = LBR_INFO_MISPRED)

FAULT(lbr_ring3_return_next,
      .what = "[any] FROM of a near return of ring 3 is one more",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_RETURNS_IN_RING3)

FAULT(lbr_ret_imm_kept,
      .what = "[format 4, 5] with EN_CALLSTACK RET with an operand flushes "
              "nothing",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_RET_IMM_FLUSHES)

FAULT(lbr_without_nmis,
      .what = "[any] interrupts that are delivered as NMI are not recorded",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_HAS_NMIS)

FAULT(uncore_lookup_any_reads,
      .what = "[any client] lookups of stores are no requests for ANY (80H)",
      .caught = {"skylake-2018 on 1 uncore_selects FAIL"},
      .breaks = LOOKUP_ANY_HAS_WRITES)

FAULT(lbr_enabled_again,
      .what = "[any] LBR = 1 written while it is 1 sets TOS to 0",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .breaks = LBR_TOS_KEPT)

FAULT(lbr_enable_empties,
      .what = "[any] LBR = 1 written to IA32_DEBUGCTL empties the stack",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_KEEPS_OLD)

FAULT(lbr_without_interrupts,
      .what = "[any] interrupts are not recorded, exceptions are",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_HAS_INTERRUPTS)

FAULT(lbr_frozen_by_first,
      .what = "[any] of the general counters IA32_PMC0's interrupt alone "
              "freezes the records",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_FROZEN_BY_ALL)

FAULT(lbr_calls_with_conditions,
      .what = "[format 4, 5] with EN_CALLSTACK conditional branches are "
              "recorded though JCC is set",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_CALLS_FILTERED)

FAULT(lbr_takes_any_address,
      .what = "[format 5] FROM and TO take an address that is not canonical",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL"},
      .breaks = LBR_CANONICAL)

FAULT(lbr_pmi_clears_freeze, .what = "[any] a PMI clears IA32_DEBUGCTL[11]",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = PMI_KEEPS_FREEZE_LBRS)

FAULT(lbr_debug_keeps_btf,
      .what = "[any] a debug exception does not clear IA32_DEBUGCTL[1], BTF",
      .caught = {"skylake-2018 on 1 lbr_events FAIL",
                 "haswell on 1 lbr_events FAIL"},
      .breaks = DEBUG_CLEARS_BTF)

FAULT(debugctl_drops_btf, .what = "[any] IA32_DEBUGCTL[1], BTF, stays 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1D9, .clear = 1 << 1)

FAULT(lbr_of_itself_missing, .what = "[any] a branch to itself is not recorded",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_stack FAIL"},
      .breaks = LBR_OF_ITSELF)

FAULT(lbr_backward_jump_missing,
      .what = "[any] a direct jump to before it is not recorded",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .breaks = LBR_BACKWARD)

FAULT(lbr_inner_rings_are_0,
      .what = "[any] CPL_NEQ_0 is of ring 3 alone, CPL_EQ_0 of the others",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_INNER_RINGS_ARE_USER)

FAULT(lbr_levels_cancel,
      .what = "[any] CPL_EQ_0 and CPL_NEQ_0 together keep out nothing",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_LEVELS_BOTH)

/* --- Off-core responses -------------------------------------------------- */

FAULT(offcore_any_filters_supplier,
      .what = "[any with off-core] MSR_OFFCORE_RSP_x[30:17] choose although "
              "ANY is set",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_ANY_SUPPLIER)

FAULT(offcore_reads_are_code,
      .what = "[any with off-core] a data read is a code read, too",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_REQUEST, .number = 1, .set = 1 << 2)

FAULT(offcore_modified_from_memory,
      .what = "[3CH] a line that another core has modified counts as supplied "
              "by DRAM",
      .caught = {"haswell off 2 offcore_snoops FAIL"},
      .quantity = OFFCORE_SUPPLIER, .number = 1 << 18, .clear = 1 << 18,
      .set = 1 << 22)

/* --- Uncore -------------------------------------------------------------- */

FAULT(uncore_fixed_of_processor,
      .what = "[any client] odd processors read 0 of the uncore's fixed "
              "counter and its control",
      .caught = {"haswell off 2 uncore_reserved FAIL"},
      .breaks = UNCORE_OF_PACKAGE)

FAULT(uncore_lookup_modified_is_i,
      .what = "[any client] C-Boxes take each line for invalid, and none for "
              "modified",
      .caught = {"haswell off 2 uncore_snoops FAIL"}, .quantity = LOOKUP_STATE,
      .number = ANY_NUMBER, .clear = 1 << 0, .set = 1 << 3)

FAULT(uncore_lookup_hits_silent,
      .what = "[any client] C-Boxes count no lookup that finds its line",
      .caught = {"haswell off 2 uncore_snoops FAIL"}, .quantity = LOOKUP_STATE,
      .number = ANY_NUMBER, .clear = 7)

FAULT(lbr_jcc_near_unfiltered,
      .what = "[any with LBR] JCC leaves conditional branches of 32 bits in",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_JCC_NEAR)

FAULT(lbr_abort_ring3_to_0,
      .what = "[A B F with LBR] the record of an abort at ring 3 has TO = 0",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_ABORT_OF_RING_3)

FAULT(
    lbr_ret_beside_jcc,
    .what =
        "[any with LBR] NEAR_RET leaves returns in where JCC alone is set too",
    .caught = {"skylake-2018 on 1 lbr_filter FAIL",
               "sapphirerapids on 1 lbr_filter FAIL"},
    .breaks = LBR_RET_BESIDE_JCC)

FAULT(lbr_jcc_beside_level,
      .what = "[any with LBR] JCC leaves conditional branches in where "
              "CPL_NEQ_0 is set too",
      .caught = {"haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_KIND_BESIDE_LEVEL)

FAULT(lbr_full_keeps_calls,
      .what = "[4th generation on] with EN_CALLSTACK a return flushes nothing "
              "where no entry is free",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_FULL_FLUSHES)

FAULT(lbr_mispredicted_ring3_lost,
      .what = "[any with LBR] no branch at ring 3 is recorded as mispredicted",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_MISPRED_RING_3)

FAULT(lbr_cycles_ring3_add_up,
      .what = "[cycles in LBRs] those of a record of ring 3 go on in the next",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_CYCLES_RESTART_RING_3)

FAULT(lbr_mispredicted_stays,
      .what = "[any with LBR] MISPRED of an entry stays where another record "
              "is written to it",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .breaks = LBR_WRITTEN_WHOLE)

FAULT(arch_lbr_control_held,
      .what = "[architectural LBRs] IA32_LBR_CTL keeps its bits where it is "
              "written with LBREn = 1 before and after",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "alderlake on 1 lbr_registers FAIL"},
      .breaks = LBR_CTL_WHILE_ON)

FAULT(lbr_returns_ring3_kept,
      .what = "[4th generation on] with EN_CALLSTACK a return at ring 3 "
              "flushes nothing",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_RETURNS_FLUSH_RING_3)

FAULT(lbr_ind_call_ring3_jumps,
      .what = "[any with LBR] indirect calls at ring 3 are left out as "
              "indirect jumps are",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL"},
      .breaks = LBR_IND_CALLS_OF_RING_3)

FAULT(lbr_returns_predicted,
      .what = "[any with LBR] no near return is recorded as mispredicted",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "haswell on 1 lbr_stack FAIL"},
      .quantity = LBR_FLAGS, .number = 1 << 5, .clear = UINT64_C(1) << 63)

FAULT(lbr_ind_calls_predicted,
      .what = "[any with LBR] no indirect call is recorded as mispredicted",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_stack FAIL"},
      .quantity = LBR_FLAGS, .number = 1 << 4, .clear = UINT64_C(1) << 63)

FAULT(offcore_locked_reads,
      .what = "[any with off-core] a locked load that misses is a data read, "
              "not a read for ownership",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL",
                 "haswell on 1 offcore_counts FAIL"},
      .breaks = LOCKED_LOADS_OWN)

FAULT(lbr_cycles_tx_zero,
      .what = "[cycles in LBRs] those of a record of a transaction are 0",
      .caught = {"skylake-2018 on 1 lbr_transactions FAIL",
                 "sapphirerapids on 1 lbr_transactions FAIL"},
      .breaks = LBR_CYCLES_IN_TX)

FAULT(arch_lbr_control_stays,
      .what = "[architectural LBRs] a write that clears LBREn leaves the other "
              "bits of IA32_LBR_CTL",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "alderlake on 1 lbr_registers FAIL"},
      .breaks = LBR_CTL_WHERE_TURNED_OFF)

FAULT(arch_lbr_to_unsigned,
      .what = "[architectural LBRs] [63:48] of what is written to "
              "IA32_LBR_x_TO_IP is lost",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "alderlake-n on 1 lbr_registers FAIL"},
      .breaks = LBR_TO_UPPER_HALF)

FAULT(lbr_abort_ring3_as_0,
      .what = "[A B F; C with bit 2] an abort at ring 3 is filtered as one of "
              "ring 0",
      .caught = {"skylake-2017 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_ABORT_LEVEL)

FAULT(lbr_abort_ring3_other_missing,
      .what = "[A B F; C with bit 2] an abort at ring 3 has a record where "
              "XABORT ends it alone",
      .caught = {"skylake-2017 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_OTHER_ABORTS_RING_3)

FAULT(lbr_abort_by_pmi_missing,
      .what = "[A B F; C with bit 2] an abort by an interrupt has no record",
      .caught = {"skylake-2017 on 1 lbr_freeze_on_pmi FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_ABORTS_OF_EVENTS)

FAULT(lbr_no_breakpoint_aborts,
      .what = "[LBR and TSX] aborts by INT3 and breakpoints have no record",
      .caught = {"skylake-2018 on 1 lbr_transactions FAIL",
                 "haswell on 1 lbr_transactions FAIL",
                 "sapphirerapids on 1 lbr_transactions FAIL"},
      .breaks = LBR_ABORTS_OF_BREAKPOINTS)

FAULT(lbr_no_conflict_aborts,
      .what = "[LBR and TSX] aborts by conflicts have no record",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL",
                 "haswell on 2 tsx_conflict_events FAIL",
                 "sapphirerapids off 2 tsx_conflict_events FAIL"},
      .breaks = LBR_ABORTS_OF_CONFLICTS)

FAULT(lbr_abort_cycles_zero,
      .what = "[A B F; C with bit 2; format 5] the record of an abort has no "
              "cycles",
      .caught = {"skylake-2017 on 1 lbr_transactions FAIL",
                 "sapphirerapids on 1 lbr_transactions FAIL"},
      .breaks = LBR_ABORT_CYCLES)

FAULT(lbr_returns_tx_kept,
      .what = "[A B F; C with bit 2; 4th generation on] with EN_CALLSTACK a "
              "return in a transaction flushes nothing",
      .caught = {"skylake-2018 on 1 lbr_transactions FAIL",
                 "haswell on 1 lbr_transactions FAIL",
                 "sapphirerapids on 1 lbr_transactions FAIL"},
      .breaks = LBR_RETURNS_FLUSH_IN_TX)

FAULT(lbr_cycles_of_calls_zero,
      .what = "[cycles in LBRs] those of the record of a call are 0",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_stack FAIL"},
      .breaks = LBR_CYCLES_OF_CALLS)

FAULT(lbr_from_unsigned,
      .what = "[any with LBR, but the architectural ones] bits above [47] of "
              "what is written to FROM are lost, but for flags",
      .caught = {"haswell on 1 lbr_registers FAIL",
                 "sandybridge on 1 lbr_registers FAIL"},
      .breaks = LBR_FROM_UPPER_HALF)

FAULT(lbr_unfrozen_empty,
      .what = "[any with perfmon 4] 390H that clears LBR_Frz empties the stack",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_KEPT_UNFROZEN)

FAULT(lbr_ind_jmp_memory_unfiltered,
      .what = "[any with LBR] NEAR_IND_JMP leaves jumps through memory in",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "haswell on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_IND_JMP_MEMORY)
