/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_hooks.h - more of hooks.h: PEBS records and what makes them.
 */
#ifndef SILICON_MODEL_PEBS_PEBS_HOOKS_H
#define SILICON_MODEL_PEBS_PEBS_HOOKS_H

#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/pebs/pebs.h"

/* pebs_fields.c: the words of a record of these counters. */
void faults_pebs_fields(struct processor *p, uint64_t counters,
                        uint64_t *words);

/* pebs_area.c: the index has advanced. */
void faults_pebs_advanced(struct processor *p, struct pebs_ds *ds,
                          unsigned bytes);
bool faults_pebs_room(struct processor *p, const struct pebs_ds *ds, bool fits);
/* What counter n is reloaded with; all are. */
uint64_t faults_pebs_reload(const struct processor *p, const struct pebs_ds *ds,
                            unsigned n, uint64_t value);
void faults_pebs_reloaded(struct processor *p, const struct pebs_ds *ds);
/* A record is written: so many bytes at this address; are other fields of the
 * DS area changed? */
unsigned faults_pebs_written(const struct processor *p, uint64_t at,
                             unsigned bytes);
bool faults_pebs_area(const struct processor *p, struct pebs_ds *ds);
/* IA32_PEBS_ENABLE[n]; 3F1H, 3F6H and 600H with these bits that #GP is for. */
bool faults_pebs_enabled(const struct processor *p, unsigned n, bool enabled);
bool faults_accept_pebs(const struct processor *p, uint32_t number,
                        uint64_t reserved);
/* Events between overflow and record; the
 * interrupt of an overflow. */
unsigned faults_pebs_skid(const struct processor *p, unsigned skid);
bool faults_pebs_interrupt(struct processor *p, bool interrupt);
/* Are the latency of loads, and precise store, enabled; the threshold. */
bool faults_ll_enabled(const struct processor *p, bool enabled);
uint64_t faults_load_threshold(const struct processor *p, uint64_t threshold);
bool faults_ps_enabled(const struct processor *p, bool enabled);

/* pebs_occasions.c: 3F1H is written; the DS area as it is for a record; the
 * record of these counters has its place, and the index has advanced; an
 * instruction has been counted. */
void faults_pebs_enable_written(struct processor *p);
void faults_pebs_area_read(struct processor *p, struct pebs_ds *ds);
void faults_pebs_placed(struct processor *p, uint64_t counters,
                        struct pebs_record *record);
void faults_pebs_reaches(struct processor *p, const struct pebs_ds *ds);
void faults_pebs_counted(struct processor *p);
/* The words of a record; its data, of a load's latency or of any access. */
void faults_pebs_words(const struct processor *p, uint64_t counters,
                       uint64_t *words);
void faults_latency_data(struct processor *p, struct data_record *d);
void faults_address_data(const struct processor *p, const struct data_result *r,
                         struct data_record *d);

/* memory_fields.c: of a load's latency, a precise store, a data address. */
void faults_load_fields(struct processor *p, struct data_record *d);
void faults_store_fields(const struct processor *p, struct data_record *d);
void faults_data_fields(struct processor *p, bool load, struct data_record *d);

/* record_places.c: the words of a record; its data; what counter n is reloaded
 * with; whether it makes records; where the DS area is. */
void faults_pebs_place(struct processor *p, uint64_t counters, uint64_t *words);
void faults_place_data(struct processor *p, const struct data_result *r,
                       struct data_record *d);
uint64_t faults_place_reload(const struct processor *p, unsigned n,
                             uint64_t value);
bool faults_place_silent(const struct processor *p);
uint64_t faults_ds_area_at(const struct processor *p, uint64_t area);

/* occasions.c: on some occasion alone. */
void faults_pebs_occasion(const struct processor *p, uint64_t counters,
                          uint64_t *words);

#endif
