/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction that commits: MODE.TSX and FUP at its XBEGIN, and at its XEND.
 */
#include "src/trace/trace.h"
#include "src/tsx/probe.h"

TEST(pt_rtm_commit,
     .asks = "Does a trace show where a transaction begins and commits?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const struct trace_transaction tx = {
        .body = tsx_body_branches, .argument = 0xa5, .want = TSX_COMMITTED};
    const uint64_t begin = trace_at(tsx_xbegin_at), end = trace_at(tsx_xend_at);
    const struct transition_wanted wanted[] = {{PT_BEGIN, begin, begin, 0},
                                               {PT_COMMIT, end, end, 0}};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!probe_set_up(t) || !trace_claim(&p, t))
        return;

    /* Measured. */
    if (!trace_transaction(&p, &tx, &seen))
        return;

    /* Check. */
    trace_check(&p, "XBEGIN, XEND", &seen, wanted, 2);
    check_equal(t, "PSB packets in a short trace", seen.packets[PT_PSB], 1);
    note(t, "%lu bytes; begin at 0x%lx, commit at 0x%lx",
         (unsigned long)trace_bytes(&p), (unsigned long)begin,
         (unsigned long)end);
}
