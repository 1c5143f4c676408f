/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_threads.h - counts the packets of a file by a thread a processor. */
#ifndef HOST_PT_THREADS_H
#define HOST_PT_THREADS_H

#include "src/pt/packet.h"

#include <stdio.h>

/* False, and nothing is counted, where that is not worth it, or not the same as
 * from start to end: the file is short or none, or there is something to
 * complain of. */
bool pt_count_by_threads(FILE *file, uint64_t kinds[PT_KINDS]);

#endif
