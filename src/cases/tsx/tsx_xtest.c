/* SPDX-License-Identifier: BSD-2-Clause */
/* XTEST says in ZF whether a transaction runs. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"

#define RFLAGS_CF (1u << 0)
#define RFLAGS_ZF (1u << 6)
/* OF, SF, AF, PF and CF: cleared. */
#define RFLAGS_CLEARED (1u << 11 | 1u << 7 | 1u << 4 | 1u << 2 | RFLAGS_CF)

/* The manual promises #UD; where firmware hides RTM and HLE, which it may do
 * without making them absent, what XTEST does is a figure. */
static void observe_absent(struct test_context *t)
{
    unsigned tries = test_trials(t, 10, 1), faults = 0;

    for (unsigned i = 0; i < tries; i++) {
        struct tsx_block block = {.body = tsx_body_xtest, .argument = 1};
        hw_poll();
        faults += tsx_outside(&block) == HW_UD;
    }
    observe(t, "XTEST raises #UD where neither HLE nor RTM is enumerated",
            faults, tries);
}

/* ZF was 0 before, all others were 1. */
static void check_outside(struct test_context *t, const char *when)
{
    struct tsx_block block = {.body = tsx_body_xtest, .argument = 1};
    int outcome = tsx_outside(&block);

    if (!check(t, outcome == TSX_RAN,
               "XTEST outside a transaction%s: raised %s; wanted no exception",
               when, fault_name(outcome)))
        return;
    check(t, (block.flags & RFLAGS_ZF) != 0,
          "XTEST outside a transaction%s: RFLAGS = 0x%lx, wanted ZF [6] = 1",
          when, block.flags);
    check(t, (block.flags & RFLAGS_CLEARED) == 0,
          "XTEST outside a transaction%s: RFLAGS = 0x%lx, wanted OF [11], SF "
          "[7], AF [4], PF [2] and CF [0] = 0",
          when, block.flags);
}

/* All of them were 1 before. False where the transaction did not commit. */
static bool check_inside(struct test_context *t)
{
    struct tsx_block block = {.body = tsx_body_xtest, .argument = 0};
    int outcome = tsx_inside(&block);

    check(t, outcome == TSX_COMMITTED || outcome == TSX_ABORTED,
          "XTEST inside a transaction: raised %s; wanted no exception",
          fault_name(outcome));
    if (outcome != TSX_COMMITTED)
        return false;
    check(t, (block.flags & (RFLAGS_ZF | RFLAGS_CLEARED)) == 0,
          "XTEST inside a transaction: RFLAGS = 0x%lx, wanted OF [11], SF [7], "
          "ZF [6], AF [4], PF [2] and CF [0] = 0",
          block.flags);
    return true;
}

TEST(tsx_xtest,
     .asks = "Does XTEST set ZF outside of transactions and clear it inside?",
     .cite = "SDM 2, XTEST", .needs = {.features = NEED_INTEL})
{
    struct tsx_block aborts = {.body = tsx_bodies_xabort},
                     deep = {.body = tsx_body_nest_deep, .count = 2};
    unsigned tries = 0;

    /* Set-up. */
    if (!test_cpu(t)->hle && !test_cpu(t)->rtm) {
        observe_absent(t);
        return;
    }
    check_outside(t, "");
    if (!test_cpu(t)->rtm || !probe_set_up(t))
        return;

    /* Measured and checked: of tries that abort nothing remains. */
    while (tries < PROBE_TRIES && !check_inside(t))
        tries++;
    check(t, tries < PROBE_TRIES,
          "XTEST inside a transaction: none of %u transactions committed",
          tries);
    check_outside(t, ", after one that committed");
    (void)tsx_inside(&aborts);
    check_outside(t, ", after one that aborted");
    (void)tsx_inside(&deep);
    check_outside(t, ", after one that aborted at the third level");
}
