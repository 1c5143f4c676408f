/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - the read set and the write set of a transaction: which cache
 * lines it has touched, by physical address. SDM volume 1, "Programming with
 * Intel Transactional Synchronization Extensions": both are tracked, and
 * conflicts are detected, by cache line.
 */
#ifndef SILICON_MODEL_MEMORY_LINES_H
#define SILICON_MODEL_MEMORY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 64u
/* Far more than any personality holds, and a power of two. */
#define LINE_ENTRIES 4096u

#define LINE_READ    1u
#define LINE_WRITTEN 2u
#define LINE_SPARED  4u /* by a fault: no access to it is a conflict */

struct line_set {
    uint64_t *entries;      /* LINE_ENTRIES of them */
    uint64_t serial;        /* of this transaction; others' entries are free */
    unsigned reads, writes; /* lines in each set */
};

/* entries: all 0. */
void lines_start(struct line_set *set, uint64_t *entries);

/* Empties it. */
void lines_clear(struct line_set *set);

/* Adds the line that holds this byte to one of the sets, or both. False: the
 * table is full. */
bool lines_add(struct line_set *set, uint64_t address, unsigned flags);

/* Which sets the line is in: LINE_READ, LINE_WRITTEN, LINE_SPARED. */
unsigned lines_find(const struct line_set *set, uint64_t address);

/* Is any line of this page of 4 KiB in a set? */
bool lines_on_page(const struct line_set *set, uint64_t address);

#endif
