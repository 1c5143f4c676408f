/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_interrupt.h - an interrupt that comes at ring 3. SDM 3C, Intel
 * Processor Trace, "Packet Generation under Different Enable Conditions"; table
 * "FUP Cases and IP Payload".
 */
#ifndef SRC_TRACE_RING3_INTERRUPT_H
#define SRC_TRACE_RING3_INTERRUPT_H

#include "src/trace/ring3_trace.h"

/* Traces one of a counter, with User alone and with OS as well: FUP of where it
 * came, TIP.PGD or TIP; and where IRET comes back to. */
void ring3_interrupt_check(struct trace *p, struct ring3_session *ring3);

#endif
