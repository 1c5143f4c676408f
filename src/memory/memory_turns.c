/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_turns.c - records of accesses that hit and miss by turns. */
#include "src/memory/memory_sampling.h"

#define LEAST 16 /* records of them */

void memory_check_turns(struct test_context *t, const char *bits, bool loads,
                        const struct memory_tally *tally)
{
    unsigned hits[2];
    bool right = true;

    for (unsigned odd = 0; odd < 2; odd++) {
        const unsigned records = tally->turn[odd].records;

        hits[odd] = loads ? tally->turn[odd].l1 : tally->turn[odd].bit0;
        right &=
            records == 0 ||
            memory_judge_most(odd ? records - hits[odd] : hits[odd], records);
    }
    check(t, right,
          "%s, by turns: %s is 1 in %u of %u and %u of %u records; wanted more "
          "than half, and less",
          loads ? "loads of lines in L1 and lines just flushed"
                : "stores to lines stored to before and lines just flushed",
          bits, hits[0], tally->turn[0].records, hits[1],
          tally->turn[1].records);
}

bool memory_stores_by_turns(struct sampling *p,
                            const struct sampling_config *config,
                            enum memory_facility facility, const char *bits,
                            unsigned windows)
{
    static const struct {
        enum memory_recipe_id recipe;
        unsigned bytes;
    } rows[] = {{STORES_TURNS, 8},
                {STORES_TURNS_1, 1},
                {STORES_TURNS_2, 2},
                {STORES_TURNS_4, 4},
                {STORES_TURNS_16, 16}};

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct memory_tally tally = {0};

        if (!memory_sample(p, config, facility, 0, rows[i].recipe, LEAST,
                           windows, &tally))
            return false;
        WITH_PREFIX (p->t, "of %u bytes", rows[i].bytes)
            memory_check_turns(p->t, bits, false, &tally);
    }
    return true;
}
