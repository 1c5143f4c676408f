/* SPDX-License-Identifier: BSD-2-Clause */
/* rdpmc.c - reads of counters by RDPMC. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define CARRY_LATE 16 /* events, of a fault */

/* Counters are narrower than their registers. */
uint64_t counter_extended(const struct processor *p, enum rule zero,
                          uint64_t value)
{
    if ((value & BIT(COUNTER_WIDTH - 1)) == 0 ||
        faults_rule(p->machine, zero, true))
        return value;
    return value | ~COUNTER_MASK;
}

/* SDM 2B, "RDPMC": ECX[30] is the type, ECX[29:0] the index; ECX[31] selects
 * "fast" reads of 32 bits "if supported". IA32_PERF_METRICS has a type of its
 * own: ECX = 2000_0000H. */
static bool read_by_rdpmc(struct processor *p, uint32_t ecx, uint64_t *value)
{
    uint32_t n = ecx & (uint32_t)BITS(29, 0);
    bool fast = (ecx & BIT(31)) != 0;

    if (ecx == RDPMC_METRICS && metrics_exist(p)) {
        *value = metrics_read(p, true);
        if (!faults_rule(p->machine, METRICS_KEPT_BY_RDPMC, true))
            metrics_write(p, 0);
        return true;
    }
    if (fast && !p->choices.rdpmc_fast)
        return false;
    if ((ecx & BIT(30)) != 0) {
        if (n >= p->fixed_counters)
            return false;
        *value = p->pmu.fixed[n];
        if ((p->pmu.frozen & BIT(32 + n)) != 0 &&
            !faults_rule(p->machine, RDPMC_FIXED_FROZEN, true))
            *value = 0;
        if ((p->pmu.global_status & BIT(32 + n)) != 0 &&
            !faults_rule(p->machine, RDPMC_FIXED_OVERFLOWED, true))
            *value = 0;
        if ((p->pmu.global_ctrl & BIT(32 + n)) != 0 &&
            !faults_rule(p->machine, RDPMC_FIXED_WHOLE, true))
            *value &= ~BITS(11, 0);
        if (p->tsx.active &&
            !faults_rule(p->machine, RDPMC_FIXED_LIVE_IN_TX, true))
            *value = p->faults.fixed[n];
    } else {
        if (counter_of(p, IA32_PMC0 + n, IA32_PMC0) != (int)n)
            return false;
        *value = counter_extended(p, RDPMC_ZERO_EXTENDED,
                                  faults_rdpmc(p, n, p->pmu.counter[n]));
        if (counter_counts(p, n) && *value >> 32 != 0 &&
            (*value & BITS(31, 0)) < CARRY_LATE &&
            !faults_rule(p->machine, RDPMC_CARRIES, true))
            *value -= BIT(32);
        if (counter_counts(p, n) && !faults_rule(p->machine, RDPMC_LIVE, true))
            *value = p->faults.started[n];
        if (p->tsx.active &&
            (!faults_rule(p->machine, RDPMC_LIVE_IN_TX, true) ||
             (n == 2 && !faults_rule(p->machine, RDPMC_2_LIVE_IN_TX, true))))
            *value = p->pmu.at_xbegin[n];
        if ((p->pmu.global_status & BIT(n)) != 0 &&
            !faults_rule(p->machine, RDPMC_OVERFLOWED, true))
            *value = COUNTER_MASK;
        if (!faults_rule(p->machine, RDPMC_KEEPS_COUNTER, true))
            p->pmu.counter[n] = 0;
    }
    if (fast)
        *value &= BITS(31, 0);
    return true;
}

bool counters_rdpmc(struct processor *p, uint32_t ecx, uint64_t *value)
{
    bool good;

    counters_collect(p);
    good = read_by_rdpmc(p, ecx, value);
    return faults_rdpmc_read(p, ecx, value, good);
}
