/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcore_window.h - what a window's off-core requests count for on all
 * counters alike. An SMI in it begins it anew: SMM has requests of its own.
 */
#ifndef SRC_UNCORE_OFFCORE_WINDOW_H
#define SRC_UNCORE_OFFCORE_WINDOW_H

#include "asm/memory_windows.h"
#include "src/tsx/pair.h"
#include "src/uncore/offcore.h"

struct lines;

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

/* Sets IA32_PERFEVTSELx of the counters; both: the two events in turns. False
 * where one faulted (said). */
bool offcore_program(const struct offcore *o, bool both, uint64_t levels);

/* One window with that work, from 0; o->got is what was counted. False where an
 * access faulted (said). */
bool offcore_window(struct offcore *o, void (*work)(const struct offcore *o));

#endif
