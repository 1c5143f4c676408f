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
#include "tests/silicon/model/pt.h"
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

/* Processor Trace: pt.c. Does this branch make no packet? */
bool faults_hide_branch(const struct processor *p);
/* Can this register be written while TraceEn = 1? */
bool faults_pt_unlocked(const struct processor *p, uint32_t number);
/* An instruction in a transaction has been traced: does that abort it? */
bool faults_trace_aborts(const struct processor *p);
uint8_t faults_tnt(const struct processor *p, uint8_t bits, unsigned count);
bool faults_psb_has_tx(const struct processor *p, bool tx);
bool faults_psb_in_tx(const struct processor *p, bool in_tx);
uint64_t faults_psb_last_ip(const struct processor *p, uint64_t ip);
/* Output: is this offset taken; how the range wraps; reserved bits and STOP of
 * an entry; its interrupt and status; the next entry. */
bool faults_offset_accepted(const struct processor *p, bool inside);
uint64_t faults_range_mask(const struct processor *p, uint64_t mask);
uint64_t faults_topa_reserved(const struct processor *p, uint64_t bits);
uint64_t faults_topa_stop(const struct processor *p, uint64_t bit);
bool faults_topa_int_missing(const struct processor *p);
uint64_t faults_topa_status(const struct processor *p, uint64_t bit);
uint64_t faults_topa_next(const struct processor *p, uint64_t step);
/* All packets so far are in memory. */
void faults_pt_written(struct processor *p);
/* Transactions: are they traced; the FUPs and the TIP; the mode of an abort;
 * packets of one more level. */
bool faults_tx_traced(const struct processor *p, bool traced);
/* True: it has put MODE.TSX and what comes of the FUP. */
bool faults_put_mode_tsx(struct processor *p, enum pt_tx_mode mode,
                         const uint64_t *fup);
const uint64_t *faults_tx_begin_ip(struct processor *p,
                                   const struct pt_step *now);
bool faults_hide_commit(const struct processor *p);
const uint64_t *faults_tx_abort_ip(const struct processor *p,
                                   const struct pt_step *now);
enum pt_tx_mode faults_tx_abort_mode(const struct processor *p);
void faults_tx_aborts(struct processor *p);
bool faults_hide_abort_tip(const struct processor *p);
const uint64_t *faults_tx_target(const struct processor *p,
                                 const struct pt_step *now);
bool faults_show_nested(const struct processor *p);

/* Off-core response and the uncore: uncore.c. What a request and a supplier
 * are taken for; the register that event n compares with. */
uint64_t faults_offcore_request(const struct processor *p, uint64_t request,
                                uint64_t all);
uint64_t faults_offcore_supplier(const struct processor *p, uint64_t supplier);
uint32_t faults_offcore_register(const struct processor *p, uint32_t number);
bool faults_count_cached(const struct processor *p);
bool faults_accept_offcore(const struct processor *p);
bool faults_hide_uncore_status(const struct machine *m);
bool faults_hide_uncore_pmi(const struct machine *m);
bool faults_uncore_runs_on(const struct machine *m);
bool faults_uncore_clock_stands(const struct machine *m);
unsigned faults_box(const struct machine *m, unsigned box);
/* How often the C-Boxes count this lookup. */
unsigned faults_lookup_weight(const struct machine *m);
uint64_t faults_arb_requests(const struct machine *m, uint64_t requests);
uint64_t faults_arb_occupancy(const struct machine *m, uint64_t cycles);
uint64_t faults_uncore_config(const struct machine *m, uint64_t config);
bool faults_accept_uncore(const struct machine *m);

#endif
