/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor writes what a transaction has read, or written. */
#include "src/harness/case.h"
#include "src/tsx/conflict.h"

TEST(tsx_conflict_write,
     .asks = "Does a write by another processor to a line of the read set or "
             "the write set abort the transaction, and set EAX[2]?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Intel TSX Overview\"; table \"RTM Abort Status "
             "Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    unsigned tries = probe_row_tries(t);
    struct conflict set[] = {
        {.what = "a write to a line of the read set",
         .body = tsx_body_hold_load,
         .writes = true,
         .tries = tries},
        {.what = "a write to a line of the write set",
         .body = tsx_body_hold_store,
         .writes = true,
         .tries = tries},
    };

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    for (unsigned i = 0; i < 2; i++) {
        struct conflict beside = set[i];

        /* Measured, and checked. */
        if (!conflict_run(t, &set[i]))
            return;
        conflict_judge(t, &set[i]);

        /* As long, but with the line beside it. */
        beside.what = "a write to the next line";
        beside.neighbour = true;
        beside.turns = set[i].turns;
        if (!conflict_run(t, &beside))
            return;
        conflict_judge(t, &beside);
        observe(t,
                i == 0 ? "a write to the line next to the read set sets EAX[2]"
                       : "a write to the line next to the write set sets "
                         "EAX[2]",
                beside.tally.matched, beside.tally.tried);
    }
}
