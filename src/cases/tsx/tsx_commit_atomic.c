/* SPDX-License-Identifier: BSD-2-Clause */
/* One processor commits the same number to eight lines, a greater one each
 * time; another reads first and last line in turn and may never see a smaller
 * number than before: a commit is seen as a whole. */
#include "src/harness/case.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"

#define LINES TSX_PUBLISHED
#define STEP  8 /* quadwords of a line */
#define READS 6
#define EVERY 16 /* rounds of PAUSE for a look, lest each transaction abort */

/* At the start of the boot processor's buffer. */
struct arena {
    volatile uint64_t line[LINES * STEP];
    uint64_t padding[512 - LINES * STEP];
    struct pair pair;
    unsigned tries;
    struct rtm_tally tally;
    uint64_t torn, whole;   /* looks of processor 1; whole: saw a new number */
    uint64_t before, after; /* of the first that was torn */
    uint64_t last;
};
_Static_assert(offsetof(struct arena, pair) == 4096, "a page of its own");

/* Loads stay in the order of the program, on any x86. */
static void look(struct test_context *peer, void *argument)
{
    struct arena *a = argument;
    uint64_t seen[READS];

    (void)peer;
    if (a->pair.rounds % EVERY != 0)
        return;
    for (unsigned i = 0; i < READS; i++)
        seen[i] = a->line[(i & 1) != 0 ? (LINES - 1) * STEP : 0];
    for (unsigned i = 1; i < READS; i++)
        if (seen[i] < seen[i - 1] && a->torn++ == 0) {
            a->before = seen[i - 1];
            a->after = seen[i];
        }
    a->whole += seen[READS - 1] != a->last;
    a->last = seen[READS - 1];
}

static void commit(struct test_context *t, void *argument)
{
    struct arena *a = argument;
    uint64_t number = 0;

    (void)t;
    for (unsigned i = 0; i < a->tries; i++) {
        const struct tsx_block block = {
            .body = (i & 1) != 0 ? tsx_body_publish_down : tsx_body_publish_up,
            .argument = (uint64_t)(uintptr_t)a->line,
            .count = ++number};
        hw_poll();
        probe_once(&block, 0, &a->tally);
    }
}

TEST(tsx_commit_atomic,
     .asks = "Does another processor see the stores of a transaction all at "
             "once?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"RTM Memory Ordering\" (\"appear to execute "
             "atomically\")",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    struct arena *a = test_buffer(t);

    /* Set-up. */
    if (!probe_set_up(t))
        return;
    *a = (struct arena){.tries = test_trials(t, 300, 20)};
    rtm_clear(&a->tally);

    /* Measured. */
    if (!pair_run(t, &a->pair, commit, look, a))
        return;

    /* Check. */
    WITH_PREFIX (t, "stores to 8 lines")
        probe_check(t, &a->tally);
    check(t, a->torn == 0,
          "stores to 8 lines: processor 1 saw a commit in part, %lu times; the "
          "first time number %lu in one line and then %lu, older, in the other",
          a->torn, a->before, a->after);
    note(t,
         "stores to 8 lines: %u of %u transactions committed; processor 1 "
         "looked %lu times and saw %lu numbers",
         a->tally.committed, a->tally.tried, a->pair.rounds, a->whole);
}
