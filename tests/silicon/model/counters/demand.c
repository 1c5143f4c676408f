/* SPDX-License-Identifier: BSD-2-Clause */
/* demand.c - what counters and Processor Trace ask of a privilege level. */
#include "tests/silicon/model/counters/demand.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/events.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

/* In one go: their cycles are 32 bits. */
#define CHUNK_INSTRUCTIONS UINT64_C(1000000)

/* What is not counted at all. */
#define NEVER UINT64_MAX

/* each: events that are counted in a cycle, at most. */
static uint64_t left_of(const struct processor *p, uint64_t value,
                        unsigned each)
{
    return (COUNTER_MASK - (value & COUNTER_MASK)) / p->choices.cycles_other /
           each;
}

/* Of counter n, found as it counts or here. */
static const struct event_row *event_of(const struct processor *p, unsigned n)
{
    const struct selected *s = &p->pmu.selected[n];
    const uint64_t select = p->pmu.select[n] & (EVTSEL_UMASK2 | BITS(15, 0));

    return s->event != NULL && s->select == select && !deviates(p)
               ? s->event
               : events_find(p, select);
}

static bool counts_at(const struct processor *p, unsigned n, bool user)
{
    uint64_t select = p->pmu.select[n];

    return (select & EVTSEL_EN) != 0 && (p->pmu.global_ctrl & BIT(n)) != 0 &&
           (select & (user ? EVTSEL_USR : EVTSEL_OS)) != 0;
}

/* Two or more in a cycle, of what no cycle has two of, or any of what never
 * happens here: nothing is counted, or with INV each cycle. */
static bool is_never_reached(const struct processor *p, unsigned n)
{
    const uint64_t select = p->pmu.select[n];
    const enum event_kind kind = event_of(p, n)->kind;

    return (select & EVTSEL_CMASK) >> 24 > (kind == EVENT_NOTHING ? 0 : 1) &&
           (select & EVTSEL_EDGE) == 0 && kind <= EVENT_CYCLES;
}

/* PEBS looks at no instruction before its overflow. */
static bool has_conditions(const struct processor *p, unsigned n)
{
    uint64_t select = p->pmu.select[n];

    if (deviates(p) && ((p->pebs.enable & BIT(n)) != 0 ||
                        (select & (EVTSEL_CMASK | EVTSEL_INV)) != 0))
        return true;
    return (select & (EVTSEL_EDGE | EVTSEL_IN_TX | EVTSEL_IN_TXCP)) != 0 ||
           ((select & (EVTSEL_CMASK | EVTSEL_INV)) != 0 &&
            !is_never_reached(p, n));
}

/* As demand_left, of one counter. */
static uint64_t of_general(const struct processor *p, unsigned n, bool user)
{
    uint64_t select = p->pmu.select[n];

    if (!counts_at(p, n, user))
        return NEVER;
    if (has_conditions(p, n))
        return 0;
    if ((select & EVTSEL_INV) != 0)
        return left_of(p, p->pmu.counter[n], 1);
    switch (event_of(p, n)->kind) {
    case EVENT_NOTHING:
        return NEVER;
    case EVENT_INSTRUCTIONS:
    case EVENT_CYCLES:
    case EVENT_CYCLES_BUS:
    case EVENT_CYCLES_REFERENCE:
        return left_of(p, p->pmu.counter[n], 1);
    case EVENT_SLOTS:
        return left_of(p, p->pmu.counter[n], p->cpu->slots_per_cycle);
    default:
        return 0;
    }
}

static uint64_t of_fixed(const struct processor *p, unsigned n, bool user)
{
    if ((p->pmu.global_ctrl & BIT(32 + n)) == 0 ||
        (p->pmu.fixed_ctrl >> (4 * n) & (user ? FIXED_USR : FIXED_OS)) == 0)
        return NEVER;
    if ((pebs_enabled(p) & BIT(32 + n)) != 0 && deviates(p))
        return 0;
    return left_of(p, p->pmu.fixed[n],
                   n == FIXED_SLOTS ? p->cpu->slots_per_cycle : 1);
}

static bool is_traced(const struct processor *p, bool user)
{
    return pt_tracing(p) && (p->pt.ctl & (user ? RTIT_USER : RTIT_OS)) != 0;
}

/* Something is due besides what is counted and traced. */
static bool is_awaited(const struct processor *p)
{
    const struct processor *s = p->sibling;

    return p->pebs.armed != 0 || p->pebs.residual_in > 0 || p->pmu.pmi_again ||
           p->machine->uncore.counting || (s != NULL && s->pmu.any != 0);
}

/* Something besides counters looks at each instruction. */
static bool is_followed(const struct processor *p, bool user)
{
    return is_awaited(p) || is_traced(p, user) || lbr_records_at(p, user);
}

uint64_t demand_left(const struct processor *p, bool user)
{
    uint64_t left = NEVER, one;

    if (is_followed(p, user))
        return 0;
    if (!p->pmu.counting)
        return NEVER;
    for (unsigned n = 0; n < p->counters; n++)
        if ((one = of_general(p, n, user)) < left)
            left = one;
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if ((one = of_fixed(p, n, user)) < left)
            left = one;
    return left;
}

enum demand demand_of(uint64_t left, uint64_t near)
{
    if (left == NEVER)
        return DEMAND_NONE;
    return left > near ? DEMAND_TOTAL : DEMAND_STEPS;
}

bool demand_is_time(const struct processor *p, bool user)
{
    if (is_followed(p, user))
        return false;
    for (unsigned n = 0; n < p->counters; n++)
        if (counts_at(p, n, user)) {
            unsigned kind = event_of(p, n)->kind;

            if ((p->pebs.enable & BIT(n)) != 0 || has_conditions(p, n) ||
                (kind != EVENT_CYCLES && kind != EVENT_CYCLES_BUS &&
                 kind != EVENT_CYCLES_REFERENCE && kind != EVENT_SLOTS))
                return false;
        }
    return (pebs_enabled(p) & BITS(35, 32)) == 0 &&
           of_fixed(p, 0, user) == NEVER;
}

static bool is_one_of(uint64_t bits, uint64_t one, uint64_t other)
{
    return ((bits & one) != 0) != ((bits & other) != 0);
}

bool demand_tells_levels(const struct processor *p)
{
    for (unsigned n = 0; n < p->counters; n++)
        if ((p->pmu.select[n] & EVTSEL_EN) != 0 &&
            (p->pmu.global_ctrl & BIT(n)) != 0 &&
            is_one_of(p->pmu.select[n], EVTSEL_USR, EVTSEL_OS))
            return true;
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if ((p->pmu.global_ctrl & BIT(32 + n)) != 0 &&
            is_one_of(p->pmu.fixed_ctrl >> (4 * n), FIXED_USR, FIXED_OS))
            return true;
    return false;
}

void demand_executed(struct processor *p, bool user, uint64_t instructions)
{
    while (instructions > 0) {
        uint64_t some = instructions < CHUNK_INSTRUCTIONS ? instructions
                                                          : CHUNK_INSTRUCTIONS;
        struct retirement r = {
            .instructions = (uint32_t)some,
            .user = user,
            .cycles = (uint32_t)some * p->choices.cycles_other,
            .rounds = 1,
        };

        counters_retire(p, &r);
        instructions -= some;
    }
}

/* How often the event happens in a round; 0: it is not told in sums. */
static uint64_t events_in(const struct processor *p,
                          const struct event_row *event,
                          const struct demand_round *round)
{
    switch (event->kind) {
    case EVENT_NOTHING:
    case EVENT_INSTRUCTIONS:
        return round->instructions;
    case EVENT_CYCLES:
    case EVENT_CYCLES_BUS:
    case EVENT_CYCLES_REFERENCE:
        return round->cycles;
    case EVENT_SLOTS:
        return (uint64_t)round->cycles * p->cpu->slots_per_cycle;
    case EVENT_LLC_REFERENCES:
    case EVENT_LLC_MISSES:
        return round->requests;
    default:
        return event->kind < EVENT_CYCLES ? 1 : round->others; /* branches */
    }
}

static uint64_t events_in_counter(const struct processor *p, unsigned n,
                                  const struct demand_round *round)
{
    uint64_t select = p->pmu.select[n];

    if ((select & EVTSEL_INV) != 0 && is_never_reached(p, n))
        return round->cycles;
    return events_in(p, event_of(p, n), round);
}

static uint64_t rounds_left(uint64_t value, uint64_t events)
{
    return events == 0 ? 0 : (COUNTER_MASK - (value & COUNTER_MASK)) / events;
}

static uint64_t events_in_fixed(const struct processor *p, unsigned n,
                                const struct demand_round *round)
{
    if (n == 0)
        return round->instructions;
    return n == FIXED_SLOTS ? (uint64_t)round->cycles * p->cpu->slots_per_cycle
                            : round->cycles;
}

static bool has_details(const struct processor *p, unsigned n)
{
    const uint64_t details = EVTSEL_CMASK | EVTSEL_INV | EVTSEL_EDGE;

    return (p->pmu.select[n] & details) != 0 && !is_never_reached(p, n);
}

static uint64_t before_overflow(const struct processor *p, bool user,
                                const struct demand_round *round)
{
    uint64_t left = UINT64_MAX, one;

    if (deviates(p) || p->pmu.any != 0)
        return 0;
    for (unsigned n = 0; n < p->counters; n++) {
        if (of_general(p, n, user) == NEVER)
            continue;
        one = rounds_left(p->pmu.counter[n], events_in_counter(p, n, round));
        if (has_details(p, n))
            return 0;
        left = one < left ? one : left;
    }
    for (unsigned n = 0; n < p->fixed_counters; n++) {
        one = rounds_left(p->pmu.fixed[n], events_in_fixed(p, n, round));
        if (of_fixed(p, n, user) != NEVER && one < left)
            left = one;
    }
    return left;
}

uint64_t demand_rounds(const struct processor *p, bool user,
                       const struct demand_round *round)
{
    return is_followed(p, user) ? 0 : before_overflow(p, user, round);
}

bool demand_passes(const struct processor *p, bool user,
                   const struct demand_round *round)
{
    return !is_awaited(p) && before_overflow(p, user, round) > 0;
}
