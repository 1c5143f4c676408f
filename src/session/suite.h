/* SPDX-License-Identifier: BSD-2-Clause */
/* suite.h - which tests a run makes, in which order. */
#ifndef SRC_SESSION_SUITE_H
#define SRC_SESSION_SUITE_H

#include "src/harness/case.h"
#include "src/options/options.h"

#define SUITE_TESTS_MAX  256
#define SUITE_NAME_BYTES 80

/* The tests asked for, each once, in the order of their names. A word of tests=
 * is a pattern of names, or a subject: a folder of src/cases/; parsers, those
 * that try the decoders; counter3, with all that its advice in the summary
 * rests on. A soak is of the provocations of counter 3 where nothing else is
 * asked for. They are repeated as a whole, a round each time. With a
 * microcode update there are two passes over all of that, one before it and one
 * after it, and the update itself is a result between them. Where the processor
 * is not Intel's, only what is asked for by name is tried. */
struct suite {
    const struct test *tests[SUITE_TESTS_MAX];
    unsigned count, rounds;
    bool foreign;              /* the processor is why there is none */
    const struct test *update; /* NULL: none is asked for */
    uint32_t revision; /* of the second pass; 0: the update is refused, and
                        * there is none */
};

/* What the results come to, over all rounds: a slot for each test, and with an
 * update one more for it and one for each test of the second pass. */
#define SUITE_SLOTS_MAX (2 * SUITE_TESTS_MAX + 1)

void suite_make(struct suite *out, const struct options *options);
/* Results in all. */
unsigned suite_results(const struct suite *suite);
/* Of the n-th result, from 0: its test, its slot, and its round, from 0. */
const struct test *suite_test(const struct suite *suite, unsigned n);
unsigned suite_slot(const struct suite *suite, unsigned n);
unsigned suite_round(const struct suite *suite, unsigned n);
bool suite_begins_round(const struct suite *suite, unsigned n);
unsigned suite_slots(const struct suite *suite);
const struct test *suite_slot_test(const struct suite *suite, unsigned slot);
/* Where the n-th is the update; where it is of the second pass. */
bool suite_is_update(const struct suite *suite, unsigned n);
bool suite_is_second(const struct suite *suite, unsigned n);
/* The name of the n-th result: the test's; "/round" where there is more than
 * one; "@revision" in the second pass. Returns out. */
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
