/* SPDX-License-Identifier: BSD-2-Clause */
/* XSUSLDTRK and XRESLDTRK: what is loaded between the two, and there alone, is
 * not in the read set; all else is. */
#include "src/harness/case.h"
#include "src/tsx/conflict.h"

/* Outside of a transaction XSUSLDTRK does nothing. */
static void suspend_outside(void)
{
    struct tsx_block block = {.body = tsx_body_suspended_end};

    (void)tsx_outside(&block);
}

/* Of an aborted transaction nothing is left. */
static void abort_suspended(void)
{
    struct tsx_block block = {.body = tsx_body_suspended_end};

    (void)tsx_inside(&block);
}

/* What conflicts as without the two. */
static const struct row {
    const char *what;
    const uint8_t *body;
    enum conflict_access access;
    unsigned every;
    void (*prepare)(void);
} tracked[] = {
    {"a write to a line loaded after XRESLDTRK", tsx_body_hold_resumed,
     CONFLICT_STORE, 0, NULL},
    {"a write to a line loaded before XSUSLDTRK too", tsx_body_hold_before,
     CONFLICT_STORE, CONFLICT_SELDOM, NULL},
    {"a read of a line stored to after XSUSLDTRK",
     tsx_body_hold_suspended_store, CONFLICT_LOAD, 0, NULL},
    {"a write to a line loaded where XSUSLDTRK was outside of a transaction",
     tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SELDOM, suspend_outside},
    {"a write to a line loaded where a transaction has aborted after XSUSLDTRK",
     tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SELDOM, abort_suspended},
};

/* "Any execution of XBEGIN or XEND inside a suspend region will cause the
 * transaction to abort", and of XSUSLDTRK. */
static const struct row aborting[] = {
    {"XEND after XSUSLDTRK", tsx_body_suspended_end, CONFLICT_LOAD, 0, NULL},
    {"XBEGIN after XSUSLDTRK", tsx_body_suspended_begin, CONFLICT_LOAD, 0,
     NULL},
    {"XSUSLDTRK after XSUSLDTRK", tsx_body_suspended_twice, CONFLICT_LOAD, 0,
     NULL},
};

static struct rtm_tally try_body(struct test_context *t, const uint8_t *body)
{
    const struct tsx_block block = {
        .body = body, .argument = (uint64_t)(uintptr_t)test_buffer(t)};
    struct rtm_tally tally;

    probe_run(&block, probe_row_tries(t), 0, false, &tally);
    return tally;
}

/* As long as one that does conflict, a load as many as it likes. */
static bool try_untracked(struct test_context *t, const struct conflict *plain)
{
    struct conflict c = {.what = "a write to a line loaded after XSUSLDTRK and "
                                 "before XRESLDTRK",
                         .body = tsx_body_hold_untracked,
                         .access = CONFLICT_STORE,
                         .place = CONFLICT_SAME,
                         .tries = plain->tries,
                         .turns = plain->lasted};

    if (!conflict_run(t, &c))
        return false;
    check(t, 2 * c.tally.matched <= plain->tally.matched,
          "%s: %u of %u transactions set EAX[2] (conflict), and %u of %u with "
          "a load that is tracked; wanted half of that at most",
          c.what, c.tally.matched, c.tally.tried, plain->tally.matched,
          plain->tally.tried);
    check(t, c.tally.committed != 0, "%s: none of %u transactions committed",
          c.what, c.tally.tried);
    return true;
}

TEST(tsx_load_tracking,
     .asks = "Are loads between XSUSLDTRK and XRESLDTRK out of the read set, "
             "and no other accesses?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Intel TSX Suspend/Resume Load Address Tracking "
             "Support\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TSXLDTRK |
                           NEED_TWO_PROCESSORS})
{
    struct conflict plain = {.what = "a write to a line that is loaded",
                             .body = tsx_body_hold_load,
                             .access = CONFLICT_STORE,
                             .tries = probe_row_tries(t)};

    /* Set-up: what conflicts, and how long that takes. */
    if (!probe_set_up(t) || !conflict_run(t, &plain))
        return;
    conflict_judge(t, &plain);

    /* Measured, and checked. */
    if (!try_untracked(t, &plain))
        return;
    const struct rtm_tally once = try_body(t, tsx_body_suspended_once);
    check(t, once.committed != 0,
          "XSUSLDTRK and XRESLDTRK: none of %u transactions committed",
          once.tried);
    check(t, once.flagged == once.committed,
          "a store between XSUSLDTRK and XRESLDTRK: there after %u of %u "
          "commits; wanted each",
          once.flagged, once.committed);
    FOR_EACH_ROW (t, i, aborting) {
        const struct rtm_tally tally = try_body(t, aborting[i].body);

        check(t, tally.committed == 0,
              "%s: %u of %u transactions committed; wanted none",
              aborting[i].what, tally.committed, tally.tried);
        WITH_PREFIX (t, "a store in between, and %s", aborting[i].what)
            probe_check(t, &tally);
    }
    FOR_EACH_ROW (t, i, tracked) {
        struct conflict c = {.what = tracked[i].what,
                             .body = tracked[i].body,
                             .access = tracked[i].access,
                             .every = tracked[i].every,
                             .prepare = tracked[i].prepare,
                             .tries = plain.tries};

        if (!conflict_run(t, &c))
            return;
        conflict_judge(t, &c);
    }
}
