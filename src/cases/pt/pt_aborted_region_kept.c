/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets are no stores of the transaction: those of an aborted region stay,
 * with each branch that it took. */
#include "src/trace/trace.h"
#include "src/tsx/status.h"

#define PATTERNS 6
#define CODE     0x42

/* The youngest branch before an abort is not asked for: erratum BDM64. */
static unsigned branches_checked(const struct identity *id)
{
    return output_is_broadwell(id) ? TSX_BRANCHES - 1 : TSX_BRANCHES;
}

TEST(pt_aborted_region_kept,
     .asks = "Do the packets of an aborted region stay, with each branch?",
     .cite =
         "SDM 3C, Intel Processor Trace, \"Intel Transactional "
         "Synchronization Extensions (Intel TSX)\", \"Taken/Not-taken (TNT) "
         "Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   at = trace_at(tsx_body_branches_xabort_at);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, at, at, trace_at(tsx_fallback)}};
    const unsigned branches = branches_checked(test_cpu(t));
    const uint64_t mask = (UINT64_C(1) << branches) - 1;
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct trace_transaction tx = {
            .body = tsx_body_branches_xabort,
            .argument = test_random(t) & ((1 << TSX_BRANCHES) - 1),
            .want = TSX_ABORTED,
            .status = (uint32_t)CODE << 24 | RTM_STATUS_XABORT};
        uint64_t results;

        /* Measured. */
        if (!trace_transaction(&p, &tx, &seen))
            return;

        /* Check. */
        if (!trace_check(&p, "eight branches, XABORT", &seen, wanted, 2))
            return;
        unsigned count =
            transitions_branches(p.memory, trace_bytes(&p), seen.events[0].at,
                                 seen.events[1].offset, &results);
        check(t,
              count >= branches && count <= TSX_BRANCHES &&
                  ((results ^ tx.argument) & mask) == 0,
              "branches of an aborted region: got %u, of the results 0x%02lx; "
              "wanted %u, 0x%02lx (the oldest in bit 0)",
              count, results, TSX_BRANCHES, tx.argument);
    }
}
