/* SPDX-License-Identifier: BSD-2-Clause */
/* IN_TX counts inside transactions, IN_TXCP leaves the aborted ones out: what
 * is counted outside, committed and aborted adds up to all. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define CLEAN_MAX 100 /* windows tried for one without any other abort */
/* Whether XBEGIN, and the instruction that ends a transaction, are inside it no
 * manual says. */
#define EDGES 2

/* One transaction that commits, and one that aborts by XABORT. */
static void run_two_transactions(void *argument)
{
    struct tsx_block commits = {.body = tsx_body_long};
    struct tsx_block aborts = {.body = tsx_body_long_xabort};
    bool *clean = argument;

    *clean = tsx_inside(&commits) == TSX_COMMITTED;
    *clean &= tsx_inside(&aborts) == TSX_ABORTED &&
              (aborts.status & RTM_STATUS_XABORT) != 0;
}

/* Instructions in all, inside, and by a third select on counter 2, summed over
 * so many windows in which no other abort falls. */
static bool count_clean_windows(struct test_context *t, unsigned windows,
                                uint64_t third, struct selects *sum)
{
    *sum =
        (struct selects){.select = {EVENT_INST_RETIRED,
                                    EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                                    EVENT_INST_RETIRED | third}};
    for (unsigned n = 0; n < windows; n++) {
        struct selects s = *sum;
        bool clean = false;
        for (unsigned i = 0; i < CLEAN_MAX && !clean; i++)
            if (!selects_count(t, &s, run_two_transactions, &clean))
                return false;
        if (!clean) {
            skip(t,
                 "needs transactions that abort only by XABORT; in none of %u "
                 "windows did they",
                 CLEAN_MAX);
            return false;
        }
        for (unsigned i = 0; i < 3; i++)
            sum->got[i] += s.got[i];
    }
    return true;
}

/* So many instructions in each transaction. */
static void check_share(struct test_context *t, const char *what, uint64_t got,
                        unsigned transactions)
{
    check(t,
          got >= (uint64_t)TSX_LONG * transactions &&
              got <= (uint64_t)(TSX_LONG + TSX_LONG_MORE) * transactions,
          "instructions %s: got %lu, wanted %u to %u", what, got,
          TSX_LONG * transactions, (TSX_LONG + TSX_LONG_MORE) * transactions);
}

TEST(tsx_in_tx_counts,
     .asks =
         "Do counts with IN_TX and IN_TXCP add up: all = outside + committed "
         "+ aborted?",
     .cite = "SDM 3B, \"Performance Monitoring and Intel TSX\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 3})
{
    unsigned windows = probe_row_tries(t);
    struct selects without, inside;

    /* Set-up. */
    if (!probe_set_up(t) || !counters_claim(t))
        return;

    /* Measured: the same work twice; counter 2 leaves out what aborted, then
     * counts what committed alone. */
    if (!count_clean_windows(t, windows, IA32_PERFEVTSEL_IN_TXCP, &without) ||
        !count_clean_windows(t, windows,
                             IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_IN_TXCP,
                             &inside))
        return;
    uint64_t all = without.got[0], outside = all - without.got[1];
    uint64_t aborted = all - without.got[2], committed = inside.got[2];
    uint64_t sum = outside + committed + aborted;
    uint64_t slack = (uint64_t)EDGES * 2 * windows;

    /* Check. */
    check_share(t, "inside (IN_TX = 1)", without.got[1], 2 * windows);
    check_share(t, "committed (IN_TX = IN_TXCP = 1)", committed, windows);
    check_share(t, "aborted (all - IN_TXCP = 1)", aborted, windows);
    check(t, sum + slack >= all && sum <= all + slack,
          "instructions: outside %lu + committed %lu + aborted %lu = %lu; "
          "wanted %lu, +- %lu",
          outside, committed, aborted, sum, all, slack);
    note(t,
         "instructions: %lu = outside %lu + committed %lu + aborted %lu%s, in "
         "%u "
         "transactions",
         all, outside, committed, aborted, sum == all ? "" : " (nearly)",
         2 * windows);
}
