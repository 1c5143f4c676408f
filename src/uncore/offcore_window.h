/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcore_window.h - what a window's off-core requests count for on all
 * counters alike. An SMI in it begins it anew: SMM has requests of its own.
 */
#ifndef SRC_UNCORE_OFFCORE_WINDOW_H
#define SRC_UNCORE_OFFCORE_WINDOW_H

#include "asm/memory_windows.h"
#include "src/memory/lines.h"
#include "src/tsx/pair.h"
#include "src/uncore/offcore.h"

/* Of a count, both ends included. */
struct offcore_bounds {
    uint64_t least, most;
};

struct offcore {
    struct test_context *t;
    const struct offcore_table *table;
    unsigned n;                /* of MSR_OFFCORE_RSP_n and its event */
    unsigned counters;         /* IA32_PMC0 .. */
    const struct lines *lines; /* of the work */
    memory_window *window;     /* of the work, where it is one of these */
    const struct pair *pair;   /* the other thread, at work beside it */
    void (*work)(const struct offcore *o);
    struct offcore_bounds got; /* what the counters counted, least and most */
    unsigned repeated;         /* windows that an SMI hit */
};

/* Of LINES requests. A quarter more: page walks and prefetches may be counted
 * as reads. An eighth less: nothing explains it but an overlap of windows. */
#define OFFCORE_MOST   (LINES + LINES / 4)
#define OFFCORE_LEAST  (LINES - LINES / 8)
#define OFFCORE_LEVELS (IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR)

/* Fills it in for this processor, chooses its lines, and claims its counters,
 * those that count under the regime, for MSR_OFFCORE_RSP_0. False where it
 * could not (said). */
bool offcore_prepare(struct offcore *o, struct test_context *t,
                     struct lines *lines);

/* LINES reads of lines just flushed. */
void offcore_read_misses(const struct offcore *o);

/* Sets IA32_PERFEVTSELx of the counters; both: the two events in turns. False
 * where one faulted (said). */
bool offcore_program(const struct offcore *o, bool both, uint64_t levels);

/* One window with that work, from 0; o->got is what was counted. False where an
 * access faulted (said). */
bool offcore_window(struct offcore *o, void (*work)(const struct offcore *o));

#endif
