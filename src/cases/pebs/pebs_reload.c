/* SPDX-License-Identifier: BSD-2-Clause */
/* After a record the counter goes on from the value in the DS area; no other
 * counter is touched; the record is of an event after the overflow. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/pebs/sampling.h"

/* Different for each counter, so that another's value is noticed. */
static const struct sampling_config pattern = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .first_period = {50, 60, 70, 80},
    .period = {40, 35, 30, 25},
    .room = 16,
    .threshold = 16,
};

/* The events of the records; returns the last one's, 0 where one was wrong. */
static unsigned check_events(struct sampling *p, unsigned n, unsigned *next)
{
    struct test_context *t = p->t;
    struct pebs_record record;
    unsigned last = 0;

    for (unsigned i = 0; i < p->records; i++) {
        unsigned distance =
            i == 0 ? p->config.first_period[n] : p->config.period[n];
        unsigned event =
            sampling_record(p, i, &record) ? sampling_event(p, &record) : 0;
        if (event == 0)
            return 0;
        /* An event that makes a record may be the first that counts again. */
        unsigned least = i == 0 ? distance + 1 : last + distance;
        if (!check(t, event >= least,
                   "IA32_PMC%u (%XH) overflows after %u more events: record %u "
                   "is of event %u, the one before of event %u; wanted event "
                   "%u or later",
                   n, IA32_PMC(n), distance, i, event, last, least))
            return 0;
        *next += i == 0 && event == least;
        last = event;
    }
    return last;
}

static void check_counter(struct sampling *p, unsigned n, unsigned beside,
                          unsigned *next)
{
    struct test_context *t = p->t;
    unsigned last = check_events(p, n, next);

    check(t, p->records > 1,
          "IA32_PMC%u (%XH): %u events, overflows after %u and again every %u, "
          "made %u records; wanted several",
          n, IA32_PMC(n), PEBS_EVENTS, p->config.first_period[n],
          p->config.period[n], p->records);
    check(t, p->value[beside] == PEBS_EVENTS,
          "IA32_PMC%u (%XH), which made no records, counted %lu of %u events",
          beside, IA32_PMC(beside), p->value[beside], PEBS_EVENTS);
    if (last == 0)
        return;
    bool overflowed = p->value[n] >> (test_cpu(t)->counter_bits - 1) == 0;
    uint64_t bit = IA32_PERF_GLOBAL_STATUS_OVF_PMC(n);
    check(t, overflowed || (p->status & bit) == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH)[%u] is 1 after the last record of "
          "IA32_PMC%u (%XH), which did not overflow since; wanted 0",
          n, n, IA32_PMC(n));
    /* As above: one more, where the event that made the record counts. */
    uint64_t want = (uint64_t)(PEBS_EVENTS - last) - p->config.period[n];
    uint64_t over = (p->value[n] - want) & p->mask;
    check(t, over <= 1,
          "IA32_PMC%u (%XH) is 0x%lx at the end, %u events after the last "
          "record; wanted 0x%lx or one more: its reset value and these events",
          n, IA32_PMC(n), p->value[n], PEBS_EVENTS - last, want & p->mask);
}

TEST(
    pebs_reload,
    .asks = "Does a record reload its counter, and only it, from the DS area?",
    .cite =
        "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
        "\"PEBS CounterX Reset\"; \"Global Counter Control Facilities In Intel "
        "Microarchitecture Code Name Sandy Bridge\"",
    .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned counters = sampling_counters(t), tried = 0, next = 0;
    struct sampling_config config = pattern;
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        unsigned beside = n == 0 ? 1 : 0;
        config.counters = counters & 1u << n;
        config.count_only = 1u << beside;
        if (config.counters == 0)
            continue;

        /* Measured. */
        if (!sampling_run(&p, &config, 0))
            return;

        /* Check. */
        check_counter(&p, n, beside, &next);
        tried++;
    }
    observe(t, "the first record is of the very next event after the overflow",
            next, tried);
}
