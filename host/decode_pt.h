/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.h - a raw stream of Intel Processor Trace as text or JSON. */
#ifndef HOST_DECODE_PT_H
#define HOST_DECODE_PT_H

#include "host/pt_clock.h"
#include "host/pt_input.h"
#include "host/pt_summary.h"
#include "src/pt/tsx_events.h"

#include <stdbool.h>
#include <stdio.h>

/* Of zeros: every packet, one a line, PADs by the run. */
struct decode_pt_options {
    bool tsx;     /* transitions of transactions, and what is wrong */
    bool count;   /* the number of each packet */
    bool summary; /* figures of the transitions */
    bool quiet;   /* these figures alone, and no complaint */
    bool json;    /* an object a line */
    bool time;    /* the TSC at each transition */
    bool has_to;  /* to: what begins before that offset */
    uint64_t from, to;
    const char *only; /* names, between commas; NULL: all */
    struct pt_clock_config clock;
    unsigned errata; /* of the processor that wrote it: pt_errata() */
};

/* The number of a name, not ended, of packets or transitions; -1: none. */
int decode_pt_name(const char *name, size_t length, bool transitions);

/* A bit for each that `only` names. */
uint64_t decode_pt_names(const struct decode_pt_options *options);

/* A line for an event, and one for its deviation, of which `input` has the
 * number. names: those that are asked for; clock: where there is time. */
void decode_pt_event(struct pt_input *input,
                     const struct decode_pt_options *options, uint64_t names,
                     const struct pt_tsx_event *event,
                     const struct pt_clock *clock, FILE *out);

/* Transitions in the bytes that the reader has passed over, where they are
 * certain; summary: NULL, it does not count them. */
void decode_pt_lost(struct pt_input *input,
                    const struct decode_pt_options *options, uint64_t names,
                    const struct pt_reader *reader, struct pt_summary *summary,
                    FILE *out);

/* Reads `in` in blocks, whatever the length. What is wrong with the packets
 * goes to the standard error, a line each, with `name` and the offset; then,
 * and where there is no packet or a deviation, false is returned. After a
 * thousand of these lines there is one more, with the number of others. A file
 * of perf (perf.data) is decoded CPU by CPU. Not checked: `out`. */
bool decode_pt(FILE *in, const char *name,
               const struct decode_pt_options *options, FILE *out);

#endif
