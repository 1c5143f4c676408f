/* SPDX-License-Identifier: BSD-2-Clause */
/* halt.c - what counters count while their processor is halted: nothing. All
 * that the manual has of time is "unhalted".
 */
#include "tests/silicon/model/counters/counters.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/overflow.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define CORE_CYCLES 0x003Cu
#define BUS_CYCLES  0x013Cu

static bool counts_on(const struct processor *p, unsigned n)
{
    const uint64_t select = p->pmu.select[n];

    if (!counter_counts(p, n) || (select & EVTSEL_OS) == 0)
        return false;
    switch (select & BITS(15, 0)) {
    case CORE_CYCLES:
        return !faults_rule(p->machine, HALT_STOPS_CYCLES, true);
    case BUS_CYCLES:
        return !faults_rule(p->machine, HALT_STOPS_BUS, true);
    default:
        return false;
    }
}

static bool fixed_counts_on(const struct processor *p, unsigned n)
{
    return (p->pmu.global_ctrl & BIT(32 + n)) != 0 &&
           (p->pmu.fixed_ctrl >> (4 * n) & FIXED_OS) != 0 &&
           ((n == 1 && !faults_rule(p->machine, HALT_STOPS_FIXED_1, true)) ||
            (n == 2 && !faults_rule(p->machine, HALT_STOPS_FIXED_2, true)));
}

void counters_halted(struct processor *p, uint64_t cycles)
{
    for (unsigned n = 0; n < p->counters; n++)
        if (counts_on(p, n))
            counters_add(p, n, (uint32_t)cycles);
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if (fixed_counts_on(p, n))
            counters_add_fixed(p, n, (uint32_t)cycles);
}
