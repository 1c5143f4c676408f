/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_ring3.h - windows with ring 3 in them, for sampling_around(). */
#ifndef SRC_PEBS_SAMPLING_RING3_H
#define SRC_PEBS_SAMPLING_RING3_H

#include "src/counting/ring3.h"
#include "src/pebs/sampling.h"

/* window_ring3() of the session whose address `session` is; window_ring3_body()
 * with the body and at the level that the session has been given. */
void sampling_ring3(struct sampling *p, uint64_t session);
void sampling_ring3_body(struct sampling *p, uint64_t session);

#endif
