/* SPDX-License-Identifier: BSD-2-Clause */
/* The field at 90H says which counter a record is of. */
#include "src/harness/case.h"
#include "src/pebs/sampling.h"

/* Each counter once: overflows 50 events apart, or all with the same event. */
static struct sampling_config config_of(unsigned counters, bool together)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = counters,
        .room = 16,
        .threshold = 16,
    };

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        config.first_period[n] = together ? 100 : 50 * (n + 1);
    return config;
}

/* [3:0] of 90H; the others are not those of counters that make records. */
static unsigned counters_named(const struct pebs_record *record)
{
    return (record->global_status | record->applicable_counter) & 0xf;
}

static const char *field_name(const struct sampling *p)
{
    return p->format < 3 ? "IA32_PERF_GLOBAL_STATUS (90H)"
                         : "Applicable Counter (90H)";
}

/* Each of `counters` has one record, in the order of the counters. */
static void check_one_each(struct sampling *p, const char *how)
{
    struct pebs_record record;
    unsigned n = 0, left = p->config.counters;

    for (; left != 0 && n < p->records; n++, left &= left - 1)
        if (sampling_record(p, n, &record))
            check(p->t, counters_named(&record) == (left & -left),
                  "counters %s: %s [3:0] of record %u is 0x%x; wanted 0x%x",
                  how, field_name(p), n, counters_named(&record), left & -left);
    check(p->t, left == 0 && n == p->records,
          "counters %s: set 0x%x of counters overflowed once each, and %u "
          "records were made",
          how, p->config.counters, p->records);
}

/* One record or more; between them they name all the counters. */
static void check_together(struct sampling *p)
{
    struct pebs_record record;
    unsigned all = 0;

    for (unsigned n = 0; n < p->records; n++)
        if (sampling_record(p, n, &record))
            all |= counters_named(&record);
    check(p->t, all == p->config.counters,
          "all counters overflow with the same event: %s [3:0] of %u records "
          "name the set 0x%x; wanted 0x%x",
          field_name(p), p->records, all, p->config.counters);
    note(p->t,
         "counters of the set 0x%x overflow with the same event: %u "
         "records made",
         p->config.counters, p->records);
}

TEST(pebs_applicable_counter,
     .asks = "Does 90H of a record name the counters that it is of?",
     .cite = "SDM 3B, \"PEBS Data Format\" of the 6th generation, and of "
             "Nehalem (\"PEBS Record Format\")",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned counters = sampling_counters(t);
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
        check_one_each(&p, "one by one");
    }
    config = config_of(counters, false);
    if (!sampling_run(&p, &config, 0))
        return;
    check_one_each(&p, "at once");
    config = config_of(counters, true);
    if (sampling_run(&p, &config, 0))
        check_together(&p);
}
