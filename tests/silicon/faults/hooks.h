/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.h - where a processor can be made to go wrong. The model does what the
 * manual says, and asks here where a fault may have it otherwise; without a
 * fault each hook gives back what it was given, or false.
 */
#ifndef SILICON_FAULTS_HOOKS_H
#define SILICON_FAULTS_HOOKS_H

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/pebs.h"

static inline bool fault_is(const struct machine *m, enum fault_id fault)
{
    return m->fault == fault;
}

static inline bool has_fault(const struct processor *p, enum fault_id fault)
{
    return p->machine->fault == fault;
}

/* PEBS: pebs.c. Does an overflow of counter n make no record? */
bool faults_suppress_record(const struct processor *p, unsigned n);
/* Events from the overflow to the record of PDIR; any: a random number. */
unsigned faults_pdir_skid(const struct processor *p, uint64_t any,
                          unsigned skid);
/* PEBS is about to be disabled on these counters. */
void faults_pebs_disabled(struct processor *p, uint64_t counters);
/* What the index becomes; what is compared with the threshold. */
uint64_t faults_pebs_index(const struct processor *p, uint64_t old,
                           uint64_t next);
uint64_t faults_pebs_reached(const struct processor *p, uint64_t next,
                             unsigned bytes);
bool faults_hide_ds_ovf(const struct processor *p);
/* What counter n is reloaded with. */
uint64_t faults_pebs_reset(const struct processor *p, const struct pebs_ds *ds,
                           unsigned n, uint64_t value);
/* The bits of GLOBAL_STATUS that a record clears. */
uint64_t faults_pebs_clears(const struct processor *p, uint64_t counters);
/* Is there room for a record? */
bool faults_pebs_fits(const struct processor *p, const struct pebs_ds *ds,
                      unsigned bytes, bool fits);
/* The record of these counters is complete. */
void faults_pebs_record(struct processor *p, uint64_t counters,
                        struct pebs_record *record);
/* Does a record inside a transaction leave it alone? */
bool faults_record_spares_tx(const struct processor *p);

/* Data of PEBS records: memory.c. */
bool faults_load_is_slow(const struct processor *p, bool slow);
void faults_load_record(struct processor *p, struct data_record *d);
void faults_store_record(const struct processor *p, const struct data_result *r,
                         struct data_record *d);
void faults_linear_record(struct processor *p, const struct data_result *r,
                          bool hit_valid, struct data_record *d);
/* An instruction with these accesses has been counted. */
void faults_note_stores(struct processor *p, const struct data_result *results,
                        unsigned count);

#endif
