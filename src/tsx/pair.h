/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pair.h - the boot processor at work while another one does one thing again
 * and again. All waits are bounded.
 */
#ifndef SRC_TSX_PAIR_H
#define SRC_TSX_PAIR_H

#include "src/harness/case.h"

/* What both see; on cache lines of their own. */
struct pair {
    void (*work)(struct test_context *t, void *argument);
    void (*repeat)(struct test_context *peer, void *argument);
    void *argument;
    unsigned other; /* the processor that repeats */
    char padding0[64];
    volatile uint64_t rounds; /* times that `again` has returned */
    char padding1[64];
    volatile bool stop;
    char padding2[64];
};

/* work(t, argument) on the boot processor, once processor 1 runs; again(peer,
 * argument) on processor 1 until then, with PAUSE in between. t is a
 * WHOLE_MACHINE test's. False where one of them did not run: SKIP where jobs do
 * not overlap, else ERROR. */
bool pair_run(struct test_context *t, struct pair *pair,
              void (*work)(struct test_context *t, void *argument),
              void (*repeat)(struct test_context *peer, void *argument),
              void *argument);

/* The same with another processor than 1. */
bool pair_run_beside(struct test_context *t, struct pair *pair, unsigned other,
                     void (*work)(struct test_context *t, void *argument),
                     void (*repeat)(struct test_context *peer, void *argument),
                     void *argument);

/* Waits, on the boot processor, until `again` has begun and ended at least once
 * more. False where it did not: ERROR says so. */
bool pair_wait(struct test_context *t, const struct pair *pair);

#endif
