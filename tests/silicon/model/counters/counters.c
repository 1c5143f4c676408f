/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counting: which counter takes which event, and overflow. */
#include "tests/silicon/model/counters/counters.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/events.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/overflow.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"

/*
 * The functions with a parameter `hooks` are compiled for machines that deviate
 * from the manual and for those that do not: a step asks some forty hooks.
 */
#define BOTH_WAYS   static inline __attribute__((always_inline))
#define HOLDS(rule) (!hooks || faults_rule(p->machine, rule, true))

#define WHOLE_FEW 8

BOTH_WAYS uint32_t in_cycles(const struct processor *p, uint64_t select,
                             bool *condition, uint32_t events,
                             const struct retirement *r, bool hooks)
{
    uint64_t taken = hooks ? faults_select(p, select) : select;
    uint32_t count;

    if ((taken & EVTSEL_EDGE) != 0 && !HOLDS(EDGE_OF_INVERTED))
        taken &= ~EVTSEL_INV;
    if (r->user && (taken & EVTSEL_CMASK) != 0 && !HOLDS(CMASK_IN_RING_3))
        taken -= UINT64_C(1) << 24;
    if ((r->user && !HOLDS(EDGE_IN_RING_3)) ||
        ((taken & EVTSEL_USR) == 0 && !HOLDS(EDGE_WITH_OS_ALONE)))
        taken &= ~EVTSEL_EDGE;
    count = events_in_cycles(taken, condition, events, r);
    return hooks ? faults_in_cycles(p, taken, events, count) : count;
}

/* IN_TX: transactional regions, of RTM and of HLE. */
BOTH_WAYS bool counts_here(const struct processor *p, uint64_t select,
                           const struct retirement *r, bool hooks)
{
    bool inside = r->in_tx;

    if ((p->tsx.hle && !HOLDS(IN_TX_HAS_ELISION)) ||
        (r->user && !HOLDS(RING3_IN_TX)) ||
        ((p->pt.ctl & RTIT_TRACE_EN) != 0 && r->branch != 0 &&
         !HOLDS(IN_TX_WHILE_TRACED)))
        inside = false;
    if ((select & EVTSEL_IN_TXCP) != 0 && !inside && !HOLDS(TXCP_OUTSIDE))
        return false;
    if ((select & EVTSEL_IN_TX) == 0 || (hooks && faults_count_outside(p)) ||
        ((select & EVTSEL_CMASK) != 0 && !HOLDS(IN_TX_WITH_CMASK)) ||
        ((select & EVTSEL_EDGE) != 0 && !HOLDS(IN_TX_WITH_EDGE)) ||
        ((select & EVTSEL_ANY) != 0 && !HOLDS(ANY_HAS_IN_TX)))
        return true;
    return inside == HOLDS(IN_TX_INSIDE);
}

BOTH_WAYS bool is_enabled_for(struct processor *p, unsigned n,
                              const struct retirement *r, bool hooks)
{
    uint64_t select = p->pmu.select[n];
    bool user = r->user;
    bool enabled;

    if ((p->pmu.asked & BIT(n)) == 0)
        return false;
    if (hooks)
        select = faults_quantity(
            p->machine, SELECT_OF_EVENT, (uint32_t)(select & EVTSEL_EVENT),
            faults_quantity(p->machine, SELECT_TAKEN, n, select));
    enabled = (select & EVTSEL_EN) != 0 && (p->pmu.global_ctrl & BIT(n)) != 0;
    if (!(hooks ? faults_enabled(p, n, enabled) : enabled))
        return false;
    if (hooks)
        user = faults_user(p, user, r->branch);
    if ((p->pebs.enable & BITS(31, 0) & BIT(n)) != 0 && !HOLDS(PEBS_HAS_IN_TX))
        select &= ~EVTSEL_IN_TX;
    if ((n == 3 && (p->tsx.force_abort & RTM_FORCE_ABORT) != 0 &&
         !HOLDS(FORCED_HAS_IN_TX)) ||
        ((select & EVTSEL_EVENT) == 0x3C && !HOLDS(CYCLES_HAVE_IN_TX)))
        select &= ~EVTSEL_IN_TX;
    if ((p->pmu.frozen & BIT(n)) != 0 || !counts_here(p, select, r, hooks))
        return false;
    if ((select & EVTSEL_INT) != 0 && r->user && !HOLDS(INT_KEEPS_LEVELS))
        return false;
    if (n == 2 &&
        (((select & EVTSEL_EVENT) == 0xD0 && !HOLDS(MEMORY_HAS_LEVELS)) ||
         ((select & EVTSEL_EVENT) == 0xB7 && !HOLDS(OFFCORE_HAS_LEVELS))))
        return true;
    if ((select & EVTSEL_PC) != 0 && !HOLDS(PIN_CONTROL_COUNTS))
        return false;
    if ((p->pebs.enable & BITS(31, 0) & BIT(n)) != 0 && !HOLDS(PEBS_HAS_LEVELS))
        return true;
    enabled = (select & (user ? EVTSEL_USR : EVTSEL_OS)) != 0;
    return hooks ? faults_level(p, select, user, enabled) &&
                       !errata_level(p, n, r)
                 : enabled;
}

/* FIXED_CTR_CTRL has four bits a counter: OS, USR, ANY, PMI. */
BOTH_WAYS bool is_fixed_enabled_for(const struct processor *p, unsigned n,
                                    const struct retirement *r, bool hooks)
{
    uint64_t ctrl = p->pmu.fixed_ctrl >> (4 * n);
    bool enabled = (p->pmu.global_ctrl & BIT(32 + n)) != 0;
    bool user = r->user;

    if ((p->pmu.asked & BIT(32 + n)) == 0)
        return false;
    if (hooks) {
        ctrl = faults_fixed_field(p, n, ctrl);
        user = faults_user(p, user, r->branch);
        enabled = faults_fixed_enabled(p, n, enabled);
        if ((ctrl & FIXED_PMI) != 0 && !HOLDS(FIXED_PMI_KEEPS_LEVELS))
            ctrl |= FIXED_USR;
        if ((ctrl & FIXED_ANY) != 0 && p->sibling == NULL &&
            !HOLDS(ANY_OF_ONE_THREAD))
            return false;
        if ((n == 1 && lbr_records(p) && !HOLDS(FIXED_1_BESIDE_LBRS)) ||
            (n == 2 && (p->pt.ctl & RTIT_TRACE_EN) != 0 &&
             !HOLDS(FIXED_2_TRACED)))
            return false;
    }
    return enabled && (p->pmu.frozen & BIT(32 + n)) == 0 &&
           (ctrl & (user ? FIXED_USR : FIXED_OS)) != 0;
}

/* An SMI in the window: its handler counts like any other code. */
static void count_smi(struct processor *p)
{
    static const struct retirement handler = {
        .instructions = 1283,
        .cycles = 4711,
    };

    p->pmu.smi_pending = false;
    p->smi_count++;
    if (p->cpu->as_sold)
        p->pmu.fixed_ctrl |= PMU_FIRMWARE;
    errata_smi(p);
    counters_retire(p, &handler);
}

/* Whole cycles of a slower clock; the remainder counts the next time. */
static uint32_t divide_clock(uint64_t *remainder, uint64_t add, uint64_t by)
{
    uint64_t sum = *remainder + add;
    uint32_t whole = 0;

    /* Mostly few, and QEMU divides slowly. */
    while (sum >= by && whole < WHOLE_FEW) {
        sum -= by;
        whole++;
    }
    if (sum >= by) {
        whole += (uint32_t)(sum / by);
        sum %= by;
    }
    *remainder = sum;
    return whole;
}

/* The event of its counter n, found when another is selected. */
static const struct event_row *own_event(struct processor *p, unsigned n,
                                         uint64_t select)
{
    struct selected *s = &p->pmu.selected[n];

    if (s->event == NULL || s->select != select)
        *s = (struct selected){select, events_find(p, select)};
    return s->event;
}

/* How often the event of counter n of a processor, maybe of another thread
 * than p, has happened on p. */
BOTH_WAYS uint32_t events_on(struct processor *p, struct processor *of,
                             unsigned n, const struct retirement *r,
                             const struct clocks *clocks, bool hooks)
{
    const struct machine *m = p->machine;
    bool precise = (of->pebs.enable & BITS(31, 0) & BIT(n)) != 0;
    uint64_t select = of->pmu.select[n] & (EVTSEL_UMASK2 | BITS(15, 0));
    const struct event_row *event;
    uint32_t count;

    if (hooks)
        select = faults_quantity(m, SELECTED, n, select);
    if (precise && !HOLDS(PEBS_HAS_UMASKS))
        select &= BITS(7, 0);
    event = p == of ? own_event(p, n, select) : events_find(of, select);
    if (event->only != 0 && (event->only >> n & 1) == 0)
        return 0;

    if (memory_is_event(event))
        count = memory_count(p, n, event, r->data, r->data_count);
    else if (offcore_is_event(event))
        count = offcore_count(p, n, event);
    else
        count = events_of(r, event, clocks);
    if (!hooks)
        return count;
    if (event->kind == EVENT_BRANCHES_MISPREDICTED && precise &&
        !HOLDS(PEBS_HAS_MISSES_ALONE))
        count = r->branch != 0;
    if (event->kind == EVENT_BRANCHES_MISPREDICTED &&
        (r->branch & INSTRUCTION_RETURN) != 0 && !HOLDS(RETURNS_ARE_MISSED))
        count = 0;
    if (event->kind == EVENT_BRANCHES_MISPREDICTED && r->user &&
        (r->branch & INSTRUCTION_CONDITIONAL) != 0 && !HOLDS(MISSES_IN_RING_3))
        count = 0;
    if (event->kind == EVENT_CYCLES && n == 1 && r->user &&
        !HOLDS(CYCLES_ON_1_RING_3))
        count = clocks->reference;
    if (event->kind == EVENT_BRANCHES_CONDITIONAL && r->user &&
        !HOLDS(CONDITIONAL_RING_3))
        count = 0;
    count = faults_events(p, event, r, errata_count(p, event, count));
    return count != 0
               ? (uint32_t)faults_quantity(m, COUNTED, (uint32_t)select, count)
               : 0;
}

/* One interrupt for counters that overflow together. */
static void raise_overflow_pmi(struct processor *p)
{
    if (!p->pmu.overflow_pmi)
        return;
    p->pmu.overflow_pmi = false;
    counters_raise_pmi(p);
}

/* AnyThread counters of the other thread: they collect it themselves. */
static void count_for_sibling(struct processor *p, const struct retirement *r,
                              const struct clocks *clocks)
{
    struct processor *to = p->sibling;
    const uint32_t fixed[FIXED_MAX] = {r->instructions, r->cycles,
                                       clocks->reference, clocks->slots};

    for (unsigned n = 0; n < to->counters; n++) {
        uint32_t count;

        if ((to->pmu.any & BIT(n)) == 0 ||
            !faults_any_level(to, is_enabled_for(to, n, r, true)))
            continue;
        count = events_on(p, to, n, r, clocks, true);
        count = in_cycles(p, to->pmu.select[n], &p->pmu.condition_of_sibling[n],
                          count, r, true);
        __atomic_fetch_add(&to->pmu.from_sibling[n], count, __ATOMIC_RELAXED);
    }
    for (unsigned n = 0; n < to->fixed_counters; n++)
        if ((to->pmu.any & BIT(32 + n)) != 0 &&
            is_fixed_enabled_for(to, n, r, true))
            __atomic_fetch_add(&to->pmu.from_sibling[COUNTERS_MAX + n],
                               fixed[n], __ATOMIC_RELAXED);
}

static uint32_t take_from_sibling(struct processor *p, unsigned n)
{
    if (p->pmu.from_sibling[n] == 0)
        return 0;
    return __atomic_exchange_n(&p->pmu.from_sibling[n], 0, __ATOMIC_RELAXED);
}

void counters_collect(struct processor *p)
{
    uint64_t status = p->pmu.global_status;

    if (p->pmu.any == 0)
        return;
    for (unsigned n = 0; n < p->counters; n++) {
        uint32_t count = take_from_sibling(p, n);

        if (count != 0)
            counters_add(p, n, count);
    }
    for (unsigned n = 0; n < p->fixed_counters; n++)
        counters_add_fixed(p, n, take_from_sibling(p, COUNTERS_MAX + n));
    if (!faults_rule(p->machine, ANY_OVERFLOWS, true))
        p->pmu.global_status = status;
    raise_overflow_pmi(p);
}

static bool sibling_watches(const struct processor *p)
{
    return p->sibling != NULL && p->sibling->pmu.any != 0;
}

bool counters_watch(const struct processor *p)
{
    return p->pmu.counting || sibling_watches(p);
}

static uint32_t fixed_events(const struct processor *p, unsigned n,
                             const struct retirement *r, uint32_t count)
{
    count = faults_fixed_count(p, n, r, count);
    if (r->user && n == 1 &&
        !faults_rule(p->machine, RING3_CYCLES_COUNT_ONCE, true))
        count++;
    if (n == 2 &&
        (p->pmu.fixed_ctrl >> 8 & (FIXED_OS | FIXED_USR)) == FIXED_OS &&
        !faults_rule(p->machine, REFERENCE_AT_RING_0, true))
        count = r->cycles;
    if (n == FIXED_SLOTS && r->user &&
        !faults_rule(p->machine, SLOTS_RING_3, true))
        count = r->cycles;
    if (r->user && n == 2 &&
        !faults_rule(p->machine, RING3_REFERENCE_CYCLES, true))
        count = 0;
    if (n == FIXED_SLOTS && (p->pmu.global_status & STATUS_CTR_FRZ) != 0 &&
        !faults_rule(p->machine, FREEZE_HAS_METRICS, true))
        count = 0; /* frozen, and the metrics are not */
    return count != 0
               ? (uint32_t)faults_quantity(p->machine, FIXED_COUNTED, n, count)
               : 0;
}

BOTH_WAYS void count_own(struct processor *p, const struct retirement *r,
                         const struct clocks *clocks, bool hooks)
{
    struct pmu_state *pmu = &p->pmu;
    uint32_t fixed[FIXED_MAX] = {r->instructions, r->cycles, clocks->reference,
                                 clocks->slots};

    p->pebs.of_abort = (r->tx_events & TX_EVENT_ABORTED) != 0;
    p->faults.of_branch = r->branch != 0;
    p->faults.of_user = r->user;
    if (pmu->smi_pending)
        count_smi(p);
    for (unsigned n = 0; n < p->counters; n++) {
        uint32_t count;

        if (!is_enabled_for(p, n, r, hooks) ||
            (hooks && faults_spares_own(p, n)))
            continue;
        count = events_on(p, p, n, r, clocks, hooks);
        count =
            in_cycles(p, pmu->select[n], &pmu->condition[n], count, r, hooks);
        if (n == 3 && pmu->stopped)
            count = 0; /* garbled */
        else if (hooks)
            count = faults_count(p, n, count);
        if (count != 0)
            counters_add(p, n, count);
    }
    if (hooks)
        faults_note_stores(p, r->data, r->data_count);
    if (hooks && is_fixed_enabled_for(p, 0, r, hooks))
        fixed[0] = errata_fixed0(p, fixed[0]);
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if (is_fixed_enabled_for(p, n, r, hooks))
            counters_add_fixed(
                p, n, hooks ? fixed_events(p, n, r, fixed[n]) : fixed[n]);
    if (((pmu->global_ctrl & CTRL_METRICS) != 0 ||
         !HOLDS(METRICS_NEED_ENABLE)) &&
        (is_fixed_enabled_for(p, FIXED_SLOTS, r, hooks) ||
         !HOLDS(METRICS_NEED_SLOTS)))
        metrics_count(p, r);
    if (hooks)
        faults_pebs_counted(p);
    raise_overflow_pmi(p);
}

void counters_retire(struct processor *p, const struct retirement *r)
{
    struct pmu_state *pmu = &p->pmu;
    struct clocks clocks;

    if (p->pebs.residual_in > 0)
        pebs_residual_step(p);
    counters_collect(p);
    if (!counters_watch(p))
        return;
    clocks.reference = divide_clock(&pmu->ref_remainder,
                                    (uint64_t)r->cycles * p->choices.ref_up,
                                    p->choices.ref_down);
    clocks.bus = divide_clock(&pmu->bus_remainder, clocks.reference,
                              msr_tsc_ratio(p)); /* event 3CH/01H */
    clocks.slots = r->cycles * p->cpu->slots_per_cycle;
    if (sibling_watches(p))
        count_for_sibling(p, r, &clocks);
    if (r->instructions != 0)
        p->pebs.latency = r->cycles;
    if (pmu->counting && deviates(p))
        count_own(p, r, &clocks, true);
    else if (pmu->counting)
        count_own(p, r, &clocks, false);
    p->offcore[0] = p->offcore[1] = 0;
    p->llc_references = p->llc_misses = 0;
}
