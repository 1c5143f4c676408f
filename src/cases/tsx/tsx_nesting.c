/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions in one another: how deep, where an abort goes on, what an inner
 * XEND commits. */
#include "src/harness/case.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

/* MAX_RTM_NEST_COUNT is the implementation's own; no manual names one so large.
 */
#define DEPTH_MAX   64
#define DEEP_CODE   0xa5u /* of tsx_body_nest_deep */
#define DEPTH_TRIED 8     /* for EAX[5] */

/* Tries so many transactions in one another until one commits. */
static bool depth_commits(struct test_context *t, unsigned depth,
                          struct rtm_tally *probe)
{
    const struct tsx_block block = {.body = depth == 1 ? tsx_body_nothing
                                                       : tsx_body_nest,
                                    .count = depth - 1};

    rtm_clear(probe);
    for (unsigned i = 0; i < PROBE_TRIES && probe->committed == 0; i++)
        probe_once(&block, RTM_STATUS_NESTED, probe);
    WITH_PREFIX (t, "transactions in one another")
        probe_check(t, probe);
    check(
        t, (probe->ever & RTM_STATUS_XABORT) == 0,
        "%u transactions in one another: EAX = 0x%08x: XTEST said inside that "
        "none runs (XABORT %02XH), or an inner XBEGIN changed EAX (%02XH); "
        "wanted ZF = 0 and EAX as before at each depth",
        depth, probe->status, TSX_NEST_NONE, TSX_NEST_NONE + 1);
    return probe->committed != 0;
}

static unsigned find_depth(struct test_context *t)
{
    char text[RTM_STATUS_TEXT];
    struct rtm_tally probe;
    unsigned depth = 1;

    while (depth <= DEPTH_MAX && depth_commits(t, depth, &probe))
        depth++;
    if (depth > DEPTH_MAX) {
        note(t, "%u transactions in one another commit; more were not tried",
             DEPTH_MAX);
        return DEPTH_MAX;
    }
    note(t, "%u transactions in one another commit, %u do not", depth - 1,
         depth);
    note(t, "the abort of the deepest leaves EAX = 0x%08x (%s)", probe.status,
         rtm_status_text(probe.status, text));
    struct rtm_tally again;
    const bool commits = depth_commits(t, depth - 1, &again);
    check(t, commits,
          "%u transactions in one another: %u of %u commit after %u aborts of "
          "%u; wanted some: they did before",
          depth - 1, again.committed, again.tried, probe.aborted, depth);
    if (probe.aborted != 0)
        observe(t, "an abort at too great a depth sets EAX[5]", probe.matched,
                probe.aborted);
    return depth - 1;
}

/* EAX[5] and the code, however deep the abort is. */
static void check_deep(struct test_context *t, unsigned deepest)
{
    char text[RTM_STATUS_TEXT];
    struct rtm_tally probe;

    for (unsigned depth = 3; depth <= deepest && depth <= DEPTH_TRIED;
         depth++) {
        const struct tsx_block block = {.body = tsx_body_nest_deep,
                                        .count = depth - 1};
        probe_run(&block, PROBE_TRIES, RTM_STATUS_XABORT | RTM_STATUS_NESTED,
                  true, &probe);
        WITH_PREFIX (t, "XABORT A5H in the innermost")
            probe_check(t, &probe);
        check(t,
              probe.matched != 0 &&
                  (probe.status & RTM_STATUS_CODE) == DEEP_CODE << 24,
              "XABORT A5H in the innermost of %u transactions: EAX = 0x%08x "
              "(%s), wanted [31:24] = A5H, [5] = 1 and [0] = 1",
              depth, probe.status, rtm_status_text(probe.status, text));
    }
}

/* A body that ends in XABORT; true where one of its tries said so in EAX. */
static bool run_xabort(struct test_context *t, const uint8_t *body,
                       uint32_t code, struct rtm_tally *probe)
{
    const struct tsx_block block = {.body = body};
    char text[RTM_STATUS_TEXT];

    probe_run(&block, PROBE_TRIES, RTM_STATUS_XABORT, true, probe);
    probe_check(t, probe);
    check(t, probe->committed == 0, "%u of %u committed; wanted 0",
          probe->committed, probe->tried);
    return check(t,
                 probe->matched != 0 &&
                     (probe->status & RTM_STATUS_CODE) >> 24 == code,
                 "EAX = 0x%08x (%s), wanted [0] = 1 and [31:24] = 0x%02x",
                 probe->status, rtm_status_text(probe->status, text), code);
}

TEST(tsx_nesting,
     .asks = "Is an inner transaction part of the outermost, and how many can "
             "there be?",
     .cite =
         "SDM 2, XBEGIN, XEND and XABORT, \"Operation\"; SDM 1, table \"RTM "
         "Abort Status Definition\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    struct rtm_tally probe;

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    /* Measured, and checked one by one. */
    check_deep(t, find_depth(t));
    WITH_PREFIX (t, "XABORT 5AH in an inner transaction")
        if (run_xabort(t, tsx_body_nest_xabort, 0x5a, &probe))
            check(t, (probe.status & RTM_STATUS_NESTED) != 0,
                  "EAX = 0x%08x, wanted [5] = 1", probe.status);
    /* The manual does not say whether an abort after the inner XEND happened
     * "during execution of a nested transaction". */
    prefix_push(t, "XABORT 33H after an inner XEND");
    bool aborted = run_xabort(t, tsx_body_nest_xend_xabort, 0x33, &probe);
    prefix_pop(t);
    if (aborted)
        observe(t, "EAX[5] set by an abort after an inner XEND",
                (probe.status & RTM_STATUS_NESTED) != 0, 1);
}
