/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_assist.c - the PEBS assist: reads the DS area, has the model make
 * the record, and writes it to the guest's linear memory.
 *
 * SDM volume 3B, "Intel TSX and PEBS Support": a record that becomes due inside
 * a transaction aborts it first.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/pebs/pebs.h"

#define DS_INDEX_OFFSET 0x28

_Static_assert(offsetof(struct pebs_ds, index) + PEBS_DS_OFFSET ==
                   DS_INDEX_OFFSET,
               "PEBS index");

static void take_registers(uint64_t registers[PEBS_REGISTERS],
                           const struct gprs *g, uint64_t rax, uint64_t rsp)
{
    registers[PEBS_RAX] = rax;
    registers[PEBS_RBX] = g->rbx;
    registers[PEBS_RCX] = g->rcx;
    registers[PEBS_RDX] = g->rdx;
    registers[PEBS_RSI] = g->rsi;
    registers[PEBS_RDI] = g->rdi;
    registers[PEBS_RBP] = g->rbp;
    registers[PEBS_RSP] = rsp;
    registers[PEBS_R8] = g->r8;
    registers[PEBS_R9] = g->r9;
    registers[PEBS_R10] = g->r10;
    registers[PEBS_R11] = g->r11;
    registers[PEBS_R12] = g->r12;
    registers[PEBS_R13] = g->r13;
    registers[PEBS_R14] = g->r14;
    registers[PEBS_R15] = g->r15;
}

/* Faults have some of them as they were before the instruction. */
static void take_before(const struct vcpu *v, struct pebs_snapshot *s)
{
    uint64_t before[PEBS_REGISTERS] = {[PEBS_RFLAGS] = v->rflags_before};
    uint64_t which =
        faults_quantity(v->model->machine, REGISTERS_BEFORE, ANY_NUMBER, 0);

    if ((v->current.flags & INSTRUCTION_IRET) != 0 &&
        !faults_rule(v->model->machine, IRET_STATE_AFTER, true))
        which = BIT(PEBS_RSP);
    if (v->current.locked &&
        !faults_rule(v->model->machine, LOCKED_STATE_AFTER, true))
        which = BIT(PEBS_RCX) | BIT(PEBS_RBP);
    if ((v->current.flags & INSTRUCTION_BRANCHES) == 0 &&
        v->vmcb->rsp == v->rsp_before + 8 &&
        !faults_rule(v->model->machine, POP_STATE_AFTER, true))
        which = BITS(PEBS_R15, PEBS_RAX) & ~BIT(PEBS_RSP);
    take_registers(before, &v->gprs_before, v->rax_before, v->rsp_before);
    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        if ((which >> n & 1) != 0)
            s->registers[n] = before[n];
}

static void take_snapshot(const struct vcpu *v, struct pebs_snapshot *s)
{
    *s = (struct pebs_snapshot){
        .registers =
            {
                [PEBS_RFLAGS] = v->vmcb->rflags & ~(uint64_t)RFLAGS_TF,
                [PEBS_RIP] = v->vmcb->rip,
            },
        .eventing_ip = v->current_rip,
        .before = v->previous_rip,
        .not_taken = (v->current.flags & INSTRUCTION_CONDITIONAL) != 0 &&
                     v->vmcb->rip == v->current_rip + v->current.length,
        .tsc = time_tsc(v),
    };
    take_registers(s->registers, &v->gprs, v->vmcb->rax, v->vmcb->rsp);
    if (!faults_rule(v->model->machine, RECORD_HAS_IF, true))
        s->registers[PEBS_RFLAGS] &= ~(uint64_t)RFLAGS_IF;
    if ((v->current.flags & INSTRUCTION_REPEATS) != 0 &&
        !faults_rule(v->model->machine, REP_IS_EVENTING, true))
        s->eventing_ip++;
    take_before(v, s);
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
    const struct processor *p = v->model;
    const struct machine *m = p->machine;
    const unsigned n = (unsigned)__builtin_ctzll(p->pebs.triggered);

    if (n < COUNTERS_MAX && (p->pmu.select[n] & 0xF0) == 0xD0 &&
        !faults_rule(m, ACCESS_ENDS_FOR_RECORD, true))
        return false;
    return !faults_record_spares_tx(p) &&
           faults_quantity(m, RECORD_ENDS_TX, n, 1) != 0 &&
           (!p->tsx.user || faults_rule(m, RING3_ENDS_FOR_RECORD, true)) &&
           (!v->tx.hle || faults_rule(m, ELISION_ENDS_FOR_RECORD, true)) &&
           (!v->tx.hle || v->tx.elision.nest == 1 ||
            faults_rule(m, INNER_SECTION_ENDS_FOR_RECORD, true)) &&
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
