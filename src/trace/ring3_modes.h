/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_modes.h - MODE.Exec where a level that is traced is entered again. SDM
 * 3C, Intel Processor Trace, "MODE.Exec Packet Definition": "In cases where the
 * mode changes while PacketEn=0, the processor will send out a MODE.Exec along
 * with the TIP.PGE when tracing resumes."
 */
#ifndef SRC_TRACE_RING3_MODES_H
#define SRC_TRACE_RING3_MODES_H

#include "src/trace/ring3_trace.h"

/* Checks, with User alone, code of ring 2 that has 64 and 32 bits by turns, in
 * one trace, and in one that goes on without a PSB. The session is of ring 2
 * then. */
void ring3_modes_check(struct trace *p, struct ring3_session *ring3);

#endif
