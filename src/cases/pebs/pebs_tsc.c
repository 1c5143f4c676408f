/* SPDX-License-Identifier: BSD-2-Clause */
/* The time in a record is between two readings around it, and rises. */
#include "src/harness/case.h"
#include "src/pebs/sampling.h"

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {20},
    .period = {20},
    .room = 32,
    .threshold = 32,
};

TEST(pebs_tsc, .asks = "Is the TSC of a record the time at which it was made?",
     .cite = "SDM 3B, \"PEBS Data Format\" of the 6th generation, table \"PEBS "
             "Record Format for 6th Generation Intel Core Processor Family\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_3})
{
    struct pebs_record record;
    struct sampling p;

    /* Set-up, measured. */
    if (!sampling_claim(&p, t) || !sampling_run(&p, &config, 0))
        return;

    /* Check. */
    check(t, p.records > 1,
          "%u events and an overflow every 20 of them made "
          "%u records; wanted several",
          PEBS_EVENTS, p.records);
    uint64_t before = p.tsc_before;
    for (unsigned n = 0; n < p.records; n++) {
        if (!sampling_record(&p, n, &record) ||
            !check(t, record.tsc > before && record.tsc < p.tsc_after,
                   "TSC (C0H) of record %u is 0x%lx; wanted more than 0x%lx "
                   "(%s) and less than 0x%lx (RDTSC after the window)",
                   n, record.tsc, before,
                   n == 0 ? "RDTSC before the window" : "the record before",
                   p.tsc_after))
            return;
        before = record.tsc;
    }
    note(t, "%u records in %lu cycles", p.records, p.tsc_after - p.tsc_before);
}
