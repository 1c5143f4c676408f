/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin and end of nested transactions make no packets. */
#include "src/trace/trace.h"
#include "src/tsx/probe.h"

#define INNER 3

TEST(pt_nested_silent,
     .asks = "Do only the outermost XBEGIN and XEND make packets?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const struct trace_transaction tx = {
        .body = tsx_body_nest, .count = INNER, .want = TSX_COMMITTED};
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
    trace_check(&p, "three transactions in one", &seen, wanted, 2);
}
