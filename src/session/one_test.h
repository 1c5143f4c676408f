/* SPDX-License-Identifier: BSD-2-Clause */
/* one_test.h - runs a test on the processors that have what it needs. */
#ifndef SRC_SESSION_ONE_TEST_H
#define SRC_SESSION_ONE_TEST_H

#include "src/harness/jobs.h"
#include "src/options/options.h"
#include "src/report/ktap.h"

/* Verdicts and lines are in the contexts of jobs, and the MSRs are restored.
 * all: no processor is excluded by processors=. trials= and ht= are as the user
 * said. */
void one_test(struct jobs *jobs, const struct test *test, uint64_t seed,
              bool all, const struct options *options);

/* A line where the test took longer than it says of itself, on a bare machine:
 * in another, time is what the hypervisor makes it. */
void one_test_took(struct ktap *out, const struct jobs *jobs,
                   const struct test *test, const struct options *options,
                   uint64_t ms);

#endif
