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
    const uint64_t begin = trace_at(tsx_inside_fault),
                   end = trace_at(tsx_inside_end_fault);
    const struct story_wanted wanted[] = {{PT_BEGIN, begin, begin, 0},
                                          {PT_COMMIT, end, end, 0}};
    struct trace p;
    struct story story;

    /* Set-up. */
    if (!probe_set_up(t) || !trace_take(&p, t))
        return;

    /* Measured. */
    if (!trace_transaction(&p, &tx, &story))
        return;

    /* Check. */
    trace_check(&p, "XBEGIN, XEND", &story, wanted, 2);
    check_equal(t, "PSB packets in a short trace", story.packets[PT_PSB], 1);
    note(t, "%lu bytes; begin at 0x%lx, commit at 0x%lx",
         (unsigned long)trace_bytes(&p), (unsigned long)begin,
         (unsigned long)end);
}
