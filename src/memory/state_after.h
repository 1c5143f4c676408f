/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state_after.h - records of loads into each general-purpose register but RSP,
 * and of a string instruction: what they hold is the state after it.
 *
 * SDM 3B, "Processor Event Based Sampling (PEBS)" of Nehalem. Needs
 * NEED_PEBS_2.
 */
#ifndef SRC_MEMORY_STATE_AFTER_H
#define SRC_MEMORY_STATE_AFTER_H

#include "src/pebs/sampling_ring3.h"

/* At this level. False as contexts_run(). */
bool state_after_loads(struct contexts *c, unsigned level);

/* Of REP STOS, of which a round may be recorded: the address is in its string,
 * EventingIP is its own, and RIP, or that of the next. */
bool state_after_string(struct contexts *c, unsigned level);

/* Of loads and of stores that cross a page's end at ring 3: the address is the
 * first byte's. */
bool state_after_crossing(struct contexts *c);

#endif
