/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.h - the lines of many processors, each line said once, with the
 * processors that have it before it.
 */
#ifndef SRC_REPORT_MERGE_H
#define SRC_REPORT_MERGE_H

#include "src/report/ktap.h"

#define MERGE_SET_BYTES 96

/* One processor's lines, each ended by "\n"; 0 bytes: it says nothing. */
struct part {
    const char *text;
    size_t bytes;
};

/* True where both say the very same. */
bool merge_same(const struct part *a, const struct part *b);

/* Writes every different line of parts[0 .. count - 1], in the order of the
 * lowest processor that has it: "processors 0-2,5: line", or the line alone
 * where all have it. count is at most HW_PROCESSORS_MAX. ranges: lines that are
 * the same but for their numbers are one line (range.h) where more than two of
 * them differ. */
void merge_write(struct ktap *out, const struct part parts[], unsigned count,
                 bool ranges);

/* "processor 3" or "processors 0-2,5", for the members of a set that is not
 * empty; what does not fit ends in "..". Returns out. */
const char *merge_set_name(const bool set[], unsigned count,
                           char out[MERGE_SET_BYTES]);

#endif
