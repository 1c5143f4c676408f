/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counted_events.c - what goes wrong with how often an event, or that of a
 * fixed counter, has happened.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"

FAULT(instructions_of_branches, .what = "[any] event C0H leaves out branches",
      .caught = {"skylake-2018 on 1 counter_pause FAIL"})

FAULT(instructions_double_calls,
      .what = "[any] event C0H counts a CALL as two instructions",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(branches_not_taken_missing,
      .what = "[any] event C4H/00H counts taken branches alone",
      .caught = {"skylake-2018 on 1 counters_independent FAIL"})

FAULT(branches_far_missing,
      .what = "[any] event C4H/00H leaves out far branches",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(branches_returns_missing,
      .what = "[any] event C4H/00H leaves out returns",
      .caught = {"haswell on 1 counters_independent FAIL"})

FAULT(conditional_taken,
      .what = "[any] event C4H/01H counts taken branches alone",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(calls_count_returns, .what = "[any] event C4H/02H counts returns",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(returns_count_far, .what = "[any] event C4H/08H counts far returns",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(not_taken_counts_taken,
      .what = "[any] event C4H/10H counts taken branches",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(taken_counts_all,
      .what = "[any] event C4H/20H counts branches not taken, too",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(far_counts_near, .what = "[any] event C4H/40H counts near returns",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"})

FAULT(mispredicts_zero, .what = "[any] event C5H/00H counts nothing",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(mispredicts_taken_alone,
      .what = "[any] event C5H/00H leaves out branches not taken",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "haswell on 1 branch_kinds FAIL"})

FAULT(mispredicts_not_taken_alone,
      .what = "[any] event C5H/00H leaves out conditional branches taken",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "icelake-server on 1 branch_kinds FAIL"})

FAULT(mispredicts_of_directions,
      .what = "[any] event C5H/00H leaves out indirect jumps",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "alderlake-n on 1 branch_kinds FAIL"})

FAULT(far_jumps_no_branches, .what = "[any] event C4H leaves out far jumps",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "sandybridge on 1 branch_kinds FAIL"},
      .breaks = FAR_JUMPS_COUNT)

FAULT(mispredicts_all, .what = "[any] event C5H/00H counts every branch",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(llc_references_zero, .what = "[any] event 2EH/4FH counts nothing",
      .caught = {"haswell on 1 counter_enumeration FAIL"})

FAULT(llc_misses_zero, .what = "[any] event 2EH/41H counts nothing",
      .caught = {"haswell on 1 counter_enumeration FAIL"})

FAULT(llc_references_hits, .what = "[any] event 2EH/4FH leaves out misses",
      .caught = {"haswell on 1 counter_enumeration FAIL"})

FAULT(bus_cycles_zero, .what = "[any] event 3CH/01H counts nothing",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(bus_cycles_core, .what = "[any] event 3CH/01H counts core cycles",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(cycles_of_instructions, .what = "[any] event 3CH/00H counts instructions",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(fixed0_cycles, .what = "[any] IA32_FIXED_CTR0 counts cycles",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(fixed0_off_by_one,
      .what = "[any] IA32_FIXED_CTR0 counts a branch as two instructions",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(fixed1_instructions, .what = "[any] IA32_FIXED_CTR1 counts instructions",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(fixed1_reference, .what = "[any] IA32_FIXED_CTR1 counts reference cycles",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(fixed2_core, .what = "[any] IA32_FIXED_CTR2 counts core cycles",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

FAULT(fixed2_stands, .what = "[any] IA32_FIXED_CTR2 stands still",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(fixed2_double, .what = "[any] IA32_FIXED_CTR2 counts at twice its rate",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL"})

static uint32_t branch_events(const struct processor *p,
                              const struct event_row *event,
                              const struct retirement *r, uint32_t count)
{
    bool conditional = (r->branch & INSTRUCTION_CONDITIONAL) != 0;
    bool returns = (r->branch & INSTRUCTION_RETURN) != 0;
    bool far = (r->branch & INSTRUCTION_FAR) != 0;
    bool is_miss = event->kind == EVENT_BRANCHES_MISPREDICTED;

    switch (p->machine->fault) {
    case FAULT_branches_not_taken_missing:
        return event->kind == EVENT_BRANCHES && conditional && !r->taken
                   ? 0
                   : count;
    case FAULT_branches_far_missing:
        return event->kind == EVENT_BRANCHES && far ? 0 : count;
    case FAULT_branches_returns_missing:
        return event->kind == EVENT_BRANCHES && returns && !far ? 0 : count;
    case FAULT_conditional_taken:
        return event->kind == EVENT_BRANCHES_CONDITIONAL && !r->taken ? 0
                                                                      : count;
    case FAULT_calls_count_returns:
        return event->kind == EVENT_BRANCHES_CALL ? returns && !far : count;
    case FAULT_returns_count_far:
        return event->kind == EVENT_BRANCHES_RETURN ? returns : count;
    case FAULT_not_taken_counts_taken:
        return event->kind == EVENT_BRANCHES_NOT_TAKEN ? conditional && r->taken
                                                       : count;
    case FAULT_taken_counts_all:
        return event->kind == EVENT_BRANCHES_TAKEN ? r->branch != 0 && !far
                                                   : count;
    case FAULT_far_counts_near:
        return event->kind == EVENT_BRANCHES_FAR ? far || returns : count;
    case FAULT_mispredicts_zero:
        return event->kind == EVENT_BRANCHES_MISPREDICTED ? 0 : count;
    case FAULT_mispredicts_taken_alone:
        return is_miss && conditional && !r->taken ? 0 : count;
    case FAULT_mispredicts_not_taken_alone:
        return is_miss && conditional && r->taken ? 0 : count;
    case FAULT_mispredicts_of_directions:
        return is_miss && r->indirect ? 0 : count;
    case FAULT_mispredicts_all:
        return event->kind == EVENT_BRANCHES_MISPREDICTED ? r->branch != 0
                                                          : count;
    default:
        return count;
    }
}

uint32_t faults_events(const struct processor *p, const struct event_row *event,
                       const struct retirement *r, uint32_t count)
{
    if (p->machine->fault == FAULT_none)
        return count;
    switch (p->machine->fault) {
    case FAULT_instructions_of_branches:
        return event->kind == EVENT_INSTRUCTIONS && r->branch != 0 ? 0 : count;
    case FAULT_instructions_double_calls:
        return event->kind == EVENT_INSTRUCTIONS &&
                       (r->branch & INSTRUCTION_CALL) != 0
                   ? 2
                   : count;
    case FAULT_llc_references_zero:
        return event->kind == EVENT_LLC_REFERENCES ? 0 : count;
    case FAULT_llc_misses_zero:
        return event->kind == EVENT_LLC_MISSES ? 0 : count;
    case FAULT_llc_references_hits:
        return event->kind == EVENT_LLC_REFERENCES ? count - p->llc_misses
                                                   : count;
    case FAULT_bus_cycles_zero:
        return event->kind == EVENT_CYCLES_BUS ? 0 : count;
    case FAULT_bus_cycles_core:
        return event->kind == EVENT_CYCLES_BUS ? r->cycles : count;
    case FAULT_cycles_of_instructions:
        return event->kind == EVENT_CYCLES ? r->instructions : count;
    default:
        return branch_events(p, event, r, count);
    }
}

uint32_t faults_fixed_count(const struct processor *p, unsigned n,
                            const struct retirement *r, uint32_t count)
{
    switch (p->machine->fault) {
    case FAULT_fixed0_cycles:
        return n == 0 ? r->cycles : count;
    case FAULT_fixed0_off_by_one:
        return n == 0 && r->branch != 0 ? 2 : count;
    case FAULT_fixed1_instructions:
        return n == 1 ? r->instructions : count;
    case FAULT_fixed1_reference:
        return n == 1 ? r->cycles * p->choices.ref_up / p->choices.ref_down
                      : count;
    case FAULT_fixed2_core:
        return n == 2 ? r->cycles : count;
    case FAULT_fixed2_stands:
        return n == 2 ? 0 : count;
    case FAULT_fixed2_double:
        return n == 2 ? 2 * count : count;
    default:
        return count;
    }
}

FAULT(tx_mem_capacity_missing,
      .what = "[A B F; C with bit 2] 54H/02H does not count aborts by the "
              "capacity of writes",
      .caught = {"haswell on 1 tsx_mem_events FAIL"}, .quantity = TX_MEM_EVENTS,
      .number = 2, .clear = 2, .set = 0)

FAULT(tx_mem_capacity_is_conflict,
      .what = "[A B F; C with bit 2] 54H/01H counts aborts by the capacity of "
              "writes, 54H/02H none",
      .caught = {"skylake-2018 on 1 tsx_mem_events FAIL"},
      .quantity = TX_MEM_EVENTS, .number = 2, .clear = 2, .set = 1)

FAULT(tx_mem_conflict_missing,
      .what = "[A B F; C with bit 2] 54H/01H does not count conflicts",
      .caught = {"haswell on 2 tsx_conflict_events FAIL"},
      .quantity = TX_MEM_EVENTS, .number = 1, .clear = 1, .set = 0)

FAULT(tx_mem_inner_missing,
      .what = "[A B F; C with bit 2] 54H counts no abort of an inner region",
      .caught = {"skylake-2018 on 2 tsx_conflict_events FAIL",
                 "skylake-2018 on 1 tsx_mem_events FAIL"},
      .breaks = INNER_CAUSES_COUNT)

FAULT(tx_mem_conflict_is_capacity,
      .what = "[A B F; C with bit 2] 54H/02H counts conflicts, too",
      .caught = {"skylake-2018 on 2 tsx_conflict_events FAIL"},
      .quantity = TX_MEM_EVENTS, .number = 1, .clear = 0, .set = 2)

FAULT(tx_mem_store_is_mismatch,
      .what = "[A B F; C with bit 2] 54H/10H counts stores to elided locks, "
              "54H/04H none",
      .caught = {"haswell on 1 tsx_mem_events FAIL"}, .quantity = TX_MEM_EVENTS,
      .number = 4, .clear = 4, .set = 16)

FAULT(tx_mem_mismatch_missing,
      .what = "[A B F; C with bit 2] 54H/10H does not count an XRELEASE of "
              "another value",
      .caught = {"skylake-2017 on 1 tsx_mem_events FAIL"},
      .quantity = TX_MEM_EVENTS, .number = 16, .clear = 16, .set = 0)

FAULT(tx_exec_deep_missing,
      .what = "[A B F; C with bit 2] 5DH/04H does not count transactions "
              "nested too deep",
      .caught = {"icelake-server on 1 tsx_mem_events FAIL"},
      .quantity = TX_EXEC_EVENTS, .number = 4, .clear = 4, .set = 0)

FAULT(
    tx_exec_rtm_missing,
    .what = "[A B F; C with bit 2] 5DH/08H does not count XBEGIN in an elision",
    .caught = {"haswell on 1 tsx_mem_events FAIL"}, .quantity = TX_EXEC_EVENTS,
    .number = 8, .clear = 8, .set = 0)

FAULT(tx_exec_hle_is_rtm,
      .what = "[A B F; C with bit 2] 5DH/08H counts XACQUIRE in a transaction, "
              "5DH/10H does not",
      .caught = {"skylake-2017 on 1 tsx_mem_events FAIL"},
      .quantity = TX_EXEC_EVENTS, .number = 16, .clear = 16, .set = 8)

FAULT(hle_aborts_in_no_category,
      .what = "[A with HLE] aborts of elisions are in no category of C8H",
      .caught = {"haswell on 1 tsx_retired_events FAIL"},
      .breaks = ELISION_ABORTS_HAVE_KINDS)

FAULT(memory_type_is_event,
      .what = "[A B F; C with bit 2] aborts by uncacheable memory are counted "
              "by C9H/80H, not by 40H",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .breaks = MEMORY_TYPES_HAVE_KIND)

FAULT(returns_not_missed,
      .what = "[any] Branch Misses Retired does not count returns",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL",
                 "sapphirerapids on 1 branch_kinds FAIL"},
      .breaks = RETURNS_ARE_MISSED)

FAULT(rep_of_pages_counts_twice,
      .what = "[any] REP that goes round more than 256 times counts as two "
              "instructions",
      .caught = {"skylake-2018 on 1 counter_rep FAIL"},
      .breaks = REP_OF_PAGES_COUNTS_ONCE)
