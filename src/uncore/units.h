/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * units.h - all counters of C-Boxes and of the ARB unit in one window, each by
 * a select of its own.
 */
#ifndef SRC_UNCORE_UNITS_H
#define SRC_UNCORE_UNITS_H

#include "src/uncore/uncore.h"

/* A register pair. */
struct uncore_unit {
    uint32_t select, counter;
    char name[40]; /* "C-Box 0, counter 1", "ARB unit, counter 0" */
};
#define UNCORE_UNITS_MAX (2 * UNCORE_BOXES_MAX + 2)

struct lines; /* what the work is on: src/memory/lines.h */

struct units {
    struct uncore_counters u; /* of uncore_claim() */
    struct lines *lines;
    struct uncore_unit unit[UNCORE_UNITS_MAX];
    unsigned count; /* the last two are the ARB unit's */
    /* Of the last window: cycles of the uncore's clock, and each count. */
    uint64_t clock;
    uint64_t got[UNCORE_UNITS_MAX];
};

/* Fills in the units, after uncore_claim(&s->u, ..). */
void units_list(struct units *s);

/* Each unit's select as given, its counter and the clock from 0, around
 * work(s->lines). False where an access faulted (ERROR is said). */
bool units_run(struct units *s, const uint64_t selects[UNCORE_UNITS_MAX],
               void (*work)(const struct lines *lines));

#endif
