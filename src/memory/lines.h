/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - reads of which it is known beforehand whether the caches have them.
 *
 * Each line is on a page of its own, and the order is random: nothing for a
 * prefetcher to follow. No two have the same set in the L1 data cache, so that
 * all stay there until they are flushed.
 */
#ifndef SRC_MEMORY_LINES_H
#define SRC_MEMORY_LINES_H

#include "src/harness/case.h"

#define LINES 32

struct lines {
    const void *at[LINES];
};

/* Lines of test_source(): shared, so one processor at a time. */
void lines_choose(struct test_context *t, struct lines *lines);

/* Flushes them all and reads them: LINES misses. */
void lines_miss(const struct lines *lines);

/* The same of reads that need two lines each, those after them: no prefetcher
 * of adjacent lines brings both. How many reads: none is over the end of a
 * page. */
unsigned lines_miss_both(const struct lines *lines);

/* Reads them again: hits, right after lines_miss(). */
void lines_hit(const struct lines *lines);

#endif
