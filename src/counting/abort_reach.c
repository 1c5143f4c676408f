/* SPDX-License-Identifier: BSD-2-Clause */
/* abort_reach.c - counts instructions of transactions that abort. */
#include "src/counting/abort_reach.h"

#include "src/counting/counters.h"

bool abort_reach_body_ran(uint64_t counted, uint64_t instructions,
                          uint64_t inside)
{
    return counted >= instructions - inside + inside / 2;
}

void abort_reach_observe(struct test_context *t)
{
    static const struct pmu_event event = EVENT_INSTRUCTIONS;
    const struct window_shape *shape = &window_rtm_long_shape;
    uint64_t lowest = UINT64_MAX, highest = 0;
    unsigned trials = test_trials(t, 100, 10), ran = 0;
    struct counters c;
    struct sample s = {{0}, 0, 0};

    if (test_cpu(t)->perfmon_version < 2 || test_cpu(t)->counters == 0 ||
        !counters_have_event(test_cpu(t), &event)) {
        note(t, "how far an aborted transaction came: not known, no counter");
        return;
    }
    if (!counters_claim(t) || !counters_program(&c, t, 1, &event, true))
        return;

    for (unsigned i = 0; i < trials; i++) {
        if (!counters_sample(&c, window_rtm_long, &s))
            return;
        ran +=
            abort_reach_body_ran(s.gp[0], shape->instructions, shape->inside);
        lowest = s.gp[0] < lowest ? s.gp[0] : lowest;
        highest = s.gp[0] > highest ? s.gp[0] : highest;
    }

    observe(t, "body of a transaction ran before its forced abort", ran,
            trials);
    note(t,
         "IA32_PMC0 (C1H) counted %lu to %lu instructions; %u lie outside the "
         "transaction, %u inside",
         lowest, highest, shape->instructions - shape->inside, shape->inside);
}
