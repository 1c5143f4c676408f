/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * constraints.h - which general-purpose counters may count an event, and what
 * the event has to share with others. Pure: one table, and the rule of counter
 * 3 by regime.
 *
 * Of the tables of events of single processors only the rows that this project
 * uses are in it; they name a counter for a few more events. Whether an event
 * exists is not checked.
 */
#ifndef SRC_COUNTING_CONSTRAINTS_H
#define SRC_COUNTING_CONSTRAINTS_H

#include "src/cpu/regime.h"

/* What is to be counted, or to make records. */
struct event_wanted {
    uint64_t select; /* IA32_PERFEVTSELx; USR, OS, PC, INT, EN do not matter */
    bool precise;    /* IA32_PEBS_ENABLE[n] of its counter is set */
    uint64_t with;   /* value of the MSR that goes with it, if one does */
};

/* The counters as they are now. */
struct constraints_cpu {
    uint16_t family, model; /* DisplayFamily, DisplayModel */
    uint8_t core_type;      /* 0: not hybrid */
    unsigned counters;      /* there are PMC0 to PMC(counters - 1), up to 8 */
    unsigned fixed;         /* the first so many fixed ones may be used too */
    bool tsx;               /* HLE or RTM is enumerated */
    enum regime regime;     /* these three decide on counter 3 */
    bool rtm;
    uint64_t force_abort; /* TSX_FORCE_ABORT (10FH), 0 where there is none */
};

/* Counters in a set: PMCn is bit n, fixed counter n bit PLACE_FIXED + n. */
#define PLACE_FIXED 10
#define PLACES      13

/* Where an event can be counted. */
struct placement {
    unsigned counters; /* a set; 0: nowhere */
    bool alone;        /* all the other counters must be quiet */
    uint32_t msr;      /* 0, or one whose value belongs to this event: */
    uint64_t value;    /* another event needs the same, or another group */
};

#define CONSTRAINTS_WHY_BYTES 160

/* False where the event fits nowhere: then why[] says what it needs and why
 * that is not there, "needs counter 3 (MEM_TRANS_RETIRED.PRECISE_STORE), which
 * is not usable in regime B without RTM_FORCE_ABORT". */
bool constraints_find(const struct constraints_cpu *cpu,
                      const struct event_wanted *event, struct placement *out,
                      char why[CONSTRAINTS_WHY_BYTES]);

/* What identity and regime say; no fixed counters. */
struct constraints_cpu constraints_cpu_of(const struct identity *id,
                                          enum regime regime,
                                          uint64_t force_abort);

/* True where the manual promises that counter 3 works like the others:
 * everywhere but in regime B with RTM enumerated and RTM_FORCE_ABORT = 0 ("may
 * contain unexpected values"), and where no document describes the state
 * (regime E, contradictory, not Intel). White paper 604224, sections 1.2 and 2,
 * table 2.2-1. */
bool constraints_counter3(enum regime regime, bool rtm, uint64_t force_abort);

#endif
