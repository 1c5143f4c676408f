/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_output.h - a region that is full while ring 3 runs. SDM 3C, Intel
 * Processor Trace, "Table of Physical Addresses (ToPA)", "ToPA STOP", "ToPA
 * PMI".
 */
#ifndef SRC_TRACE_RING3_OUTPUT_H
#define SRC_TRACE_RING3_OUTPUT_H

#include "src/trace/ring3_trace.h"

/* Traces ring 3 alone over the region's end with INT and STOP, each and both
 * and none. After ring3_trace_claim(). */
void ring3_output_check(struct trace *p, struct ring3_session *ring3);

#endif
