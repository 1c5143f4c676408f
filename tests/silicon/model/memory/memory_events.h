/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_events.h - what the performance monitors see of loads and stores: the
 * events that count them, and the data of the one that made a PEBS record.
 *
 * SDM volume 3B, "Performance Monitoring", topics "Load Latency Performance
 * Monitoring Facility", "Precise Store Facility", "PEBS Data Address
 * Profiling".
 */
#ifndef SILICON_MODEL_MEMORY_MEMORY_EVENTS_H
#define SILICON_MODEL_MEMORY_MEMORY_EVENTS_H

#include "tests/silicon/model/memory/cache.h"
#include "tests/silicon/instructions/operand.h"

struct event_row;

#define MSR_PEBS_LD_LAT 0x3F6u

/* Of data_record.status. */
#define STATUS_L1D_HIT BIT(0)
#define STATUS_STLB    BIT(4)
#define STATUS_LOCKED  BIT(5)

/* One load or store that has retired. */
struct data_result {
    struct data_access access;
    struct cache_outcome outcome;
    bool tagged; /* by the load latency facility */
};

/* Entries 98H, A0H and A8H of a PEBS record. */
struct data_record {
    uint64_t address, status, latency;
};

/* Entry A0H of a load's record: where its data came from, and bits of it. */
uint64_t memory_status(const struct data_result *r);
uint64_t memory_source(struct processor *p, const struct data_result *r);
/* Entry 98H; event: NULL for that of precise stores. */
uint64_t memory_address(const struct processor *p,
                        const struct event_row *event,
                        const struct data_result *r);
/* Does it reach beyond its line? */
bool memory_is_split(const struct processor *p, const struct data_result *r);

/* To be called when registers have changed: is there anything that has to know
 * of accesses (p->memory.watched)? */
void memory_update_watched(struct processor *p);

/* One load, store or prefetch has been carried out: through the caches, and to
 * whatever counts lines. *result is for struct retirement. */
void memory_access(struct processor *p, const struct data_access *a,
                   uint64_t physical, bool ram, struct data_result *result);

/* Is this the event of a load or store? */
bool memory_is_event(const struct event_row *event);

/* How many of these accesses does counter n count? The one that makes a record
 * there is saved for memory_take_record. */
uint32_t memory_count(struct processor *p, unsigned n,
                      const struct event_row *event,
                      const struct data_result *results, unsigned count);

/* Removes, and returns, what was saved for a record of these counters; all
 * 0 if it is nothing. */
struct data_record memory_take_record(struct processor *p, uint64_t counters);

#endif
