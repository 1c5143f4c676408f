/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency: loads of lines that another core has. Where it has modified
 * them the record says so, where it has not it does not. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"
#include "src/uncore/other_core.h"

#define RECORDS 8
#define WINDOWS 400 /* of which most make some records */

struct found {
    unsigned records, source[DATA_SOURCES];
};

static void run_window(struct sampling *p, uint64_t argument)
{
    const struct memory_walk walk = other_core_walk(p->t);

    (void)argument;
    memory_load(sampling_enable(&p->config), &walk);
}

/* Until there are enough records; false where a window could not be made. */
static bool sample(struct sampling *p, const struct sampling_config *config,
                   bool modified, struct found *found)
{
    struct pebs_record record;

    for (unsigned i = 0; i < WINDOWS && found->records < RECORDS; i++) {
        if (!other_core_takes(p->t, modified) ||
            !sampling_around(p, config, run_window, 0))
            return false;
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            if (!memory_judge_inside(&record, memory_load_loop,
                                     memory_load_end))
                continue;
            found->records++;
            found->source[memory_judge_source(
                              identity_generation(test_cpu(p->t)),
                              record.data_source) &
                          DATA_SOURCE_SOURCE]++;
        }
    }
    return check_known(p->t, found->records != 0, ERRATUM_LOAD_LATENCY_STOPS,
                       true,
                       "load latency: loads of lines that another core has "
                       "made no record");
}

/* What most records say. */
static const struct data_source *most(struct test_context *t,
                                      const struct found *found, unsigned *best)
{
    const struct identity *id = test_cpu(t);

    *best = 0;
    for (unsigned n = 0; n < DATA_SOURCES; n++)
        if (found->source[n] > found->source[*best])
            *best = n;
    return data_source_of(identity_generation(id), id->model, *best);
}

/* `either`: does CORE_EITHER say that it has? True where most records say
 * CORE_EITHER. */
static bool judge(struct test_context *t, bool modified, bool either,
                  const struct found *found)
{
    const struct identity *id = test_cpu(t);
    unsigned best, told = 0;
    const struct data_source *source = most(t, found, &best);

    for (unsigned n = 0; n < DATA_SOURCES; n++) {
        enum data_core core =
            data_source_of(identity_generation(id), id->model, n)->core;

        if (core == CORE_MODIFIED || (core == CORE_FORWARDS && modified) ||
            (core == CORE_EITHER && either))
            told += found->source[n];
    }
    check_known(t, memory_judge_most(told, found->records) == modified,
                ERRATUM_LOAD_SOURCE, source->level == LEVEL_MEMORY,
                "loads of lines that another core has%s modified: A0H[3:0] "
                "says that it has in %u of %u records, and is most often %XH "
                "(%s); wanted the first in %s",
                modified ? "" : " and has not", told, found->records, best,
                source->name,
                modified ? "more than half" : "no more than half");
    return source->core == CORE_EITHER;
}

TEST(load_latency_snoop,
     .asks = "Does the record of a load name data that another core has "
             "modified, and no other?",
     .cite = "SDM 3B, table \"Data Source Encoding for Load Latency Record\"",
     .scope = WHOLE_MACHINE, .bound_ms = 1000,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS |
                           NEED_TWO_PROCESSORS,
               .counters = 4})
{
    struct sampling p;

    /* Set-up. */
    if (!memory_has_load_latency(t) || !other_core_there(t) ||
        !sampling_claim(&p, t) ||
        !memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN))
        return;
    const struct sampling_config config =
        memory_config(&p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY,
                      memory_latency_counter(t));

    struct found found[2] = {0};

    /* Measured. */
    for (unsigned modified = 0; modified < 2; modified++)
        if (!sample(&p, &config, modified != 0, &found[modified]))
            return;
    /* Check. */
    const bool either = judge(t, true, true, &found[1]);
    (void)judge(t, false, either, &found[0]);
}
