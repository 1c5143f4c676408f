/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.h - where a processor can be made to go wrong. The model does what the
 * manual says, and asks here where a fault may have it otherwise; without a
 * fault each hook gives back what it was given, or false.
 */
#ifndef SILICON_MODEL_HOOKS_H
#define SILICON_MODEL_HOOKS_H

#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/tsx/tsx.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/pebs/pebs.h"

static inline bool fault_is(const struct machine *m, enum fault_id fault)
{
    return m->fault == fault;
}

static inline bool has_fault(const struct processor *p, enum fault_id fault)
{
    return p->machine->fault == fault;
}

/* In whatever way. */
static inline bool deviates(const struct processor *p)
{
    return p->machine->fault != FAULT_none || p->machine->errata != 0 ||
           p->cpu->as_sold;
}

/* The answers of entries that name a rule or a quantity, of which there are
 * some hundred at each step. Does this rule hold? */
static inline bool faults_rule(const struct machine *m, enum rule rule, bool is)
{
    const struct fault *f = fault_entries[m->fault];

    return f->breaks == rule ? f->is : is;
}

/* Is it one that this fault is about? */
static inline bool faults_about(const struct machine *m, enum quantity quantity,
                                uint32_t number)
{
    const struct fault *f = fault_entries[m->fault];

    return f->quantity == quantity &&
           (f->number == number || f->number == ANY_NUMBER);
}

/* What is the quantity? */
static inline uint64_t faults_quantity(const struct machine *m,
                                       enum quantity quantity, uint32_t number,
                                       uint64_t value)
{
    const struct fault *f = fault_entries[m->fault];

    return faults_about(m, quantity, number)
               ? ((value & ~f->clear) | f->set) + f->add
               : value;
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

/* Processor Trace: pt_rules.h, pt_values.h, and the entries of pt_*.c. Does the
 * rule hold? What is the value? */
bool faults_pt(const struct processor *p, enum pt_rule rule, bool is);
uint64_t faults_pt_value(const struct processor *p, enum pt_value what,
                         uint64_t value);
/* The same of a register. */
bool faults_pt_unlocked(const struct processor *p, uint32_t number);
uint64_t faults_pt_register(const struct processor *p, enum pt_value what,
                            uint32_t number, uint64_t value);
/* What a register reads; it has been written, by any processor. */
uint64_t faults_pt_shared(const struct processor *p, uint32_t number,
                          uint64_t value);
void faults_pt_written_to(struct processor *p, uint32_t number, uint64_t value);

/* pt.c. Does this branch make no packet? */
bool faults_hide_branch(const struct processor *p);
/* An instruction in a transaction has been traced: does that abort it? */
bool faults_trace_aborts(const struct processor *p);
uint64_t faults_tnt(const struct processor *p, uint64_t bits, unsigned count);
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
/* Does an abort by this cause make packets? */
bool faults_abort_traced(const struct processor *p, enum tx_cause cause);

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
/* What is stored in a register; what a lookup found, and who asked. Which cores
 * an interrupt is for; does this one take it? */
uint64_t faults_uncore_value(const struct machine *m, uint32_t number,
                             uint64_t value);
unsigned faults_lookup_state(const struct machine *m, unsigned state);
unsigned faults_lookup_by(const struct machine *m, unsigned by);
bool faults_uncore_enabled(const struct processor *p, bool enabled);
uint64_t faults_offcore_response(const struct processor *p, uint64_t response);
unsigned faults_offcore_counters(const struct processor *p, unsigned counters);
uint64_t faults_uncore_config(const struct machine *m, uint64_t config);
bool faults_accept_uncore(const struct machine *m);

struct retirement;
struct cpuid_result;

/* The registers of the counters: registers.c. What is written in place of this
 * value; it has been, if good: gives what is then to be said. */
uint64_t faults_register_value(const struct processor *p, uint32_t number,
                               uint64_t value);
bool faults_register_written(struct processor *p, uint32_t number,
                             uint64_t value, bool good);
uint64_t faults_inuse(const struct processor *p, uint64_t value);
/* RDPMC, with this CR4.PCE: may it be executed? */
bool faults_rdpmc_allowed(const struct processor *p, bool user, bool pce);
bool faults_rdpmc_read(const struct processor *p, uint32_t ecx, uint64_t *value,
                       bool good);
/* CPUID 0AH, and what CPUID(1) loads; is it kept when 0 is written? */
void faults_leaf_0a(const struct processor *p, struct cpuid_result *out);

/* Overflow and interrupts: interrupts.c; fixed counters are from 32 on. What a
 * counter becomes; the bits that its overflow sets; does that interrupt? */
uint64_t faults_sum(const struct processor *p, unsigned n, uint64_t old,
                    uint64_t sum);
uint64_t faults_overflow_bits(struct processor *p, unsigned n, uint64_t bits);
bool faults_interrupts(struct processor *p, unsigned n, bool interrupts);
/* What an interrupt freezes; it has, where GLOBAL_CTRL was ctrl. */
uint64_t faults_freezes(const struct processor *p, uint64_t debugctl);
void faults_frozen(struct processor *p, uint64_t debugctl, uint64_t ctrl);
bool faults_counts_frozen(const struct processor *p);
/* The LVT entry that an interrupt is sent by; what is set in it then. */
uint32_t faults_lvt(const struct processor *p, uint32_t lvt, uint32_t mask);
uint32_t faults_lvt_mask(const struct processor *p, uint32_t mask);

/* What is counted: counts.c. Is a counter enabled; for this privilege level; a
 * fixed counter's field of its control register. */
bool faults_enabled(const struct processor *p, unsigned n, bool enabled);
bool faults_fixed_enabled(const struct processor *p, unsigned n, bool enabled);
bool faults_user(const struct processor *p, bool user, uint8_t branch);
bool faults_level(const struct processor *p, uint64_t select, bool user,
                  bool counted);
uint64_t faults_fixed_field(const struct processor *p, unsigned n,
                            uint64_t ctrl);
/* The select as CMASK, INV and EDGE are taken; what came of that. */
uint64_t faults_select(const struct processor *p, uint64_t select);
uint32_t faults_in_cycles(const struct processor *p, uint64_t select,
                          uint32_t events, uint32_t count);
/* AnyThread: the counters that have it. */
bool faults_spares_own(const struct processor *p, unsigned n);
bool faults_any_level(const struct processor *p, bool counted);
uint64_t faults_any(const struct processor *p, uint64_t enabled, uint64_t any);
/* How often an event, or that of a fixed counter, has happened. */
uint32_t faults_events(const struct processor *p, const struct event_row *event,
                       const struct retirement *r, uint32_t count);
uint32_t faults_fixed_count(const struct processor *p, unsigned n,
                            const struct retirement *r, uint32_t count);

/* Counters: counting.c. Can IN_TX be set, reserved bits of PERFEVTSELn, and
 * those above the counter of 4C1H to 4C8H? Does counter n have no registers? */
bool faults_accept_in_tx(const struct processor *p);
bool faults_accept_evtsel(const struct processor *p);
bool faults_accept_wide(const struct processor *p);
bool faults_refuse_counter(const struct processor *p, unsigned n);
bool faults_refuse_global_ctrl(const struct processor *p);
bool faults_no_sign_extension(const struct processor *p, unsigned n);
/* Software writes counter n: to 4C1H + n if wide. False: it is not to change.
 */
bool faults_write_counter(struct processor *p, unsigned n, uint64_t value,
                          bool wide);
/* What reads of counter n give: at 4C1H + n, and by RDPMC. */
uint64_t faults_read_wide(const struct processor *p, unsigned n,
                          uint64_t value);
uint64_t faults_rdpmc(const struct processor *p, unsigned n, uint64_t value);
/* CPUID 0AH: counters. */
unsigned faults_counters(const struct processor *p, unsigned counters);
/* A window of counting has opened. */
void faults_window_opened(struct processor *p);
/* Does a counter with IN_TX count outside; is one with IN_TXCP rolled back? */
bool faults_count_outside(const struct processor *p);
bool faults_keep_aborted(const struct processor *p);
/* How many events counter n takes. */
uint32_t faults_count(struct processor *p, unsigned n, uint32_t count);
/* Counter n has been added to, wrapping or not; status: what to set for it.
 * Gives what is set. *overflow: has it overflowed? */
uint64_t faults_overflow(struct processor *p, unsigned n, uint64_t status,
                         bool *overflow);
bool faults_hide_pmi(const struct processor *p);
bool faults_pmi_again(const struct processor *p);
/* Events of transactions: the start, ABORTED and others of an abort, and does
 * HLE_RETIRED count this one? */
bool faults_start_again(struct processor *p);
uint8_t faults_aborted_events(const struct processor *p, enum tx_cause cause,
                              uint8_t umasks);
bool faults_count_as_hle(const struct processor *p);
/* Is counter 3 to go wrong around this transaction; each time and visibly;
 * are its registers, after one? */
bool faults_garble_counter3(const struct processor *p);
bool faults_garble_always(const struct processor *p);
void faults_after_transaction(struct processor *p);

/* Processors: machine.c. */
bool faults_processor_lost(const struct machine *m, unsigned index);
uint32_t faults_revision(const struct processor *p, uint32_t revision);
bool faults_refuse_update(const struct processor *p);
bool faults_update_one_thread(const struct machine *m);

/* Lock elision: hle.c. Is the lock written for all to see; does a load see the
 * one in memory; does an XRELEASE that does not match commit; does an abort
 * change EAX; does XTEST not see it? */
bool faults_write_lock(const struct machine *m);
bool faults_lock_looks_free(const struct processor *p);
bool faults_release_any(const struct processor *p);
bool faults_hle_sets_eax(const struct processor *p, enum tx_cause cause);
bool faults_hle_hidden(const struct processor *p, unsigned nest);
/* Which elides, if not this processor does. */
bool faults_elides(const struct processor *p, bool elides);

/* Transactions: tsx.c. What an abort of this cause does not roll back. */
bool faults_keep_stores(const struct processor *p, enum tx_cause cause,
                        bool hle);
bool faults_ignore_xend(const struct processor *p);
bool faults_nested_commit(const struct processor *p);
bool faults_xtest_zero(const struct processor *p);
bool faults_refuse_xabort(const struct processor *p);
bool faults_deliver_exception(const struct processor *p, unsigned vector);
/* Does this instruction, which aborts, not do so? */
bool faults_let_pass(const struct processor *p, const struct instruction *i);
/* Does an access of another processor not abort? sets: lines.h. */
unsigned faults_conflict_sets(const struct machine *m, unsigned sets,
                              bool write);
/* The decision about a transaction that is to be aborted, and about one that
 * may commit. */
void faults_doomed(struct processor *p, struct tx_decision *decision);
void faults_may_commit(struct processor *p, struct tx_decision *decision);

/* The MSR 10FH and what it does; number by regime. Each gives what the manual
 * says, given as the last argument, where no fault has it otherwise. */
bool faults_hidden(const struct processor *p, bool hidden);
bool faults_forced(const struct processor *p, bool forced);
bool faults_rtm_visible(const struct processor *p, bool forced, bool visible);
bool faults_hle_visible(const struct processor *p, bool visible);
bool faults_always_abort_visible(const struct processor *p, bool visible);
bool faults_force_abort_readable(const struct processor *p);
bool faults_force_abort_refused(const struct processor *p);
uint64_t faults_force_abort_value(const struct processor *p, uint64_t value);
bool faults_accept_force_abort(const struct processor *p, uint64_t reserved);
/* It has been written; value: its bits that exist. */
void faults_force_abort_written(struct processor *p, uint64_t value);
/* Does bit 0 hold what is written, in regime C? */
bool faults_bit0_writable(const struct processor *p);
bool faults_aborts_all(const struct processor *p, bool aborts);
bool faults_rtm_invalid(const struct processor *p);

#include "tests/silicon/model/pebs/pebs_hooks.h"
#include "tests/silicon/model/tsx/tx_hooks.h"

#endif
