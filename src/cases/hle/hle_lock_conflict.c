/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor writes to the line of an elided lock, by plain stores that
 * leave the lock free: the elision aborts, and the section takes the lock. So
 * it is however the lock was taken, with one inside another, and with other
 * lines that the section reads or writes. TX_MEM counts it as a conflict. */
#include "src/counting/counters.h"
#include "src/counting/events.h"
#include "src/counting/selects.h"
#include "src/cpu/generation.h"
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define TURNS     256 /* doubled until they come in between, at most to: */
#define TURNS_MAX 65536u
#define WRITES    16 /* accesses of processor 1 while a section runs: many */
#define SECTIONS  64 /* at most, for the tries in which they come */

/* What processor 1 does. */
enum access {
    STORE_BESIDE,
    STORE_LOCK,
    STORE_INNER, /* the lock inside that one */
    STORE_READ,  /* a line that the section reads, */
    STORE_WRITTEN,
    LOAD_WRITTEN, /* or writes */
};

static const struct row {
    const char *what;
    hle_region *region;
    enum access access;
} rows[] = {
    {"stores beside the lock", hle_xchg, STORE_BESIDE},
    {"stores of 0 to the lock", hle_xchg, STORE_LOCK},
    {"stores of 0 to a lock taken by LOCK ADD", hle_add, STORE_LOCK},
    {"stores of 0 to a lock taken by LOCK CMPXCHG", hle_cmpxchg, STORE_LOCK},
    {"stores of 0 to a lock inside another", hle_two, STORE_INNER},
    {"stores to a line that the section reads", hle_xchg, STORE_READ},
    {"stores to a line that the section writes", hle_xchg, STORE_WRITTEN},
    {"loads from a line that the section writes", hle_xchg, LOAD_WRITTEN},
};

/* At the start of the boot processor's buffer. */
struct watch {
    struct {
        volatile uint32_t lock, beside;
        char padding[56];
    } line[2]; /* of the lock, of the one inside */
    struct hle_block block;
    volatile uint64_t beside_far[7]; /* on the line of block.far */
    char padding[4096 - 320];
    struct pair pair;
    const struct row *row;
    unsigned tries;
    /* Of the sections while which many accesses came; of all. */
    unsigned written, elided, tried;
    unsigned changed; /* RAX, inside: an abort restores it */
    unsigned twice;   /* stores not made once: an abort undoes them */
    unsigned free;    /* the lock inside: RBX, which XCHG stores, is restored */
    struct selects selects;
    bool counted;
};
_Static_assert(offsetof(struct watch, block) % 64 == 0, "lines");
_Static_assert(offsetof(struct watch, pair) == 4096, "a page of its own");

static void access_line(struct test_context *peer, void *argument)
{
    struct watch *watch = argument;
    const uint64_t rounds = watch->pair.rounds;

    (void)peer;
    switch (watch->row->access) {
    case STORE_BESIDE:
        watch->line[0].beside = (uint32_t)rounds;
        break;
    case STORE_LOCK:
        watch->line[0].lock = 0;
        break;
    case STORE_INNER:
        watch->line[1].lock = 0;
        break;
    case STORE_READ:
        *(volatile uint64_t *)watch->block.between = rounds;
        break;
    case STORE_WRITTEN:
        watch->beside_far[0] = rounds;
        break;
    case LOAD_WRITTEN:
        (void)*(volatile uint64_t *)&watch->block.far;
        break;
    }
}

static void run_sections(void *argument)
{
    struct watch *watch = argument;
    uint64_t turns = TURNS;

    watch->tried = watch->written = watch->elided = watch->changed = 0;
    watch->twice = watch->free = 0;
    while (watch->written < watch->tries && watch->tried < SECTIONS) {
        watch->block = (struct hle_block){
            .lock = &watch->line[0].lock, .turns = turns, .ask = 1};
        watch->line[0].lock = watch->line[1].lock = 0;
        hw_poll();
        uint64_t before = watch->pair.rounds;
        watch->row->region(&watch->block);
        bool many = watch->pair.rounds - before >= WRITES;
        watch->tried++;
        watch->changed += watch->block.rax != HLE_RAX;
        watch->twice += watch->block.data != 1 || watch->block.far != 1;
        watch->free +=
            watch->row->access != STORE_LOCK && watch->block.seen != 1;
        watch->written += many;
        watch->elided += many && watch->block.inside != 0;
        if (!many && turns < TURNS_MAX)
            turns *= 2;
    }
}

static void count_sections(struct test_context *t, void *argument)
{
    const struct identity *id = test_cpu(t);
    struct watch *watch = argument;

    watch->selects =
        (struct selects){.select = {EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
                                    EVENT_HLE_RETIRED | UMASK_ABORTED}};
    if ((identity_generation(id) & (HASWELL | BROADWELL | SKYLAKE)) != 0 &&
        id->perfmon_version >= 2 && id->counters >= SELECTS &&
        counters_claim(t))
        watch->counted = selects_count(t, &watch->selects, run_sections, watch);
    else
        run_sections(watch);
}

/* One may miss a section, but not all of so many miss all sections. */
static bool try_row(struct test_context *t, const struct row *row)
{
    struct watch *watch = test_buffer(t);

    *watch = (struct watch){.row = row, .tries = probe_row_tries(t)};
    if (!pair_run(t, &watch->pair, count_sections, access_line, watch))
        return false;
    if (watch->written == 0)
        skip(t,
             "needs %u accesses of processor 1 while a section runs; none of "
             "%u lasted so long",
             WRITES, watch->tried);
    else
        check(t, watch->elided != watch->written,
              "%u of %u critical sections were elided to their end, though "
              "processor 1 did so %u times or more while each ran; wanted "
              "aborts",
              watch->elided, watch->written, WRITES);
    const uint64_t *got = watch->selects.got;
    if (watch->counted && watch->written != 0)
        check(t, 4 * got[0] >= got[1],
              "HLE_RETIRED (C8H) .ABORTED (04H) %lu, TX_MEM (54H) "
              ".ABORT_CONFLICT (01H) %lu; wanted a quarter at least in "
              "that, as others may abort by themselves",
              got[1], got[0]);
    check(t, watch->changed == 0,
          "RAX is not as before the XACQUIRE in %u of %u critical sections; "
          "wanted it so, aborted or not",
          watch->changed, watch->tried);
    check(t, watch->twice == 0,
          "stores inside were not made exactly once in %u of %u critical "
          "sections; wanted it, aborted or not",
          watch->twice, watch->tried);
    check_known(t, watch->free == 0, ERRATUM_HLE_OLD_VALUE, true,
                "the lock is not read as taken inside in %u of %u critical "
                "sections; wanted it so, elided or not",
                watch->free, watch->tried);
    return true;
}

TEST(hle_lock_conflict,
     .asks = "Does a plain store of another processor to an elided lock, or to "
             "what the section has read or written, abort the elision?",
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
