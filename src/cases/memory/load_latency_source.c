/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency: the record names where the data came from. Uncacheable memory
 * is not provoked: nothing says that reading a device does no harm. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/cpu/caches.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 1
/* So many records are wanted of them. */
#define RECORDS 8

/* A TLB that misses leaves data where they are; what its walk reads may take
 * their place in the L1 cache. */
#define NEAR (LEVEL_L1 | LEVEL_PENDING | LEVEL_L2)

/* Levels that the recipe leads to, in more than half of the records; Lock is
 * checked in each (memory_judge.h). A line may be still on its way. */
static const struct row {
    enum memory_recipe_id recipe;
    unsigned levels; /* 0: any */
    bool stlb_miss;
    const char *what;
    bool unsaid; /* in the note */
} rows[] = {
    {LOADS_L1, LEVEL_L1, false, "L1", false},
    {LOADS_L2, LEVEL_L2, false, "L2", false},
    {LOADS_L3, LEVEL_L3, false, "L3", false},
    {LOADS_FLUSH, LEVEL_MEMORY, false, "flushed", false},
    {LOADS_STLB, NEAR, true, "INVLPG", false},
    {LOCKED, 0, false, "locked", false},
    {LOADS_STLB_L1, NEAR, true, "INVLPG, in L1", true},
    {LOADS_SPLIT, 0, false, "split", true},
    {LOADS_FAR, LEVEL_MEMORY, true, "flushed, INVLPG", true},
    {LOCKED_STLB, 0, true, "locked, INVLPG", true},
};
#define ROWS    (sizeof(rows) / sizeof(rows[0]))
#define ORDERED 4 /* from the nearest level to the farthest */

struct found {
    unsigned right, missed, best; /* best: the encoding met most often */
};

static struct found count_levels(struct test_context *t, const struct row *row,
                                 const struct memory_tally *tally)
{
    const struct identity *id = test_cpu(t);
    enum generation generation = identity_generation(id);
    struct found found = {0, tally->bit4, 0};

    for (unsigned n = 0; n < DATA_SOURCES; n++) {
        const struct data_source *source =
            data_source_of(generation, id->model, n);
        if ((source->level & row->levels) != 0)
            found.right += tally->source[n];
        if (tally->source[n] > tally->source[found.best])
            found.best = n;
    }
    return found;
}

/* The levels of which some processors mix up the two. */
#define BESIDE_L3 (LEVEL_L3 | LEVEL_MEMORY)

#define SOURCES_BYTES 200

static void judge_row(struct test_context *t, const struct row *row,
                      const struct memory_tally *tally,
                      char text[SOURCES_BYTES])
{
    const struct identity *id = test_cpu(t);
    struct found found = count_levels(t, row, tally);
    const struct data_source *best =
        data_source_of(identity_generation(id), id->model, found.best);

    /* Whether an L3 that does not include the L2 has a line that the L2 has had
     * no room for, no manual says: that of 06_55H. */
    if (row->levels != 0 && (row->levels != LEVEL_L3 || caches_l3_includes(id)))
        check_known(
            t, memory_judge_most(found.right, tally->records),
            ERRATUM_LOAD_SOURCE,
            (row->levels & BESIDE_L3) != 0 && (best->level & BESIDE_L3) != 0,
            "loads meant for %s: A0H[3:0] says so in %u of %u records, "
            "wanted more than half; most often it is %XH (%s)",
            row->what, found.right, tally->records, found.best, best->name);
    check(t,
          memory_judge_most(row->stlb_miss ? found.missed
                                           : tally->records - found.missed,
                            tally->records),
          "loads meant for %s: A0H[4] (STLB_MISS) is 1 in %u of %u records; "
          "wanted %u in more than half",
          row->what, found.missed, tally->records, row->stlb_miss);
    if ((identity_generation(id) & SINCE_GOLDEN_COVE) != 0)
        check(t, !memory_judge_most(tally->reversed, tally->records),
              "loads meant for %s: A8H[47:32], the latency of the access, is "
              "more than [15:0], that of the instruction, in %u of %u records; "
              "wanted it in no more than half",
              row->what, tally->reversed, tally->records);
    if (!row->unsaid)
        text_append(text, SOURCES_BYTES, ", %s %s", row->what, best->name);
}

/* The middle latency of the records that say what the row is meant for; 0 of
 * none. */
static uint64_t middle_latency(struct test_context *t, const struct row *row,
                               const struct memory_tally *tally)
{
    const struct identity *id = test_cpu(t);
    uint64_t latencies[MEMORY_KEPT];
    unsigned count = 0;

    for (unsigned n = 0; n < tally->kept; n++)
        if ((data_source_of(identity_generation(id), id->model,
                            tally->kept_source[n])
                 ->level &
             row->levels) != 0)
            latencies[count++] = tally->latency[n];
    return memory_judge_median(latencies, count);
}

/* "The minimum detectable load latency is 4 core clock cycles": hits of the
 * first-level cache take little more. */
#define L1_MOST 32

static void check_order(struct test_context *t, const uint64_t middle[])
{
    check(t, middle[0] <= L1_MOST,
          "Latency (A8H): half of the loads from %s took %lu core cycles or "
          "more; wanted %u at most, the least there is being %u",
          rows[0].what, middle[0], L1_MOST, LOAD_LATENCY_MIN);
    for (unsigned i = 1; i < ORDERED; i++)
        check(t, middle[i] == 0 || middle[i - 1] < middle[i],
              "Latency (A8H): half of the loads from %s took %lu core cycles "
              "or more, half of those from %s %lu; wanted more",
              rows[i - 1].what, middle[i - 1], rows[i].what, middle[i]);
}

/* Each has its own source, not that of the load before. */
static bool try_turns(struct sampling *p, const struct sampling_config *config,
                      unsigned windows)
{
    struct memory_tally tally = {0};

    if (!memory_window_run(p, config, LOADS_TURNS) ||
        !memory_stream(p, config, MSR_PEBS_LD_LAT_THRHLD_MIN, LOADS_TURNS,
                       2 * RECORDS, windows, &tally))
        return false;
    memory_check_turns(p->t, "A0H[3:0] (L1)", true, &tally);
    return true;
}

static void try_processor(struct test_context *t, void *unused)
{
    unsigned windows = memory_windows(t, WINDOWS);
    uint64_t middle[ROWS];
    char text[SOURCES_BYTES] = "";
    struct sampling p;

    (void)unused;
    /* Set-up. */
    if (!memory_has_load_latency(t) || !sampling_claim(&p, t) ||
        !memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN))
        return;
    const struct sampling_config config =
        memory_config(&p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY,
                      memory_latency_counter(t));

    for (unsigned i = 0; i < ROWS; i++) {
        struct memory_tally tally = {0};

        /* Measured. The first window fills the caches. */
        if (!memory_window_run(&p, &config, rows[i].recipe) ||
            !memory_stream(&p, &config, MSR_PEBS_LD_LAT_THRHLD_MIN,
                           rows[i].recipe, RECORDS, windows, &tally))
            return;

        /* Check. */
        middle[i] = middle_latency(t, &rows[i], &tally);
        if (tally.records != 0)
            judge_row(t, &rows[i], &tally, text);
        check(t,
              i + 1 != ORDERED || tally.records == 0 ||
                  tally.most > MSR_PEBS_LD_LAT_THRHLD_MIN,
              "loads meant for %s: Latency (A8H) of %u records is %lu at most; "
              "wanted some more, it is the farthest level",
              rows[i].what, tally.records, tally.most);
    }
    if (!try_turns(&p, &config, windows))
        return;
    check_order(t, middle);
    note(t, "data source met most often, of loads meant for:%s", text + 1);
    note(t,
         "middle latency of loads from L1 %lu, L2 %lu, L3 %lu, flushed %lu "
         "core cycles",
         middle[0], middle[1], middle[2], middle[3]);
}

TEST(load_latency_source,
     .asks = "Does the record of a load name where its data came from, and a "
             "latency to match?",
     .cite = "SDM 3B, tables \"Data Source Encoding for Load Latency Record\", "
             "\"Layout of Data Source Field of Load Latency Record\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    /* In turn: those of a core share its caches, and all the lines. */
    if (memory_has_load_latency(t))
        on_all_in_turn(t, try_processor);
}
