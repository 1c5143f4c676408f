/* SPDX-License-Identifier: BSD-2-Clause */
/* Conflicts that come without the retry bit: lock elision that obeys that bit
 * alone gives up where it should not. */
#include "src/harness/case.h"
#include "src/tsx/conflict.h"
#include "src/tsx/status.h"

/* What an abort by a conflict has left is not in the status of a later one. */
static void check_later(struct test_context *t)
{
    static const struct tsx_block block = {.body = tsx_bodies_xabort};
    struct rtm_tally later;

    probe_run(&block, probe_row_tries(t), RTM_STATUS_XABORT, false, &later);
    WITH_PREFIX (t, "XABORT after aborts by conflicts")
        probe_check_status(t, RTM_STATUS_XABORT, 0, &later);
}

TEST(tsx_conflict_retry,
     .asks = "How many conflict aborts come without the retry bit?",
     .cite = "White paper 604224, section 1.3", .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    struct conflict c = {.what = "a write to a line of the read set",
                         .body = tsx_body_hold_load,
                         .access = CONFLICT_STORE,
                         .tries = test_trials(t, 100, 20)};

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    /* Measured, and checked. */
    if (!conflict_run(t, &c))
        return;
    conflict_judge(t, &c);
    check_later(t);
    if (test_cpu(t)->tsx_force_abort) {
        observe(t, "EAX[2] (conflict) without EAX[1] (retry)", c.without_retry,
                c.tally.matched);
        return;
    }
    /* The paper calls both bits normal, and the lack of one possible with
     * EDX[13] = 1; SDM 1 promises neither. */
    note(t, "EAX[2] (conflict) without EAX[1] (retry): %u of %u",
         c.without_retry, c.tally.matched);
    observe(t, "no conflict abort sets EAX[1] (retry), with EDX[13] = 0",
            c.tally.matched != 0 && c.without_retry == c.tally.matched, 1);
}
