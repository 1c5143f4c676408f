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

/* Records of a body at a level. */
struct contexts {
    struct sampling sampling;
    struct ring3_session ring3;
    uint64_t code, data; /* as the ring sees them */
};

/* After sampling_claim() and ring3_prepare(). False where it could not be run,
 * or an exception ended it (said). */
bool contexts_run(struct contexts *c, const struct sampling_config *config,
                  const uint8_t *body, unsigned level);
/* The same with what prepares the body each time that it is run, also again,
 * and calls sampling_ring3_body(). */
bool contexts_run_prepared(struct contexts *c,
                           const struct sampling_config *config,
                           const uint8_t *body, unsigned level,
                           void (*window)(struct sampling *p,
                                          uint64_t session));

#endif
