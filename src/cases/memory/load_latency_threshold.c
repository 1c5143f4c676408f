/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency: no record of a load that took less than the threshold. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 4

/* The second is one more than the fastest load of the first sweep took, so that
 * a threshold that is a cycle off lets it pass. */
#define THRESHOLDS 5
struct sweep {
    unsigned threshold[THRESHOLDS], equal, records;
    struct memory_tally tally[THRESHOLDS];
};
#define SWEEP                                                        \
    {                                                                \
        .threshold = { MSR_PEBS_LD_LAT_THRHLD_MIN, 0, 32, 128, 512 } \
    }

static bool measure_sweep(struct sampling *p,
                          const struct sampling_config *config,
                          enum memory_recipe_id recipe, struct sweep *s)
{
    unsigned windows = test_trials(p->t, WINDOWS, 1);

    for (unsigned i = 0; i < THRESHOLDS; i++) {
        if (i == 1)
            s->threshold[1] = (unsigned)s->tally[0].least + 1;
        if (!memory_set_threshold(p->t, s->threshold[i]) ||
            !memory_sample(p, config, FACILITY_LOAD_LATENCY, s->threshold[i],
                           recipe, 1, i == 0 ? windows : 1, &s->tally[i]))
            return false;
        s->equal += s->tally[i].equal;
        s->records += s->tally[i].records;
        if (s->tally[0].records == 0) {
            broken(p->t,
                   "%u windows of %u loads made no record at threshold %u",
                   windows, MEMORY_ACCESSES, s->threshold[0]);
            return false;
        }
    }
    return true;
}

/* " 23 0 0 0 0" */
static void format_histogram(const struct sweep *s, char *text, size_t bytes)
{
    size_t at = 0;

    for (unsigned i = 0; i < THRESHOLDS; i++)
        at += text_format(text + at, bytes - at, " %u", s->tally[i].records);
}

static void note_records(struct test_context *t, const struct sweep *fast,
                         const struct sweep *slow)
{
    char text[2][64];

    format_histogram(fast, text[0], sizeof(text[0]));
    format_histogram(slow, text[1], sizeof(text[1]));
    note(t,
         "thresholds %u, fastest + 1 (%u, %u), %u, %u, %u:%s records of L1 "
         "hits,%s of "
         "flushed lines",
         fast->threshold[0], fast->threshold[1], slow->threshold[1],
         fast->threshold[2], fast->threshold[3], fast->threshold[4], text[0],
         text[1]);
}

TEST(load_latency_threshold,
     .asks = "Does the threshold exclude the records of faster loads?",
     .cite = "SDM 3B, \"Load Latency Performance Monitoring Facility\", "
             "\"Layout of MSR_PEBS_LD_LAT MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    struct sweep fast = SWEEP, slow = SWEEP;
    struct sampling p;

    /* Set-up. */
    if (!memory_has_load_latency(t) || !sampling_claim(&p, t))
        return;
    const struct sampling_config config = memory_config(
        FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, memory_latency_counter(t));

    /* Measured, and each record checked: fast loads and slow ones, in windows
     * of their own. */
    if (!measure_sweep(&p, &config, LOADS_L1, &fast) ||
        !measure_sweep(&p, &config, LOADS_FLUSH, &slow))
        return;
    note_records(t, &fast, &slow);
    if (fast.equal + slow.equal != 0)
        observe(t, "a record of just the threshold's latency",
                fast.equal + slow.equal, fast.records + slow.records);
}
