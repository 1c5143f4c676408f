/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_count.h - the number of each packet, without decoding them, where the
 * processor has what pt_map.h takes. */
#ifndef HOST_PT_COUNT_H
#define HOST_PT_COUNT_H

#include "src/pt/packet.h"

/* By code (pt_map.h); four, so that no count waits for the one before. */
struct pt_counts {
    uint64_t ways[4][256], psbs;
};

/* Steps over packets, as many as it likes, and counts them. */
void pt_count(struct pt_reader *reader, struct pt_counts *counts);

/* Adds the number of each kind. */
void pt_count_kinds(const struct pt_counts *counts, uint64_t kinds[PT_KINDS]);

#endif
