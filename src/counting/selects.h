/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selects.h - counters each with a select of its own, over a piece of work or a
 * measured window. (The same event on all counters: counters.h.)
 */
#ifndef SRC_COUNTING_SELECTS_H
#define SRC_COUNTING_SELECTS_H

#include "src/harness/case.h"
#include "src/counting/counters.h"

#define SELECTS 3 /* counter 3 may be in use by microcode */

struct selects {
    uint64_t select[COUNTERS_MAX]; /* IA32_PERFEVTSELx but for USR, OS, EN */
    uint64_t got[COUNTERS_MAX];    /* what each counted, from 0 */
    unsigned repeated;             /* because of an SMI */
};

/* Runs work(argument) while IA32_PMC0 to IA32_PMC2 count, those there are; once
 * more where an SMI fell into it, so work() has to begin anew each time. Needs
 * counters_claim(). Work calls nothing of case.h that writes an MSR. False
 * where an access faulted or SMIs do not end (ERROR is said). */
bool selects_count(struct test_context *t, struct selects *s,
                   void (*work)(void *argument), void *argument);

/* The same around a window, which counts exactly, on the counters in `set`. */
bool selects_window(struct test_context *t, struct selects *s, unsigned set,
                    window_function *window);

#endif
