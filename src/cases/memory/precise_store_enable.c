/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise store is recorded where PS_EN is set, and of stores alone. */
#include "src/harness/case.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 2

static bool try_windows(struct sampling *p, bool enabled,
                        enum memory_recipe_id recipe, unsigned *records,
                        unsigned *found)
{
    struct sampling_config config =
        memory_config(p, FACILITY_PRECISE_STORE, MEMORY_PRECISE_STORE, 3);

    *records = *found = 0;
    if (!enabled)
        config.facility = 0;
    for (unsigned i = 0; i < WINDOWS; i++) {
        if (!memory_window_run(p, &config, recipe))
            return false;
        *records += p->records;
        *found += memory_with_address(p, 0);
    }
    return true;
}

TEST(precise_store_enable,
     .asks =
         "Is the address of a store recorded only with PS_EN, and of stores "
         "alone?",
     .cite = "SDM 3B, \"Precise Store Facility\", \"Layout of IA32_PEBS_ENABLE "
             "MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned records, found;
    struct sampling p;

    /* Set-up. */
    if (!memory_has_precise_store(t) || !sampling_claim(&p, t))
        return;

    /* Measured, and checked. */
    if (!try_windows(&p, true, STORES_SPREAD, &records, &found))
        return;
    check(t, memory_judge_most(found, records),
          "stores, IA32_PEBS_ENABLE (3F1H)[63] = 1: %u of %u records of "
          "IA32_PMC3 (C4H) hold the address; wanted most",
          found, records);
    if (!try_windows(&p, false, STORES_SPREAD, &records, &found))
        return;
    check(t, !memory_judge_most(found, records),
          "stores, IA32_PEBS_ENABLE (3F1H)[63] (PS_EN) = 0: %u of %u records "
          "of IA32_PMC3 (C4H) hold the address of the store; wanted none",
          found, records);
    if (!try_windows(&p, true, LOADS_SPREAD, &records, &found))
        return;
    check(t, found <= 2,
          "loads, with PS_EN: %u of %u records of IA32_PMC3 (C4H) hold their "
          "address; wanted none, no store was made",
          found, records);
}
