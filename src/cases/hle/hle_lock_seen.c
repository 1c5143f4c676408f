/* SPDX-License-Identifier: BSD-2-Clause */
/* Where no lock is elided, another processor sees it taken in the middle of the
 * critical section, with the prefixes as without them. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define TURNS  256
#define ENOUGH 20 /* seen without the prefixes, while never with them */
#define MOST   1000

/* At the start of the boot processor's buffer. */
struct watch {
    volatile uint64_t lock;
    char padding[4088];
    struct pair pair;
    volatile uint64_t taken;       /* times that processor 1 has read it so */
    unsigned tries, with, without; /* sections in which it was seen taken */
    bool stuck;
};

static void read_lock(struct test_context *peer, void *argument)
{
    struct watch *watch = argument;

    (void)peer;
    watch->taken += watch->lock != 0;
}

static bool run_section(struct test_context *t, struct watch *watch,
                        hle_region *region)
{
    struct hle_block block = {.lock = &watch->lock, .turns = TURNS};
    uint64_t taken = watch->taken;

    region(&block);
    watch->stuck = !pair_wait(t, &watch->pair);
    return watch->taken != taken;
}

/* Which of the two is seen hangs on when the other processor looks, too. */
static bool is_decided(const struct watch *watch)
{
    return watch->tries >= MOST || watch->with != 0 || watch->without >= ENOUGH;
}

static void run_sections(struct test_context *t, void *argument)
{
    const unsigned tries = probe_row_tries(t);
    struct watch *watch = argument;

    while ((watch->tries < tries || !is_decided(watch)) && !watch->stuck) {
        hw_poll();
        watch->tries++;
        watch->without += run_section(t, watch, hle_plain);
        watch->with += run_section(t, watch, hle_xchg);
    }
}

TEST(hle_lock_seen,
     .asks = "Does another processor see the lock taken where HLE is disabled "
             "or absent?",
     .cite = "White paper 604224, sections 1 and 2; SDM 1, \"Programming with "
             "Intel Transactional Synchronization Extensions\", \"HLE Software "
             "Interface\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_TWO_PROCESSORS})
{
    struct watch *watch = test_buffer(t);
    const struct identity *id = test_cpu(t);

    if (id->hle && !id->tsx_force_abort) {
        skip(t, "needs CPUID.07H.0:EDX[13] (TSX_FORCE_ABORT) = 1, or EBX[4] "
                "(HLE) = 0");
        return;
    }
    /* Set-up. */
    if (!hle_hints(t))
        return;
    *watch = (struct watch){0};

    /* Measured. */
    if (!pair_run(t, &watch->pair, run_sections, read_lock, watch) ||
        watch->stuck)
        return;

    /* Check: of many that it could see it has to see some. */
    if (watch->with == 0 && watch->without < ENOUGH) {
        skip(t,
             "the lock was seen taken in %u of %u critical sections without "
             "prefixes: too few",
             watch->without, watch->tries);
        return;
    }
    check(t, watch->with != 0,
          "the lock was seen taken in 0 of %u critical sections with XACQUIRE "
          "and XRELEASE, in %u of %u without: it is elided",
          watch->tries, watch->without, watch->tries);
    note(t,
         "the lock was seen taken in %u of %u critical sections with the "
         "prefixes, in %u of %u without",
         watch->with, watch->tries, watch->without, watch->tries);
}
