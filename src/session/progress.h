/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.h - how far a run is: a line of the report at least every ten
 * seconds, so that a slow run and a hung one can be distinguished.
 */
#ifndef SRC_SESSION_PROGRESS_H
#define SRC_SESSION_PROGRESS_H

#include "src/report/ktap.h"

/* A call comes at least every second (hw_poll()), a line in time all the same.
 */
#define PROGRESS_TICK_MS 9000

struct progress {
    struct ktap *out;
    unsigned test;        /* the one that runs, from 1; 0: none yet */
    uint64_t start, last; /* hw_ms() */
};

void progress_start(struct progress *progress, struct ktap *out);
/* "# tick 18 s: test 5" where one is due. progress: the struct. */
void progress_tick(void *progress);

#endif
