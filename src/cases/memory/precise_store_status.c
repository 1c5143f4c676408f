/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise store: the record says whether the L1 data cache and the second-
 * level TLB were hit, and whether the access was locked. */
#include "src/harness/case.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 4

/* Locked Access is checked in each record (memory_judge.h). */
static const struct row {
    enum memory_recipe_id recipe;
    unsigned bit;
    bool set;
    const char *what, *name;
} rows[] = {
    {STORES_L1, 0, true, "lines stored to just before", "L1D Hit"},
    {STORES_FLUSH, 0, false, "lines just flushed (CLFLUSH)", "L1D Hit"},
    {STORES_L1, 4, false, "one page, again and again", "STLB Miss"},
    {STORES_STLB, 4, true, "pages just invalidated (INVLPG)", "STLB Miss"},
    {LOCKED, 4, false, "16 pages, locked", "STLB Miss"},
};

static bool try_row(struct sampling *p, const struct sampling_config *config,
                    const struct row *row, unsigned windows)
{
    struct test_context *t = p->t;
    struct memory_tally tally = {0};

    if (!memory_sample(p, config, FACILITY_PRECISE_STORE, 0, row->recipe, 8,
                       windows, &tally))
        return false;
    unsigned set = row->bit == 0 ? tally.bit0 : tally.bit4;
    unsigned right = row->set ? set : tally.records - set;
    check(t, memory_judge_most(right, tally.records),
          "stores to %s: A0H[%u] (%s) is 1 in %u of %u records; wanted %u in "
          "more than half of them",
          row->what, row->bit, row->name, set, tally.records, row->set);
    note(t, "stores to %s: A0H[%u] (%s) is 1 in %u of %u", row->what, row->bit,
         row->name, set, tally.records);
    return true;
}

TEST(precise_store_status,
     .asks = "Does the record of a precise store say whether cache and TLB "
             "were hit, and whether the access was locked?",
     .cite = "SDM 3B, \"Precise Store Facility\", table \"Layout of Precise "
             "Store Information In PEBS Record\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned windows = memory_windows(t, WINDOWS);
    struct sampling p;

    /* Set-up. */
    if (!memory_has_precise_store(t) || !sampling_claim(&p, t))
        return;
    const struct sampling_config config =
        memory_config(&p, FACILITY_PRECISE_STORE, MEMORY_PRECISE_STORE, 3);

    /* Measured, and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&p, &config, &rows[i], windows))
            return;
}
