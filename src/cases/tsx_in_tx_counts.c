/* SPDX-License-Identifier: BSD-2-Clause */
/* IN_TX counts inside transactions, IN_TXCP leaves the aborted ones out: what
 * is counted outside, committed and aborted adds up to all. */
#include "src/case.h"
#include "src/msr.h"
#include "src/pmu/counters.h"
#include "src/pmu/selects.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define CLEAN_MAX 50 /* windows tried for one in which no other abort falls */
/* Whether XBEGIN, and the instruction that ends a transaction, are inside it no
 * manual says. */
#define EDGES 2

struct work {
    unsigned times, committed, aborted;
};

/* One that commits, one that aborts by XABORT, and so on. */
static void transact(void *argument)
{
    struct work *w = argument;

    w->committed = w->aborted = 0;
    for (unsigned i = 0; i < 2 * w->times; i++) {
        struct tsx_block block = {.body = i % 2 == 0 ? tsx_body_long
                                                     : tsx_body_long_xabort};
        int outcome = tsx_inside(&block);
        w->committed += outcome == TSX_COMMITTED;
        w->aborted +=
            outcome == TSX_ABORTED && (block.status & RTM_STATUS_XABORT) != 0;
    }
}

/* Instructions in all, inside, and by a third select on counter 2. */
static bool count(struct run *t, struct work *w, uint64_t third,
                  struct selects *s)
{
    *s = (struct selects){.select = {EVENT_INST_RETIRED,
                                     EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                                     EVENT_INST_RETIRED | third}};
    for (unsigned i = 0; i < CLEAN_MAX; i++) {
        if (!selects_count(t, s, transact, w))
            return false;
        if (w->committed == w->times && w->aborted == w->times)
            return true;
    }
    skip(t,
         "needs transactions that abort only by XABORT; of %u windows none "
         "was such",
         CLEAN_MAX);
    return false;
}

/* So many instructions in each transaction. */
static void check_share(struct run *t, const char *what, uint64_t got,
                        unsigned transactions)
{
    check(t,
          got >= (uint64_t)TSX_LONG * transactions &&
              got <= (uint64_t)(TSX_LONG + TSX_LONG_MORE) * transactions,
          "instructions %s: got %lu, wanted %u to %u", what, (unsigned long)got,
          TSX_LONG * transactions, (TSX_LONG + TSX_LONG_MORE) * transactions);
}

TEST(tsx_in_tx_counts,
     .asks =
         "Do counts with IN_TX and IN_TXCP add up: all = outside + committed "
         "+ aborted?",
     .cite = "SDM 3B, \"Performance Monitoring and Intel TSX\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 3})
{
    struct work w = {.times = probe_row_tries(t)};
    struct selects without, inside;

    /* Set-up. */
    if (!probe_set_up(t) || !counters_take(t))
        return;

    /* Measured: the same work twice; counter 2 leaves out what aborted, then
     * counts what committed alone. */
    if (!count(t, &w, IA32_PERFEVTSEL_IN_TXCP, &without) ||
        !count(t, &w, IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_IN_TXCP, &inside))
        return;
    uint64_t all = without.got[0], outside = all - without.got[1];
    uint64_t aborted = all - without.got[2], committed = inside.got[2];
    uint64_t sum = outside + committed + aborted;
    uint64_t slack = (uint64_t)EDGES * 2 * w.times;

    /* Check. */
    check_share(t, "inside (IN_TX = 1)", without.got[1], 2 * w.times);
    check_share(t, "committed (IN_TX = IN_TXCP = 1)", committed, w.times);
    check_share(t, "aborted (all - IN_TXCP = 1)", aborted, w.times);
    check(t, sum + slack >= all && sum <= all + slack,
          "instructions: outside %lu + committed %lu + aborted %lu = %lu; "
          "wanted %lu, +- %lu",
          (unsigned long)outside, (unsigned long)committed,
          (unsigned long)aborted, (unsigned long)sum, (unsigned long)all,
          (unsigned long)slack);
    note(t,
         "instructions: %lu = outside %lu + committed %lu + aborted %lu%s, in "
         "%u "
         "transactions",
         (unsigned long)all, (unsigned long)outside, (unsigned long)committed,
         (unsigned long)aborted, sum == all ? "" : " (nearly)", 2 * w.times);
}
