/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_check.h - what has to be as it was after a window with PEBS: for
 * sampling.c alone.
 */
#ifndef SRC_PEBS_SAMPLING_CHECK_H
#define SRC_PEBS_SAMPLING_CHECK_H

#include "src/pebs/sampling.h"

/* In test_records(): the DS area, guard bytes, the buffer, guard bytes. */
#define SAMPLING_BUFFER_AT 512
#define SAMPLING_GUARD     0xdb

/* What IA32_PERFEVTSELn is programmed with; 0 where the counter is not used. */
uint64_t sampling_select(const struct sampling *p, unsigned n);

/* Each false where something is wrong, which has been said. Nothing but the
 * records was written; the status is of what counts, and of a full buffer; the
 * registers are as they were, none was refused, and the status has what
 * overflowed without a record. */
bool sampling_check_memory(struct sampling *p);
bool sampling_check_status(struct sampling *p);
bool sampling_check_registers(struct sampling *p);
/* The same of the selects, where the window did not write them. */
bool sampling_check_selects(struct sampling *p);

/* Record Format (00H) of an adaptive record has these groups, as in
 * MSR_PEBS_DATA_CFG, and the size: all of it but Retire Latency. Says it with
 * its EventingIP. */
bool sampling_check_format(struct sampling *p, const struct pebs_record *record,
                           uint64_t selection);

/* The XMM group of p's record n, which is `record`, is as windows that plant
 * registers leave it; which: "record 3", for the line. */
void sampling_check_xmm(struct sampling *p, unsigned n,
                        const struct pebs_record *record, const char *which);

/* Whether RIP is in the events of a window that plants all registers. */
bool sampling_is_planted(const struct pebs_record *record);

/* Of a record of that event, in a window that plants registers: RIP and
 * EventingIP are the event's, it is of no abort, its time is past, and its
 * counters make records, whichever they are. What is not wrong is no check. */
void sampling_check_event(struct sampling *p, const struct pebs_record *record,
                          unsigned event);

#endif
