/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.h - the group of counters of adaptive records, with format 6: made
 * in a window while all of them count, each from a value of its own.
 *
 * Linux, arch/x86/events/intel/ds.c, "Support PEBS counters snapshotting", and
 * struct pebs_cntr_header; nothing else is known to describe it. What follows
 * from it: a record has the counters as they are when it is made, in the order
 * of their numbers; that which makes it not yet reloaded ("HW will reload the
 * value right after the overflow") or already. How soon after its event it is
 * made is not said.
 */
#ifndef SRC_PEBS_SNAPSHOT_H
#define SRC_PEBS_SNAPSHOT_H

#include "src/pebs/sampling.h"

/* After sampling_claim(), where records may have counters: every selection of
 * one counter, of all, of metrics; and none. False where an access faulted or
 * a window could not be made. */
bool snapshot_try(struct sampling *p);

#endif
