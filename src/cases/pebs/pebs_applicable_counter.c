/* SPDX-License-Identifier: BSD-2-Clause */
/* The field at 90H says which counter a record is of; before format 3 it is
 * the whole of IA32_PERF_GLOBAL_STATUS. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"

/* Of all windows: records, and those whose own bits are missing (pebs_judge.h).
 */
struct seen {
    unsigned records, races;
};

/* Each counter once: overflows 24 events apart, or all with the same event, and
 * each with a reset value of its own. */
static struct sampling_config config_of(unsigned counters, bool together)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = counters,
        .room = 16,
        .threshold = 16,
    };

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        config.first_period[n] = together ? 100 : 24 * (n + 1);
        config.period[n] = together ? (4 + 2 * n) * PEBS_EVENTS : 0;
    }
    return config;
}

static uint64_t counters_field(const struct pebs_record *record)
{
    return record->global_status | record->applicable_counter;
}

static void check_record(struct sampling *p, const char *how, unsigned n,
                         const struct pebs_counters *wanted, struct seen *seen)
{
    struct pebs_record record;
    bool race;

    if (!sampling_record(p, n, &record))
        return;
    const char *wrong = pebs_judge_counters(&record, wanted, &race);
    check(p->t, wrong == NULL,
          "counters %s: %s; 90H of record %u is 0x%lx, wanted 0x%lx%s", how,
          wrong, n, counters_field(&record),
          p->format < 3 ? wanted->own | wanted->others : wanted->own,
          p->format < 3 ? " (bits of IA32_PERF_GLOBAL_STATUS, 38EH)" : "");
    seen->records++;
    seen->races += race;
}

/* Each of `counters` has one record, in the order of the counters. */
static void check_one_each(struct sampling *p, const char *how,
                           struct seen *seen)
{
    unsigned n = 0, left = p->config.counters;

    for (; left != 0 && n < p->records; n++, left &= left - 1) {
        const struct pebs_counters wanted = {.own = left & -left};
        check_record(p, how, n, &wanted, seen);
    }
    check(p->t, left == 0 && n == p->records,
          "counters %s: set 0x%x of counters overflowed once each, and %u "
          "records were made",
          how, p->config.counters, p->records);
}

/* One record or more; between them they name all the counters, and no other. */
static void check_together(struct sampling *p)
{
    struct pebs_record record;
    uint64_t all = 0;

    for (unsigned n = 0; n < p->records; n++)
        if (sampling_record(p, n, &record))
            all |= counters_field(&record);
    check(p->t, all == p->config.counters,
          "all counters overflow with the same event: 90H of %u records names "
          "the set 0x%lx; wanted 0x%x",
          p->records, all, p->config.counters);
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        const uint64_t reset = p->set.pebs_reset[n];
        if ((p->config.counters >> n & 1) != 0)
            check(p->t, ((p->value[n] - reset) & p->mask) <= PEBS_EVENTS,
                  "all counters overflow with the same event: IA32_PMC%u "
                  "(%XH) is 0x%lx at the end; wanted its reset value 0x%lx in "
                  "the DS area, and the events since",
                  n, IA32_PMC(n), p->value[n], reset);
    }
    /* Linux, arch/x86/events/intel/core.c, handle_pmi_common(), has met it. */
    observe(p->t,
            "all counters overflow with the same event: an overflow bit in "
            "IA32_PERF_GLOBAL_STATUS (38EH) is 1 after the records",
            (p->status & p->config.counters) != 0, 1);
    note(p->t,
         "counters of the set 0x%x overflow with the same event: %u "
         "records made",
         p->config.counters, p->records);
}

/* Records of one counter, after all others and IA32_FIXED_CTR0 have overflowed
 * without making any, and after the first has reached the threshold. */
static bool try_beside_others(struct sampling *p, unsigned usable, unsigned own,
                              struct seen *seen)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1u << own,
        .plain = usable & ~(1u << own),
        .fixed_plain = 1 << 0,
        .fixed_first = {30},
        .room = 16,
        .threshold = 1,
    };
    struct pebs_counters wanted = {
        .own = config.counters,
        .others = config.plain | IA32_PERF_GLOBAL_STATUS_OVF_FIXED_CTR(0)};

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        config.first_period[n] = n == own ? 80 : 20 + n;
    config.period[own] = 50;
    if (!sampling_run(p, &config, 0))
        return false;
    check(p->t, p->records >= 2,
          "IA32_PMC%u (%XH) overflows every 50 of %u events, beside others "
          "that make no records: %u records made; wanted 2 or more",
          own, IA32_PMC(own), PEBS_EVENTS, p->records);
    for (unsigned n = 0; n < p->records; n++) {
        check_record(p, "beside others that overflowed", n, &wanted, seen);
        wanted.others |= IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER;
    }
    const uint64_t left = p->status & ~(uint64_t)config.counters;
    check(p->t, left == wanted.others,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after %u records of "
          "IA32_PMC%u; wanted 0x%lx: a record clears the bits of its counters "
          "alone",
          p->status, p->records, own, wanted.others);
    return true;
}

TEST(pebs_applicable_counter,
     .asks = "Does 90H of a record name the counters that it is of?",
     .cite = "SDM 3B, \"PEBS Data Format\" of the 6th generation, and of "
             "Nehalem (\"PEBS Record Format\")",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned counters = sampling_counters(t);
    struct seen seen = {0, 0};
    struct sampling_config config;
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        config = config_of(counters & 1u << n, false);
        if (config.counters == 0)
            continue;
        if (!sampling_run(&p, &config, 0))
            return;
        check_one_each(&p, "one by one", &seen);
        if (!try_beside_others(&p, counters, n, &seen))
            return;
    }
    config = config_of(counters, false);
    if (!sampling_run(&p, &config, 0))
        return;
    check_one_each(&p, "at once", &seen);
    config = config_of(counters, true);
    if (sampling_run(&p, &config, 0))
        check_together(&p);
    if (p.format >= 3)
        return;
    check(t, seen.races < seen.records,
          "IA32_PERF_GLOBAL_STATUS (90H): none of %u records has the overflow "
          "bit of its own counter",
          seen.records);
    if (seen.races != 0)
        observe(t, "90H of a record has not the bit of the record's counter",
                seen.races, seen.records);
}
