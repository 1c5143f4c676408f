/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_turns.c - records of accesses that hit and miss by turns. */
#include "src/memory/memory_sampling.h"

bool memory_turns_right(const struct memory_tally *tally, bool loads)
{
    bool right = true;

    for (unsigned odd = 0; odd < 2; odd++) {
        const unsigned records = tally->turn[odd].records;
        const unsigned hits =
            loads ? tally->turn[odd].l1 : tally->turn[odd].bit0;

        right &= records == 0 ||
                 memory_judge_most(odd ? records - hits : hits, records);
    }
    return right;
}
