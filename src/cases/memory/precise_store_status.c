/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise store: the record says whether the L1 data cache and the second-
 * level TLB were hit, and whether the access was locked; at ring 3, too. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/memory/memory_sampling.h"
#include "src/pebs/sampling_ring3.h"

#define WINDOWS 4
#define PAGE    4096
/* Of the page of a body at ring 3, which only locked stores are to. */
#define LOCKED_BYTES 16

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

/* Stores of a body at ring 3, of which each turn is to the same lines. */
static void try_ring3(struct sampling *p, const struct sampling_config *config)
{
    struct test_context *t = p->t;
    unsigned found = 0, hits = 0, locks_wrong = 0;
    struct pebs_record record;
    struct ring3_session s;

    if (!ring3_prepare(&s, t))
        return;
    s.ring3->level = 3;
    s.ring3->body = (uint32_t)(ring3_body_plain - ring3_body);

    /* Measured. */
    if (!sampling_around(p, config, sampling_ring3_body,
                         (uint64_t)(uintptr_t)&s))
        return;
    if (s.ring3->vector != HW_NO_FAULT) {
        broken(t, "%s at ring 3", fault_name((int)s.ring3->vector));
        return;
    }

    /* Check. */
    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return;
        const uint64_t at = record.data_linear_address - s.ring3->user_data;
        const uint64_t status = record.data_source;
        if (at >= PAGE)
            continue;
        found++;
        hits += (status & STORE_STATUS_L1D_HIT) != 0;
        locks_wrong +=
            ((status & STORE_STATUS_LOCKED_ACCESS) != 0) != (at < LOCKED_BYTES);
    }
    check(t, memory_judge_most(hits, found) && locks_wrong == 0,
          "stores to one page at ring 3: A0H[0] (L1D Hit) is 1 in %u of %u "
          "records, A0H[5] (Locked Access) is wrong in %u; wanted 1 in more "
          "than half of them, and 0",
          hits, found, locks_wrong);
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
    /* Each has its own L1D Hit, not that of the store before. */
    if (memory_stores_by_turns(&p, &config, FACILITY_PRECISE_STORE,
                               "A0H[0] (L1D Hit)", windows))
        try_ring3(&p, &config);
}
