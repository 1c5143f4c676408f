/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_emit.h - says what was found; for tsx_phases.c. */
#ifndef SRC_PT_TSX_EMIT_H
#define SRC_PT_TSX_EMIT_H

#include "src/pt/tsx_events.h"

/* Packets are missing: what was known is no longer. */
void tsx_forget(struct pt_tsx *tsx);

/* The transition that is pending, complete or given up at `at`, and its state.
 * Returns true. */
bool tsx_emit(struct pt_tsx *tsx, uint64_t at, enum pt_deviation deviation,
              struct pt_tsx_event *event);

/* A deviation alone, the same. */
bool tsx_emit_deviation(struct pt_tsx *tsx, uint64_t offset, uint64_t at,
                        enum pt_deviation deviation,
                        struct pt_tsx_event *event);

#endif
