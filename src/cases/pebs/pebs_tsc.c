/* SPDX-License-Identifier: BSD-2-Clause */
/* The time in a record is that of its event: after a reading just before it,
 * before a reading just after it. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/pebs/sampling.h"

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {5},
    .period = {5},
    .room = 32,
    .threshold = 32,
};

static void run_timed(struct sampling *p, uint64_t times)
{
    pebs_window_timed(sampling_enable(&p->config), (uint64_t *)(uintptr_t)times,
                      &p->state);
}

TEST(pebs_tsc, .asks = "Is the TSC of a record the time at which it was made?",
     .cite = "SDM 3B, \"PEBS Data Format\" of the 6th generation, table \"PEBS "
             "Record Format for 6th Generation Intel Core Processor Family\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_3})
{
    uint64_t times[PEBS_TIMED + 1];
    struct pebs_record record;
    struct sampling p;
    uint64_t low = 0;

    /* Set-up, measured. */
    if (!sampling_claim(&p, t) ||
        !sampling_around(&p, &config, run_timed, (uint64_t)(uintptr_t)times))
        return;

    /* Check. */
    check(t, p.records > 1,
          "%u events and an overflow every 5 of them made %u records; wanted "
          "several",
          PEBS_TIMED, p.records);
    for (unsigned n = 0; n < p.records; n++) {
        unsigned event =
            sampling_record(&p, n, &record) ? sampling_event(&p, &record) : 0;
        if (event == 0)
            return;
        low |= record.tsc;
        if (!check(t, event <= PEBS_TIMED, "a record has R15 of event %u of %u",
                   event, PEBS_TIMED) ||
            !check(t,
                   record.tsc > times[event - 1] && record.tsc < times[event],
                   "TSC (C0H) of record %u is 0x%lx; wanted more than 0x%lx "
                   "and less than 0x%lx, which RDTSC gave just before its "
                   "event and after it",
                   n, record.tsc, times[event - 1], times[event]))
            return;
    }
    check(t, (low & BITS(15, 0)) != 0,
          "TSC (C0H) of %u records: [15:0] is 0 in all of them", p.records);
    note(t, "%u records in %lu cycles of the TSC", p.records,
         p.tsc_after - p.tsc_before);
}
