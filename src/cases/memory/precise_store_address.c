/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise store: the record of a store holds the address stored to. */
#include "src/harness/case.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 2
#define LEAST   4 /* records of a window */

TEST(precise_store_address,
     .asks = "Does the record of a precise store hold the address stored to?",
     .cite = "SDM 3B, \"Precise Store Facility\", table \"Layout of Precise "
             "Store Information In PEBS Record\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    static const enum memory_recipe_id tried[] = {
        STORES_SPREAD, STORES_SPLIT, STORES_WIDE, STORES_STRING,
        STORES_PUSH,   LOCKED,       EXCHANGED,   STORES_INDEXED,
        UPDATED,       LOCKED_BYTE,  STORES_CALL, PUSHED,
        COMPARED,      STORES_FS,    STORES_GS,   STORES_PAGES};
    unsigned trials = memory_windows(t, WINDOWS), outside = 0, records = 0;
    unsigned reserved = 0;
    uint64_t longest = 0;
    struct sampling p;

    /* Set-up. */
    if (!memory_has_precise_store(t) || !sampling_claim(&p, t))
        return;
    const struct sampling_config config =
        memory_config(&p, FACILITY_PRECISE_STORE, MEMORY_PRECISE_STORE, 3);

    for (unsigned i = 0; i < sizeof(tried) / sizeof(tried[0]) * trials; i++) {
        struct memory_tally tally = {0};

        /* Measured, and each record checked. */
        if (!memory_sample(&p, &config, FACILITY_PRECISE_STORE, 0,
                           tried[i / trials], 1, 1, &tally))
            return;

        /* Check. */
        check(t, tally.records >= LEAST,
              "%u stores and an overflow of IA32_PMC3 (C4H) every 2 of them "
              "made %u records; wanted %u or more",
              MEMORY_ACCESSES, tally.records, LEAST);
        records += tally.records;
        outside += tally.outside;
        for (unsigned source = 0; source < DATA_SOURCES; source++)
            reserved += (source & BITS(3, 1)) != 0 ? tally.source[source] : 0;
        longest = tally.most > longest ? tally.most : longest;
    }
    /* What is in reserved fields no manual says. */
    observe(t, "A0H[3:1] of a store, reserved, are not 0", reserved, records);
    observe(t, "A8H of a store, reserved, is not 0", longest != 0, 1);
    note(t, "%u records of stores, %u of instructions around them", records,
         outside);
}
