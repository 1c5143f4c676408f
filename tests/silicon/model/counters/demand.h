/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demand.h - how closely a processor has to be watched at a privilege level,
 * for what is measured there.
 */
#ifndef SILICON_MODEL_COUNTERS_DEMAND_H
#define SILICON_MODEL_COUNTERS_DEMAND_H

#include "tests/silicon/model/machine.h"

enum demand {
    DEMAND_NONE,  /* nothing of it is counted */
    DEMAND_TOTAL, /* how many instructions it executes is enough */
    DEMAND_STEPS, /* each instruction */
};

/* So many instructions are executed there before a counter can overflow, at
 * least; 0: each has to be seen; UINT64_MAX: nothing is counted. */
uint64_t demand_left(const struct processor *p, bool user);

/* near: an overflow comes at its instruction, so that so many before it are
 * stepped. */
enum demand demand_of(uint64_t left, uint64_t near);

/* Where how many instructions it executes is not known: are cycles alone
 * counted there, so that the time that passes is enough? An overflow may come
 * late. */
bool demand_is_time(const struct processor *p, bool user);

/* Is something counted at one level alone? */
bool demand_tells_levels(const struct processor *p);

/* It has executed so many, of which nothing else is to be known. */
void demand_executed(struct processor *p, bool user, uint64_t instructions);

/* What a round of a loop is, at most. */
struct demand_round {
    uint64_t instructions, cycles, requests; /* of memory */
    /* Any other event that is told when it is over; 0: none is. */
    uint64_t others;
};

/* It runs by itself, and what it has done is counted then: so many rounds at
 * most, before a counter could overflow; 0: it has to be stepped. */
uint64_t demand_rounds(const struct processor *p, bool user,
                       const struct demand_round *round);
/* One without a branch: may it be counted, and traced, when it is over? */
bool demand_passes(const struct processor *p, bool user,
                   const struct demand_round *round);

#endif
