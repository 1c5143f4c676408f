/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace does not change what transactions do. */
#include "src/trace/ring3_times.h"
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

static void probe_tries(const struct tsx_block *block, unsigned n,
                        unsigned tries, struct rtm_tally *on)
{
    probe_run(block, tries, rows[n].bits, false, on);
    for (unsigned i = 0;
         i < MORE && (rows[n].commits ? on->committed : on->matched) == 0; i++)
        probe_once(block, rows[n].bits, on);
}

static void check_row(struct trace *p, unsigned n, const struct rtm_tally *off,
                      const struct rtm_tally *on)
{
    struct test_context *t = p->t;

    probe_check(t, on);
    check(t, trace_guarded(p, 0, 16) != 16,
          "IA32_RTIT_CTL (570H)[0] (TraceEn) was 1, and no trace was written");
    check(t, !rows[n].commits || off->committed == 0 || on->committed != 0,
          "0 of %u transactions committed, %u of %u without a trace", on->tried,
          off->committed, off->tried);
    check(t, rows[n].commits || off->matched == 0 || on->matched != 0,
          "EAX = 0x%08x, in none of %u aborts the 0x%08x of %u without a trace",
          on->status, on->aborted, rows[n].bits, off->matched);
}

/* Once as usual, then with all packets of time. */
static bool try_row(struct trace *p, unsigned n, unsigned tries)
{
    const struct tsx_block block = {.body = rows[n].body,
                                    .count = rows[n].count};
    const uint64_t control = p->control;
    struct rtm_tally off, on[2];
    bool traced = true;

    /* Measured. */
    probe_run(&block, tries, rows[n].bits, false, &off);
    for (unsigned timed = 0; timed < 2 && traced; timed++) {
        p->control = control | (timed ? ring3_times_bits(test_cpu(p->t)) : 0);
        traced = trace_arm(p) && trace_start(p);
        if (traced)
            probe_tries(&block, n, tries, &on[timed]);
        traced = traced && trace_stop(p);

        /* Check. */
        if (traced)
            WITH_PREFIX (p->t, "%s%s", rows[n].what,
                         timed ? ", TSC, MTC, CYC" : "")
                check_row(p, n, &off, &on[timed]);
    }
    p->control = control;
    if (traced)
        WITH_PREFIX (p->t, "%s", rows[n].what)
            note(p->t, "%u of %u committed, %u without a trace",
                 on[0].committed, on[0].tried, off.committed);
    return traced;
}

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

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&p, i, tries))
            return;
}
