/* SPDX-License-Identifier: BSD-2-Clause */
/* Without BranchEn there is no packet of the control flow, nor of transactions.
 */
#include "src/base/msr.h"
#include "src/trace/trace.h"
#include "src/tsx/probe.h"

#define TRANSACTIONS 8

/* Some commit, some abort. */
static bool run_transactions(void *argument)
{
    const struct tsx_block empty = {.body = tsx_body_nothing},
                           xabort = {.body = tsx_bodies_xabort};
    struct rtm_tally aborts;

    probe_run(&xabort, TRANSACTIONS, 0, false, &aborts);
    probe_run(&empty, TRANSACTIONS, 0, false, argument);
    return ((const struct rtm_tally *)argument)->committed != 0;
}

TEST(pt_no_branch_en, .asks = "Is there no MODE.TSX where BranchEn is 0?",
     .cite = "SDM 3C, Intel Processor Trace, \"MODE.TSX Packet Definition\", "
             "table \"IA32_RTIT_CTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    static const enum pt_kind none[] = {PT_MODE_TSX, PT_MODE_EXEC, PT_TNT_8,
                                        PT_TNT_64,   PT_TIP,       PT_TIP_PGE,
                                        PT_TIP_PGD,  PT_FUP};
    struct rtm_tally tally;
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (output_is_broadwell(test_cpu(t))) {
        skip(t, "needs BranchEn = 0 to be legal; erratum BDM106: #GP on "
                "06_3DH, 47H, 4FH, 56H");
        return;
    }
    if (!trace_claim_transactions(&p, t))
        return;
    p.control &= ~IA32_RTIT_CTL_BranchEn;

    /* Measured. */
    if (!trace_try(&p, run_transactions, &tally, &seen))
        return;

    /* Check. */
    check(t, seen.packets[PT_PSB] != 0,
          "BranchEn = 0: got no PSB, wanted one at the start of the trace");
    FOR_EACH_ROW (t, i, none)
        check(t, seen.packets[none[i]] == 0,
              "BranchEn = 0: got %u packets %s, wanted 0",
              seen.packets[none[i]], pt_kind_name(none[i]));
    note(t, "%u transactions committed, %lu bytes of trace", tally.committed,
         trace_bytes(&p));
}
