/* SPDX-License-Identifier: BSD-2-Clause */
/* pair.c - two processors at once. */
#include "src/tsx/pair.h"

/* Of the TSC: seconds, on any processor there is. */
#define WAIT_TSC    (UINT64_C(1) << 33)
#define CHECK_EVERY 256 /* rounds between two looks at the TSC */

bool pair_wait(struct test_context *t, const struct pair *pair)
{
    uint64_t start = hw_tsc(), rounds = pair->rounds;

    while (pair->rounds < rounds + 2) {
        __asm__ volatile("pause");
        if (hw_tsc() - start > WAIT_TSC) {
            broken(t, "processor %u makes no progress", pair->other);
            return false;
        }
    }
    return true;
}

static void repeat_until_stopped(struct test_context *peer, struct pair *pair)
{
    uint64_t start = hw_ms();

    while (!pair->stop) {
        pair->repeat(peer, pair->argument);
        pair->rounds++;
        __asm__ volatile("pause");
        if (pair->rounds % CHECK_EVERY == 0 &&
            hw_ms() - start > test_timeout_ms(peer) / 2) {
            broken(peer, "the boot processor did not end its part");
            return;
        }
    }
}

static void pair_job(struct test_context *peer, void *argument)
{
    struct pair *pair = argument;

    if (test_processor(peer) != 0) {
        repeat_until_stopped(peer, pair);
        return;
    }
    if (pair_wait(peer, pair))
        pair->work(peer, pair->argument);
    pair->stop = true;
}

bool pair_run_beside(struct test_context *t, struct pair *pair, unsigned other,
                     void (*work)(struct test_context *t, void *argument),
                     void (*repeat)(struct test_context *peer, void *argument),
                     void *argument)
{
    bool set[HW_PROCESSORS_MAX] = {true};

    if (!hw_run_is_parallel()) {
        skip(t, "needs two processors at the same time; firmware lets jobs "
                "only follow one another");
        return false;
    }
    set[other] = true;
    *pair = (struct pair){
        .work = work, .repeat = repeat, .argument = argument, .other = other};
    bool ran = on_processors(t, set, pair_job, pair);
    pair->stop = true;
    return ran && pair->rounds >= 2;
}

bool pair_run(struct test_context *t, struct pair *pair,
              void (*work)(struct test_context *t, void *argument),
              void (*repeat)(struct test_context *peer, void *argument),
              void *argument)
{
    return pair_run_beside(t, pair, 1, work, repeat, argument);
}
