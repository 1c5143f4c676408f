/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_groups.h - the groups of adaptive records: for sampling.c alone. */
#ifndef SRC_PEBS_SAMPLING_GROUPS_H
#define SRC_PEBS_SAMPLING_GROUPS_H

#include "src/pebs/sampling.h"

/* SAMPLING_GROUPS, from now on with others beside them by turns; the next turn,
 * where there are turns. False where an access faulted (ERROR is said). */
bool sampling_turns_begin(struct sampling *p);
bool sampling_turn(struct sampling *p);

#endif
