/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency: records of loads that took longer than the threshold, and not
 * of faster ones. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 1
#define FIRST   12 /* records at the least threshold */
#define RECORDS 4  /* at each other, where most loads take longer */
#define FEW     2  /* windows, where most do not */
#define ROUNDS  3
#define LONG    256 /* what eight bits cannot hold, */
#define LONGER  16  /* windows, until there are RECORDS above that */

/* The second is one more than the fastest load of the first sweep took, so that
 * a threshold that is a cycle off lets it pass; the last is what the slowest
 * took, which few exceed. */
#define THRESHOLDS 6
struct sweep {
    const char *what;
    enum memory_recipe_id recipe;
    unsigned threshold[THRESHOLDS];
    uint64_t middle; /* latency at the first */
    unsigned equal, below, records;
    struct memory_tally tally[THRESHOLDS];
};
#define SWEEP(of, by)                                \
    {                                                \
        .what = (of), .recipe = (by), .threshold = { \
            MSR_PEBS_LD_LAT_THRHLD_MIN,              \
            0,                                       \
            32,                                      \
            128,                                     \
            512,                                     \
            0                                        \
        }                                            \
    }

/* A record is of the last tagged load, whichever made it: some may say less
 * than the threshold, not most of several. */
static void check_exceeded(struct test_context *t, const struct sweep *s,
                           unsigned i)
{
    const struct memory_tally *tally = &s->tally[i];

    check(t,
          tally->records < RECORDS ||
              !memory_judge_most(tally->below, tally->records),
          "%s, threshold %u: %u of %u records have a Latency (A8H) below it, "
          "down to %lu; wanted loads that took longer",
          s->what, s->threshold[i], tally->below, tally->records, tally->least);
}

/* Not one in so many of the loads at the first threshold was slower than this.
 */
static bool are_faster(const struct sweep *s, unsigned i, unsigned part)
{
    const struct memory_tally *all = &s->tally[0];
    unsigned slower = 0;

    for (unsigned n = 0; n < all->kept; n++)
        slower += all->latency[n] > s->threshold[i];
    return slower * part <= all->kept;
}

static bool most_are_faster(const struct sweep *s, unsigned i)
{
    return are_faster(s, i, 4);
}

/* Next to the records at the first threshold few came: where hardly any load
 * was slower, hardly any, since those as slow as it may be half of all. */
static bool are_excluded(const struct sweep *s, unsigned i)
{
    const struct memory_tally *all = &s->tally[0], *tally = &s->tally[i];
    const unsigned part = are_faster(s, i, 8) ? 4 : 2;

    return all->records * tally->loads < RECORDS * all->loads ||
           tally->records * all->loads * part <= all->records * tally->loads;
}

static void check_excluded(struct test_context *t, const struct sweep *s,
                           unsigned i)
{
    const struct memory_tally *all = &s->tally[0], *tally = &s->tally[i];

    check(t, are_excluded(s, i),
          "%s, threshold %u: %u loads made %u records; with the threshold at "
          "%u, %u made %u, half of them of %lu core cycles or less",
          s->what, s->threshold[i], tally->loads, tally->records,
          s->threshold[0], all->loads, all->records, s->middle);
}

static unsigned threshold_of(const struct sweep *s, unsigned i)
{
    const uint64_t most = s->tally[0].most;

    if (i == 1)
        return (unsigned)s->tally[0].least + 1;
    if (i < THRESHOLDS - 1)
        return s->threshold[i];
    return (unsigned)(most < MSR_PEBS_LD_LAT_THRHLD ? most
                                                    : MSR_PEBS_LD_LAT_THRHLD);
}

/* At least so many records at this threshold, which most loads exceed. */
static bool stream(struct sampling *p, const struct sampling_config *config,
                   struct sweep *s, unsigned i, unsigned least)
{
    s->tally[i] = (struct memory_tally){0};
    return memory_set_threshold(p->t, s->threshold[i]) &&
           memory_stream(p, config, s->threshold[i], s->recipe, least,
                         memory_windows(p->t, WINDOWS), &s->tally[i]);
}

static bool measure_first(struct sampling *p,
                          const struct sampling_config *config, struct sweep *s)
{
    if (!stream(p, config, s, 0, FIRST))
        return false;
    s->middle = memory_judge_median(s->tally[0].latency, s->tally[0].kept);
    return true;
}

/* A threshold that most loads do not exceed. How long loads take, in core
 * cycles, goes with the core's clock and with who else uses memory: where too
 * many records come, the first threshold is measured again, and this one after
 * it; if loads have become slower, nothing is wrong. */
static bool measure_excluded(struct sampling *p,
                             const struct sampling_config *config,
                             struct sweep *s, unsigned i)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round != 0 && !measure_first(p, config, s))
            return false;
        s->tally[i] = (struct memory_tally){0};
        if (!memory_set_threshold(p->t, s->threshold[i]) ||
            !memory_sample(p, config, FACILITY_LOAD_LATENCY, s->threshold[i],
                           s->recipe, FIRST, FEW, &s->tally[i]))
            return false;
        if (are_excluded(s, i) || !most_are_faster(s, i))
            break;
    }
    if (most_are_faster(s, i))
        check_excluded(p->t, s, i);
    return true;
}

static bool measure_sweep(struct sampling *p,
                          const struct sampling_config *config, struct sweep *s)
{
    for (unsigned i = 0; i < THRESHOLDS; i++) {
        s->threshold[i] = threshold_of(s, i);
        if (!(i == 0 ? measure_first(p, config, s)
              /* More than half of the loads take longer. */
              : s->middle > s->threshold[i]
                  ? stream(p, config, s, i, RECORDS)
                  : measure_excluded(p, config, s, i)))
            return false;
        check_exceeded(p->t, s, i);
        s->equal += s->tally[i].equal;
        s->below += s->tally[i].below;
        s->records += s->tally[i].records;
    }
    return true;
}

/* On each counter between the first and the last: nothing is slower than the
 * slowest. */
static bool try_between(struct sampling *p, unsigned first, unsigned last)
{
    const unsigned promised = memory_latency_counters(p->t);

    for (unsigned n = first + 1; n < last; n++) {
        const struct sampling_config config =
            memory_config(p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, n);
        struct sweep s = SWEEP("L1 hits of another counter", LOADS_L1);

        if ((promised >> n & 1) == 0)
            continue;
        if (!measure_first(p, &config, &s))
            return false;
        s.threshold[THRESHOLDS - 1] = threshold_of(&s, THRESHOLDS - 1);
        if (!measure_excluded(p, &config, &s, THRESHOLDS - 1))
            return false;
    }
    return true;
}

/* Latency has 16 bits. Whether any load takes so long is not promised; but not
 * most of several take just what eight bits can hold. */
static bool try_long(struct sampling *p, const struct sampling_config *config)
{
    struct sweep s = SWEEP("flushed lines of flushed pages", LOADS_FAR);

    s.threshold[0] = LONG;
    if (!memory_set_threshold(p->t, LONG) ||
        !memory_sample(p, config, FACILITY_LOAD_LATENCY, LONG, s.recipe,
                       RECORDS, LONGER, &s.tally[0]))
        return false;
    check_exceeded(p->t, &s, 0);
    const struct memory_tally *tally = &s.tally[0];
    unsigned full = 0;
    for (unsigned n = 0; n < tally->kept; n++)
        full += tally->latency[n] == LONG - 1;
    check(p->t, tally->kept < RECORDS || !memory_judge_most(full, tally->kept),
          "%s, threshold %u: Latency (A8H) is %u in %u of %u records; wanted "
          "what each load took",
          s.what, LONG, LONG - 1, full, tally->kept);
    return true;
}

/* " 23 0 0 0 0" */
static void note_sweep(struct test_context *t, const struct sweep *s)
{
    char text[128] = "";

    for (unsigned i = 0; i < THRESHOLDS; i++)
        text_append(text, sizeof(text), "%s%u of %u over %u",
                    i == 0 ? "" : ", ", s->tally[i].records, s->tally[i].loads,
                    s->threshold[i]);
    note(t, "%s: recorded: %s; middle latency %lu", s->what, text, s->middle);
}

TEST(load_latency_threshold,
     .asks = "Does the threshold exclude the records of faster loads, and of "
             "no slower ones?",
     .cite = "SDM 3B, \"Load Latency Performance Monitoring Facility\", "
             "\"Layout of MSR_PEBS_LD_LAT MSR\"",
     .scope = THREADS_IN_TURN, .bound_ms = 1000,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    struct sweep sweeps[] = {SWEEP("L1 hits", LOADS_L1),
                             SWEEP("flushed lines", LOADS_FLUSH)};
    unsigned equal = 0, below = 0, records = 0;
    struct sampling p;

    /* Set-up. */
    if (!memory_has_load_latency(t) || !sampling_claim(&p, t))
        return;
    const unsigned counter[] = {memory_latency_counter(t),
                                memory_latency_last(t)};

    /* Measured, and each record checked: fast loads and slow ones, in windows
     * of their own, by the first counter that may be used and by the last. */
    for (unsigned i = 0; i < 2; i++) {
        const struct sampling_config config = memory_config(
            &p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, counter[i]);
        if (!measure_sweep(&p, &config, &sweeps[i]) || !try_long(&p, &config))
            return;
        note_sweep(t, &sweeps[i]);
        equal += sweeps[i].equal;
        below += sweeps[i].below;
        records += sweeps[i].records;
    }
    if (!try_between(&p, counter[0], counter[1]))
        return;
    if (equal != 0)
        observe(t, "a record of just the threshold's latency", equal, records);
    if (below != 0)
        observe(t, "a record of less than the threshold's latency", below,
                records);
}
