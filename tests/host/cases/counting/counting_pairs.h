/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_pairs.h - two processors of which one does a thing again and again
 * while the other counts. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_PAIRS_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_PAIRS_H

#include "src/tsx/pair.h"
#include "tests/host/cases/counting/counting_rings.h"

#define FIXED(n) (PLACE_FIXED0 + (n))

/* At the start of the boot processor's buffer, in both cases. */
#define PAIR ((struct pair *)(void *)buffers[0])

static struct {
    uint32_t register_shared; /* a WRMSR of one writes the other's, too */
    uint64_t overflow_shared; /* places */
    bool clear_shared;        /* 390H */
    bool in_use_shared, ctrl_lost;
    uint64_t halted; /* places that count cycles while it is halted, */
    uint64_t rate;   /* one in so many of the TSC's */
    bool hangs;      /* processor 1 does nothing */
    bool counts;     /* of both, in each of its turns */
    bool at_ring3;   /* it was in its last turn */
    unsigned heard_sent;
    unsigned smi_at, zeros; /* an SMI at this write of 0 to 38FH, of so many */
} pair;

static const struct piece piece_own = {.instructions = 30, .jumps = 7};
static const struct piece piece_other = {.instructions = 200, .jumps = 66};

/* Processor 1, once; meanwhile what both do is counted here. */
static void step(void)
{
    if (PAIR->repeat == NULL || PAIR->stop)
        return;
    if (pair.hangs) {
        fake_tsc += UINT64_C(1) << 32;
        return;
    }
    pair.at_ring3 = false;
    fake_current = 1;
    PAIR->repeat(&all[1], PAIR->argument);
    fake_current = 0;
    PAIR->rounds++;
    const uint64_t enable = *msr(IA32_PERF_GLOBAL_CTRL);
    if (!pair.counts)
        return;
    run_piece(enable, &piece_own);
    if (pair.at_ring3) {
        run_beside(enable, &pieces_ring3[0]);
        run_beside(enable, &pieces_ring3[1]);
    } else {
        run_beside(enable, &piece_other);
    }
}

#endif
