/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting.h - the trial that five tests share: all counters count the same
 * event over the same exact window, many times; each must count what the
 * reference counts, and the reference what the window holds.
 */
#ifndef SRC_COUNTING_COUNTING_H
#define SRC_COUNTING_COUNTING_H

#include "src/harness/case.h"

enum counting_window {
    COUNTING_PLAIN,  /* no transactions */
    COUNTING_RTM,    /* two transactions in each window */
    COUNTING_FORCED, /* the same, and all must abort */
};

/* For instructions, branches and core cycles: run_trials(t, 1000, 1000) windows
 * on PMC0 to PMC(count - 1). The reference is the fixed counter of the event;
 * without one, PMC0. Counters other than 3 that differ are FAIL and named;
 * counter 3 is FAIL where firm3, else OBSERVED. `least` is the lowest counter
 * that this test judges: 0, or 4 for the counters above 3 alone (then those
 * below are noted, not judged, the reference apart). */
void counting_run(struct run *t, enum counting_window window, unsigned count,
                  bool firm3, unsigned least);

#endif
