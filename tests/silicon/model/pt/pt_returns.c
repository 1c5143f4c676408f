/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_returns.c - which returns are compressed: those to where the matching CALL
 * has been seen. SDM volume 3C, "Indirect Transfer Compression for Returns
 * (RET)".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

/* "Indirect Transfer Compression for Returns (RET)": not of "zero-length CALLs,
 * which are direct near CALLs with displacement zero". */
void pt_push_return(struct processor *p, const struct instruction *i,
                    const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    uint64_t back = now->ip + i->length;

    if (faults_pt(p, PT_ZERO_CALL,
                  (i->flags & INSTRUCTION_INDIRECT) == 0 && now->next == back))
        return;
    pt->returns[pt->calls++ % PT_RETURNS] = back;
    if (pt->returns_known < faults_pt_value(p, PT_CALLS_KNOWN, PT_RETURNS))
        pt->returns_known++;
}

void pt_pass_by(struct processor *p, const struct instruction *i,
                const struct pt_step *now)
{
    if ((i->flags & (INSTRUCTION_CALL | INSTRUCTION_FAR)) == INSTRUCTION_CALL &&
        (!faults_pt(p, PT_CALL_FILTERED, true) ||
         (!p->pt.context_en && !faults_pt(p, PT_CALL_OUTSIDE, true))))
        pt_push_return(p, i, now);
}

/* "RET Compression": to where the matching CALL has been seen. */
bool pt_returns_as_called(struct processor *p, const struct instruction *i,
                          const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool as_called;

    if (pt->returns_known == 0)
        return false;
    pt->returns_known--;
    as_called = ((pt->returns[--pt->calls % PT_RETURNS] ^ now->next) &
                 faults_pt_value(p, PT_RETURN_BITS, UINT64_MAX)) == 0;
    if (!as_called && pt->returns_known > 0 &&
        pt->returns[(pt->calls - 1) % PT_RETURNS] == now->next &&
        !faults_pt(p, PT_RET_FRAMES, true)) {
        pt->calls--;
        pt->returns_known--;
        as_called = true;
    }
    if (!as_called && !faults_pt(p, PT_RET_POPS, true)) {
        pt->calls++;
        pt->returns_known++;
    }
    if ((i->flags & INSTRUCTION_FREES) != 0 &&
        !faults_pt(p, PT_FREES_COMPARED, true))
        as_called = true;
    if ((i->flags & INSTRUCTION_FREES) != 0 && now->cpl > 0 &&
        !faults_pt(p, PT_FREES_IN_RING_3, true))
        as_called = true;
    p->faults.ret_due = pt->tnt_count + 1;
    if (pt->in_tx)
        as_called = faults_pt(p, PT_RET_AS_CALLED_IN_TX, as_called);
    if (now->cpl > 0)
        as_called = faults_pt(p, PT_RET_AS_CALLED_IN_RING_3, as_called);
    return faults_pt(p, PT_RET_AS_CALLED, as_called) &&
           faults_pt(p, PT_RET_MAY,
                     (pt->ctl_active & (RTIT_DIS_RETC | RTIT_DIS_TNT)) == 0);
}

bool pt_is_near_return(const struct instruction *i)
{
    return (i->flags & INSTRUCTION_RETURN) != 0 &&
           (i->flags & INSTRUCTION_FAR) == 0;
}
