/* SPDX-License-Identifier: BSD-2-Clause */
/* How many lines a transaction can read. Lines read leave the first-level cache
 * without an abort, so the limit may be as large as the largest cache, which
 * others share: what they push out may show as a conflict. */
#include "src/harness/case.h"
#include "src/tsx/capacity.h"

#define UNIT 8 /* lines of one count of tsx_body_read_lines */

TEST(tsx_read_capacity,
     .asks = "How many lines can a transaction read, and does too many set "
             "EAX[3]?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"Transactional "
             "Aborts\"",
     .scope = THREADS_IN_TURN, .needs = {.features = NEED_INTEL | NEED_RTM})
{
    struct capacity c = {.what = "loads from",
                         .body = tsx_body_read_lines,
                         .argument = (uint64_t)(uintptr_t)test_source(t),
                         .unit = UNIT,
                         .units_max = TEST_SOURCE_BYTES / (64 * UNIT),
                         .fraction = 8};

    if (!probe_set_up(t))
        return;
    capacity_find(t, &c);
    capacity_judge(t, &c, true);
}
