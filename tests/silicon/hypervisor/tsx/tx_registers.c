/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_registers.c - the registers as they were at the outermost XBEGIN or
 * XACQUIRE, all but RIP and EAX, which an abort sets. SDM volume 1,
 * "Programming with Intel Transactional Synchronization Extensions": the
 * processor restores the architectural state.
 */
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define GPRS         (sizeof(struct gprs) / sizeof(uint64_t))
#define GPR_RSP      GPRS
#define IA32_FS_BASE 0xC0000100u
#define KEPT(name) \
    (UINT32_C(1) << (offsetof(struct gprs, name) / sizeof(uint64_t)))
/* SDM volume 1, table "Format of an FXSAVE Area". */
#define FX_FCW   0
#define FX_FTW   4
#define FX_MXCSR 24

static void save_extended(const struct vcpu *v, struct extended_state *e)
{
    e->by_xsave = (v->vmcb->cr4 & CR4_OSXSAVE) != 0;
    if (!e->by_xsave) {
        svm_fxsave(e->image);
        return;
    }
    __builtin_memset(&e->image[XSAVE_HEADER], 0, 64);
    svm_xsave(e->image);
}

/* A bit each: XMM0 to XMM7, MXCSR, the control word of the x87. */
static void keep_pieces(const struct vcpu *v, struct extended_state *e,
                        enum tx_cause cause)
{
    static const struct {
        uint16_t at, bytes;
    } pieces[] = {{FX_XMM, 128}, {FX_MXCSR, 4}, {FX_FCW, 2}};
    uint64_t keep = faults_quantity(v->model->machine, KEPT_PIECES, cause, 0) |
                    (v->tx.hle ? faults_quantity(v->model->machine,
                                                 ELISION_PIECES, cause, 0)
                               : 0);
    struct extended_state now;

    if (v->tx.decision.forced)
        keep |= faults_quantity(v->model->machine, FORCED_PIECES, cause, 0);
    if (keep == 0)
        return;
    save_extended(v, &now);
    for (unsigned n = 0; n < sizeof(pieces) / sizeof(pieces[0]); n++)
        if ((keep >> n & 1) != 0)
            __builtin_memcpy(&e->image[pieces[n].at], &now.image[pieces[n].at],
                             pieces[n].bytes);
}

static void restore_extended(const struct vcpu *v, struct extended_state *e,
                             enum tx_cause cause)
{
    const struct machine *m = v->model->machine;
    struct extended_state now;

    if (cause == TX_CAUSE_WRITES &&
        !faults_rule(m, CAPACITY_RESTORES_EXTENDED, true))
        return;
    keep_pieces(v, e, cause);
    if (v->vmcb->cpl > 0 && !faults_rule(m, RING3_RESTORES_MXCSR, true)) {
        save_extended(v, &now);
        __builtin_memcpy(&e->image[FX_MXCSR], &now.image[FX_MXCSR], 4);
    }
    if ((v->vmcb->cpl > 0 && !faults_rule(m, RING3_RESTORES_X87, true)) ||
        (v->tx.depth > 1 && !faults_rule(m, NESTED_RESTORES_X87, true)))
        e->image[FX_FTW] = 0;
    if (e->by_xsave &&
        ((v->vmcb->cpl > 0 && !faults_rule(m, RING3_RESTORES_YMM, true)) ||
         (v->tx.depth > 1 && !faults_rule(m, NESTED_RESTORES_YMM, true)) ||
         (cause == TX_CAUSE_WRITES &&
          !faults_rule(m, CAPACITY_RESTORES_YMM, true)) ||
         (v->tx.decision.forced &&
          !faults_rule(m, FORCED_RESTORES_YMM, true)) ||
         (cause == TX_CAUSE_EXCEPTION &&
          !faults_rule(m, EXCEPTION_RESTORES_YMM, true)) ||
         (cause == TX_CAUSE_CONFLICT &&
          !faults_rule(m, CONFLICT_RESTORES_YMM, true)) ||
         (v->tx.watch.hits != 0 &&
          !faults_rule(m, WATCHED_RESTORES_YMM, true)))) {
        save_extended(v, &now);
        __builtin_memcpy(&e->image[XSAVE_YMM], &now.image[XSAVE_YMM], 256);
    }
    if (e->by_xsave && !faults_rule(m, ZEROED_RESTORES_YMM, true)) {
        unsigned zeros = 0;

        save_extended(v, &now);
        for (unsigned n = XSAVE_YMM; n < XSAVE_BYTES; n++)
            zeros += now.image[n] == 0;
        if (zeros == XSAVE_BYTES - XSAVE_YMM)
            __builtin_memset(&e->image[XSAVE_YMM], 0, zeros);
    }
    if (faults_keep_extended(v->model)) {
        save_extended(v, &now);
        faults_kept_extended(v->model, e->image, now.image);
    }
    if (e->by_xsave)
        svm_xrstor(e->image);
    else
        svm_fxrstor(e->image);
}

void tx_registers_save(struct vcpu *v)
{
    struct transaction *tx = &v->tx;

    tx->gprs = v->gprs;
    tx->rax = v->vmcb->rax;
    tx->rsp = v->vmcb->rsp;
    tx->rflags = v->vmcb->rflags & ~(uint64_t)RFLAGS_TF;
    save_extended(v, &tx->extended);
}

void tx_registers_restore(struct vcpu *v, enum tx_cause cause)
{
    struct transaction *tx = &v->tx;
    uint64_t *to = (uint64_t *)&v->gprs, *from = (uint64_t *)&tx->gprs;
    const struct machine *m = v->model->machine;
    uint32_t keep = (uint32_t)faults_quantity(
        m, KEPT_REGISTERS, cause,
        faults_kept_registers(v->model, &tx->decision, tx->hle));
    uint64_t flags =
        faults_quantity(m, KEPT_FLAGS, cause, faults_kept_flags(v->model));

    if (tx->hle && !faults_rule(m, ELISION_RESTORES, true))
        keep = (UINT32_C(1) << GPRS) - 1;
    if (cause == TX_CAUSE_DEBUG && watch_is_debugged(v) &&
        !faults_rule(m, DEBUGGED_RESTORES, true))
        keep = (UINT32_C(1) << GPRS) - 1;
    if (tx->hle)
        keep |= (uint32_t)faults_quantity(m, ELISION_KEPT, cause, 0);
    if (tx->hle && v->vmcb->cpl > 0 &&
        !faults_rule(m, RING3_SECTION_RESTORES, true))
        keep |= KEPT(r9);
    if (tx->hle && !faults_rule(m, ELISION_RESTORES_RBP, true))
        keep |= KEPT(rbp);
    if (cause == TX_CAUSE_EVENT && v->vmcb->cpl > 0 &&
        !faults_rule(m, RING3_INTERRUPT_RESTORES, true))
        keep |= KEPT(rbx);
    if (cause == TX_CAUSE_CONFLICT && v->vmcb->cpl > 0 &&
        !faults_rule(m, RING3_CONFLICT_RESTORES, true))
        keep |= KEPT(r15);
    if ((v->current.flags & INSTRUCTION_REPEATS) != 0 &&
        !faults_rule(m, STRINGS_ARE_RESTORED, true))
        keep |= KEPT(rcx) | KEPT(rsi) | KEPT(rdi);
    for (unsigned n = 0; n < GPRS; n++)
        if ((keep >> n & 1) == 0)
            to[n] = from[n];
    if ((keep >> GPR_RSP & 1) == 0 &&
        (v->vmcb->cpl == 0 || faults_rule(m, RING3_RESTORES_RSP, true)) &&
        (cause != TX_CAUSE_EXCEPTION || tx->depth == 1 ||
         faults_rule(m, NESTED_EXCEPTION_RESTORES_RSP, true)))
        v->vmcb->rsp = tx->rsp;
    v->vmcb->rax = tx->rax;
    if (v->vmcb->cpl > 0 && !faults_rule(m, RING3_CLEARS_ZF, true))
        flags |= v->vmcb->rflags & RFLAGS_ZF;
    v->vmcb->rflags = (tx->rflags & ~flags) | (v->vmcb->rflags & flags);
    if (v->vmcb->cpl > 0 && !faults_rule(m, RING3_RESTORES_AC, true))
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_AC;
    if (v->vmcb->cpl > 0 && !faults_rule(m, RING3_RESTORES_DF, true))
        v->vmcb->rflags &= ~(uint64_t)RFLAGS_DF;
    if (!faults_rule(m, ABORT_KEEPS_FS, true))
        wrmsr(IA32_FS_BASE, tx->begin);
    if (v->vmcb->cpl == 0 || faults_rule(m, RING3_RESTORES_EXTENDED, true))
        restore_extended(v, &tx->extended, cause);
}
