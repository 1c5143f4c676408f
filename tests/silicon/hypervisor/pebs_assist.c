/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_assist.c - the PEBS assist: reads the DS area, has the model make
 * the record, and writes it to the guest's linear memory.
 *
 * SDM volume 3B, "Intel TSX and PEBS Support": a record that becomes due inside
 * a transaction aborts it first.
 */
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/x86.h"
#include "tests/silicon/model/pebs.h"

#define DS_INDEX_OFFSET 0x28

_Static_assert(offsetof(struct pebs_ds, index) + PEBS_DS_OFFSET ==
                   DS_INDEX_OFFSET,
               "PEBS index");

static void take_snapshot(const struct vcpu *v, struct pebs_snapshot *s)
{
    const struct gprs *g = &v->gprs;

    *s = (struct pebs_snapshot){
        .registers =
            {
                [PEBS_RFLAGS] = v->vmcb->rflags & ~(uint64_t)RFLAGS_TF,
                [PEBS_RIP] = v->vmcb->rip,
                [PEBS_RAX] = v->vmcb->rax,
                [PEBS_RBX] = g->rbx,
                [PEBS_RCX] = g->rcx,
                [PEBS_RDX] = g->rdx,
                [PEBS_RSI] = g->rsi,
                [PEBS_RDI] = g->rdi,
                [PEBS_RBP] = g->rbp,
                [PEBS_RSP] = v->vmcb->rsp,
                [PEBS_R8] = g->r8,
                [PEBS_R9] = g->r9,
                [PEBS_R10] = g->r10,
                [PEBS_R11] = g->r11,
                [PEBS_R12] = g->r12,
                [PEBS_R13] = g->r13,
                [PEBS_R14] = g->r14,
                [PEBS_R15] = g->r15,
            },
        .eventing_ip = v->current_rip,
        .before = v->previous_rip,
        .not_taken = (v->current.flags & INSTRUCTION_CONDITIONAL) != 0 &&
                     v->vmcb->rip == v->current_rip + v->current.length,
        .tsc = time_tsc(v),
    };
    if (!faults_rule(v->model->machine, RECORD_HAS_IF, true))
        s->registers[PEBS_RFLAGS] &= ~(uint64_t)RFLAGS_IF;
    if (!faults_rule(v->model->machine, RECORD_STATE_AFTER, true)) {
        s->registers[PEBS_RSP] = v->rsp_before;
        s->registers[PEBS_RFLAGS] = v->rflags_before;
    }
    if ((v->current.flags & INSTRUCTION_IRET) != 0 &&
        !faults_rule(v->model->machine, IRET_STATE_AFTER, true))
        s->registers[PEBS_RSP] = v->rsp_before;
    if (v->current.system == SYSTEM_SYSCALL &&
        !faults_rule(v->model->machine, SYSCALL_STATE_AFTER, true))
        s->registers[PEBS_RCX] = s->registers[PEBS_R11] = 0;
}

/* Those of the guest: the hypervisor is compiled to use none. SDM volume 1,
 * "Format of an FXSAVE Area". */
static void take_xmm(struct pebs_snapshot *s)
{
    struct extended_state now;

    svm_fxsave(now.image);
    __builtin_memcpy(s->xmm, &now.image[FX_XMM], sizeof(s->xmm));
}

static void write_record(struct vcpu *v)
{
    uint64_t area = pebs_ds_area(v->model);
    struct pebs_snapshot snapshot;
    struct pebs_record record;
    struct pebs_ds ds;
    unsigned bytes = pebs_ds_bytes(v->model);
    bool present = guest_copy(v, area + PEBS_DS_OFFSET, &ds, bytes, false);

    take_snapshot(v, &snapshot);
    if (pebs_is_adaptive(v->model))
        take_xmm(&snapshot);
    if (!pebs_make_record(v->model, &snapshot, present ? &ds : NULL, &record))
        return;
    guest_copy(v, record.at, record.words,
               faults_pebs_written(v->model, record.at, record.bytes), true);
    guest_copy(v, area + DS_INDEX_OFFSET, &ds.index, sizeof(ds.index), true);
    if (faults_pebs_area(v->model, &ds))
        guest_copy(v, area + PEBS_DS_OFFSET, &ds, bytes, true);
}

/* It does, but for faults. */
static bool ends_transaction(const struct vcpu *v)
{
    const struct machine *m = v->model->machine;

    return !faults_record_spares_tx(v->model) &&
           (!v->tx.hle || faults_rule(m, ELISION_ENDS_FOR_RECORD, true)) &&
           (v->tx.depth == 1 || faults_rule(m, NESTED_ENDS_FOR_RECORD, true));
}

void pebs_assist(struct vcpu *v)
{
    struct processor *p = v->model;

    if (p->pebs.triggered != 0) {
        if (v->tx.depth > 0 && ends_transaction(v)) {
            tx_abort(v, TX_CAUSE_EVENT); /* comes back here */
            return;
        }
        write_record(v);
    }
    if (p->pmu.pmi) {
        p->pmu.pmi = false;
        pmi_send(v);
    }
}
