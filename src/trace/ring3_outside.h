/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_outside.h - transactions of ring 3 outside of a filter range. SDM 3C,
 * Intel Processor Trace, "MODE.TSX Packet Definition": TriggerEn and ContextEn;
 * "TSX and IP Filtering".
 */
#ifndef SRC_TRACE_RING3_OUTSIDE_H
#define SRC_TRACE_RING3_OUTSIDE_H

#include "src/trace/ring3_trace.h"

/* Traces one that commits and one that aborts, with a filter of the fallback
 * alone. After ring3_trace_claim(); needs transactions and a range. */
void ring3_outside_check(struct trace *p, struct ring3_session *ring3);

#endif
