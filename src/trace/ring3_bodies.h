/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_bodies.h - bodies of trace_window.h at ring 3: each kind of branch is
 * in the trace there as it is at ring 0, with the cycles and the events.
 *
 * SDM 3C, Intel Processor Trace, table "COFI Type for Branch Instructions",
 * "Cycle Count Packet (CYC) Packet"; of later editions, "Event Trace".
 */
#ifndef SRC_TRACE_RING3_BODIES_H
#define SRC_TRACE_RING3_BODIES_H

#include "src/trace/ring3_trace.h"

/* Traces each and checks its path. After ring3_trace_claim(). */
void ring3_bodies_check(struct trace *p, struct ring3_session *ring3);

#endif
