/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_state.h - registers and memory before a transaction at ring 3, and
 * after its abort: what is not as it must be is named.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * "RTM Software Interface".
 */
#ifndef SRC_COUNTING_RING3_STATE_H
#define SRC_COUNTING_RING3_STATE_H

#include "src/counting/ring3.h"

#define RING3_STATE_FLAGS 0xcd5u /* OF, DF, SF, ZF, AF, PF, CF: planted */

/* On the data page, for a way of window_ring3_body() that ends a transaction
 * (asm/ring3_window.h). */
void ring3_state_plant(const struct ring3_session *s);

/* Checks what the fallback found, after any abort. */
void ring3_state_check(const struct ring3_session *s, const char *what);

#endif
