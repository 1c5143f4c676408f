/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter that overflowed, and waits for the event to record, is stopped in
 * the documented order: then no record comes any more, whatever happens. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/pebs/sampling.h"

#define TRIES 4

/* The last event of the window overflows; the next one would be recorded. */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {PEBS_EVENTS},
    .period = {PEBS_EVENTS},
    .room = 8,
    .threshold = 8,
};

/* The window again, while the counter runs or not. The quiescent period has
 * passed. */
static void check_late(struct sampling *p, uint64_t enable, const char *how)
{
    unsigned before = p->records;
    struct pebs_state state;

    pebs_window(enable, 0, &state);
    if (sampling_stop(p))
        check(p->t, p->records == before,
              "%u records came after IA32_PERF_GLOBAL_CTRL (38FH) and "
              "IA32_PEBS_ENABLE (3F1H) were 0 for a quiescent period, with "
              "%s; wanted none",
              p->records - before, how);
}

TEST(pebs_stop_order,
     .asks = "Does no record come late after PEBS was stopped in order?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of the Intel "
             "Core microarchitecture, \"Re-configuring PEBS Facilities\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct sampling p;
    unsigned overflowed = 0;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    for (unsigned i = 0; i < TRIES; i++) {
        /* Measured. */
        if (!sampling_run(&p, &config, 0))
            return;

        /* Check. */
        overflowed += p.value[0] == 0;
        check(t, p.records == 0,
              "IA32_PMC0 (C1H) overflowed with the last of %u events, and %u "
              "records were made; wanted none, the next event's",
              PEBS_EVENTS, p.records);
        check_late(&p, 0, "all counters stopped");
        check_late(&p, sampling_enable(&config), "IA32_PMC0 counting");
    }
    check(t, overflowed != 0,
          "IA32_PMC0 (C1H), started %u events before its overflow, did not "
          "reach 0 in %u windows of as many events",
          PEBS_EVENTS, TRIES);
}
