/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * count_bounds.h - what a window may count, and whether counters agree. Pure.
 */
#ifndef SRC_COUNTING_COUNT_BOUNDS_H
#define SRC_COUNTING_COUNT_BOUNDS_H

#include "asm/counting_window.h"
#include "src/counting/events.h"

#include <stdbool.h>

/* The counts that are right, both ends included. */
struct count_bounds {
    uint64_t least, most;
};

/* For a window in which `aborted` transactions reached their fallback.
 * Instructions: whether the closing WRMSR, or the opening one, counts as
 * retired inside the window the manual does not say: 0 or 1 more. How many
 * instructions of an aborted transaction count, it does not say either.
 * Branches: XBEGIN and the way to the fallback may each count as one. Time:
 * anything but 0. */
struct count_bounds count_bounds(const struct window_shape *shape,
                                 enum pmu_event_kind kind, uint64_t aborted);

/* How far two counts may differ. Events: not at all. Time: the WRMSR that
 * opens a window is a long microprogram, and no document says that it starts
 * all counters in one cycle; an eighth and four cycles leaves room for some
 * tens of cycles in a window of some hundreds, and none for a counter that
 * miscounts. */
uint64_t count_margin(enum pmu_event_kind kind, uint64_t reference);

/* What two of the first three counted, or the first, where all differ. */
uint64_t count_majority(const uint64_t gp[3]);

/* The set of the `count` counters (bit n: counter n) that lie further than
 * margin from the reference. count is at most 8. */
unsigned count_outliers(const uint64_t gp[], unsigned count, uint64_t reference,
                        uint64_t margin);

#endif
