/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_events.h - IRETQ from ring 3 to itself, and with EventEn the interrupts
 * and exceptions of ring 3.
 *
 * SDM 3C, Intel Processor Trace, of later editions, "Event Trace".
 */
#ifndef SRC_TRACE_RING3_EVENTS_H
#define SRC_TRACE_RING3_EVENTS_H

#include "src/trace/ring3_shown.h"

/* Traces each and checks its packets. After ring3_show_bodies(). */
void ring3_events_check(const struct ring3_shown *b);

#endif
