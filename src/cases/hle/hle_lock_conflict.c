/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor writes to the line of an elided lock, by plain stores that
 * leave the lock free: the elision aborts, and the section takes the lock. So
 * it is however the lock was taken, and with one inside another. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define TURNS     256 /* doubled until stores come in between, at most to: */
#define TURNS_MAX 65536u
#define WRITES    16 /* of processor 1 while a section runs: many */
#define SECTIONS  64 /* at most, for the tries in which they come */

static const struct row {
    const char *what;
    hle_region *region;
    bool same;  /* processor 1 stores to the lock itself, 0 */
    bool inner; /* or to the lock inside that one */
} rows[] = {
    {"stores beside the lock", hle_xchg, false, false},
    {"stores of 0 to the lock", hle_xchg, true, false},
    {"stores of 0 to a lock taken by LOCK ADD", hle_add, true, false},
    {"stores of 0 to a lock taken by LOCK CMPXCHG", hle_cmpxchg, true, false},
    {"stores of 0 to a lock inside another", hle_two, true, true},
};

/* At the start of the boot processor's buffer. */
struct watch {
    struct {
        volatile uint32_t lock, beside;
        char padding[56];
    } line[2]; /* of the lock, of the one inside */
    char padding[4096 - 128];
    struct pair pair;
    const struct row *row;
    unsigned tries;
    /* Of the sections while which many stores came; of all. */
    unsigned written, elided, tried;
};

static void store(struct test_context *peer, void *argument)
{
    struct watch *watch = argument;

    (void)peer;
    if (watch->row->same)
        watch->line[watch->row->inner].lock = 0;
    else
        watch->line[0].beside = (uint32_t)watch->pair.rounds;
}

static void run_sections(struct test_context *t, void *argument)
{
    struct watch *watch = argument;
    uint64_t turns = TURNS;

    (void)t;
    while (watch->written < watch->tries && watch->tried < SECTIONS) {
        struct hle_block block = {
            .lock = &watch->line[0].lock, .turns = turns, .ask = 1};
        watch->line[0].lock = watch->line[1].lock = 0;
        hw_poll();
        uint64_t before = watch->pair.rounds;
        watch->row->region(&block);
        bool many = watch->pair.rounds - before >= WRITES;
        watch->tried++;
        watch->written += many;
        watch->elided += many && block.inside != 0;
        if (!many && turns < TURNS_MAX)
            turns *= 2;
    }
}

/* A store may miss a section, but not all of so many miss all sections. */
static bool try_row(struct test_context *t, const struct row *row)
{
    struct watch *watch = test_buffer(t);

    *watch = (struct watch){.row = row, .tries = probe_row_tries(t)};
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
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        WITH_PREFIX (t, "%s", rows[i].what)
            if (!try_row(t, &rows[i]))
                return;
}
