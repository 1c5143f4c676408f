/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcore.h - off-core response: counts requests of a core that have missed its
 * second level, chosen by what they are, who supplies the line and what the
 * other cores said.
 *
 * SDM volume 3B, "Performance Monitoring", topics "Off-core Response
 * Performance Monitoring" of each generation, tables "Off-Core Response Event
 * Encoding" and "MSR_OFFCORE_RSP_x Request_Type, Supplier Info and Snoop Info
 * Field Definition".
 */
#ifndef SILICON_MODEL_UNCORE_OFFCORE_H
#define SILICON_MODEL_UNCORE_OFFCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/model/memory/cache.h"

struct event_row;
struct processor;

#define MSR_OFFCORE_RSP_0 0x1A6u /* of event B7H/01H */
#define MSR_OFFCORE_RSP_1 0x1A7u /* of event BBH/01H */
#define OFFCORE_EVENTS    2

enum offcore_kind { OFFCORE_READ, OFFCORE_RFO };

/* An access to data has asked for its lines: out says which, and where they
 * were. It counts with the instruction that retires next. */
void offcore_access(struct processor *p, enum offcore_kind kind,
                    const struct cache_outcome *out);

bool offcore_is_event(const struct event_row *event);

/* How many of this instruction's requests counter n counts. */
uint32_t offcore_count(const struct processor *p, unsigned n,
                       const struct event_row *event);

#endif
