/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace does not change what transactions do. */
#include "src/trace/trace.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define CODE 0x37
#define MORE 32 /* tries, where other aborts have hidden what is looked for */

static const struct {
    const char *what;
    const uint8_t *body;
    uint64_t count;
    uint32_t bits; /* of EAX */
    bool commits;
} rows[] = {
    {"traced, empty", tsx_body_nothing, 0, 0, true},
    {"traced, three in one", tsx_body_nest, 3, 0, true},
    {"traced, XABORT", tsx_bodies_xabort + CODE *TSX_XABORT_BYTES, 0,
     (uint32_t)CODE << 24 | RTM_STATUS_XABORT, false},
};

TEST(pt_transaction_unchanged,
     .asks = "Do transactions do the same under a trace?",
     .cite = "SDM 3C, Intel Processor Trace, \"Intel Transactional "
             "Synchronization Extensions (Intel TSX)\"; SDM 1, table \"RTM "
             "Abort Status Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    unsigned tries = probe_row_tries(t);
    struct trace p;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    FOR_EACH_ROW (t, i, rows) {
        const struct tsx_block block = {.body = rows[i].body,
                                        .count = rows[i].count};
        struct rtm_tally off, on;

        /* Measured. */
        probe_run(&block, tries, rows[i].bits, false, &off);
        if (!trace_arm(&p) || !trace_start(&p))
            return;
        probe_run(&block, tries, rows[i].bits, false, &on);
        for (unsigned n = 0;
             n < MORE && (rows[i].commits ? on.committed : on.matched) == 0;
             n++)
            probe_once(&block, rows[i].bits, &on);
        if (!trace_stop(&p))
            return;

        /* Check. */
        prefix_push(t, "%s", rows[i].what);
        probe_check(t, &on);
        check(t, trace_guarded(&p, 0, 16) != 16,
              "IA32_RTIT_CTL (570H)[0] (TraceEn) was 1, and no trace was "
              "written");
        check(t, !rows[i].commits || off.committed == 0 || on.committed != 0,
              "0 of %u transactions committed, %u of %u without a trace",
              on.tried, off.committed, off.tried);
        check(t, rows[i].commits || off.matched == 0 || on.matched != 0,
              "EAX = 0x%08x, in none of %u aborts the 0x%08x of %u without a "
              "trace",
              on.status, on.aborted, rows[i].bits, off.matched);
        note(t, "%u of %u committed, %u without a trace", on.committed,
             on.tried, off.committed);
        prefix_pop(t);
    }
}
