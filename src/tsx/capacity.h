/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capacity.h - how many lines a transaction can write, or read: a search, by
 * doubling and halving, for the size at which aborts begin.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * table "RTM Abort Status Definition" and "Runtime Considerations".
 */
#ifndef SRC_TSX_CAPACITY_H
#define SRC_TSX_CAPACITY_H

#include "src/tsx/probe.h"

struct capacity {
    /* Asked. */
    const char *what;    /* "stores to", "loads from" */
    const uint8_t *body; /* of asm/tsx_bodies.h: argument, count */
    uint64_t argument;
    bool stores;        /* tsx_body_write_lines: what is stored is checked */
    unsigned unit;      /* lines of one count of the body */
    unsigned units_max; /* not more than this is tried */
    unsigned fraction;  /* found to one part in so many; 0: exactly */

    /* Found. */
    unsigned good, bad;     /* units of which some committed, none committed */
    unsigned wrong;         /* lines that hold what they must not */
    struct rtm_tally above; /* of `bad` units */
};

/* Fills in what is found: good = units_max and bad = 0 where all commit. */
void capacity_find(struct test_context *t, struct capacity *c);

/* Checks it, and says the figure. Where there is a limit, one of the aborts
 * must have set EAX[3]; other traffic in the caches may show as conflicts
 * instead where `or_conflict`. */
void capacity_judge(struct test_context *t, const struct capacity *c,
                    bool or_conflict);

/* Half of what has committed, by this body of the same argument and count,
 * which XABORT ends: checks that nothing of it is left. */
void capacity_check_xabort(struct test_context *t, const struct capacity *c,
                           const uint8_t *body);

/* Where there is a limit: checks EAX after units_max of them in an inner
 * transaction, which is what this body makes of the same argument and count. */
void capacity_check_inner(struct test_context *t, const struct capacity *c,
                          const uint8_t *body, bool or_conflict);

#endif
