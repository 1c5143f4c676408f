/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_count.h - the number of each packet, without decoding them, where the
 * processor has AVX-512 VBMI. */
#ifndef HOST_PT_COUNT_H
#define HOST_PT_COUNT_H

#include "src/pt/packet.h"

/* By the first byte, and by the second after 02H and 99H. */
struct pt_counts {
    uint64_t first[256], second[256], mode[256];
};

/* Steps over packets, as many as it likes, and counts them. */
void pt_count(struct pt_reader *reader, struct pt_counts *counts);

/* Adds the number of each kind. */
void pt_count_kinds(const struct pt_counts *counts, uint64_t kinds[PT_KINDS]);

#endif
