/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_elided.h - elided sections of ring 3. SDM 3C, Intel Processor Trace,
 * "Intel Transactional Synchronization Extensions (Intel TSX)": "packet
 * generation does not distinguish between hardware lock elision (HLE) and
 * restricted transactional memory (RTM)"; table "TSX Packet Scenarios".
 */
#ifndef SRC_TRACE_RING3_ELIDED_H
#define SRC_TRACE_RING3_ELIDED_H

#include "src/trace/ring3_trace.h"

/* Checks, with User alone, sections that commit and such that abort. An
 * XACQUIRE may not elide, and then leaves nothing. Needs XTEST. */
void ring3_elided_check(struct trace *p, struct ring3_session *ring3);

#endif
