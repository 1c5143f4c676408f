/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counting: which counter takes which event, and overflow. */
#include "tests/silicon/model/counters.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/instruction.h"
#include "tests/silicon/model/overflow.h"
#include "tests/silicon/model/pebs.h"
#include "tests/silicon/model/pmu_msr.h"

/* So many reference cycles are one of the bus clock, event 3CH/01H. */
#define BUS_RATIO 32

const struct event_row *counters_find_event(const struct processor *p,
                                            uint64_t select)
{
    static const struct event_row none = {.kind = EVENT_NOTHING};
    const struct personality *cpu = p->cpu;

    for (size_t n = 0; n < cpu->event_rows; n++)
        if (cpu->events[n].event == (uint8_t)select &&
            cpu->events[n].umask == (uint8_t)(select >> 8))
            return &cpu->events[n];
    return &none;
}

/* How often the event of this kind has happened. */
static uint32_t events_of_one(const struct retirement *r,
                              const struct event_row *event,
                              uint32_t bus_cycles)
{
    bool conditional = (r->branch & INSTRUCTION_CONDITIONAL) != 0;

    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        return r->instructions;
    case EVENT_BRANCHES:
        return r->branch != 0;
    case EVENT_BRANCHES_CONDITIONAL:
        return conditional;
    case EVENT_BRANCHES_CALL:
        return (r->branch & INSTRUCTION_CALL) != 0;
    case EVENT_BRANCHES_RETURN: /* near ones */
        return (r->branch & (INSTRUCTION_RETURN | INSTRUCTION_FAR)) ==
               INSTRUCTION_RETURN;
    case EVENT_BRANCHES_TAKEN: /* near ones */
        return r->branch != 0 && r->taken && (r->branch & INSTRUCTION_FAR) == 0;
    case EVENT_BRANCHES_NOT_TAKEN:
        return conditional && !r->taken;
    case EVENT_BRANCHES_FAR:
        return (r->branch & INSTRUCTION_FAR) != 0;
    case EVENT_BRANCHES_MISPREDICTED:
        return r->mispredicted;
    case EVENT_CYCLES:
        return r->cycles;
    case EVENT_CYCLES_BUS:
        return bus_cycles;
    case EVENT_RTM_RETIRED:
        return !r->hle && (r->tx_events & event->umask) != 0;
    case EVENT_HLE_RETIRED:
        return r->hle && (r->tx_events & event->umask) != 0;
    default: /* memory_events.c; offcore.c */
        return 0;
    }
}

static uint32_t events_of(const struct retirement *r,
                          const struct event_row *event, uint32_t bus_cycles)
{
    bool is_sum = event->kind == EVENT_INSTRUCTIONS ||
                  event->kind == EVENT_CYCLES ||
                  event->kind == EVENT_CYCLES_BUS;

    return events_of_one(r, event, bus_cycles) *
           (r->rounds == 0 || is_sum ? 1 : r->rounds);
}

/*
 * CMASK, INV and EDGE. An instruction of c cycles is taken as one cycle in
 * which all its events happen and c - 1 in which none does; what takes no cycle
 * is in one of its own. "If counter-mask is programmed to zero, INV flag is
 * ignored"; EDGE then looks for any event at all. *condition: the edge
 * detector's last input.
 */
static uint32_t apply_cmask(uint64_t select, bool *condition, uint32_t count,
                            const struct retirement *r)
{
    uint64_t cmask = (select & EVTSEL_CMASK) >> 24;
    bool invert = cmask != 0 && (select & EVTSEL_INV) != 0;
    bool first, rest, before = *condition;

    if ((select & (EVTSEL_CMASK | EVTSEL_EDGE)) == 0)
        return count;
    if (cmask == 0)
        cmask = 1;
    if (r->cycles == 0 && count == 0)
        return 0;
    if (count == r->cycles) { /* an event of every cycle */
        first = rest = (1 >= cmask) != invert;
    } else {
        first = (count >= cmask) != invert;
        rest = invert; /* 0 >= cmask is never true */
    }
    *condition = r->cycles > 1 ? rest : first;
    if ((select & EVTSEL_EDGE) == 0)
        return (first ? 1 : 0) + (rest && r->cycles > 1 ? r->cycles - 1 : 0);
    return (first && !before ? 1u : 0u) +
           (r->cycles > 1 && rest && !first ? 1u : 0u);
}

static uint32_t in_cycles(const struct processor *p, uint64_t select,
                          bool *condition, uint32_t events,
                          const struct retirement *r)
{
    uint64_t taken = faults_select(p, select);

    if ((taken & EVTSEL_EDGE) != 0 &&
        !faults_rule(p->machine, EDGE_OF_INVERTED, true))
        taken &= ~EVTSEL_INV;
    if (r->user && (taken & EVTSEL_CMASK) != 0 &&
        !faults_rule(p->machine, CMASK_IN_RING_3, true))
        taken -= UINT64_C(1) << 24;
    if (r->user && !faults_rule(p->machine, EDGE_IN_RING_3, true))
        taken &= ~EVTSEL_EDGE;
    return faults_in_cycles(p, taken, events,
                            apply_cmask(taken, condition, events, r));
}

/* IN_TX: transactional regions, of RTM and of HLE. */
static bool counts_here(const struct processor *p, uint64_t select,
                        const struct retirement *r)
{
    const struct machine *m = p->machine;
    bool inside = r->in_tx;

    if ((p->tsx.hle && !faults_rule(m, IN_TX_HAS_ELISION, true)) ||
        (r->user && !faults_rule(m, RING3_IN_TX, true)))
        inside = false;
    if ((select & EVTSEL_IN_TXCP) != 0 && !inside &&
        !faults_rule(m, TXCP_OUTSIDE, true))
        return false;
    if ((select & EVTSEL_IN_TX) == 0 || faults_count_outside(p) ||
        ((select & EVTSEL_CMASK) != 0 &&
         !faults_rule(m, IN_TX_WITH_CMASK, true)) ||
        ((select & EVTSEL_ANY) != 0 && !faults_rule(m, ANY_HAS_IN_TX, true)))
        return true;
    return inside == faults_rule(m, IN_TX_INSIDE, true);
}

static bool is_enabled_for(struct processor *p, unsigned n,
                           const struct retirement *r)
{
    uint64_t select;
    bool user;

    if ((p->pmu.asked & BIT(n)) == 0)
        return false;
    select = faults_quantity(p->machine, SELECT_TAKEN, n, p->pmu.select[n]);
    if (!faults_enabled(p, n,
                        (select & EVTSEL_EN) != 0 &&
                            (p->pmu.global_ctrl & BIT(n)) != 0))
        return false;
    user = faults_user(p, r->user, r->branch);
    if ((p->pebs.enable & BITS(3, 0) & BIT(n)) != 0 &&
        !faults_rule(p->machine, PEBS_HAS_IN_TX, true))
        select &= ~EVTSEL_IN_TX;
    if ((p->pmu.frozen & BIT(n)) != 0 || !counts_here(p, select, r))
        return false;
    if ((select & EVTSEL_INT) != 0 && r->user &&
        !faults_rule(p->machine, INT_KEEPS_LEVELS, true))
        return false;
    if ((select & EVTSEL_PC) != 0 &&
        !faults_rule(p->machine, PIN_CONTROL_COUNTS, true))
        return false;
    if ((p->pebs.enable & BITS(3, 0) & BIT(n)) != 0 &&
        !faults_rule(p->machine, PEBS_HAS_LEVELS, true))
        return true;
    return faults_level(p, select, user,
                        (select & (user ? EVTSEL_USR : EVTSEL_OS)) != 0) &&
           !errata_level(p, n, r);
}

/* FIXED_CTR_CTRL has four bits a counter: OS, USR, ANY, PMI. */
static bool is_fixed_enabled_for(const struct processor *p, unsigned n,
                                 const struct retirement *r)
{
    uint64_t ctrl;
    bool user;

    if ((p->pmu.asked & BIT(32 + n)) == 0)
        return false;
    ctrl = faults_fixed_field(p, n, p->pmu.fixed_ctrl >> (4 * n));
    user = faults_user(p, r->user, r->branch);
    return faults_fixed_enabled(p, n,
                                (p->pmu.global_ctrl & BIT(32 + n)) != 0) &&
           (p->pmu.frozen & BIT(32 + n)) == 0 &&
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

    *remainder = sum % by;
    return (uint32_t)(sum / by);
}

/* The event of its counter n, found when another is selected. */
static const struct event_row *own_event(struct processor *p, unsigned n,
                                         uint64_t select)
{
    struct selected *s = &p->pmu.selected[n];

    if (s->event == NULL || s->select != select)
        *s = (struct selected){select, counters_find_event(p, select)};
    return s->event;
}

/* How often the event of counter n of a processor, maybe of another thread
 * than p, has happened on p. */
static uint32_t events_on(struct processor *p, struct processor *of, unsigned n,
                          const struct retirement *r, uint32_t bus)
{
    const struct machine *m = p->machine;
    bool precise = (of->pebs.enable & BITS(3, 0) & BIT(n)) != 0;
    uint64_t select =
        faults_quantity(m, SELECTED, n, of->pmu.select[n] & BITS(15, 0));
    const struct event_row *event;
    uint32_t count;

    if (precise && !faults_rule(m, PEBS_HAS_UMASKS, true))
        select &= BITS(7, 0);
    event = p == of ? own_event(p, n, select) : counters_find_event(of, select);

    if (memory_is_event(event))
        count = memory_count(p, n, event, r->data, r->data_count);
    else if (offcore_is_event(event))
        count = offcore_count(p, n, event);
    else
        count = errata_count(p, event, events_of(r, event, bus));
    count = faults_events(p, event, r, count);
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
                              uint32_t ref, uint32_t bus)
{
    struct processor *to = p->sibling;
    const uint32_t fixed[FIXED_MAX] = {r->instructions, r->cycles, ref};

    for (unsigned n = 0; n < to->machine->counters; n++) {
        uint32_t count;

        if ((to->pmu.any & BIT(n)) == 0 ||
            !faults_any_level(to, is_enabled_for(to, n, r)))
            continue;
        count = events_on(p, to, n, r, bus);
        count = in_cycles(p, to->pmu.select[n], &p->pmu.condition_of_sibling[n],
                          count, r);
        __atomic_fetch_add(&to->pmu.from_sibling[n], count, __ATOMIC_RELAXED);
    }
    for (unsigned n = 0; n < FIXED_MAX; n++)
        if ((to->pmu.any & BIT(32 + n)) != 0 && is_fixed_enabled_for(to, n, r))
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
    if (p->pmu.any == 0)
        return;
    for (unsigned n = 0; n < p->machine->counters; n++) {
        uint32_t count = take_from_sibling(p, n);

        if (count != 0)
            counters_add(p, n, count);
    }
    for (unsigned n = 0; n < FIXED_MAX; n++)
        counters_add_fixed(p, n, take_from_sibling(p, COUNTERS_MAX + n));
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
    if (r->user && n == 2 &&
        !faults_rule(p->machine, RING3_REFERENCE_CYCLES, true))
        count = 0;
    return count != 0
               ? (uint32_t)faults_quantity(p->machine, FIXED_COUNTED, n, count)
               : 0;
}

static void count_own(struct processor *p, const struct retirement *r,
                      uint32_t ref, uint32_t bus)
{
    struct pmu_state *pmu = &p->pmu;
    uint32_t fixed[FIXED_MAX] = {r->instructions, r->cycles, ref};

    p->pebs.of_abort = (r->tx_events & TX_EVENT_ABORTED) != 0;
    p->faults.of_branch = r->branch != 0;
    p->faults.of_user = r->user;
    if (pmu->smi_pending)
        count_smi(p);
    for (unsigned n = 0; n < p->machine->counters; n++) {
        uint32_t count;

        if (!is_enabled_for(p, n, r) || faults_spares_own(p, n))
            continue;
        count = events_on(p, p, n, r, bus);
        count = in_cycles(p, pmu->select[n], &pmu->condition[n], count, r);
        if (n == 3 && pmu->stopped)
            count = 0; /* garbled */
        else
            count = faults_count(p, n, count);
        if (count != 0)
            counters_add(p, n, count);
    }
    faults_note_stores(p, r->data, r->data_count);
    if (is_fixed_enabled_for(p, 0, r))
        fixed[0] = errata_fixed0(p, fixed[0]);
    for (unsigned n = 0; n < FIXED_MAX; n++)
        if (is_fixed_enabled_for(p, n, r))
            counters_add_fixed(p, n, fixed_events(p, n, r, fixed[n]));
    raise_overflow_pmi(p);
}

void counters_retire(struct processor *p, const struct retirement *r)
{
    struct pmu_state *pmu = &p->pmu;
    uint32_t ref, bus;

    if (p->pebs.residual_in > 0)
        pebs_residual_step(p);
    counters_collect(p);
    if (!counters_watch(p))
        return;
    ref = divide_clock(&pmu->ref_remainder,
                       (uint64_t)r->cycles * p->choices.ref_up,
                       p->choices.ref_down);
    bus = divide_clock(&pmu->bus_remainder, ref, BUS_RATIO);
    if (sibling_watches(p))
        count_for_sibling(p, r, ref, bus);
    if (pmu->counting)
        count_own(p, r, ref, bus);
    p->offcore[0] = p->offcore[1] = 0;
    p->llc_references = p->llc_misses = 0;
}
