/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agreement.h - the trial that five tests share: all counters count the same
 * event over the same exact window, many times; each must count what the
 * reference counts, and the reference what the window holds.
 */
#ifndef SRC_COUNTING_AGREEMENT_H
#define SRC_COUNTING_AGREEMENT_H

#include "src/harness/case.h"

enum agreement_window {
    AGREEMENT_PLAIN,  /* no transactions */
    AGREEMENT_RTM,    /* two transactions in each window */
    AGREEMENT_FORCED, /* the same, and all must abort */
};

/* For instructions, branches and core cycles: test_trials(t, 1000, 1000)
 * windows on PMC0 to PMC(count - 1). The reference is what most of PMC0 to PMC2
 * count, and for core cycles the fixed counter, without one PMC0; the fixed
 * counter of instructions, which errata speak of, is one more witness. Counters
 * other than 3 that differ are FAIL, or KNOWN where an erratum says so, and
 * named; counter 3 is FAIL where counter3_promised, else OBSERVED. `least` is
 * the lowest counter that this test judges: 0, or 4 for the counters above 3
 * alone (then those below are noted, not judged, the reference apart). */
void agreement_run(struct test_context *t, enum agreement_window window,
                   unsigned count, bool counter3_promised, unsigned least);

#endif
