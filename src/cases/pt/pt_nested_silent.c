/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin and end of nested transactions make no packets. */
#include "src/trace/trace.h"

#define INNER 3

TEST(pt_nested_silent,
     .asks = "Do only the outermost XBEGIN and XEND make packets?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const struct trace_transaction tx = {
        .body = tsx_body_nest, .count = INNER, .want = TSX_COMMITTED};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured. */
    if (!trace_transaction(&p, &tx, &seen))
        return;

    /* Check. */
    trace_check_commit(&p, "three transactions in one", &seen);
}
