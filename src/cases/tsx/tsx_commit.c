/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction that commits leaves all its stores, and EAX alone. */
#include "src/harness/case.h"
#include "src/tsx/probe.h"
#include "src/tsx/rtm.h"
#include "src/tsx/status.h"

#define LINES 8
#define STEP  8 /* quadwords of a line */

/* Eight lines written by one transaction: all of them, or none. */
static void check_lines(struct test_context *t, volatile uint64_t *lines)
{
    const struct tsx_block block = {.body = tsx_body_write_lines,
                                    .argument = (uint64_t)(uintptr_t)lines,
                                    .count = LINES};
    struct rtm_tally probe;
    unsigned wrong = 0, tries = test_trials(t, PROBE_TRIES, 1);

    rtm_clear(&probe);
    for (unsigned i = 0; i < tries; i++) {
        hw_poll();
        for (unsigned n = 0; n < LINES; n++)
            lines[n * STEP] = 0;
        bool stored = probe_once(&block, 0, &probe) == TSX_COMMITTED;
        for (unsigned n = 0; n < LINES; n++)
            wrong += lines[n * STEP] != (stored ? (n + 1) * 64 : 0);
    }
    WITH_PREFIX (t, "stores to 8 lines") {
        probe_check(t, &probe);
        check(t, wrong == 0,
              "%u lines of %u transactions hold what they must not (committed: "
              "the old value; aborted: the new one)",
              wrong, probe.tried);
        note(t, "%u of %u transactions committed", probe.committed,
             probe.tried);
    }
}

TEST(tsx_commit,
     .asks = "Does a transaction that commits leave its stores in memory, and "
             "XBEGIN leave EAX alone?",
     .cite = "SDM 2, XBEGIN and XEND; SDM 1, \"Restricted Transactional "
             "Memory\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    const unsigned in_development = REGIME_C | REGIME_C_PRIME | REGIME_D;
    struct rtm_tally tally;

    /* Set-up. */
    if (!probe_state(t) || !rtm_usable(t))
        return;

    /* Measured: no single transaction is promised to commit, but of many with
     * one store each some must. In the development mode of white paper 604224,
     * section 2.1, even that is not promised. */
    rtm_try(test_trials(t, 1000, 100), &tally);
    if (tally.committed == 0 && (test_regime(t) & in_development) != 0) {
        skip(t, "needs transactions that commit, and %u of %u aborted",
             tally.aborted, tally.tried);
        return;
    }

    /* Check. */
    check(t, tally.committed != 0,
          "%u of %u transactions committed; wanted some", tally.committed,
          tally.tried);
    WITH_PREFIX (t, "one store") {
        rtm_check_atomic(t, &tally);
        note(t, "%u of %u transactions committed", tally.committed,
             tally.tried);
    }
    check_lines(t, test_buffer(t));
}
