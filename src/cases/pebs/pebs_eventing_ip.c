/* SPDX-License-Identifier: BSD-2-Clause */
/* RIP is the instruction after the event, EventingIP the event's own. */
#include "src/harness/case.h"
#include "src/pebs/sampling.h"

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {30},
    .period = {25},
    .room = 32,
    .threshold = 32,
};

/* As the distance from the first event, which is readable. */
static void check_address(struct test_context *t, const char *what,
                          uint64_t got, uint64_t want, unsigned event)
{
    const uint64_t first = (uint64_t)(uintptr_t)pebs_events;

    check(t, got == want,
          "%s of the record of event %u: got 0x%lx, wanted 0x%lx; the first "
          "event's code is at 0x%lx, each has %u bytes",
          what, event, got, want, first, PEBS_EVENT_BYTES);
}

static void check_record(struct sampling *p, const struct pebs_record *record)
{
    const uint64_t first = (uint64_t)(uintptr_t)pebs_events;
    unsigned event = sampling_event(p, record);

    if (event == 0)
        return;
    check_address(p->t, "RIP (08H)", record->rip,
                  first + (uint64_t)event * PEBS_EVENT_BYTES, event);
    if (pebs_has(record, PEBS_EVENTING_IP))
        check_address(p->t, "EventingIP (B0H)", record->eventing_ip,
                      first + (uint64_t)(event - 1) * PEBS_EVENT_BYTES +
                          PEBS_EVENT_BRANCH,
                      event);
}

TEST(pebs_eventing_ip,
     .asks = "Is RIP of a record the instruction after the event, and "
             "EventingIP the event's?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem; "
             "table \"PEBS Record Format for 4th Generation Intel Core "
             "Processor Family\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct pebs_record record;
    struct sampling p;

    /* Set-up, measured. */
    if (!sampling_claim(&p, t) || !sampling_run(&p, &config, 0))
        return;

    /* Check. */
    check(t, p.records != 0,
          "%u events and an overflow every 25 of them made "
          "no record",
          PEBS_EVENTS);
    for (unsigned n = 0; n < p.records; n++)
        if (sampling_record(&p, n, &record))
            check_record(&p, &record);
    note(t, "%u records%s", p.records,
         p.format < 2 ? "; format 1 has no EventingIP" : "");
}
