/* SPDX-License-Identifier: BSD-2-Clause */
/* events.c - how often what a select names has happened. */
#include "tests/silicon/model/counters/events.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/counters/pmu_msr.h"

const struct event_row *events_find(const struct processor *p, uint64_t select)
{
    static const struct event_row none = {.kind = EVENT_NOTHING};
    const struct personality *cpu =
        faults_rule(p->machine, KIND_HAS_ITS_EVENTS, true) ? p->cpu
                                                           : p->machine->cpu;
    const unsigned umask =
        (unsigned)(select >> 8 & 0xFF) | (unsigned)(select >> 40 & 0xFF) << 8;

    for (size_t n = 0; n < cpu->event_rows; n++)
        if (cpu->events[n].event == (uint8_t)select &&
            cpu->events[n].umask == umask)
            return &cpu->events[n];
    return &none;
}

/* How often the event of this kind has happened. */
static uint32_t events_of_one(const struct retirement *r,
                              const struct event_row *event,
                              const struct clocks *clocks)
{
    bool conditional = (r->branch & INSTRUCTION_CONDITIONAL) != 0;

    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        return r->instructions;
    case EVENT_BRANCHES:
        return r->branch != 0;
    case EVENT_BRANCHES_CONDITIONAL:
        return conditional;
    case EVENT_BRANCHES_CONDITIONAL_TAKEN:
        return conditional && r->taken;
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
    case EVENT_BRANCHES_INDIRECT:
        return r->indirect;
    case EVENT_BRANCHES_MISPREDICTED:
        return r->mispredicted;
    case EVENT_CYCLES:
        return r->cycles;
    case EVENT_CYCLES_BUS:
        return clocks->bus;
    case EVENT_CYCLES_REFERENCE:
        return clocks->reference;
    case EVENT_SLOTS:
        return clocks->slots;
    case EVENT_RTM_RETIRED:
        return !r->hle && (r->tx_events & event->umask) != 0;
    case EVENT_HLE_RETIRED:
        return r->hle && (r->tx_events & event->umask) != 0;
    case EVENT_TX_MEM:
        return (r->tx_mem & event->umask) != 0;
    case EVENT_TX_CAPACITY:
        return (r->tx_mem & (TX_MEM_CAPACITY_WRITE | TX_MEM_CAPACITY_READ)) !=
               0;
    case EVENT_TX_EXEC:
        return (r->tx_exec & event->umask) != 0;
    default: /* memory_events.c; offcore.c */
        return 0;
    }
}

uint32_t events_of(const struct retirement *r, const struct event_row *event,
                   const struct clocks *clocks)
{
    bool is_sum =
        event->kind == EVENT_INSTRUCTIONS || event->kind == EVENT_CYCLES ||
        event->kind == EVENT_CYCLES_BUS ||
        event->kind == EVENT_CYCLES_REFERENCE || event->kind == EVENT_SLOTS;

    return events_of_one(r, event, clocks) *
           (r->rounds == 0 || is_sum ? 1 : r->rounds);
}

/* An instruction of c cycles is taken as one cycle in which all its events
 * happen and c - 1 in which none does; what takes no cycle is in one of its
 * own. "If counter-mask is programmed to zero, INV flag is ignored"; EDGE then
 * looks for any event at all. */
uint32_t events_in_cycles(uint64_t select, bool *condition, uint32_t count,
                          const struct retirement *r)
{
    uint64_t cmask = (select & EVTSEL_CMASK) >> 24;
    bool invert = cmask != 0 && (select & EVTSEL_INV) != 0;
    bool first, rest, before = *condition;

    if ((select & (EVTSEL_CMASK | EVTSEL_EDGE)) == 0)
        return count;
    if (r->rounds > 0) { /* of those only what is never so many (demand.c) */
        *condition = invert;
        return invert ? r->cycles : 0;
    }
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
