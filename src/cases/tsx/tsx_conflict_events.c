/* SPDX-License-Identifier: BSD-2-Clause */
/* RTM_RETIRED and TX_MEM count transactions that another processor aborts. */
#include "src/counting/counters.h"
#include "src/counting/events.h"
#include "src/counting/selects.h"
#include "src/cpu/generation.h"
#include "src/harness/case.h"
#include "src/tsx/conflict.h"

#define TRIES 5

struct window {
    struct selects selects;
    bool counted;
};

static void measure(struct test_context *t, void (*work)(void *argument),
                    void *argument, void *measured)
{
    struct window *w = measured;

    w->counted =
        counters_claim(t) && selects_count(t, &w->selects, work, argument);
}

/* Two events, on counters 0 and 1. */
static bool count(struct test_context *t, struct conflict *c, uint64_t first,
                  uint64_t second, uint64_t got[2])
{
    struct window w = {.selects = {{first, second, 0}, {0}, 0}};

    c->measure = measure;
    c->measured = &w;
    if (!conflict_run(t, c) || !w.counted)
        return false;
    got[0] = w.selects.got[0];
    got[1] = w.selects.got[1];
    return true;
}

TEST(tsx_conflict_events,
     .asks = "Do RTM_RETIRED and TX_MEM count an abort by another processor, "
             "and as a conflict?",
     .cite = "SDM 3B, table \"Intel TSX Performance Events\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM |
                           NEED_TWO_PROCESSORS,
               .counters = 3})
{
    struct conflict c = {.what = "a store to a line of the read set",
                         .body = tsx_body_hold_load,
                         .access = CONFLICT_STORE,
                         .place = CONFLICT_SAME,
                         .tries = TRIES};
    const struct rtm_tally *tally = &c.tally;
    uint64_t got[2];

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    /* Measured, and checked. */
    if (!count(t, &c, EVENT_RTM_RETIRED | UMASK_ABORTED,
               EVENT_RTM_RETIRED | UMASK_COMMIT, got))
        return;
    conflict_judge(t, &c);
    check(t, got[0] == tally->aborted && got[1] == tally->committed,
          "RTM_RETIRED (C9H) .ABORTED (04H) %lu, .COMMIT (02H) %lu; wanted "
          "%u, %u",
          got[0], got[1], tally->aborted, tally->committed);
    if (!count(t, &c, EVENT_RTM_RETIRED | UMASK_ABORTED_MEM,
               EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS, got))
        return;
    check(t, 2 * got[0] >= tally->matched,
          "RTM_RETIRED (C9H) .ABORTED_MEM (08H) %lu, .ABORTED_EVENTS (80H) "
          "%lu, of %u aborts with EAX[2] (conflict); wanted most in the first",
          got[0], got[1], tally->matched);
    if ((identity_generation(test_cpu(t)) & TX_MEM_LISTED) == 0)
        return;
    if (!count(t, &c, EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
               EVENT_TX_MEM | UMASK_ABORT_CAPACITY, got))
        return;
    check(t, 2 * got[0] >= tally->matched && 2 * got[1] <= tally->matched,
          "TX_MEM (54H) .ABORT_CONFLICT (01H) %lu, .ABORT_CAPACITY (02H) %lu, "
          "of %u aborts with EAX[2] (conflict); wanted most in the first, and "
          "few in the second",
          got[0], got[1], tally->matched);
}
