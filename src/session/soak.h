/* SPDX-License-Identifier: BSD-2-Clause */
/* soak.h - one test again and again, for a time, as one result. */
#ifndef SRC_SESSION_SOAK_H
#define SRC_SESSION_SOAK_H

#include "src/harness/jobs.h"
#include "src/options/options.h"
#include "src/report/ktap.h"
#include "src/report/summary.h"

struct soak {
    /* Asked. */
    uint64_t ms;                 /* 0: the test runs once */
    void (*tick)(void *context); /* called after each run */
    void *context;
    /* Found. */
    unsigned runs, observed;
    uint64_t took_ms;
    uint64_t seed; /* of the last run */
};

/* What a test carries begins anew. Runs it, with the next seed each time, until
 * the time is over or a run is SKIP, FAIL or ERROR; each run as one_test().
 * The contexts are those of the last run. */
void soak_run(struct soak *soak, struct jobs *jobs, const struct test *test,
              uint64_t seed, bool all, const struct options *options);

/* The line that closes it; found: the test's result. */
void soak_write(struct ktap *out, const struct soak *soak,
                const struct finding *found);

#endif
