/* SPDX-License-Identifier: BSD-2-Clause */
/* running.h - counters read while they count, before and after work. */
#ifndef SRC_COUNTING_RUNNING_H
#define SRC_COUNTING_RUNNING_H

#include "src/counting/bank.h"

/* By place. */
struct running {
    uint64_t before[PLACES_END], after[PLACES_END];
};

/* Reads them around counting_work(). They count already. */
void running_work(uint64_t places, struct running *r);

/* Each has gone on: counters of branches, the fixed ones; what they count is
 * more than the work's, for the reads are among it. */
void running_check(struct test_context *t, uint64_t places,
                   const struct running *r);

#endif
