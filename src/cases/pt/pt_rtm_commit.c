/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction that commits: MODE.TSX and FUP at its XBEGIN, and at its XEND;
 * and many of them in one trace. */
#include "src/trace/trace.h"

#define MANY 40

static bool run_many(void *argument)
{
    unsigned *committed = argument;

    *committed = 0;
    for (unsigned i = 0; i < MANY; i++) {
        struct tsx_block block = {.body = tsx_body_branches};
        *committed += tsx_inside(&block) == TSX_COMMITTED;
    }
    return true;
}

/* Each has a begin and an end; one that aborts at its XBEGIN may have the end
 * alone. */
static void check_many(struct trace *p)
{
    struct transitions seen;
    unsigned committed;

    if (!trace_try(p, run_many, &committed, &seen))
        return;
    const unsigned least = committed + MANY, most = 2 * MANY;
    check(p->t, seen.count >= least && seen.count <= most,
          "%u transactions in a trace, of which %u commit: got %u transitions; "
          "wanted %u to %u",
          MANY, committed, seen.count, least, most);
}

TEST(pt_rtm_commit,
     .asks = "Does a trace show where a transaction begins and commits?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const struct trace_transaction tx = {
        .body = tsx_body_branches, .argument = 0xa5, .want = TSX_COMMITTED};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured. */
    if (!trace_transaction(&p, &tx, &seen))
        return;

    /* Check. */
    trace_check_commit(&p, "XBEGIN, XEND", &seen);
    check(t, seen.packets[PT_PSB] != 0,
          "no PSB where TraceEn is set with PacketByteCnt = 0");
    note(t, "%lu bytes; begin at 0x%lx, commit at 0x%lx", trace_bytes(&p),
         trace_at(tsx_xbegin_at), trace_at(tsx_xend_at));
    check_many(&p);
}
