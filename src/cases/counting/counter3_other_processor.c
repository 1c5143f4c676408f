/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 of a processor that runs no transactions, while another one runs
 * them all the time: the sibling on its core, where there is one. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/provoke.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/pair.h"
#include "src/tsx/rtm.h"

#define TURNS 64 /* of a plain loop, while counter 3 counts */

/* At the start of the boot processor's buffer. */
struct shared {
    struct pair pair;
    unsigned rounds;
    bool promised, failed;
    struct provoked found;
    unsigned committed; /* on processor 1 */
};

static void spin(void *argument)
{
    volatile unsigned turns = 0;

    (void)argument;
    while (turns < TURNS)
        turns++;
}

static void look(struct test_context *t, void *argument)
{
    struct shared *s = argument;

    if (!counters_claim(t)) {
        s->failed = true;
        return;
    }
    s->promised = counter3_is_reliable(t);
    for (unsigned i = 0; i < s->rounds && !s->failed; i++) {
        hw_poll();
        s->failed =
            !provoke(t, i, spin, NULL, &s->found) || !pair_wait(t, &s->pair);
    }
}

static void run_transactions(struct test_context *peer, void *argument)
{
    struct shared *s = argument;
    struct rtm_tally tally;

    (void)peer;
    rtm_try(1, &tally);
    s->committed += tally.committed;
}

TEST(counter3_other_processor,
     .asks = "Does counter 3 count while only another processor runs "
             "transactions?",
     .cite = "White paper 604224, section 1.2 and appendix A",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM |
                           NEED_TWO_PROCESSORS,
               .counters = 4})
{
    struct shared *s = test_buffer(t);
    uint64_t value;

    /* Set-up: the state of a driver that knows nothing of the bit. */
    if (test_regime(t) == REGIME_B &&
        !force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0, &value))
        return;
    if (!rtm_usable(t))
        return;
    *s = (struct shared){.rounds = (test_trials(t, 80, 20) + 4) / 5};

    /* Measured. */
    if (!pair_run(t, &s->pair, look, run_transactions, s) || s->failed)
        return;

    /* Check. */
    provoke_report(t, s->promised, "transactions of another processor",
                   &s->found);
    note(t, "processor 1 ran %lu transactions, %u of them committed",
         s->pair.rounds, s->committed);
}
