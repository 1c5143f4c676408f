/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 counts while transactions commit, abort, find it short of overflow,
 * grow large, or exist in wrong speculation alone; in turn with each window the
 * same without its XBEGIN, as control. */
#include "src/harness/case.h"
#include "asm/rtm_store.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/provoke.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/probe.h"

#define LARGE       600 /* lines: more than a first-level cache of 32 KB */
#define LARGE_EVERY 8   /* rounds for one that takes so long */

struct work {
    struct tsx_block block;
    unsigned times;
    bool transaction;
};

static void run_body(void *argument)
{
    struct work *w = argument;

    for (unsigned i = 0; i < w->times; i++)
        if (w->transaction)
            tsx_inside(&w->block);
        else
            tsx_outside(&w->block);
}

static void run_shadow(void *argument)
{
    const struct work *w = argument;

    for (unsigned i = 0; i < 2 * w->times; i++)
        rtm_shadow(w->transaction);
}

enum kind_index { COMMIT, ABORT, SHORT_OF, LINES, LARGE_ONES, SHADOW, KINDS };

static const struct kind {
    const char *what;
    const uint8_t *body; /* NULL: the speculation */
    unsigned count, every;
    enum provoked_from from;
} kinds[KINDS] = {
    [COMMIT] = {"transactions that commit", tsx_body_long, 0, 1, FROM_0},
    [ABORT] = {"transactions that abort", tsx_body_long_xabort, 0, 1, FROM_0},
    [SHORT_OF] = {"transactions, counter 3 short of overflow", tsx_body_long, 0,
                  1, SHORT_OF_IT},
    [LINES] = {"transactions of 8 lines", tsx_body_write_lines, 8, 1, FROM_0},
    [LARGE_ONES] = {"transactions of 600 lines", tsx_body_write_lines, LARGE,
                    LARGE_EVERY, FROM_0},
    [SHADOW] = {"XBEGIN in wrong speculation", NULL, 0, 1, FROM_0},
};

/* In one state of TSX_FORCE_ABORT. */
struct found {
    struct provoked kinds[KINDS], control;
    struct provoked_histogram histogram;
    uint64_t transactions;
};

/* Both states; a soak carries them from one repetition to the next. */
struct carried {
    struct found states[2];
};
_Static_assert(sizeof(struct carried) <= TEST_CARRIED_BYTES, "fits");

/* A window with transactions, then the same without. */
static bool try_both(struct test_context *t, const struct kind *kind,
                     unsigned turn, struct work *w, struct found *found)
{
    void (*run)(void *) = kind->body != NULL ? run_body : run_shadow;

    hw_poll();
    found->transactions += w->times;
    w->transaction = true;
    if (!provoke(t, turn, kind->from, run, w, &found->kinds[kind - kinds],
                 &found->histogram))
        return false;
    w->transaction = false;
    return provoke(t, turn, kind->from, run, w, &found->control, NULL);
}

/* So many windows of a few transactions; and, while there is time, of more. */
static bool run_kind(struct test_context *t, const struct kind *kind,
                     unsigned rounds, unsigned ms, struct found *found)
{
    struct work w = {.block = {.body = kind->body,
                               .argument = (uint64_t)(uintptr_t)test_buffer(t),
                               .count = kind->count},
                     .times = PROVOKE_FEW};
    uint64_t start = hw_ms();
    unsigned turn = 0;

    for (; turn < rounds; turn += kind->every)
        if (!try_both(t, kind, turn, &w, found))
            return false;
    for (; hw_ms() - start < ms; turn++) {
        w.times = provoke_more(w.times);
        if (!try_both(t, kind, turn, &w, found))
            return false;
    }
    return true;
}

/* All kinds in one state of TSX_FORCE_ABORT. */
static void run_kinds(struct test_context *t, const char *state, bool forced,
                      unsigned rounds)
{
    /* For each kind, and as much for its control: a million transactions in
     * all, where they take 100 ns. */
    const unsigned ms = forced ? 10 : 30;
    struct found *found = &((struct carried *)test_carried(t))->states[forced];
    const struct provoked *control = &found->control;
    bool promised = counter3_is_reliable(t);
    uint64_t wrong = 0, windows = 0, dropped = control->dropped;

    for (unsigned i = 0; i < KINDS; i++)
        if (!run_kind(t, &kinds[i], rounds, ms, found))
            return;
    for (unsigned i = 0; i < KINDS; i++) {
        const struct provoked *p = &found->kinds[i];
        provoke_report(t, promised, kinds[i].what, p);
        wrong += p->wrong;
        windows += p->rounds;
        dropped += p->dropped;
    }
    /* No transaction: an unexpected value may still be one of before. */
    provoke_report(t, promised, "no transactions", control);
    if (!promised)
        observe(t, "counter 3 wrong beside transactions", wrong, windows);
    provoke_report_values(t, &found->histogram, windows);
    windows_provoked(t, forced ? BESIDE_FORCED : BESIDE_TRANSACTIONS, wrong,
                     windows);
    if (!forced)
        windows_provoked(t, BESIDE_NOTHING, control->wrong, control->rounds);
    note(t,
         "%s: windows with transactions wrong in %lu of %lu, without in %u of "
         "%u; %lu transactions, counter 1 as twin, %lu windows dropped for an "
         "SMI",
         state, wrong, windows, control->wrong, control->rounds,
         found->transactions, dropped);
}

TEST(counter3_provoked,
     .asks = "Does counter 3 hold its registers, and count, while it counts "
             "beside transactions of many kinds?",
     .cite = "White paper 604224, section 1.2 and appendix A; erratum SKL179",
     /* The control of a thread has to be without the other's transactions. */
     .scope = THREADS_IN_TURN, .bound_ms = 1500,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 4})
{
    const uint64_t bit = TSX_FORCE_ABORT_RTM_FORCE_ABORT;
    unsigned rounds = (test_trials(t, 80, 20) + 4) / 5;
    uint64_t value;

    if (!rtm_usable(t) || !counters_claim(t))
        return;
    if (test_regime(t) != REGIME_B) {
        run_kinds(t, "TSX_FORCE_ABORT (10FH) as found", false, rounds);
        return;
    }
    if (force_abort_change(t, bit, 0, &value))
        run_kinds(t, "RTM_FORCE_ABORT = 0", false, rounds);
    if (force_abort_change(t, 0, bit, &value))
        run_kinds(t, "RTM_FORCE_ABORT = 1", true, rounds);
}
