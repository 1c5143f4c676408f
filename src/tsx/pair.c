/* SPDX-License-Identifier: BSD-2-Clause */
/* pair.c - two processors at once. */
#include "src/tsx/pair.h"

/* Of the TSC: seconds, on any processor there is. */
#define WAIT_TSC   (UINT64_C(1) << 33)
#define LOOK_EVERY 256 /* rounds between two looks at the TSC */

bool pair_wait(struct run *t, const struct pair *pair)
{
    uint64_t start = hw_tsc(), rounds = pair->rounds;

    while (pair->rounds < rounds + 2) {
        __asm__ volatile("pause");
        if (hw_tsc() - start > WAIT_TSC) {
            broken(t, "processor 1 makes no progress");
            return false;
        }
    }
    return true;
}

static void do_again(struct run *peer, struct pair *pair)
{
    uint64_t start = hw_ms();

    while (!pair->stop) {
        pair->again(peer, pair->argument);
        pair->rounds++;
        __asm__ volatile("pause");
        if (pair->rounds % LOOK_EVERY == 0 && hw_ms() - start > run_timeout_ms(peer) / 2) {
            broken(peer, "the boot processor did not end its part");
            return;
        }
    }
}

static void both(struct run *peer, void *argument)
{
    struct pair *pair = argument;

    if (run_processor(peer) != 0) {
        do_again(peer, pair);
        return;
    }
    if (pair_wait(peer, pair))
        pair->work(peer, pair->argument);
    pair->stop = true;
}

bool pair_run(struct run *t, struct pair *pair,
              void (*work)(struct run *t, void *argument),
              void (*again)(struct run *peer, void *argument), void *argument)
{
    bool set[HW_PROCESSORS_MAX] = {true, true};

    if (!hw_run_is_parallel()) {
        skip(t, "needs two processors at the same time; firmware lets jobs "
                "only follow one another");
        return false;
    }
    *pair = (struct pair){.work = work, .again = again, .argument = argument};
    bool ran = on_processors(t, set, both, pair);
    pair->stop = true;
    return ran && pair->rounds >= 2;
}
