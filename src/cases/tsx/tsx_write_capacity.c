/* SPDX-License-Identifier: BSD-2-Clause */
/* How many lines a transaction can write, and what it says of one too many. */
#include "src/harness/case.h"
#include "src/tsx/capacity.h"

TEST(tsx_write_capacity,
     .asks =
         "How many lines can a transaction write, and does one too many set "
         "EAX[3]?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"Transactional "
             "Aborts\"",
     .scope = THREADS_IN_TURN, .needs = {.features = NEED_INTEL | NEED_RTM})
{
    struct capacity c = {.what = "stores to",
                         .body = tsx_body_write_lines,
                         .argument = (uint64_t)(uintptr_t)test_buffer(t),
                         .stores = true,
                         .unit = 1,
                         .units_max = TEST_BUFFER_BYTES / 64};

    if (!probe_set_up(t))
        return;
    capacity_find(t, &c);
    capacity_judge(t, &c, false);
    capacity_check_xabort(t, &c, tsx_body_write_lines_xabort);
    capacity_check_inner(t, &c, tsx_body_nest_write_lines, false);
}
