/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_returns.h - a return of ring 3 whose call was before ring 0. SDM 3C,
 * Intel Processor Trace, "Indirect Transfer Compression for Returns (RET)".
 */
#ifndef SRC_TRACE_RING3_RETURNS_H
#define SRC_TRACE_RING3_RETURNS_H

#include "src/trace/ring3_trace.h"

/* Checks, with User alone, that it is not compressed. */
void ring3_returns_check(struct trace *p, struct ring3_session *ring3);

#endif
