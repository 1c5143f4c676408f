/* SPDX-License-Identifier: BSD-2-Clause */
/* aborts_ring3.h - records of aborts at ring 3: by instructions, by too many
 * lines, by an interrupt. */
#ifndef SRC_PEBS_ABORTS_RING3_H
#define SRC_PEBS_ABORTS_RING3_H

#include "src/pebs/sampling_ring3.h"

/* Checks them, where transactions run, and those of elided sections where there
 * are such. False where one could not be run (said). */
bool aborts_at_ring3(struct contexts *c, bool elides);

#endif
