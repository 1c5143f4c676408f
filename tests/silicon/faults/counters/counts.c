/* SPDX-License-Identifier: BSD-2-Clause */
/* counts.c - what goes wrong with what is counted: enables, privilege levels,
 * threads, CMASK, INV and EDGE, events. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/counters/pmu_msr.h"

FAULT(enable_ignored, .what = "[any] IA32_PMC1 counts without PERFEVTSEL1.EN",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(global_enable_ignored,
      .what = "[any] IA32_PMC2 counts without GLOBAL_CTRL[2]",
      .caught = {"haswell on 1 counter_enable_bits FAIL"})

FAULT(global_enable_shifted,
      .what = "[any] IA32_PMC1 is enabled by GLOBAL_CTRL[0]",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(fixed_enable_ignored,
      .what = "[any] fixed counters count without their bits of GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(fixed_enable_shifted,
      .what = "[any] IA32_FIXED_CTR1 is enabled by GLOBAL_CTRL[32]",
      .caught = {"haswell on 1 counter_enable_bits FAIL"})

FAULT(fixed_field_shifted,
      .what = "[any] IA32_FIXED_CTR2 counts as IA32_FIXED_CTR_CTRL[7:4] says",
      .caught = {"skylake-2018 on 1 counter_enable_bits FAIL"})

FAULT(usr_counts_os, .what = "[any] USR counts ring 0 too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(os_counts_usr, .what = "[any] OS counts rings 1 to 3 too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(usr_counts_nothing, .what = "[any] USR counts nothing",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(far_branches_of_both_levels,
      .what = "[4th to 6th generation] OS and USR do nothing for far branches "
              "(C4H/40H)",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(os_and_usr_os, .what = "[any] OS and USR together count ring 0 alone",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(fixed_os_counts_usr,
      .what = "[any] IA32_FIXED_CTR0 for ring 0 counts rings 1 to 3 too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(fixed_usr_counts_os,
      .what = "[any] IA32_FIXED_CTR0 for rings 1 to 3 counts ring 0 too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(fixed1_os_counts_usr,
      .what = "[any] IA32_FIXED_CTR1 for ring 0 counts rings 1 to 3 too",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(fixed1_both_counts_os,
      .what = "[any] IA32_FIXED_CTR1 for all rings counts ring 0 alone",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL 1000"})

FAULT(fixed2_os_counts_nothing,
      .what = "[any] IA32_FIXED_CTR2 for ring 0 alone counts nothing",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL 1000"})

FAULT(fixed_levels_swapped,
      .what = "[any] IA32_FIXED_CTR1 takes its bits of privilege levels for "
              "each other",
      .caught = {"skylake-2018 on 1 counter_privilege FAIL"})

FAULT(syscall_counts_os,
      .what = "[any] far branches of ring 3 count for ring 0",
      .caught = {"skylake-2018 on 1 counter_privilege OBSERVED"})

FAULT(inv_ignored, .what = "[any] INV changes nothing",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(inv_without_cmask,
      .what = "[any] INV counts cycles without the event when CMASK is 0",
      .caught = {"haswell on 1 counter_mask_edge FAIL"})

FAULT(inv_always, .what = "[any] CMASK counts as if INV were set",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(cmask_ignored, .what = "[any] CMASK changes nothing",
      .caught = {"haswell on 1 counter_mask_edge FAIL"})

FAULT(cmask_greater,
      .what = "[any] CMASK counts cycles with more events than it says",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(cmask_equal_one, .what = "[any] every CMASK counts as 1",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(cmask_2_never_reached,
      .what = "[any] CMASK of 2 and more counts no cycle",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL",
                 "haswell off 1 counter_mask_edge FAIL"})

FAULT(cmask_adds_events,
      .what = "[any] CMASK adds the number of events of a cycle",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(edge_is_level, .what = "[any] EDGE changes nothing",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(edge_counts_falling, .what = "[any] EDGE counts both transitions",
      .caught = {"haswell on 1 counter_mask_edge FAIL"})

FAULT(edge_each_event, .what = "[any] EDGE counts each cycle that has events",
      .caught = {"skylake-2018 on 1 counter_mask_edge FAIL"})

FAULT(any_own_thread,
      .what = "[any] AnyThread of general counters counts its own thread "
              "alone",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL",
                 "broadwell on 2 counter_any_thread FAIL"})

FAULT(any_fixed_own_thread,
      .what = "[any] AnyThread of fixed counters counts its own thread alone",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"})

FAULT(any_fixed_always,
      .what = "[any] IA32_FIXED_CTR0 counts both threads of its core without "
              "AnyThread",
      .caught = {"skylake-2018 on 2 counter_carry FAIL"})

FAULT(any_fixed_by_others,
      .what = "[any] AnyThread of one fixed counter lets all fixed counters "
              "count both threads of the core",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL",
                 "haswell on 2 counter_any_thread FAIL"})

FAULT(any_other_thread,
      .what = "[any] AnyThread of general counters counts the other thread "
              "alone",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"})

FAULT(any_always,
      .what = "[any] IA32_PMC0 counts both threads of its core without "
              "AnyThread",
      .caught = {"skylake-2018 on 2 counter_carry FAIL"})

FAULT(any_counts_levels,
      .what = "[any] AnyThread counts the other thread at every privilege "
              "level",
      .caught = {"skylake-2018 on 2 counter_any_thread FAIL"})

bool faults_enabled(const struct processor *p, unsigned n, bool enabled)
{
    uint64_t select = p->pmu.select[n], ctrl = p->pmu.global_ctrl;

    switch (p->machine->fault) {
    case FAULT_enable_ignored:
        return n == 1 ? (ctrl & BIT(1)) != 0 : enabled;
    case FAULT_global_enable_ignored:
        return n == 2 ? (select & EVTSEL_EN) != 0 : enabled;
    case FAULT_global_enable_shifted:
        return n == 1 ? (select & EVTSEL_EN) != 0 && (ctrl & 1) != 0 : enabled;
    default:
        return enabled;
    }
}

bool faults_fixed_enabled(const struct processor *p, unsigned n, bool enabled)
{
    if (has_fault(p, FAULT_fixed_enable_ignored))
        return true;
    if (n == 1 && has_fault(p, FAULT_fixed_enable_shifted))
        return (p->pmu.global_ctrl & BIT(32)) != 0;
    return enabled;
}

bool faults_user(const struct processor *p, bool user, uint8_t branch)
{
    return user && !((branch & INSTRUCTION_FAR) != 0 &&
                     has_fault(p, FAULT_syscall_counts_os));
}

bool faults_level(const struct processor *p, uint64_t select, bool user,
                  bool counted)
{
    uint64_t both = EVTSEL_USR | EVTSEL_OS;

    switch (p->machine->fault) {
    case FAULT_usr_counts_os:
        return counted || (select & EVTSEL_USR) != 0;
    case FAULT_os_counts_usr:
        return counted || (select & EVTSEL_OS) != 0;
    case FAULT_usr_counts_nothing:
        return counted && !user;
    case FAULT_os_and_usr_os:
        return counted && !(user && (select & both) == both);
    case FAULT_far_branches_of_both_levels:
        return counted || (select & BITS(15, 0)) == 0x40C4;
    default:
        return counted;
    }
}

uint64_t faults_fixed_field(const struct processor *p, unsigned n,
                            uint64_t ctrl)
{
    switch (p->machine->fault) {
    case FAULT_fixed_field_shifted:
        return n == 2 ? p->pmu.fixed_ctrl >> 4 : ctrl;
    case FAULT_fixed_os_counts_usr:
        return n == 0 && (ctrl & FIXED_OS) != 0 ? ctrl | FIXED_USR : ctrl;
    case FAULT_fixed_usr_counts_os:
        return n == 0 && (ctrl & FIXED_USR) != 0 ? ctrl | FIXED_OS : ctrl;
    case FAULT_fixed1_os_counts_usr:
        return n == 1 && (ctrl & FIXED_OS) != 0 ? ctrl | FIXED_USR : ctrl;
    case FAULT_fixed1_both_counts_os:
        return n == 1 && (ctrl & BITS(1, 0)) == BITS(1, 0) ? ctrl & ~FIXED_USR
                                                           : ctrl;
    case FAULT_fixed2_os_counts_nothing:
        return n == 2 && (ctrl & BITS(1, 0)) == FIXED_OS ? ctrl & ~FIXED_OS
                                                         : ctrl;
    case FAULT_fixed_levels_swapped:
        return n == 1 ? (ctrl & ~BITS(1, 0)) | (ctrl & 1) << 1 | (ctrl & 2) >> 1
                      : ctrl;
    default:
        return ctrl;
    }
}

uint64_t faults_select(const struct processor *p, uint64_t select)
{
    uint64_t cmask = select & EVTSEL_CMASK;

    switch (p->machine->fault) {
    case FAULT_inv_ignored:
        return select & ~EVTSEL_INV;
    case FAULT_inv_without_cmask:
        return (select & EVTSEL_INV) != 0 && cmask == 0 ? select | BIT(24)
                                                        : select;
    case FAULT_inv_always:
        return cmask != 0 ? select | EVTSEL_INV : select;
    case FAULT_cmask_ignored:
        return select & ~EVTSEL_CMASK;
    case FAULT_cmask_greater:
        return cmask != 0 && cmask != EVTSEL_CMASK ? select + BIT(24) : select;
    case FAULT_cmask_equal_one:
        return cmask != 0 ? (select & ~EVTSEL_CMASK) | BIT(24) : select;
    case FAULT_edge_is_level:
        return select & ~EVTSEL_EDGE;
    case FAULT_edge_each_event:
        return (select & EVTSEL_EDGE) != 0 && cmask == 0
                   ? (select & ~EVTSEL_EDGE) | BIT(24)
                   : select & ~EVTSEL_EDGE;
    default:
        return select;
    }
}

uint32_t faults_in_cycles(const struct processor *p, uint64_t select,
                          uint32_t events, uint32_t count)
{
    if ((select & EVTSEL_EDGE) != 0 && has_fault(p, FAULT_edge_counts_falling))
        return 2 * count;
    if ((select & EVTSEL_CMASK) > BIT(24) && (select & EVTSEL_INV) == 0 &&
        has_fault(p, FAULT_cmask_2_never_reached))
        return 0;
    if ((select & EVTSEL_CMASK) != 0 && (select & EVTSEL_INV) == 0 &&
        count == 1 && has_fault(p, FAULT_cmask_adds_events))
        return events;
    return count;
}

uint64_t faults_any(const struct processor *p, uint64_t enabled, uint64_t any)
{
    if (!faults_rule(p->machine, ANY_ON_FIXED_1_2, true))
        return any & ~BITS(34, 33);
    switch (p->machine->fault) {
    case FAULT_any_own_thread:
        return any & ~BITS(31, 0);
    case FAULT_any_fixed_own_thread:
        return any & BITS(31, 0);
    case FAULT_any_always:
        return any | (enabled & BIT(0));
    case FAULT_any_fixed_by_others:
        return (any & BITS(34, 32)) != 0 ? any | (enabled & BITS(34, 32)) : any;
    case FAULT_any_fixed_always:
        return any | (enabled & BIT(32));
    default:
        return any;
    }
}

bool faults_spares_own(const struct processor *p, unsigned n)
{
    return has_fault(p, FAULT_any_other_thread) && (p->pmu.any & BIT(n)) != 0;
}

bool faults_any_level(const struct processor *p, bool counted)
{
    return counted || has_fault(p, FAULT_any_counts_levels);
}
