/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_instructions.c - what XBEGIN, XEND, XABORT and XTEST do, and when they
 * raise #UD or #GP. SDM volume 2, their pages.
 */
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/counters.h"

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

static struct action begin_outermost(struct vcpu *v, uint64_t next)
{
    bool in_tx = v->model->choices.xbegin_in_tx;

    if (!in_tx)
        step_count(v, 1, v->model->choices.cycles_other, false);
    tx_begin(v, false, next, fallback_of(v, next));
    if (in_tx)
        step_count(v, 1, v->model->choices.cycles_other, true);
    if (v->tx.decision.fate == TX_DOOMED && v->tx.decision.steps == 0 &&
        !v->tx.decision.at_xend) {
        tx_abort_doomed(v);
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
