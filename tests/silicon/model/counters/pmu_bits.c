/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu_bits.c - which bits the registers of the performance monitors have. */
#include "tests/silicon/model/counters/pmu_msr.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/pt/pt.h"

/* SDM 3B, "Architectural Performance Monitoring Version 3" has AnyThread first;
 * in "Version 5" it is deprecated. Whether its bits raise #GP is not said. */
bool pmu_has_any_thread(const struct processor *p)
{
    return p->cpu->perfmon_version >= 3 && p->cpu->perfmon_version < 5;
}

static bool takes_any_thread(const struct processor *p)
{
    return pmu_has_any_thread(p) ||
           (p->cpu->perfmon_version >= 5 && !p->choices.any_refused);
}

uint64_t pmu_counters_bits(const struct processor *p)
{
    return (BIT(p->counters) - 1) | (BIT(p->fixed_counters) - 1) << 32 |
           (metrics_exist(p) ? CTRL_METRICS : 0);
}

uint64_t pmu_status_bits(const struct processor *p)
{
    uint64_t mask = pmu_counters_bits(p) | STATUS_DS_OVF | STATUS_COND_CHG;

    if (pt_leaf(p, 0).ecx != 0)
        mask |= STATUS_TOPA_PMI;
    if (p->cpu->perfmon_version < 4)
        return mask | STATUS_UNCORE;
    return mask | STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI | STATUS_UNCORE;
}

uint64_t pmu_select_bits(const struct processor *p, unsigned n)
{
    uint64_t writable = BITS(31, 0);

    /* SDM 3B, "Intel TSX support": "only .. if the processor supports HLE or
     * RTM"; IN_TXCP exists in counter 2 alone. */
    if (p->cpu->has_rtm && p->cpu->regime != REGIME_E)
        writable |= n == 2 ? EVTSEL_IN_TX | EVTSEL_IN_TXCP : EVTSEL_IN_TX;
    else if (faults_accept_in_tx(p))
        writable |= EVTSEL_IN_TX;
    if (pebs_is_adaptive(p))
        writable |= EVTSEL_ADAPTIVE;
    if ((personality_leaf(p->cpu, 0x23, 0).ebx & LEAF23_UMASK2) != 0)
        writable |= EVTSEL_UMASK2;
    if ((personality_leaf(p->cpu, 0x23, 0).ebx & LEAF23_EQ) != 0)
        writable |= EVTSEL_EQ;
    if (!takes_any_thread(p))
        writable &= ~EVTSEL_ANY;
    return faults_quantity(p->machine, SELECT_BITS, n, writable);
}

uint64_t pmu_fixed_ctrl_bits(const struct processor *p)
{
    const unsigned counters = faults_rule(p->machine, KIND_HAS_ITS_FIXED, true)
                                  ? p->fixed_counters
                                  : p->machine->cpu->fixed_counters;
    uint64_t mask = 0;

    for (unsigned n = 0; n < counters; n++) {
        mask |= (takes_any_thread(p) ? BITS(3, 0) : BITS(3, 0) & ~FIXED_ANY)
                << (4 * n);
        if (pebs_is_adaptive(p))
            mask |= FIXED_ADAPTIVE(n);
    }
    return mask;
}

bool counter_counts(const struct processor *p, unsigned n)
{
    return (p->pmu.select[n] & EVTSEL_EN) != 0 &&
           (p->pmu.global_ctrl & BIT(n)) != 0;
}

/* Which general counter an MSR of a row of them belongs to; -1 for none. */
int counter_of(const struct processor *p, uint32_t number, uint32_t first)
{
    uint32_t n = number - first;

    if (number < first || n >= COUNTERS_MAX ||
        (n >= p->counters &&
         faults_rule(p->machine, ABSENT_COUNTER_REFUSED, true)))
        return -1;
    if (faults_refuse_counter(p, n) ||
        (n == 5 && p->cpu != p->machine->cpu &&
         !faults_rule(p->machine, KIND_HAS_ITS_COUNTERS, true)))
        return -1;
    return (int)n;
}

/* Registers of version 6 for those before it: Linux, msr-index.h, "V6 PMON MSR
 * range": counter and select of each general-purpose counter, then the fixed
 * ones, at every fourth number. */
uint32_t pmu_named_before(const struct processor *p, uint32_t number)
{
    const uint32_t general = number - 0x1900, fixed = number - 0x1980;

    if (p->cpu->perfmon_version < 6 || number < 0x1900)
        return number;
    if (general < 4 * p->counters && general % 4 < 2)
        return general / 4 +
               (general % 4 == 0 ? IA32_A_PMC0 : IA32_PERFEVTSEL0);
    if (fixed < 4 * p->fixed_counters && fixed % 4 == 0)
        return IA32_FIXED_CTR0 + fixed / 4;
    return number;
}

/* SDM 3B, "IA32_PERF_GLOBAL_INUSE MSR". The text has PMI_InUse at bit 32, its
 * figure at bit 63. */
uint64_t pmu_inuse(const struct processor *p)
{
    uint64_t value = 0;
    bool interrupts = pebs_enabled(p) != 0;

    for (unsigned n = 0; n < p->counters; n++) {
        if ((p->pmu.select[n] & EVTSEL_EVENT) != 0)
            value |= BIT(n);
        interrupts = interrupts || (p->pmu.select[n] & EVTSEL_INT) != 0;
    }
    for (unsigned n = 0; n < p->fixed_counters; n++) {
        uint64_t ctrl = p->pmu.fixed_ctrl >> (4 * n);

        if ((ctrl & (FIXED_OS | FIXED_USR)) != 0)
            value |= BIT(32 + n);
        interrupts = interrupts || (ctrl & FIXED_PMI) != 0;
    }
    if (interrupts)
        value |= INUSE_PMI;
    if (p->pmu.inuse3)
        value |= BIT(3);
    if (!faults_rule(p->machine, INUSE_FROZEN, true))
        value &= ~p->pmu.frozen;
    return faults_inuse(p, value);
}
