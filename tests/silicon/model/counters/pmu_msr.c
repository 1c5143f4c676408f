/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu_msr.c - reads and writes of the registers of the performance monitors. */
#include "tests/silicon/model/counters/pmu_msr.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/counters/overflow.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/pt/pt.h"

/* Which counters are enabled for some privilege level: bits as in
 * IA32_PERF_GLOBAL_CTRL. */
static uint64_t enabled_counters(const struct processor *p, uint64_t *any)
{
    const struct pmu_state *pmu = &p->pmu;
    uint64_t enabled = 0;

    *any = 0;
    for (unsigned n = 0; n < p->counters; n++) {
        if ((pmu->select[n] & EVTSEL_EN) != 0)
            enabled |= BIT(n);
        if ((pmu->select[n] & EVTSEL_ANY) != 0)
            *any |= BIT(n);
    }
    for (unsigned n = 0; n < p->fixed_counters; n++) {
        uint64_t ctrl = pmu->fixed_ctrl >> (4 * n);

        if ((ctrl & (FIXED_OS | FIXED_USR)) != 0)
            enabled |= BIT(32 + n);
        if ((ctrl & FIXED_ANY) != 0)
            *any |= BIT(32 + n);
    }
    return enabled & pmu->global_ctrl & ~pmu->frozen;
}

void pmu_update(struct processor *p)
{
    uint64_t any, enabled;

    p->pmu.frozen = counters_frozen(p);
    enabled = enabled_counters(p, &any);
    p->pmu.counting = enabled != 0;
    p->pmu.asked = deviates(p) ? UINT64_MAX : enabled;
    p->pmu.any = p->sibling == NULL || !pmu_has_any_thread(p)
                     ? 0
                     : enabled & faults_any(p, enabled, any);
    memory_update_watched(p);
}

/* Does the select wait for the next write of GLOBAL_CTRL? */
static bool select_is_late(struct processor *p, unsigned n, uint64_t value)
{
    bool at_once = faults_rule(p->machine, SELECT_AT_ONCE, true);

    if (((value ^ p->pmu.select[n]) & BITS(15, 8)) != 0)
        at_once = at_once && faults_rule(p->machine, UMASK_AT_ONCE, true);
    if ((p->pmu.global_ctrl & BIT(n)) == 0 || at_once)
        return false;
    p->faults.late_select[n] = value;
    p->faults.selects_late |= BIT(n);
    return true;
}

static void take_late_selects(struct processor *p)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((p->faults.selects_late & BIT(n)) != 0)
            p->pmu.select[n] = p->faults.late_select[n];
    p->faults.selects_late = 0;
}

static bool write_select(struct processor *p, unsigned n, uint64_t value)
{
    uint64_t writable = pmu_select_bits(p, n);

    if ((value & ~writable) != 0 && !faults_accept_evtsel(p)) {
        if (!faults_rule(p->machine, REFUSED_SELECT_KEPT, true))
            p->pmu.select[n] = value & writable;
        return false;
    }
    if (select_is_late(p, n, value & writable))
        return true;
    if ((value & EVTSEL_EN) != 0 && counter_counts(p, n) &&
        !faults_rule(p->machine, SELECT_KEEPS_COUNTER, true))
        p->pmu.counter[n] = 0;
    if (counter_counts(p, n) && !faults_rule(p->machine, INT_AT_ONCE, true))
        value = (value & ~EVTSEL_INT) | (p->pmu.select[n] & EVTSEL_INT);
    if (value == p->pmu.select[n] &&
        !faults_rule(p->machine, SELECT_KEEPS_STATUS, true))
        p->pmu.global_status &= ~BIT(n);
    p->pmu.select[n] = value & writable;
    p->pmu.condition[n] = false;
    if (n == 3)
        p->pmu.inuse3 = false;
    pmu_update(p);
    return true;
}

static void set_counter(struct processor *p, unsigned n, uint64_t value)
{
    const struct machine *m = p->machine;

    if ((counter_counts(p, n) && !faults_rule(m, TAKES_WHILE_COUNTING, true)) ||
        ((p->pmu.frozen & BIT(n)) != 0 &&
         !faults_rule(m, FROZEN_TAKES_WRITES, true)))
        return;
    if (value == 0 && !faults_rule(m, WRITE_MAKES_NO_OVERFLOW, true))
        p->pmu.global_status |= BIT(n);
    if (value == p->pmu.counter[n] && value > COUNTER_MASK / 2 &&
        !faults_rule(m, WRITE_OF_SAME, true))
        p->pmu.global_status |= BIT(n);
    if (!faults_rule(m, WRITE_KEEPS_CTRL, true))
        p->pmu.global_ctrl &= ~BIT(n);
    if (!faults_rule(m, WRITE_KEEPS_EN, true))
        p->pmu.select[n] &= ~EVTSEL_EN;
    p->pmu.counter[n] = p->faults.written[n] = value;
    if (n == 0)
        p->pebs.first = value;
    pebs_disarm(p, BIT(n));
}

/* Bit 31 is copied into all bits above it, up to the width. */
static void write_counter(struct processor *p, unsigned n, uint64_t value)
{
    uint64_t low = value & BITS(31, 0);

    if ((low & BIT(31)) != 0 && !faults_no_sign_extension(p, n))
        low |= COUNTER_MASK & ~BITS(31, 0);
    if (n == 3)
        p->pmu.stopped = false;
    if (!faults_write_counter(p, n, low, false))
        return;
    set_counter(p, n, low);
}

static bool write_counter_full(struct processor *p, unsigned n, uint64_t value)
{
    if ((value & ~COUNTER_MASK) != 0 && !faults_accept_wide(p))
        return false;
    if (n == 3)
        p->pmu.stopped = false;
    if (!faults_write_counter(p, n, value & COUNTER_MASK, true))
        return true;
    set_counter(p, n, value & COUNTER_MASK);
    return true;
}

/* A window opens when the first counter is enabled, closes with the last. */
static void window_opened_or_closed(struct processor *p, bool was_counting)
{
    struct pmu_state *pmu = &p->pmu;

    if (was_counting == pmu->counting)
        return;
    if (!pmu->counting) {
        pmu->smi_pending = false;
        return;
    }
    pmu->smi_pending = random_one_in(&p->random, p->machine->smi);
    faults_window_opened(p);
}

/* Counters go on from where they are. */
static void enables_change(struct processor *p, uint64_t was, uint64_t value)
{
    const struct machine *m = p->machine;
    uint64_t cleared = 0;

    if (!faults_rule(m, ENABLING_KEEPS_COUNTER, true))
        cleared = value & ~was;
    if (!faults_rule(m, DISABLING_KEEPS_COUNTER, true))
        cleared = was & ~value;
    if (!faults_rule(m, CTRL_KEEPS_ENABLED, true))
        cleared = was & value;
    if (!faults_rule(m, ENABLING_KEEPS_STATUS, true))
        p->pmu.global_status &= ~(value & ~was);
    take_late_selects(p);
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if ((cleared & BIT(n)) != 0)
            p->pmu.counter[n] = 0;
        if ((value & ~was & BIT(n)) != 0)
            p->faults.started[n] = p->pmu.counter[n];
    }
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if ((cleared & BIT(32 + n)) != 0)
            p->pmu.fixed[n] = 0;
    if (!faults_rule(m, CTRL_KEEPS_FROZEN, true))
        p->pmu.global_status &= ~STATUS_CTR_FRZ;
}

static bool write_global_ctrl(struct processor *p, uint64_t value)
{
    bool was_counting = p->pmu.counting;

    if ((value & ~pmu_counters_bits(p)) != 0 || faults_refuse_global_ctrl(p)) {
        if (!faults_rule(p->machine, REFUSED_CTRL_KEPT, true))
            p->pmu.global_ctrl = value & pmu_counters_bits(p);
        return false;
    }
    if (value != 0 && !faults_rule(p->machine, FIXED_STOP_ALONE, true))
        value |= p->pmu.global_ctrl & BITS(34, 33);
    enables_change(p, p->pmu.global_ctrl, value);
    if ((value & ~p->pmu.global_ctrl & BIT(32)) != 0)
        errata_fixed0_starts(p);
    p->pmu.global_ctrl = value;
    if (was_counting)
        pebs_disabled(p, p->pebs.armed & ~value);
    pmu_update(p);
    window_opened_or_closed(p, was_counting);
    return true;
}

static bool read_global(struct processor *p, uint32_t number, uint64_t *value)
{
    bool v4 = p->cpu->perfmon_version >= 4;

    switch (number) {
    case IA32_FIXED_CTR_CTRL:
        *value = p->pmu.fixed_ctrl;
        return true;
    case IA32_PERF_GLOBAL_STATUS:
        *value = p->pmu.global_status;
        if (!faults_rule(p->machine, STATUS_READ_KEEPS, true))
            p->pmu.global_status = 0;
        return true;
    case IA32_PERF_GLOBAL_CTRL:
        *value = p->pmu.global_ctrl;
        return !faults_refuse_global_ctrl(p);
    case IA32_PERF_GLOBAL_STATUS_RESET:
    case IA32_PERF_GLOBAL_STATUS_SET:
        *value = 0;
        return v4 || number == IA32_PERF_GLOBAL_STATUS_RESET;
    case IA32_PERF_GLOBAL_INUSE:
        *value = pmu_inuse(p);
        return v4;
    default:
        return false;
    }
}

static bool write_global(struct processor *p, uint32_t number, uint64_t value)
{
    bool v4 = p->cpu->perfmon_version >= 4;

    switch (number) {
    case IA32_FIXED_CTR_CTRL:
        if ((value & ~pmu_fixed_ctrl_bits(p)) != 0) {
            if (!faults_rule(p->machine, REFUSED_FIXED_KEPT, true))
                p->pmu.fixed_ctrl = value & pmu_fixed_ctrl_bits(p);
            return false;
        }
        if ((value & BITS(3, 0)) == 0 &&
            (p->pmu.fixed_ctrl & BITS(3, 0)) != 0 &&
            !faults_rule(p->machine, FIXED_STOPS_ALONE, true))
            p->pmu.fixed[1] = 0;
        if (p->pmu.counting &&
            !faults_rule(p->machine, FIXED_PMI_AT_ONCE, true))
            value = (value & ~UINT64_C(0x888)) | (p->pmu.fixed_ctrl & 0x888);
        p->pmu.fixed_ctrl = value;
        if (!faults_rule(p->machine, FIXED_CTRL_KEEPS_FIXED, true))
            p->pmu.fixed[0] = p->pmu.fixed[1] = p->pmu.fixed[2] = 0;
        break;
    case IA32_PERF_GLOBAL_CTRL:
        return write_global_ctrl(p, value);
    case IA32_PERF_GLOBAL_STATUS_RESET:
        if ((value & ~pmu_status_bits(p)) != 0) {
            if (!faults_rule(p->machine, REFUSED_STATUS_KEPT, true))
                p->pmu.global_status &= ~value;
            return false;
        }
        if ((value & p->pmu.global_status & STATUS_LBR_FRZ) != 0 &&
            !faults_rule(p->machine, LBR_SELECT_UNFROZEN, true))
            p->lbr.select = p->lbr.ctl = 0;
        if (!faults_rule(p->machine, RESET_OF_FIXED_ALONE, true))
            value |= value >> 32 & BITS(2, 0);
        if ((value & STATUS_DS_OVF) != 0)
            value =
                faults_quantity(p->machine, STATUS_RESET_62, ANY_NUMBER, value);
        if ((value & p->pmu.global_status & STATUS_CTR_FRZ) != 0 &&
            !faults_rule(p->machine, UNFREEZE_KEEPS_COUNTERS, true))
            __builtin_memset(p->pmu.counter, 0, sizeof(p->pmu.counter));
        if ((value & p->pmu.global_status & BITS(34, 0)) != 0 &&
            !faults_rule(p->machine, STATUS_RESET_IS_NO_PMI, true))
            p->pmu.pmi = true;
        if ((value & STATUS_CTR_FRZ) != 0 &&
            !faults_rule(p->machine, RESET_CLEARS_BOTH_FRZ, true))
            value &= ~STATUS_LBR_FRZ;
        p->pmu.global_status &=
            ~faults_quantity(p->machine, STATUS_RESET, ANY_NUMBER, value);
        break;
    case IA32_PERF_GLOBAL_STATUS_SET:
        /* Every bit but CondChgd can be set by software. */
        if (erratum_is(p, ERRATUM_SET_BIT_63))
            value &= ~STATUS_COND_CHG;
        if (!v4 ||
            (value & ~faults_quantity(p->machine, STATUS_SETTABLE, ANY_NUMBER,
                                      pmu_status_bits(p) & ~STATUS_COND_CHG)) !=
                0 ||
            ((value & STATUS_TOPA_PMI) != 0 &&
             erratum_is(p, ERRATUM_SET_BIT_55)))
            return false;
        p->pmu.global_status |=
            faults_quantity(p->machine, STATUS_SET, ANY_NUMBER, value);
        if ((value & (BITS(34, 0) | STATUS_DS_OVF)) != 0 &&
            !faults_rule(p->machine, STATUS_SET_IS_NO_PMI, true))
            counters_raise_pmi(p);
        if (!faults_rule(p->machine, SET_RUNS_ON, true))
            p->pmu.global_ctrl &= ~value;
        if (!faults_rule(p->machine, SET_FREEZES_AT_ONCE, true))
            return true;
        break;
    default:
        return false; /* STATUS and INUSE are read-only */
    }
    pmu_update(p);
    return true;
}

static bool is_absent_fixed(const struct processor *p, uint32_t number)
{
    return number == IA32_FIXED_CTR0 + p->fixed_counters &&
           !faults_rule(p->machine, ABSENT_FIXED_REFUSED, true);
}

bool counters_read(struct processor *p, uint32_t number, uint64_t *value)
{
    int n;

    number = pmu_named_before(p, number);
    counters_collect(p);
    if ((n = counter_of(p, number, IA32_PMC0)) >= 0) {
        *value = counter_extended(p, READ_ZERO_EXTENDED, p->pmu.counter[n]);
        if (!faults_rule(p->machine, READ_KEEPS_COUNTER, true))
            p->pmu.counter[n] = 0;
    } else if ((n = counter_of(p, number, IA32_A_PMC0)) >= 0) {
        *value = faults_read_wide(p, (unsigned)n, p->pmu.counter[n]);
    } else if ((n = counter_of(p, number, IA32_PERFEVTSEL0)) >= 0) {
        *value = (p->faults.selects_late & BIT(n)) != 0
                     ? p->faults.late_select[n]
                     : p->pmu.select[n];
    } else if (number >= IA32_FIXED_CTR0 &&
               number < IA32_FIXED_CTR0 + p->fixed_counters) {
        *value = p->pmu.fixed[number - IA32_FIXED_CTR0];
    } else if (number == IA32_PERF_METRICS && metrics_exist(p)) {
        *value = metrics_read(p, false);
        if (!faults_rule(p->machine, METRICS_KEPT_BY_RDMSR, true))
            metrics_write(p, 0);
    } else if (is_absent_fixed(p, number)) {
        *value = 0;
    } else {
        return read_global(p, number, value);
    }
    return true;
}

static bool write_register(struct processor *p, uint32_t number, uint64_t value)
{
    int n;

    if ((n = counter_of(p, number, IA32_PMC0)) >= 0) {
        write_counter(p, (unsigned)n, value);
        return true;
    }
    if ((n = counter_of(p, number, IA32_A_PMC0)) >= 0)
        return write_counter_full(p, (unsigned)n, value);
    if ((n = counter_of(p, number, IA32_PERFEVTSEL0)) >= 0)
        return write_select(p, (unsigned)n, value);
    if (number == IA32_PERF_METRICS && metrics_exist(p))
        return metrics_write(p, value);
    if (number >= IA32_FIXED_CTR0 &&
        number < IA32_FIXED_CTR0 + p->fixed_counters) {
        if ((value & ~COUNTER_MASK) != 0)
            return false;
        pebs_disarm(p, BIT(32 + number - IA32_FIXED_CTR0));
        if ((p->pmu.global_ctrl & BIT(32 + number - IA32_FIXED_CTR0)) == 0 ||
            faults_rule(p->machine, FIXED_TAKES_WHILE_COUNTING, true))
            p->pmu.fixed[number - IA32_FIXED_CTR0] = value;
        if (!faults_rule(p->machine, WRITE_KEEPS_FIELD, true))
            p->pmu.fixed_ctrl &=
                ~(BITS(3, 0) << (4 * (number - IA32_FIXED_CTR0)));
        return true;
    }
    if (is_absent_fixed(p, number))
        return true;
    return write_global(p, number, value);
}

bool counters_write(struct processor *p, uint32_t number, uint64_t value)
{
    bool good;

    number = pmu_named_before(p, number);
    counters_collect(p);
    good = write_register(p, number, faults_register_value(p, number, value));
    return faults_register_written(p, number, value, good);
}
