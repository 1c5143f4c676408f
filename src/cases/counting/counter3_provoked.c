/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 counts, short of overflow, while transactions commit, abort, grow
 * large, or exist in wrong speculation alone; between them the same work
 * without transactions, as control. */
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
    bool transaction;
};

static void run_body(void *argument)
{
    struct work *w = argument;

    for (unsigned i = 0; i < 2; i++)
        if (w->transaction)
            tsx_inside(&w->block);
        else
            tsx_outside(&w->block);
}

static void run_shadow(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 4; i++)
        rtm_shadow();
}

static const struct kind {
    const char *what;
    const uint8_t *body; /* NULL: the speculation */
    unsigned count, every;
} kinds[] = {
    {"transactions that commit", tsx_body_long, 0, 1},
    {"transactions that abort", tsx_body_long_xabort, 0, 1},
    {"transactions of 8 lines", tsx_body_write_lines, 8, 1},
    {"transactions of 600 lines", tsx_body_write_lines, LARGE, LARGE_EVERY},
    {"XBEGIN in wrong speculation", NULL, 0, 1},
};

static bool run_kind(struct test_context *t, const struct kind *kind,
                     bool promised, unsigned rounds, struct provoked *control)
{
    struct work w = {.block = {.body = kind->body,
                               .argument = (uint64_t)(uintptr_t)test_buffer(t),
                               .count = kind->count}};
    struct provoked found = {0};

    for (unsigned i = 0; i < rounds; i += kind->every) {
        hw_poll();
        w.transaction = true;
        if (!provoke(t, i, kind->body != NULL ? run_body : run_shadow, &w,
                     &found))
            return false;
        w.transaction = false;
        if (kind->body != NULL && !provoke(t, i, run_body, &w, control))
            return false;
    }
    provoke_report(t, promised, kind->what, &found);
    return true;
}

/* All kinds in one state of TSX_FORCE_ABORT. */
static void run_kinds(struct test_context *t, const char *state,
                      unsigned rounds)
{
    bool promised = counter3_is_reliable(t);
    struct provoked control = {0};

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (!run_kind(t, &kinds[i], promised, rounds, &control))
            return;
    /* No transaction: an unexpected value may still be one of before. */
    provoke_report(t, promised, "no transactions", &control);
    note(t, "%s: %u rounds of each kind, counter 1 as twin", state, rounds);
}

TEST(counter3_provoked,
     .asks = "Does counter 3 hold its registers, and count, while it counts "
             "beside transactions of many kinds?",
     .cite = "White paper 604224, section 1.2 and appendix A; erratum SKL179",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 4})
{
    const uint64_t bit = TSX_FORCE_ABORT_RTM_FORCE_ABORT;
    unsigned rounds = (test_trials(t, 80, 20) + 4) / 5;
    uint64_t value;

    if (!rtm_usable(t) || !counters_claim(t))
        return;
    if (test_regime(t) != REGIME_B) {
        run_kinds(t, "TSX_FORCE_ABORT (10FH) as found", rounds);
        return;
    }
    if (force_abort_change(t, bit, 0, &value))
        run_kinds(t, "RTM_FORCE_ABORT = 0", rounds);
    if (force_abort_change(t, 0, bit, &value))
        run_kinds(t, "RTM_FORCE_ABORT = 1", rounds);
}
