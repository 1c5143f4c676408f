/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - how often what a select names has happened.
 *
 * SDM volume 3B, "Architectural Performance Monitoring", figure "Layout of
 * IA32_PERFEVTSELx MSRs"; the events are the personality's.
 */
#ifndef SILICON_MODEL_COUNTERS_EVENTS_H
#define SILICON_MODEL_COUNTERS_EVENTS_H

#include "tests/silicon/model/counters/counters.h"

/* What EVTSEL[15:0] and UMASK2 select; EVENT_NOTHING if the processor does not
 * know. */
const struct event_row *events_find(const struct processor *p, uint64_t select);

/* Other clocks that pass with the cycles of a retirement. */
struct clocks {
    uint32_t reference, bus, slots;
};

/* How often it has, of what counts retired instructions, cycles and
 * transactions; 0 for events of memory: memory_events.h, offcore.h. */
uint32_t events_of(const struct retirement *r, const struct event_row *event,
                   const struct clocks *clocks);

/* The same by CMASK, INV and EDGE of the select. *condition: the edge
 * detector's last input. */
uint32_t events_in_cycles(uint64_t select, bool *condition, uint32_t count,
                          const struct retirement *r);

#endif
