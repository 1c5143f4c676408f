/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_shown.h - the pages of the bodies of trace_window.h, which ring 3 sees
 * and executes, and a trace of one of them there.
 */
#ifndef SRC_TRACE_RING3_SHOWN_H
#define SRC_TRACE_RING3_SHOWN_H

#include "src/trace/ring3_trace.h"
#include "src/trace/window.h"

struct ring3_shown {
    struct trace *p;
    struct ring3_session *ring3;
    uint64_t first, shown; /* the first page's address, and ring 3's for it */
};
#define RING3_SHOWN_BYTES ((uint64_t)RING3_SHOWN * 4096)

/* After ring3_trace_claim(), with p and ring3. False where they are too far
 * apart. */
bool ring3_show_bodies(struct ring3_shown *b);

/* Where ring 3 sees a label of theirs, and one of ring3_window.h. */
const uint8_t *ring3_shown_at(const struct ring3_shown *b,
                              const uint8_t *label);
uint64_t ring3_shown_code(const struct ring3_shown *b, const uint8_t *label);

/* A window of the body there. */
void ring3_shown_set(struct window *w, const struct ring3_shown *b,
                     const uint8_t *body, const struct trace_row *rows);

/* Traced with User alone, and with these bits of IA32_RTIT_CTL and counters.
 * False where an access faulted. */
bool ring3_shown_trace(const struct ring3_shown *b, const struct window *w,
                       uint64_t bits, uint64_t counters);

#endif
