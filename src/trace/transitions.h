/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transitions.h - the transitions that a trace shows, judged against those
 * that the workload is known to have made. Pure; over src/pt/.
 */
#ifndef SRC_TRACE_TRANSITIONS_H
#define SRC_TRACE_TRANSITIONS_H

#include "src/pt/tsx_events.h"

#define TRANSITIONS_MAX 16

struct transitions {
    /* Transitions and deviations in their order, without PT_STATE and
     * PT_OVERFLOW. */
    struct pt_tsx_event events[TRANSITIONS_MAX];
    unsigned count;  /* may be more than events[] */
    unsigned states; /* PT_STATE: PSB+ with MODE.TSX */
    unsigned inside; /* of them with InTX = 1, between a begin and its end */
    unsigned wrong; /* of them with an InTX that differs from the transitions */
    unsigned packets[PT_KINDS]; /* how many of each */
    /* The first result other than PT_OK, which is PT_END where all of it could
     * be read, and its place. Packets are counted after it too, events are
     * not. */
    enum pt_result end;
    uint64_t end_at;
};

/* Reads all of it, from a PSB on. */
void transitions_read(const uint8_t *bytes, size_t size,
                      struct transitions *out);

/* True where something from outside came between: packets were lost (OVF), or
 * the trace stopped and went on (SMI: TIP.PGE again). Then it says nothing
 * about the workload, which is to be tried again. */
bool transitions_disturbed(const struct transitions *seen);

/* A transition that has to be there. Its instruction is in [from, to]. */
struct transition_wanted {
    enum pt_transition transition;
    uint64_t from, to;
    uint64_t target; /* PT_ABORT */
};

/* NULL where it shows these transitions, in this order, and no others; else
 * what is wrong, and in *which the number of the event, from 0. */
const char *transitions_judge(const struct transitions *seen,
                              const struct transition_wanted wanted[],
                              unsigned count, unsigned *which);

/* The results of the conditional branches (TNT) in the packets from offset
 * `from` up to `to`, the oldest first in the lowest bit of *results; returns
 * how many, of which 64 are stored. */
unsigned transitions_branches(const uint8_t *bytes, size_t size, uint64_t from,
                              uint64_t to, uint64_t *results);

#endif
