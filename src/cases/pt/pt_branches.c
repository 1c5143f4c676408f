/* SPDX-License-Identifier: BSD-2-Clause */
/* Each conditional branch is one result of a TNT, in order; direct jumps and
 * calls are nothing. */
#include "src/trace/window.h"

TEST(pt_branches,
     .asks = "Does a trace have one result for each conditional branch?",
     .cite = "SDM 3C, Intel Processor Trace, \"Taken/Not-taken (TNT) Packet\", "
             "table \"COFI Type for Branch Instructions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    window_set(&w, trace_body_conditions, trace_body_conditions_path);
    window_check(&p, "each kind of conditional branch", &w, &seen);
    window_set(&w, trace_body_pattern, trace_body_pattern_path);
    if (window_check(&p, "branches in no regular order", &w, &seen))
        note(t, "%u branches: %u short TNT, %u long TNT, %lu bytes",
             TRACE_PATTERN, seen.packets[PT_TNT_8], seen.packets[PT_TNT_64],
             trace_bytes(&p));
}
