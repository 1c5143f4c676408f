/* SPDX-License-Identifier: BSD-2-Clause */
/* debug.c - #DB: of the single step, and of the guest's breakpoints. */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

/* Of the breakpoints that DR7 enables, those hit. None is enabled in a
 * transaction: tx.c. */
static uint64_t breakpoints_hit(const struct vmcb *b)
{
    uint64_t hits = 0;

    if ((b->dr7 & DR7_ENABLED) == 0)
        return 0;
    for (unsigned n = 0; n < 4; n++)
        if ((b->dr7 >> 2 * n & 3) != 0)
            hits |= b->dr6 & UINT64_C(1) << n;
    return hits;
}

struct action debug_exit(struct vcpu *v)
{
    if (hypervisor.has_os && v->mode != MODE_STEP) {
        v->dr6_reported = breakpoints_hit(v->vmcb);
        return action_raise(VECTOR_DB, 0);
    }
    uint64_t dr6 = v->vmcb->dr6, hits = breakpoints_hit(v->vmcb);
    bool stepping = v->mode == MODE_STEP;
    bool step = stepping && (dr6 & DR6_BS) != 0;

    /* The host processor may show a hit at each step from then on: it is one
     * when it appears, or where the instruction's own accesses hit. */
    if (step) {
        uint64_t old = hits & v->dr6_reported;

        v->dr6_reported = hits;
        hits = (hits & ~old) | watch_stepped(v, old);
    }
    v->vmcb->dr6 = dr6 & ~DR6_BS;
    /* B0-B3 are those of the last #DB, mostly of the single step. */
    if (stepping && hits == 0 && (v->current.flags & INSTRUCTION_SETS_DR) == 0)
        v->vmcb->dr6 = (dr6 & ~(DR6_BS | DR6_B)) | (v->dr6 & DR6_B);
    if (step)
        step_retire(v);
    if (step && v->levels.traps)
        v->vmcb->dr6 |= DR6_BS;
    if (hits != 0 || (step && v->levels.traps)) {
        watch_forget(v, hits);
        v->vmcb->dr6 |= DR6_RTM;
        pebs_assist(v);
        return action_raise(VECTOR_DB, 0);
    }
    if (step)
        step_end(v);
    else
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_TF; /* the host's, by IRET */
    return action_of(ACTION_RESUME);
}
