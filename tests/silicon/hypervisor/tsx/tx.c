/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx.c - transactions. At the outermost XBEGIN, or XACQUIRE, the registers are
 * saved; tx_memory.c does the same for memory, conflict.c for other
 * processors, hle.c for elided locks. XEND drops it, an abort restores it.
 *
 * model/tsx.c decides what becomes of a transaction. SDM volume 1,
 * "Programming with Intel Transactional Synchronization Extensions".
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

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

/* It was doomed from its start, without a cause in the program. */
static void abort_doomed(struct vcpu *v)
{
    abort_with(v, TX_CAUSE_EVENT, v->tx.decision.status);
}

bool tx_commit(struct vcpu *v, uint64_t next)
{
    if (v->tx.decision.fate == TX_DOOMED &&
        !(v->tx.decision.stores_alone && v->tx.lines.writes == 0)) {
        abort_doomed(v);
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

/* SDM volume 2, XBEGIN: sign-extended, whatever its size. */
static uint64_t fallback_of(const struct vcpu *v, uint64_t next)
{
    const struct machine *m = v->model->machine;
    int64_t to = v->current.displacement;

    if (v->current.short_displacement) {
        if (!faults_rule(m, SHORT_IS_SIGNED, true))
            to &= 0xFFFF;
        if (!faults_rule(m, SHORT_FROM_NEXT, true))
            to++;
    } else if (!faults_rule(m, LONG_IS_WHOLE, true)) {
        to = (int16_t)to;
    } else if (to < 0 && !faults_rule(m, BACKWARD_FALLBACK, true)) {
        to = 0;
    }
    to += v->current_rip / PAGE_BYTES != (next - 1) / PAGE_BYTES &&
          !faults_rule(m, FALLBACK_FROM_NEXT, true);
    return next + (uint64_t)to;
}

void tx_begin(struct vcpu *v, bool hle, uint64_t next)
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
    tx->fallback = hle ? next : fallback_of(v, next);
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

static struct action begin_outermost(struct vcpu *v, uint64_t next)
{
    bool in_tx = v->model->choices.xbegin_in_tx;

    if (!in_tx)
        step_count(v, 1, v->model->choices.cycles_other, false);
    tx_begin(v, false, next);
    if (in_tx)
        step_count(v, 1, v->model->choices.cycles_other, true);
    if (v->tx.decision.fate == TX_DOOMED && v->tx.decision.steps == 0 &&
        !v->tx.decision.at_xend) {
        abort_doomed(v);
        return action_of(ACTION_RESUME);
    }
    return action_complete(ACTION_ADVANCE, v->current.length);
}

static struct action xbegin(struct vcpu *v)
{
    uint64_t next = v->current_rip + v->current.length;

    if (v->tx.depth == 0) {
        v->model->tsx.user = v->vmcb->cpl > 0;
        tsx_decide(v->model, &v->tx.decision);
        if (v->tx.decision.fate == TX_INVALID)
            return action_raise(VECTOR_UD, 0);
        return begin_outermost(v, next);
    }
    if (v->tx.depth >= tsx_nest_max(v->model) &&
        faults_rule(v->model->machine, NESTING_LIMITED, true)) {
        tx_abort(v, TX_CAUSE_NESTING);
        return action_of(ACTION_RESUME);
    }
    v->tx.depth++;
    v->tx.last_begin = v->current_rip;
    v->vmcb->rax = faults_quantity(v->model->machine, NESTED_RAX, ANY_NUMBER,
                                   v->vmcb->rax);
    v->tx.inner_fallback = fallback_of(v, next);
    trace_tx(v, TRACE_TX_NESTED, next);
    tsx_nested(v->model, true);
    return action_complete(ACTION_RETIRE, v->current.length);
}

/* An abort leaves the processor outside of transactions. */
static bool seems_to_run(const struct vcpu *v)
{
    const struct machine *m = v->model->machine;

    return (v->tx.aborted_depth > 0 && !faults_rule(m, ABORT_ENDS, true)) ||
           (v->tx.aborted_depth > 1 &&
            !faults_rule(m, NESTED_ABORT_ENDS, true));
}

static struct action xend(struct vcpu *v)
{
    const struct machine *m = v->model->machine;
    struct transaction *tx = &v->tx;
    uint64_t next = v->current_rip + v->current.length;

    if (tsx_rtm_invalid(v->model))
        return action_raise(VECTOR_UD, 0);
    if (tx->depth == 0 && !faults_rule(m, XEND_OUTSIDE_IS_GP, true))
        return action_raise(VECTOR_UD, 0);
    if (tx->depth == 0 &&
        ((v->vmcb->cpl > 0 && !faults_rule(m, XEND_OUTSIDE_RING3, true)) ||
         (tsx_is_forced(v->model) &&
          !faults_rule(m, XEND_FORCED_IS_GP, true)) ||
         seems_to_run(v)))
        return action_complete(ACTION_RETIRE, v->current.length);
    if (tx->depth == 0 && !faults_ignore_xend(v->model))
        return action_raise(VECTOR_GP, faults_rule(m, XEND_ERROR_0, true)
                                           ? 0
                                           : (uint32_t)VECTOR_GP);
    if (tx->depth > 1 && faults_inner_commits(v->model))
        tx->depth = 1;
    if (tx->depth != 1) {
        if (tx->depth > 1)
            tx->depth--;
        tx->inner_ended = true;
        if (!faults_rule(m, INNER_SETS_STAY, true))
            conflict_begin(v);
        if (faults_nested_commit(v->model))
            tx->undo_lines = 0;
        trace_tx(v, TRACE_TX_NESTED, next);
        tsx_nested(v->model, false);
        return action_complete(ACTION_RETIRE, v->current.length);
    }
    if (tx->decision.fate != TX_DOOMED && !tx->conflict)
        step_count(v, 1, v->model->choices.cycles_other, true);
    if (!tx_commit(v, next))
        return action_of(ACTION_RESUME);
    return action_complete(ACTION_ADVANCE, v->current.length);
}

/* SDM volume 2: ZF = 0 inside a transaction, the other status flags 0. */
static struct action xtest(struct vcpu *v)
{
    const struct machine *m = v->model->machine;

    if (tsx_xtest_invalid(v->model))
        return action_raise(VECTOR_UD, 0);
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_STATUS |
                       faults_quantity(m, XTEST_KEEPS, ANY_NUMBER, 0);
    if (!faults_rule(m, XTEST_KEEPS_DF, true))
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_DF;
    if ((v->tx.depth == 0 && !seems_to_run(v)) || faults_xtest_zero(v->model) ||
        (v->tx.hle && faults_hle_hidden(v->model, v->tx.elision.nest)))
        v->vmcb->rflags |= RFLAGS_ZF;
    return action_complete(faults_rule(m, XTEST_COUNTS, true) ? ACTION_RETIRE
                                                              : ACTION_ADVANCE,
                           v->current.length);
}

static struct action xabort(struct vcpu *v)
{
    if (tsx_rtm_invalid(v->model))
        return action_raise(VECTOR_UD, 0);
    if (v->tx.depth > 0) {
        tx_abort(v, TX_CAUSE_XABORT);
        return action_of(ACTION_RESUME);
    }
    if (faults_refuse_xabort(v->model))
        return action_raise(VECTOR_GP, 0);
    if (faults_pt(v->model, PT_XABORT_ALONE, false))
        trace_tx(v, TRACE_TX_ABORT, v->current_rip + v->current.length);
    return action_complete(ACTION_RETIRE, v->current.length);
}

static struct action execute(struct vcpu *v)
{
    if (v->tx.depth > 0 && v->tx.suspended &&
        faults_rule(v->model->machine, SUSPENDED_NO_XEND, true) &&
        (v->current.kind == INSTRUCTION_XBEGIN ||
         v->current.kind == INSTRUCTION_XEND)) {
        tx_abort(v, TX_CAUSE_INSTRUCTION);
        return action_of(ACTION_RESUME);
    }
    switch (v->current.kind) {
    case INSTRUCTION_XSUSLDTRK:
    case INSTRUCTION_XRESLDTRK:
        return tx_track_loads(v);
    case INSTRUCTION_XBEGIN:
        return xbegin(v);
    case INSTRUCTION_XEND:
        return xend(v);
    case INSTRUCTION_XTEST:
        return xtest(v);
    case INSTRUCTION_XABORT:
        return xabort(v);
    default:
        return action_of(ACTION_EXECUTE);
    }
}

struct action tx_instruction(struct vcpu *v)
{
    struct action a;

    if (v->current.locked && faults_rule(v->model->machine, LOCK_REFUSED, true))
        return action_raise(VECTOR_UD, 0);
    if (v->current.prefixed &&
        faults_rule(v->model->machine, PREFIX_REFUSED, true))
        return action_raise(VECTOR_UD, 0);
    if (v->tx.hle && v->current.kind != INSTRUCTION_XTEST &&
        faults_rule(v->model->machine, RTM_NOT_IN_ELISION, true)) {
        if (v->current.kind == INSTRUCTION_XBEGIN)
            tsx_count_causes(v->model, 0, TX_EXEC_RTM_IN_HLE);
        tx_abort(v, TX_CAUSE_INSTRUCTION); /* RTM inside HLE */
        return action_of(ACTION_RESUME);
    }
    a = execute(v);
    if (a.kind != ACTION_RESUME)
        faults_tx_instruction(v->model, v->current.kind, v->tx.depth,
                              &v->vmcb->rax, &v->vmcb->rflags);
    return a;
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
        abort_doomed(v);
    else if (hle_ends(v))
        tx_commit(v, v->vmcb->rip);
}
