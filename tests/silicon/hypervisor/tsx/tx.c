/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx.c - transactions. At the outermost XBEGIN, or XACQUIRE, the registers are
 * saved; tx_memory.c does the same for memory, conflict.c for other
 * processors, hle.c for elided locks. A commit drops it, an abort restores it.
 *
 * model/tsx.c decides what becomes of a transaction. SDM volume 1,
 * "Programming with Intel Transactional Synchronization Extensions".
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"

/* Others run this often, while conflicts are possible. */
#define STEPS_PER_YIELD 2

/* The transaction has committed or aborted. */
static void reset_transaction(struct vcpu *v)
{
    watch_end(v);
    v->tx.depth = 0;
    v->tx.hle = false;
    v->tx.elision.now = ELIDE_NONE;
    v->tx.elision.released = false;
    v->tx.elision.ignored = false;
    if (v->measure)
        v->tx_tsc += rdtsc() - v->tx_started;
}

static void note_size(struct vcpu *v)
{
    v->model->tsx.steps = v->tx.steps;
    v->model->tsx.lines = v->tx.lines.writes;
}

/* status: to be added to EAX. */
static void abort_with(struct vcpu *v, enum tx_cause cause, uint32_t status)
{
    struct transaction *tx = &v->tx;
    struct tx_abort how = {
        .cause = cause,
        .code = v->current.immediate,
        .depth = tx->depth,
        .inner_ended = tx->inner_ended,
        .status = tx->decision.forced ? tx->decision.status : status,
        .elision = cause == TX_CAUSE_ELISION ? tx->elision.wrong : 0,
        .forced = tx->decision.forced,
        .begin_ip = tx->begin,
        .eventing_ip = v->current_rip,
        .resume_ip = tx->resume_ip,
    };

    tx->cause = cause;
    if (faults_keep_stores(v->model, cause, tx->hle))
        tx->decision.leak_stores = true;
    tx_memory_end(v, !tx->decision.leak_stores);
    conflict_end(v, false);
    uint64_t rsi = v->gprs.rsi;
    tx_registers_restore(v, cause);
    if (cause == TX_CAUSE_EVENT &&
        !faults_rule(v->model->machine, INTERRUPT_RESTORES, true))
        v->gprs.rsi = rsi;
    /* RIP is one of the registers that an abort restores: loop.c does not move
     * it, and the action that the handler returns is void. */
    v->vmcb->rip =
        faults_hle_goes_on(v->model, tx->hle) ? tx->resume_ip : tx->fallback;
    tx->debugged = cause == TX_CAUSE_DEBUG && watch_is_debugged(v);
    if (tx->debugged)
        v->vmcb->rip =
            faults_rule(v->model->machine, DEBUGGED_AT_OUTERMOST, true)
                ? tx->begin
                : tx->last_begin;
    if (tx->depth > 1 && faults_about(v->model->machine, INNER_FALLBACK, cause))
        v->vmcb->rip = tx->inner_fallback;
    trace_abort(v);
    if (faults_abort_traced(v->model, cause))
        trace_tx(v, TRACE_TX_ABORT, v->vmcb->rip);
    if (!faults_about(v->model->machine, TXCP_KEPT, cause) &&
        (!tx->hle || faults_rule(v->model->machine, TXCP_OF_ELISION, true)) &&
        (tx->depth == 1 ||
         faults_rule(v->model->machine, TXCP_OF_NESTED, true)))
        counters_roll_back(v->model);
    if (cause == TX_CAUSE_WRITES &&
        !faults_rule(v->model->machine, CAPACITY_KEEPS_COUNTS, true))
        counters_restore(v->model);
    if (tx->decision.forced &&
        !faults_rule(v->model->machine, FORCED_KEEPS_COUNTER_3, true))
        v->model->pmu.counter[3] = v->model->pmu.at_xbegin[3];
    step_count(v, 0, v->model->choices.cycles_abort, false);
    note_size(v);
    status = tsx_aborted(v->model, &how);
    if (tx->hle)
        tx->not_elided = tx->fallback;
    if (tx->hle ? faults_hle_sets_eax(v->model, cause)
                : !tx->debugged ||
                      !faults_rule(v->model->machine, DEBUGGED_KEEPS_EAX, true))
        v->vmcb->rax =
            status | (faults_rule(v->model->machine, STATUS_ZERO_EXTENDED, true)
                          ? 0
                          : v->vmcb->rax & ~BITS(31, 0));
    tx->aborted_depth = tx->depth;
    reset_transaction(v);
    if (!faults_rule(v->model->machine, ABORT_KEEPS_DR7, true))
        v->vmcb->dr7 &= ~DR7_RTM;
    step_end(v);
}

void tx_abort(struct vcpu *v, enum tx_cause cause)
{
    abort_with(v, cause, 0);
}

void tx_break_off(struct vcpu *v)
{
    if (v->tx.depth > 0)
        tx_abort(v, TX_CAUSE_EVENT);
    conflict_revoke_grants(v);
    hint_replace_end(v);
}

void tx_abort_doomed(struct vcpu *v)
{
    abort_with(v, TX_CAUSE_EVENT, v->tx.decision.status);
}

bool tx_commit(struct vcpu *v, uint64_t next)
{
    if (v->tx.decision.fate == TX_DOOMED &&
        !(v->tx.decision.stores_alone && v->tx.lines.writes == 0)) {
        tx_abort_doomed(v);
        return false;
    }
    if (!conflict_end(v, true)) {
        tx_abort(v, TX_CAUSE_CONFLICT);
        return false;
    }
    tx_memory_end(v, v->tx.decision.lose_stores);
    trace_tx(v, TRACE_TX_COMMIT, next);
    note_size(v);
    tsx_committed(v->model);
    reset_transaction(v);
    return true;
}

void tx_begin(struct vcpu *v, bool hle, uint64_t next, uint64_t fallback)
{
    struct transaction *tx = &v->tx;

    tx->depth = 1;
    tx->aborted_depth = 0;
    tx->inner_ended = false;
    tx->suspended = false;
    tx->untracked = tx->untracked_next;
    tx->hle = hle;
    tx->steps = 0;
    v->model->tsx.user = v->vmcb->cpl > 0;
    tx_registers_save(v);
    tx->begin = tx->last_begin = v->current_rip;
    tx->fallback = fallback;
    tx->resume_ip = tx->fallback;
    watch_begin(v);
    tx_memory_begin(v);
    conflict_begin(v);
    v->transactions++;
    if (v->measure)
        v->tx_started = rdtsc();
    tsx_began(v->model, hle);
    trace_tx(v, TRACE_TX_BEGIN, next);
    counters_checkpoint(v->model);
    step_set_mode(v, MODE_STEP);
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
}

void tx_step_done(struct vcpu *v)
{
    const struct personality *cpu = v->model->cpu;
    struct transaction *tx = &v->tx;

    if (!tx_memory_step(v))
        return;
    if (tx->elision.ignored)
        tsx_count_causes(v->model, 0, TX_EXEC_HLE_IN_RTM);
    tx->elision.ignored = false;
    if (++tx->steps == 1 && tx->hle)
        tx->resume_ip = v->vmcb->rip;
    if (tx->steps % STEPS_PER_YIELD == 0 && kick_others_in_guest(v))
        turns_yield(v);
    if (tx->lines.writes > cpu->tx_write_lines)
        tx_abort(v, TX_CAUSE_WRITES);
    else if (tx->lines.reads > cpu->tx_read_lines)
        tx_abort(v, TX_CAUSE_READS);
    else if (tx->watch.hits != 0)
        tx_abort(v, TX_CAUSE_DEBUG);
    else if (tx->decision.fate == TX_DOOMED && !tx->decision.at_xend &&
             tx->steps >= tx->decision.steps)
        tx_abort_doomed(v);
    else if (hle_ends(v))
        tx_commit(v, v->vmcb->rip);
}
