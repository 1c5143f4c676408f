/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_times.h - timing packets while ring 3 and transactions run. */
#ifndef SRC_TRACE_RING3_TIMES_H
#define SRC_TRACE_RING3_TIMES_H

#include "src/trace/cyc_places.h"

/* The bits of IA32_RTIT_CTL for those that this processor has; MTC seldom
 * enough for a page. */
uint64_t ring3_times_bits(const struct identity *id);

/* Of a trace with these bits and User alone: MTC goes on between TIP.PGE and
 * TIP.PGD, and in transactions, and CYC comes before TIPs. What else has a CYC
 * is added to these, but for MTC, of which there are few. */
void ring3_times_check(struct trace *p, const char *what, uint64_t bits,
                       struct cyc_places *places);

#endif
