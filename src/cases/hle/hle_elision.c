/* SPDX-License-Identifier: BSD-2-Clause */
/* XACQUIRE elides locks, whatever instruction it prefixes, where HLE works:
 * enumerated, and with microcode from before October 2018. */
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"

#define ROUNDS 20

/* XACQUIRE begins a transaction whatever it prefixes; some abort for a reason
 * of their own. */
static void try_form(struct test_context *t, const struct hle_form *form,
                     unsigned tries, struct hle_tally *all)
{
    const struct hle_tally before = *all;

    for (unsigned i = 0; i < ROUNDS && all->elided == before.elided; i++) {
        hw_poll();
        hle_try(t, form, tries, all);
    }
    unsigned elided = all->elided - before.elided;
    check(t, elided != 0, "%s: %u of %u elided (XTEST inside); wanted some",
          form->name, elided, all->tried - before.tried);
}

#define TURNS  100 /* of the loop inside, some instructions each */
#define INSIDE (2 * TURNS)

static void run_section(void *argument)
{
    struct hle_block *block = argument;

    *(volatile uint32_t *)block->lock = 0;
    hle_xchg(block);
}

static void run_inner(void *argument)
{
    struct hle_block *block = argument;

    *(volatile uint32_t *)block->lock = 0;
    hle_inner(block);
}

/* A section that is elided is inside a transaction for IN_TX, too. */
static void count_inside(struct test_context *t, unsigned tries)
{
    const struct selects both = {
        .select = {EVENT_INST_RETIRED,
                   EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX}};
    struct hle_block block = {
        .lock = test_buffer(t), .turns = TURNS, .ask = hle_can_ask(t)};
    struct selects s;

    if (!block.ask || test_cpu(t)->perfmon_version < 2 ||
        test_cpu(t)->counters < SELECTS || !counters_claim(t))
        return;
    for (unsigned i = 0; i < tries; i++) {
        s = both;
        block.inside = 0;
        if (!selects_count(t, &s, run_section, &block))
            return;
        if (block.inside != 0)
            break;
    }
    if (block.inside != 0)
        check(t, s.got[1] >= TURNS && s.got[1] < s.got[0],
              "instructions of an elided critical section with %u turns of a "
              "loop: with IN_TX = 1 %lu are counted, of %lu in all; wanted at "
              "least %u, not all",
              TURNS, s.got[1], s.got[0], TURNS);
}

/* And where it aborts, by PAUSE after its loop, IN_TXCP leaves it out. */
static void count_aborted(struct test_context *t, unsigned tries)
{
    volatile uint64_t *lock = test_buffer(t);
    struct hle_block block = {.lock = lock, .turns = TURNS};
    struct selects s = {.got = {0}};

    if (!hle_can_ask(t) || test_cpu(t)->perfmon_version < 2 ||
        test_cpu(t)->counters < SELECTS || !counters_claim(t))
        return;
    for (unsigned i = 0; i < tries && s.got[1] < INSIDE; i++) {
        s = (struct selects){
            .select = {EVENT_INST_RETIRED,
                       EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                       EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TXCP}};
        lock[0] = lock[8] = 0;
        if (!selects_count(t, &s, run_inner, &block))
            return;
    }
    if (s.got[1] >= INSIDE)
        check_known(t, s.got[2] <= s.got[0] && s.got[0] - s.got[2] >= INSIDE,
                    ERRATUM_PMC2_OVER_ABORTS, s.got[2] > s.got[0],
                    "instructions of a critical section that aborts after %u "
                    "turns of a loop: %lu in all, IA32_PMC2 (C3H) with IN_TXCP "
                    "= 1 counted %lu; wanted %u fewer at least",
                    TURNS, s.got[0], s.got[2], INSIDE);
}

/* What is stored beside the lock, on its line: elided or not, or executed again
 * after an abort, it is stored once. */
static void check_line(struct test_context *t, unsigned tries, bool aborts)
{
    volatile uint64_t *lock = test_buffer(t);
    struct hle_block block = {.lock = lock,
                              .ask = aborts && hle_can_ask(t) ? 1 : 0};
    unsigned wrong = 0;

    for (unsigned i = 0; i < tries; i++) {
        hw_poll();
        lock[0] = lock[1] = block.data = 0;
        hle_line(&block);
        wrong += lock[0] != 0 || lock[1] != 1 || block.data != 1;
    }
    check(t, wrong == 0,
          "stores inside to the line of the lock, and to another, then %s: "
          "not made exactly once, %u of %u; the last left 0x%lx, 0x%lx",
          aborts ? "PAUSE" : "XRELEASE", wrong, tries, lock[1], block.data);
}

TEST(hle_elision,
     .asks =
         "Are locks elided between XACQUIRE and XRELEASE, and is all else as "
         "without them?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"HLE Software Interface\"; SDM 2, "
             "XACQUIRE/XRELEASE",
     .needs = {.regimes = REGIME_A, .features = NEED_INTEL | NEED_HLE})
{
    unsigned tries = probe_row_tries(t);
    struct hle_tally xchg = {0}, locked = {0};

    /* Set-up. */
    if (!hle_hints(t))
        return;

    /* Measured, and checked. */
    for (unsigned i = 0; i < HLE_FORMS; i++)
        try_form(t, &hle_forms[i], tries, i < HLE_FORMS_XCHG ? &xchg : &locked);
    WITH_PREFIX (t, "XACQUIRE XCHG")
        hle_check(t, &xchg);
    WITH_PREFIX (t, "XACQUIRE LOCK")
        hle_check(t, &locked);
    check_line(t, tries, false);
    check_line(t, tries, true);
    count_inside(t, tries);
    count_aborted(t, tries);
    note(t, "critical sections elided: XCHG %u of %u, LOCK %u of %u",
         xchg.elided, xchg.tried, locked.elided, locked.tried);
}
