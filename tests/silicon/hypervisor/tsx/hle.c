/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hle.c - hardware lock elision: what XACQUIRE and XRELEASE do to a
 * transaction. SDM volume 1, "Hardware Lock Elision", "Requirements for HLE
 * Locks", "HLE Nesting and Elision".
 *
 * The host processor executes it, on a copy of the page its lock is on. So
 * the copy has the value that the guest is to see from then on, and memory
 * the one that all others see.
 */
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"

#define MOV_IMMEDIATE 0xC7

/* False: it has aborted the transaction. */
static bool begin_elision(struct vcpu *v)
{
    const struct personality *cpu = v->model->cpu;
    struct transaction *tx = &v->tx;
    struct elision *e = &tx->elision;

    if (tx->depth == 0) {
        if ((tx->not_elided == v->current_rip &&
             faults_rule(v->model->machine, ABORTED_LOCK_TAKEN, true) &&
             (tx->cause != TX_CAUSE_CONFLICT ||
              faults_rule(v->model->machine, CONFLICT_LOCK_TAKEN, true))) ||
            !tsx_elides(v->model)) {
            if (faults_pt(v->model, PT_UNELIDED, false))
                trace_tx(v, TRACE_TX_NESTED, v->current_rip);
            return true;
        }
        tsx_decide(v->model, &tx->decision); /* XBEGIN's #UD is not its own */
        if (tx->decision.fate == TX_INVALID)
            tx->decision.fate = TX_RUNS;
        tx_begin(v, true, v->current_rip, v->current_rip);
        e->nest = e->locks = 0;
    }
    if (e->nest == cpu->tx_nest_max) {
        tx_abort(v, TX_CAUSE_NESTING);
        return false;
    }
    if (e->nest > 0 &&
        !faults_rule(v->model->machine, INNER_LOCK_NO_START, true))
        tsx_began(v->model, true);
    if (e->nest > 0 && !faults_rule(v->model->machine, INNER_REGISTERS, true))
        tx_registers_save(v);
    if (e->nest > 0 && !faults_rule(v->model->machine, INNER_STORES, true))
        tx->undo_lines = 0;
    if (e->nest++ > 0)
        trace_tx(v, TRACE_TX_NESTED, v->current_rip);
    if (e->locks >= cpu->hle_locks_max)
        tsx_count_causes(v->model, TX_MEM_BUFFER_FULL, 0);
    /* One lock more is written like any other word. */
    e->now =
        e->locks < cpu->hle_locks_max && !faults_write_lock(v->model->machine)
            ? ELIDE_ACQUIRE
            : ELIDE_IGNORED;
    return true;
}

/* What the instruction's prefix hints at. */
static enum elide hint(const struct vcpu *v)
{
    const struct machine *m = v->model->machine;

    if (v->current.hinted == MOV_IMMEDIATE && v->current.operand_bytes == 8 &&
        !faults_rule(m, HINT_OF_QUAD_IMMEDIATE, true))
        return ELIDE_NONE;
    uint64_t elide =
        faults_quantity(m, HINTS, v->current.hinted, v->current.elide);

    return (enum elide)faults_quantity(m, HINTS_OF_SIZE,
                                       v->current.operand_bytes, elide);
}

bool hle_instruction(struct vcpu *v)
{
    struct transaction *tx = &v->tx;
    enum elide elide = hint(v);

    if (elide == ELIDE_NONE || tx->elision.now != ELIDE_NONE ||
        (tx->depth > 0 && !tx->hle &&
         faults_rule(v->model->machine, ELISION_NOT_IN_RTM,
                     true))) { /* it ignores the hint */
        if (elide == ELIDE_ACQUIRE && tx->depth > 0 && !tx->hle)
            tx->elision.ignored = true;
        tx->elision.released =
            elide == ELIDE_RELEASE && tx->depth > 0 && !tx->hle &&
            !faults_rule(v->model->machine, RELEASE_NOT_OF_RTM, true);
        return true;
    }
    if (elide == ELIDE_ACQUIRE)
        return begin_elision(v);
    if (tx->depth > 0)
        tx->elision.now = ELIDE_RELEASE;
    return true;
}

struct elided_lock *hle_lock_at(struct vcpu *v, uint64_t address)
{
    struct elision *e = &v->tx.elision;

    for (unsigned n = 0; v->tx.hle && n < e->locks; n++)
        if (address - e->lock[n].address < e->lock[n].bytes)
            return &e->lock[n];
    return NULL;
}

void hle_overlay(struct vcpu *v, uint64_t page, uint8_t *copy)
{
    const struct elision *e = &v->tx.elision;

    if (faults_lock_looks_free(v->model) ||
        erratum_shows(v->model, ERRATUM_LOCK_LOOKS_FREE, 4))
        return;
    for (unsigned n = 0; n < e->locks; n++)
        for (unsigned byte = 0; byte < e->lock[n].bytes; byte++) {
            uint64_t at = e->lock[n].address + byte - page;

            if (byte >= 4 &&
                !faults_rule(v->model->machine, LOCK_WHOLE_INSIDE, true))
                break;

            if (at < PAGE_BYTES)
                copy[at] = e->lock[n].value[byte];
        }
}

/* The lock that this instruction has acquired, as the copy has it. */
static bool elide_lock(struct vcpu *v, uint64_t address, const uint8_t *at)
{
    struct elision *e = &v->tx.elision;
    struct elided_lock *lock = &e->lock[e->locks++];

    lock->address = address;
    lock->bytes = v->current.operand_bytes;
    for (unsigned n = 0; n < lock->bytes; n++)
        lock->value[n] = at[n];
    return address % LINE_BYTES + lock->bytes <= LINE_BYTES;
}

/* Does that byte of a lock count where it is released? */
static bool is_compared(const struct vcpu *v, const struct elided_lock *lock,
                        unsigned byte)
{
    const struct machine *m = v->model->machine;

    return (byte != 1 || lock->bytes != 4 ||
            faults_rule(m, LOCK_SECOND_BYTE, true)) &&
           (byte != 2 || faults_rule(m, LOCK_THIRD_BYTE, true)) &&
           (lock->bytes != 1 || faults_rule(m, LOCK_OF_1_BYTE, true)) &&
           (byte != 1 || lock->bytes != 2 ||
            faults_rule(m, LOCK_OF_2_BYTES, true)) &&
           (v->tx.elision.locks < 2 || faults_rule(m, LOCK_INSIDE, true));
}

/* It has to be restored to the value that it has in memory. */
static bool release_lock(struct vcpu *v, struct elided_lock *lock,
                         uint64_t address, const uint8_t *at)
{
    struct elision *e = &v->tx.elision;
    bool match =
        lock->address == address && lock->bytes == v->current.operand_bytes;
    unsigned compared = lock->bytes;

    if (!faults_rule(v->model->machine, LOCK_HIGH_BYTE, true))
        compared--;
    if (compared == 8 && !faults_rule(v->model->machine, LOCK_UPPER_HALF, true))
        compared = 4;
    for (unsigned n = 0; match && n < compared; n++)
        match =
            at[n] == ((const uint8_t *)address)[n] || !is_compared(v, lock, n);
    if (v->current_cpl > 0 &&
        !faults_rule(v->model->machine, RING3_LOCK_COMPARED, true))
        match = true;
    if (!match && !faults_release_any(v->model))
        return false;
    e->locks--;
    for (unsigned n = 0; lock != &e->lock[e->locks] && n < lock->bytes &&
                         !faults_rule(v->model->machine, CROSSED_UNSEEN, true);
         n++)
        ((uint8_t *)address)[n] = lock->value[n];
    *lock = e->lock[e->locks];
    e->released = true;
    return true;
}

enum hle_store hle_stored(struct vcpu *v, const struct open_page *page,
                          const uint8_t *copy)
{
    const struct elision *e = &v->tx.elision;
    const uint8_t *at = copy + page->address % PAGE_BYTES;
    struct elided_lock *lock = hle_lock_at(v, page->address);
    enum hle_store what = HLE_STORE_DATA;
    bool good = true;

    if (lock != NULL || e->now == ELIDE_ACQUIRE)
        what = HLE_STORE_LOCK;
    if (lock == NULL && e->now == ELIDE_ACQUIRE)
        good = elide_lock(v, page->address, at);
    else if (lock != NULL)
        good = (e->now == ELIDE_RELEASE &&
                release_lock(v, lock, page->address, at)) ||
               (e->now != ELIDE_RELEASE && faults_lock_stores(v->model));
    else
        for (unsigned n = 0; n < page->bytes; n++)
            if (at[n] != page->before[n] &&
                hle_lock_at(v, page->address + n) != NULL)
                good = false;
    if (good)
        return what;
    v->tx.elision.wrong =
        e->now == ELIDE_RELEASE ? TX_MEM_MISMATCH : TX_MEM_STORE_TO_LOCK;
    tx_abort(v, TX_CAUSE_ELISION);
    return HLE_STORE_ABORTED;
}

bool hle_ends(struct vcpu *v)
{
    struct elision *e = &v->tx.elision;
    bool release_lock = e->now == ELIDE_RELEASE, matched = e->released;

    e->now = ELIDE_NONE;
    e->released = false;
    if (!v->tx.hle)
        return matched;
    if (!release_lock)
        return false;
    if (!matched && e->nest == e->locks && !faults_release_any(v->model)) {
        e->wrong = TX_MEM_MISMATCH;
        tx_abort(v, TX_CAUSE_ELISION); /* of no lock it has acquired */
        return false;
    }
    if (--e->nest > 0)
        trace_tx(v, TRACE_TX_NESTED, v->vmcb->rip);
    return e->nest == 0 || faults_inner_release_ends(v->model);
}
