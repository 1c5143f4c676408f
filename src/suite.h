/* SPDX-License-Identifier: BSD-2-Clause */
/* suite.h - which tests a run makes, in which order. */
#ifndef SRC_SUITE_H
#define SRC_SUITE_H

#include "src/case.h"
#include "src/options.h"

#define SUITE_TESTS_MAX  128
#define SUITE_NAME_BYTES 80

/* The tests asked for, by name; repeated as a whole, a round each time. */
struct suite {
    const struct test *tests[SUITE_TESTS_MAX];
    unsigned count, rounds;
};

void suite_make(struct suite *out, const struct options *options);
/* Results in all: count * rounds. The n-th, from 0, is tests[n % count]. */
unsigned suite_results(const struct suite *suite);
/* The name of the n-th result: the test's, and "/round" where there is more
 * than one. Returns out. */
const char *suite_name(const struct suite *suite, unsigned n,
                       char out[SUITE_NAME_BYTES]);
/* The seed of the n-th result's round: so that seed=THAT without repeats makes
 * the same run. */
uint64_t suite_seed(const struct suite *suite, unsigned n,
                    const struct options *options);
/* Calls say(context, pattern) for each pattern of tests= that fits no test. */
void suite_unmatched(const struct options *options,
                     void (*say)(void *context, const char *pattern),
                     void *context);

#endif
