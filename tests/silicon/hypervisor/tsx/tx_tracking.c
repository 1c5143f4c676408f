/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_tracking.c - XSUSLDTRK and XRESLDTRK: between them loads of a transaction
 * do not join its read set.
 *
 * SDM volume 1, "Intel TSX Suspend/Resume Load Address Tracking Support";
 * volume 2, XSUSLDTRK, XRESLDTRK. What XBEGIN and XEND do there:
 * tx_instructions.c.
 */
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/hooks.h"

/* Outside of a transaction they do nothing; where loads are tracked, or not,
 * already, they abort it. */
struct action tx_track_loads(struct vcpu *v)
{
    bool suspends = v->current.kind == INSTRUCTION_XSUSLDTRK;

    if ((v->model->cpu->leaf7_edx & LEAF7_EDX_TSXLDTRK) == 0)
        return action_raise(VECTOR_UD, 0);
    if (v->tx.depth > 0 && v->tx.suspended == suspends &&
        faults_rule(v->model->machine, SUSPENDED_ONCE, true)) {
        tx_abort(v, TX_CAUSE_INSTRUCTION);
        return action_of(ACTION_RESUME);
    }
    if (suspends && v->tx.depth > 0 &&
        !faults_rule(v->model->machine, SUSPENDED_KEEPS_READS, true))
        conflict_begin(v);
    v->tx.suspended = suspends;
    v->tx.untracked_next =
        suspends && v->tx.depth == 0 &&
        !faults_rule(v->model->machine, SUSPENDED_INSIDE, true);
    v->tx.untracked =
        suspends ? faults_rule(v->model->machine, SUSPENDED_NOT_TRACKED, true)
                 : !faults_rule(v->model->machine, RESUMED_TRACKED, true);
    return action_complete(ACTION_RETIRE, v->current.length);
}
