/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor never sees an elided lock taken, and does see one that is
 * not elided. That it looks is no conflict: some locks are elided all the same.
 */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define TURNS 256

/* At the start of the boot processor's buffer. */
struct watch {
    volatile uint64_t lock;
    char padding[4088];
    struct pair pair;
    volatile uint64_t taken; /* times that processor 1 has read it so */
    unsigned tries;
    bool stuck; /* processor 1 did not go on */
    /* Of the trials; plain: without the prefixes. */
    unsigned elided, elided_seen, others, others_seen, plain_seen;
};

static void read_lock(struct test_context *peer, void *argument)
{
    struct watch *watch = argument;

    (void)peer;
    watch->taken += watch->lock != 0;
}

/* One critical section. True where processor 1 saw the lock taken. */
static bool run_section(struct test_context *t, struct watch *watch,
                        hle_region *region, struct hle_block *block)
{
    uint64_t taken = watch->taken;

    *block = (struct hle_block){.lock = &watch->lock, .turns = TURNS, .ask = 1};
    region(block);
    watch->stuck = !pair_wait(t, &watch->pair); /* else all it saw is counted */
    return watch->taken != taken;
}

static void run_sections(struct test_context *t, void *argument)
{
    struct watch *watch = argument;
    struct hle_block block;

    for (unsigned i = 0; i < watch->tries && !watch->stuck; i++) {
        hw_poll();
        watch->plain_seen += run_section(t, watch, hle_plain, &block);
        bool seen = run_section(t, watch, hle_xchg, &block);
        if (block.inside != 0) {
            watch->elided++;
            watch->elided_seen += seen;
        } else {
            watch->others++;
            watch->others_seen += seen;
        }
    }
}

/* The same with nobody that looks: how many are elided. */
static unsigned elided_alone(struct watch *watch)
{
    unsigned elided = 0;

    for (unsigned i = 0; i < watch->tries; i++) {
        struct hle_block block = {
            .lock = &watch->lock, .turns = TURNS, .ask = 1};
        hw_poll();
        hle_plain(&block);
        hle_xchg(&block);
        elided += block.inside != 0;
    }
    return elided;
}

TEST(hle_lock_unseen,
     .asks = "Does another processor see an elided lock as free all the time?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"HLE Software Interface\", \"Intel TSX Overview\"",
     .scope = WHOLE_MACHINE,
     .needs = {.regimes = REGIME_A,
               .features = NEED_INTEL | NEED_HLE | NEED_TWO_PROCESSORS})
{
    struct watch *watch = test_buffer(t);

    /* Set-up. */
    if (!hle_hints(t))
        return;
    *watch = (struct watch){.tries = probe_row_tries(t)};

    /* Measured. */
    if (!pair_run(t, &watch->pair, run_sections, read_lock, watch))
        return;

    /* Check. */
    if (watch->stuck)
        return;
    const unsigned alone = watch->elided != 0 ? 0 : elided_alone(watch);
    check(t, 2 * alone <= watch->tries,
          "0 of %u locks were elided while processor 1 read them, %u of %u "
          "alone; wanted some: what a section has only read others may read",
          watch->tries, alone, watch->tries);
    if (watch->elided == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were", watch->others);
        return;
    }
    check(t, watch->elided_seen == 0,
          "the lock was seen taken in %u of %u critical sections that were "
          "elided; wanted 0",
          watch->elided_seen, watch->elided);
    note(t,
         "processor 1 looked %lu times; lock seen taken in %u of %u elided "
         "critical sections, %u of %u others, %u of %u without the prefixes",
         watch->pair.rounds, watch->elided_seen, watch->elided,
         watch->others_seen, watch->others, watch->plain_seen, watch->tries);
}
