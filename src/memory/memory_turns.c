/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_turns.c - records of accesses that hit and miss by turns. */
#include "src/memory/memory_sampling.h"

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
