/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_summary.h - what a trace says of its transactions, in a few figures. */
#ifndef HOST_PT_SUMMARY_H
#define HOST_PT_SUMMARY_H

#include "src/pt/tsx_events.h"

#include <jansson.h>
#include <stdio.h>

/* A transactional region, by the address at which it begins. */
struct pt_region {
    uint64_t ip, begins, commits, aborts;
};

struct pt_summary {
    uint64_t begins, commits, aborts, states, overflows, deviations;
    uint64_t errors, lost_bytes; /* damage */
    /* Of transactions whose begin and end have a time. */
    uint64_t timed, ticks, ticks_aborted, begin_tsc;
    bool inside; /* begin_tsc is that of a transaction that goes on */
    struct pt_region *regions; /* a hash table */
    size_t region_count, region_room;
    bool full; /* no memory for more regions */
};

/* tsc: of the event; has_tsc: there is one. */
void pt_summary_event(struct pt_summary *summary,
                      const struct pt_tsx_event *event, bool has_tsc,
                      uint64_t tsc);

/* A result that is no packet; bytes: passed over. */
void pt_summary_error(struct pt_summary *summary, uint64_t bytes);

/* Prints it, a figure a line, and the regions with the most aborts. */
void pt_summary_print(struct pt_summary *summary, FILE *out);

/* The same as an object, with all regions. NULL: no memory. */
json_t *pt_summary_json(struct pt_summary *summary);

void pt_summary_free(struct pt_summary *summary);

#endif
