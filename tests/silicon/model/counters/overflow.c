/* SPDX-License-Identifier: BSD-2-Clause */
/* overflow.c - a counter goes on, overflows, interrupts, and what that freezes.
 */
#include "tests/silicon/model/counters/overflow.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define EVENT_OF_TX 0xC8u /* HLE_RETIRED; RTM_RETIRED is the next */

/* A PEBS counter's own interrupt waits until its record is written. */
static void counter_overflowed(struct processor *p, unsigned n)
{
    bool interrupt =
        faults_interrupts(p, n, (p->pmu.select[n] & EVTSEL_INT) != 0) &&
        ((p->pmu.select[n] & EVTSEL_IN_TX) == 0 ||
         faults_rule(p->machine, PMI_OF_IN_TX, true)) &&
        ((p->pmu.select[n] & EVTSEL_OS) != 0 ||
         faults_rule(p->machine, PMI_OF_USER_ALONE, true)) &&
        ((p->pmu.select[n] & EVTSEL_EVENT & ~BIT(0)) != EVENT_OF_TX ||
         faults_rule(p->machine, PMI_OF_TX_EVENTS, true));

    if (faults_pebs_enabled(p, n,
                            (p->pebs.enable & BITS(31, 0) & BIT(n)) != 0) &&
        pebs_makes_record(p, n))
        pebs_arm(p, n, interrupt);
    else if (interrupt)
        p->pmu.overflow_pmi = true;
}

/* Of counter n: what it goes on from, and what else becomes of it. */
static void after_overflow(struct processor *p, unsigned n, uint64_t status)
{
    const struct machine *m = p->machine;

    if (!faults_rule(m, OVERFLOW_KEEPS_REST, true) ||
        (n == 1 && !faults_rule(m, OVERFLOW_KEEPS_REST_1, true)))
        p->pmu.counter[n] = 0;
    if (!faults_rule(m, OVERFLOW_NOT_RELOADED, true))
        p->pmu.counter[n] = p->faults.written[n];
    if (!faults_rule(m, PMI_KEEPS_EN, true))
        p->pmu.select[n] &= ~EVTSEL_EN;
    if (!faults_rule(m, OVERFLOW_KEEPS_CTRL, true))
        p->pmu.global_ctrl &= ~BIT(n);
    if (p->sibling != NULL && !faults_rule(m, OVERFLOW_OF_THREAD, true))
        p->sibling->pmu.global_status |= BIT(n);
    if ((status & BIT(n)) != 0 && !faults_rule(m, PMI_THOUGH_STATUS_SET, true))
        p->pmu.overflow_pmi = false;
    pmu_update(p);
}

/* Does an overflow of a counter with this select set its status bit? */
static bool sets_status(const struct processor *p, uint64_t select)
{
    const struct machine *m = p->machine;

    return ((select & EVTSEL_CMASK) == 0 ||
            faults_rule(m, OVERFLOW_WITH_CMASK, true)) &&
           ((select & EVTSEL_EDGE) == 0 ||
            faults_rule(m, OVERFLOW_WITH_EDGE, true)) &&
           ((select & EVTSEL_IN_TX) == 0 ||
            faults_rule(m, OVERFLOW_OF_IN_TX, true)) &&
           (!p->faults.of_user || faults_rule(m, OVERFLOW_IN_RING_3, true)) &&
           ((p->pmu.global_status & BITS(62, 55)) == 0 ||
            faults_rule(m, OVERFLOW_BESIDE_OTHERS, true));
}

void counters_add(struct processor *p, unsigned n, uint32_t count)
{
    uint64_t old = p->pmu.counter[n], sum = faults_sum(p, n, old, old + count);
    uint64_t status = p->pmu.global_status;
    bool overflow;

    if (p->tsx.active && (old & BITS(31, 0)) + count > BITS(31, 0) &&
        !faults_rule(p->machine, CARRY_IN_TX, true))
        sum -= BIT(32);
    overflow = sum > COUNTER_MASK;

    if ((p->pebs.armed & BIT(n)) != 0)
        pebs_counted(p, n);
    p->pmu.counter[n] = sum & COUNTER_MASK;
    p->pmu.global_status |=
        faults_overflow(p, n,
                        overflow && sets_status(p, p->pmu.select[n])
                            ? faults_overflow_bits(p, n, BIT(n))
                            : 0,
                        &overflow);
    if (!overflow)
        return;
    if (p->pmu.counter[n] == 0 || faults_rule(p->machine, PMI_PAST_0, true))
        counter_overflowed(p, n);
    after_overflow(p, n, status);
}

/* With extended PEBS a fixed counter makes records as the others do. */
static void fixed_overflowed(struct processor *p, unsigned n, bool interrupt)
{
    if (((pebs_enabled(p) & BIT(n)) != 0 ||
         !faults_rule(p->machine, FIXED_NEED_ENABLE, true)) &&
        pebs_makes_record(p, n))
        pebs_arm(p, n, interrupt);
    else if (interrupt)
        p->pmu.overflow_pmi = true;
}

/* As an interrupt would, from version 4 on. */
static void freeze_unasked(struct processor *p)
{
    uint64_t debugctl = 0;

    msr_read(p, IA32_DEBUGCTL, &debugctl);
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0)
        p->pmu.global_status |= STATUS_CTR_FRZ;
    pmu_update(p);
}

void counters_add_fixed(struct processor *p, unsigned n, uint32_t count)
{
    uint64_t old = p->pmu.fixed[n],
             sum = faults_sum(p, 32 + n, old, old + count);
    bool interrupts = (p->pmu.fixed_ctrl >> (4 * n) & FIXED_PMI) != 0;

    if (count != 0 && (p->pebs.armed & BIT(32 + n)) != 0)
        pebs_counted(p, 32 + n);
    p->pmu.fixed[n] = sum & COUNTER_MASK;
    if (sum == COUNTER_MASK && faults_about(p->machine, FIXED_EARLY, n))
        p->pmu.global_status |= BIT(32 + n);
    if (sum <= COUNTER_MASK)
        return;
    if (!faults_rule(p->machine, FIXED_OVERFLOW_KEEPS_REST, true))
        p->pmu.fixed[n] = 0;
    if ((p->pmu.global_status & BIT(32 + n)) != 0 &&
        !faults_rule(p->machine, FIXED_PMI_THOUGH_SET, true))
        interrupts = false;
    if ((p->pmu.global_status & BITS(31, 0)) == 0 ||
        faults_rule(p->machine, FIXED_OVERFLOW_BESIDE, true))
        p->pmu.global_status |= faults_overflow_bits(p, 32 + n, BIT(32 + n));
    if (!interrupts && !faults_rule(p->machine, FIXED_FREEZE_ASKED, true))
        freeze_unasked(p);
    if ((p->pmu.fixed_ctrl >> (4 * n) & FIXED_OS) == 0 &&
        !faults_rule(p->machine, FIXED_PMI_OF_USER_ALONE, true))
        interrupts = false;
    if (n == 2 && p->faults.of_user &&
        !faults_rule(p->machine, FIXED_2_PMI_RING_3, true))
        interrupts = false;
    fixed_overflowed(p, 32 + n, faults_interrupts(p, 32 + n, interrupts));
}

/* SDM 3B, "Freezing LBR and Performance Counters on PMI": in the registers that
 * enable them up to version 3, by bits of the status from version 4 on. */
static void freeze_legacy(struct processor *p, uint64_t debugctl)
{
    if ((debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0)
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_LBR);
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0)
        p->pmu.global_ctrl = 0;
}

static void freeze_streamlined(struct processor *p, uint64_t debugctl)
{
    if ((debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0) {
        p->pmu.global_status |= STATUS_LBR_FRZ;
        p->faults.lbr_late =
            (unsigned)faults_quantity(p->machine, LBR_LATE, ANY_NUMBER, 0);
        p->faults.lbr_stuck = !faults_rule(p->machine, LBR_RESUMES, true);
    }
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0)
        p->pmu.global_status |= STATUS_CTR_FRZ;
}

/* Where a freeze is not the thread's own. */
static void freeze_sibling(struct processor *p, uint64_t debugctl)
{
    if (p->sibling == NULL ||
        (debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0 ||
        faults_rule(p->machine, FREEZE_OF_THREAD, true))
        return;
    if (p->cpu->perfmon_version >= 4)
        p->sibling->pmu.global_status |= STATUS_CTR_FRZ;
    else
        p->sibling->pmu.global_ctrl = 0;
    pmu_update(p->sibling);
}

uint64_t counters_frozen(const struct processor *p)
{
    bool topa = (p->pmu.global_status & STATUS_TOPA_PMI) != 0;

    if (topa && !faults_pt(p, PT_PMI_LETS_COUNT, true))
        return UINT64_MAX;
    if (p->cpu->perfmon_version < 4 ||
        (p->pmu.global_status & STATUS_CTR_FRZ) == 0 ||
        faults_counts_frozen(p) ||
        (topa && !faults_pt(p, PT_PMI_FREEZES, true)))
        return 0;
    if (!faults_rule(p->machine, FREEZE_HAS_PEBS, true))
        return ~p->pebs.enable;
    if (!faults_rule(p->machine, FREEZE_HAS_METRICS, true))
        return ~BIT(32 + FIXED_SLOTS);
    return faults_quantity(p->machine, COUNTERS_FROZEN, ANY_NUMBER,
                           erratum_is(p, ERRATUM_CTR_FRZ_4_TO_7) ? ~BITS(7, 4)
                                                                 : UINT64_MAX);
}

static void spoil_status(struct processor *p, uint64_t debugctl)
{
    const uint64_t overflows = p->pmu.global_status & BITS(34, 0);

    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0)
        return;
    if (!faults_rule(p->machine, FREEZE_KEEPS_OVERFLOWS, true))
        p->pmu.global_status &= ~(overflows & (overflows - 1));
    if (!faults_rule(p->machine, FREEZE_KEEPS_62, true))
        p->pmu.global_status &= ~STATUS_DS_OVF;
}

void counters_raise_pmi(struct processor *p)
{
    uint64_t debugctl = 0, ctrl = p->pmu.global_ctrl;

    p->pmu.pmi =
        !faults_hide_pmi(p) &&
        (!p->faults.of_user || faults_rule(p->machine, PMI_IN_RING_3, true));
    msr_read(p, IA32_DEBUGCTL, &debugctl);
    debugctl = faults_freezes(p, debugctl);
    if (p->faults.has_frozen && !faults_rule(p->machine, FREEZES_AGAIN, true))
        debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    p->faults.has_frozen = p->faults.has_frozen ||
                           (debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0;
    if ((debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0 &&
        !faults_rule(p->machine, BOTH_FREEZE, true))
        debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0 &&
        (p->pmu.global_status & BITS(34, 32)) != 0 &&
        !faults_rule(p->machine, BOTH_FREEZE_FIXED, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if ((p->pmu.global_status & STATUS_DS_OVF) != 0 &&
        (debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0 &&
        !faults_rule(p->machine, BOTH_FREEZE_AT_THRESHOLD, true))
        debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    if (p->tsx.active && !faults_rule(p->machine, LBR_FROZEN_IN_TX, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if (p->tsx.active && !faults_rule(p->machine, FREEZE_IN_TX, true))
        debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    if (p->faults.of_user && !faults_rule(p->machine, FREEZE_AT_RING_3, true))
        debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    if (p->faults.of_user &&
        !faults_rule(p->machine, LBR_FROZEN_AT_RING_3, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if ((p->pmu.global_status & BITS(31, 0)) == 0 &&
        !faults_rule(p->machine, LBR_FROZEN_BY_FIXED, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if ((p->pmu.global_status & STATUS_DS_OVF) != 0 &&
        !faults_rule(p->machine, LBR_FROZEN_BY_PEBS, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if ((p->pmu.global_status & BITS(31, 0)) > BIT(0) &&
        !faults_rule(p->machine, LBR_FROZEN_BY_ALL, true))
        debugctl &= ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    if (p->cpu->perfmon_version >= 4)
        freeze_streamlined(p, debugctl);
    else
        freeze_legacy(p, debugctl);
    spoil_status(p, debugctl);
    faults_frozen(p, debugctl, ctrl);
    freeze_sibling(p, debugctl);
    if (p->sibling != NULL && !faults_rule(p->machine, PMI_OF_THREAD, true))
        p->sibling->pmu.pmi = true;
    if (!faults_rule(p->machine, PMI_KEEPS_FREEZE_BIT, true))
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_FREEZE_PERFMON_ON_PMI);
    if (!faults_rule(p->machine, PMI_KEEPS_FREEZE_LBRS, true) &&
        msr_read(p, IA32_DEBUGCTL, &debugctl))
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_FREEZE_LBRS_ON_PMI);
    if (!faults_rule(p->machine, PMI_KEEPS_UNCORE_BIT, true))
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_UNCORE_PMI);
    pmu_update(p);
}
