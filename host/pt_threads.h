/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_threads.h - a file by a thread a processor: counts its packets. */
#ifndef HOST_PT_THREADS_H
#define HOST_PT_THREADS_H

#include "src/pt/packet.h"

#include <stdio.h>

/* False, and nothing is counted, where that is not worth it, or not the same as
 * from start to end: the file is short or none, or there is something to
 * complain of. */
bool pt_count_by_threads(FILE *file, uint64_t kinds[PT_KINDS]);

/* The bytes of the file, and how many threads are for them. NULL: that is not
 * worth it. */
uint8_t *pt_map_for_threads(FILE *file, size_t *size, size_t *threads);

#endif
