/* SPDX-License-Identifier: BSD-2-Clause */
/* outcomes.h - what became of each slot of a suite, over all rounds. Pure. */
#ifndef SRC_SESSION_OUTCOMES_H
#define SRC_SESSION_OUTCOMES_H

#include "src/session/suite.h"
#include "src/report/summary.h"
#include "src/store/checkpoint.h"

struct outcomes {
    struct finding findings[SUITE_SLOTS_MAX]; /* of all rounds, as one */
    bool vary[SUITE_SLOTS_MAX];               /* from round to round */
    bool resets[SUITE_SLOTS_MAX]; /* the machine was reset while it ran */
};

/* Enters the n-th of suite_results(). */
void outcomes_enter(struct outcomes *outcomes, const struct suite *suite,
                    unsigned n, const struct finding *found);

/* As the bytes of a record, and back. */
void outcomes_pack(const struct outcomes *outcomes, const struct suite *suite,
                   uint8_t out[CHECKPOINT_FINDINGS_MAX]);
void outcomes_unpack(struct outcomes *outcomes, const struct suite *suite,
                     const uint8_t stored[CHECKPOINT_FINDINGS_MAX]);

#endif
