/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor writes to the line of an elided lock, by plain stores that
 * leave the lock free: the elision aborts, and the section takes the lock. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define TURNS     256 /* doubled until stores come in between, at most to: */
#define TURNS_MAX 65536u
#define WRITES    16 /* of processor 1 while a section runs: many */
#define SECTIONS  64 /* at most, for the tries in which they come */

/* At the start of the boot processor's buffer. */
struct watch {
    volatile uint32_t lock, beside; /* one line */
    char padding[4088];
    struct pair pair;
    bool same; /* processor 1 stores to the lock itself, 0 */
    unsigned tries;
    /* Of the sections while which many stores came; of all. */
    unsigned written, elided, tried;
};

static void store(struct test_context *peer, void *argument)
{
    struct watch *watch = argument;

    (void)peer;
    if (watch->same)
        watch->lock = 0;
    else
        watch->beside = (uint32_t)watch->pair.rounds;
}

static void run_sections(struct test_context *t, void *argument)
{
    struct watch *watch = argument;
    uint64_t turns = TURNS;

    (void)t;
    while (watch->written < watch->tries && watch->tried < SECTIONS) {
        struct hle_block block = {
            .lock = &watch->lock, .turns = turns, .ask = 1};
        hw_poll();
        uint64_t before = watch->pair.rounds;
        hle_xchg(&block);
        bool many = watch->pair.rounds - before >= WRITES;
        watch->tried++;
        watch->written += many;
        watch->elided += many && block.inside != 0;
        if (!many && turns < TURNS_MAX)
            turns *= 2;
    }
}

/* A store may miss a section, but not all of so many miss all sections. */
static bool try_place(struct test_context *t, bool same)
{
    struct watch *watch = test_buffer(t);

    *watch = (struct watch){.same = same, .tries = probe_row_tries(t)};
    if (!pair_run(t, &watch->pair, run_sections, store, watch))
        return false;
    if (watch->written == 0)
        skip(t,
             "needs %u stores of processor 1 while a section runs; none of "
             "%u lasted so long",
             WRITES, watch->tried);
    else
        check(t, watch->elided != watch->written,
              "%u of %u critical sections were elided to their end, though "
              "processor 1 stored to the line %u times or more while each "
              "ran; wanted aborts",
              watch->elided, watch->written, WRITES);
    return true;
}

TEST(hle_lock_conflict,
     .asks = "Does a plain store of another processor to an elided lock abort "
             "the elision?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Hardware Lock Elision\"",
     .scope = WHOLE_MACHINE,
     .needs = {.regimes = REGIME_A,
               .features = NEED_INTEL | NEED_HLE | NEED_TWO_PROCESSORS})
{
    struct hle_tally plain = {0};

    /* Set-up: alone it is elided, or nothing is shown. */
    if (!hle_hints(t))
        return;
    hle_try(t, &hle_forms[0], probe_row_tries(t), &plain);
    if (plain.elided == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were", plain.tried);
        return;
    }

    /* Measured, and checked. */
    for (unsigned same = 0; same < 2; same++)
        WITH_PREFIX (t, "%s",
                     same != 0 ? "stores of 0 to the lock"
                               : "stores beside the lock")
            if (!try_place(t, same != 0))
                return;
}
