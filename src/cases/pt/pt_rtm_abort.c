/* SPDX-License-Identifier: BSD-2-Clause */
/* XABORT: MODE.TSX and FUP at it, TIP to the outermost fallback; inside of an
 * inner transaction too. */
#include "src/trace/trace.h"
#include "src/tsx/status.h"

#define CODE         0x42
#define CODE_INNER   0x5a /* of tsx_body_nest_xabort */
#define STATUS(code) ((uint32_t)(code) << 24 | RTM_STATUS_XABORT)

TEST(pt_rtm_abort,
     .asks = "Does a trace show where a transaction aborts and goes on?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const struct trace_transaction tx = {.body = tsx_bodies_xabort +
                                                 CODE * TSX_XABORT_BYTES,
                                         .want = TSX_ABORTED,
                                         .status = STATUS(CODE)};
    const struct trace_transaction inner = {.body = tsx_body_nest_xabort,
                                            .want = TSX_ABORTED,
                                            .status = STATUS(CODE_INNER)};
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   fallback = trace_at(tsx_fallback);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, trace_at(tx.body), trace_at(tx.body), fallback}};
    const struct transition_wanted wanted_inner[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, trace_at(tsx_body_nest_xabort_at),
         trace_at(tsx_body_nest_xabort_at), fallback}};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured and checked. */
    if (trace_transaction(&p, &tx, &seen))
        trace_check(&p, "XABORT", &seen, wanted, 2);
    if (trace_transaction(&p, &inner, &seen))
        trace_check(&p, "XABORT in an inner transaction", &seen, wanted_inner,
                    2);
}
