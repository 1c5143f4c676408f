/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct.c - a step without VMRUN, which with its exit costs QEMU all that it
 * remembers of memory. A simple instruction of a guest whose control registers
 * are the host's does the same here: svm.asm loads the guest's registers with
 * TF set and goes to its RIP, and #DB comes to a descriptor table and a stack
 * of ours. The VMCB then says what it would have said after an exit. A task
 * register that the guest has loaded is the guest's again before VMRUN.
 *
 * In ring 3, or by page tables of its own, it does the same too where all that
 * it touches is at the same place by the host's, which may take it from there
 * (host_root.c), and its own tables neither forbid it nor would be written:
 * these instructions know no privilege.
 *
 * All that makes a difference is left to VMRUN: an instruction that is not on
 * the list below, or whose memory the nested tables do not simply give it, as
 * that of an elided lock; and one that raises an exception, which has changed
 * nothing then and is done over. An interrupt is VMRUN's: where IF is 1 there
 * is one in each OPEN_STEPS steps, and while a PMI is on its way all are; one
 * that waits to be taken as an NMI is VMRUN's too. All stay where they are
 * while the global interrupt flag is clear. AMD64 APM volume 2, "Global
 * Interrupt Flag, STGI and CLGI": the trap by TF comes all the same.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/instructions/operand.h"

/* A selector that no descriptor table has. AMD64 APM volume 2, "64-Bit Task
 * State Segment": type busy, present; the limit of one without a bit map. */
#define TR_SELECTOR   0xFFF8u
#define TR_ATTRIBUTES 0x8Bu
#define GATE_IST1     1

#define OPEN_STEPS 16

/* SDM volume 3A, "Control Registers": what no instruction on the list heeds. */
#define CR4_PCE        (UINT64_C(1) << 8)
#define CR4_OSFXSR     (UINT64_C(1) << 9)
#define CR4_OSXMMEXCPT (UINT64_C(1) << 10)
#define CR4_UNHEEDED   (CR4_PCE | CR4_OSFXSR | CR4_OSXMMEXCPT | CR4_OSXSAVE)
/* And what in ring 3, or by other tables, makes a difference: TSD, LA57, SMEP,
 * SMAP, PKE, CET; the flag AC. */
#define CR4_DIFFERENT \
    (UINT64_C(1) << 2 | UINT64_C(1) << 12 | UINT64_C(0xF) << 20)

/* Ours in place of the guest's, which waits. */
static void load_tr(struct vcpu *v)
{
    struct direct *d = &v->direct;

    svm_vmsave(v->vmcb);
    d->guest_tr = v->vmcb->tr;
    v->vmcb->tr = (struct vmcb_segment){
        .selector = TR_SELECTOR,
        .attributes = TR_ATTRIBUTES,
        .limit = sizeof(d->tss) - 1,
        .base = (uint64_t)&d->tss,
    };
    svm_vmload(v->vmcb);
}

static void unload_tr(struct vcpu *v)
{
    svm_vmsave(v->vmcb);
    v->vmcb->tr = v->direct.guest_tr;
    svm_vmload(v->vmcb);
}

void direct_start(struct vcpu *v)
{
    struct direct *d = &v->direct;

    d->self = v;
    d->tss.ist1 = (uint64_t)&d->self;
    for (unsigned n = 0; n < DIRECT_VECTORS; n++) {
        gate_set(&d->gates[n],
                 n == VECTOR_DB ? svm_direct_trap : svm_direct_fault);
        d->gates[n].flags |= GATE_IST1;
    }
    d->idtr = (struct table_register){sizeof(d->gates) - 1, (uint64_t)d->gates};
    d->may = false;
    /* The guest's are the host's here. TR is not one of those that VMRUN and
     * its exit exchange; DR6 need not be. */
    d->dr6 = v->vmcb->dr6;
    d->cr0 = v->vmcb->cr0;
    d->cr3 = v->vmcb->cr3;
    d->cr4 = v->vmcb->cr4;
    d->efer = v->vmcb->efer;
    d->own_tr = false;
    load_tr(v);
    host_root_start(v);
}

void direct_never(struct vcpu *v)
{
    v->direct.cr0 = UINT64_MAX;
    v->direct.root = NULL;
    if (read_tr() == TR_SELECTOR)
        unload_tr(v);
}

void direct_end(struct vcpu *v)
{
    host_root_end(v);
    write_dr6(v->direct.dr6); /* each step has set BS */
    if (read_tr() == TR_SELECTOR)
        unload_tr(v);
}

/* The guest uses its TSS when it enters ring 0 from another; firmware has left
 * none that would be needed. */
void direct_leave(struct vcpu *v)
{
    v->direct.open_steps = 0;
    if (v->direct.own_tr && read_tr() == TR_SELECTOR)
        unload_tr(v);
}

/* SDM volume 2, appendix "Opcode Map": a row of the map each, a bit for each
 * column. Ordinary integer instructions alone, MOVS and STOS; of 0F,
 * also the long NOP, RDTSC, which is not intercepted,
 * without an operating system, fences and CLFLUSH, which
 * is the model's. */
static const uint16_t simple[16] = {
    0x3F3F, 0x3F3F, 0x3F3F, 0x3F3F, 0x0000, 0xFFFF, 0x0F08, 0xFFFF,
    0x2FFB, 0x03FF, 0x0F30, 0xFFFF, 0x02CF, 0x000F, 0x0B0F, 0xF3E0,
};
static const uint16_t simple_0f[16] = {
    0x0000, 0x8000, 0x0000, 0x0002, 0xFFFF, 0x0000, 0x0000, 0x0000,
    0xFFFF, 0xFFFF, 0xF838, 0xFCCB, 0xFF8B, 0x0000, 0x0000, 0x0000,
};

/* Of the groups, no far branch, and nothing that is undefined. */
static bool is_simple_one(uint8_t op, uint8_t reg)
{
    if ((simple[op >> 4] >> (op & 0xF) & 1) == 0)
        return false;
    if (op == 0xC6 || op == 0xC7)
        return reg == 0;
    if (op == 0xFE)
        return reg < 2;
    return op != 0xFF || (reg != 3 && reg != 5 && reg != 7);
}

static bool is_simple_0f(uint8_t op, uint8_t modrm)
{
    if ((simple_0f[op >> 4] >> (op & 0xF) & 1) == 0)
        return false;
    if (op == 0xAE) /* LFENCE, MFENCE, SFENCE; CLFLUSH */
        return modrm >= 0xE8 || (modrm < 0xC0 && (modrm >> 3 & 7) == 7);
    return op != 0xC7 || (modrm >> 3 & 7) == 1; /* CMPXCHG8B and 16B */
}

/* No prefixes but LOCK and REX, 66H
 * where the instruction does not branch, and REP of MOVS and STOS: a round of
 * them is a step. */
bool direct_is_simple(const struct instruction *i, const uint8_t *b)
{
    size_t at = 0;
    bool rep = false;

    for (; at < INSTRUCTION_BYTES_MAX - 3; at++) {
        if (b[at] == 0xF3)
            rep = true;
        else if ((b[at] & 0xF0) != 0x40 && b[at] != 0xF0 &&
                 (b[at] != 0x66 || (i->flags & INSTRUCTION_BRANCHES) != 0))
            break;
    }
    if (rep)
        return (b[at] & 0xFE) == 0xA4 || (b[at] & 0xFE) == 0xAA;
    if (b[at] == 0x0F && b[at + 1] == 0x31 && hypervisor.has_os)
        return false; /* RDTSC: the host's is another one */
    if (b[at] == 0x0F)
        return is_simple_0f(b[at + 1], b[at + 2]);
    return is_simple_one(b[at], b[at + 1] >> 3 & 7);
}

/* No interrupt is to be taken before the instruction. */
static bool is_closed(struct vcpu *v)
{
    if ((v->vmcb->rflags & RFLAGS_IF) == 0)
        return true;
    return !v->pmi_pending && ++v->direct.open_steps < OPEN_STEPS;
}

/* Is the guest in the state that the host is in? */
static bool is_like_host(const struct vcpu *v)
{
    const struct direct *d = &v->direct;
    const struct vmcb *b = v->vmcb;

    return b->interrupt_shadow == 0 && (b->dr7 & DR7_ENABLED) == 0 &&
           (b->cs.attributes & CS_L) != 0 && b->cr0 == d->cr0 &&
           ((b->cr4 ^ d->cr4) & ~CR4_UNHEEDED) == 0 &&
           ((b->efer ^ d->efer) & ~EFER_SCE) == 0 &&
           (!d->apart ||
            ((b->cr4 & CR4_DIFFERENT) == 0 && (b->rflags & RFLAGS_AC) == 0));
}

bool direct_look(struct vcpu *v, const uint8_t *bytes, size_t length)
{
    struct direct *d = &v->direct;
    struct operand_state s;

    d->apart = v->vmcb->cpl != 0 || v->vmcb->cr3 != d->cr3;
    d->may = bytes != NULL && v->decoded->simple && v->grants == 0 &&
             (v->tx.depth == 0 || v->current.tx != TX_MAY_CACHE) &&
             v->overlay_count == 0 && !v->if_masked && !v->guest_nmi &&
             __atomic_load_n(&v->nmi, __ATOMIC_RELAXED) == 0 &&
             is_like_host(v) && is_closed(v);
    if (!d->may)
        return true;
    d->accesses = 0;
    if (v->decoded->accesses) {
        memory_registers(v, &s);
        d->accesses = operand_find(d->access, &s, bytes, length);
    }
    return v->tx.depth == 0 || tx_memory_expect(v, d->access, d->accesses);
}

/* The byte, for the instruction: by these tables as by its own? */
static bool is_reached(struct vcpu *v, uint64_t linear, enum access access)
{
    const struct direct *d = &v->direct;
    uint64_t root = d->root != NULL ? (uint64_t)d->root : d->cr3;
    uint64_t physical;

    if (d->apart && !guest_sees_as_by(v, root, linear, access) &&
        !(host_root_takes(v, linear) &&
          guest_sees_as_by(v, root, linear, access)))
        return false;
    return v->tx.depth > 0 ||
           (guest_physical(v, linear, &physical) &&
            npt_gives(&v->pages_step, physical, access == ACCESS_WRITE));
}

static bool are_reached(struct vcpu *v)
{
    const struct direct *d = &v->direct;

    if (v->tx.depth > 0 && !tx_memory_is_plain(v))
        return false;
    for (unsigned n = 0; n < d->accesses; n++) {
        const struct data_access *a = &d->access[n];
        enum access kind = a->kind == DATA_STORE ? ACCESS_WRITE : ACCESS_READ;
        uint64_t last = a->linear + a->bytes - 1;

        if (!is_reached(v, a->linear, kind) ||
            (last / PAGE_BYTES != a->linear / PAGE_BYTES &&
             !is_reached(v, last, kind)))
            return false;
    }
    if (d->apart)
        return is_reached(v, v->vmcb->rip, ACCESS_EXECUTE);
    /* Its bytes have been read from there. */
    return v->tx.depth > 0 ||
           npt_gives(&v->pages_step, v->code_physical, false);
}

bool direct_step(struct vcpu *v)
{
    bool done;

    if (!v->direct.may)
        return false;
    v->direct.may = false;
    if (read_tr() != TR_SELECTOR) {
        v->direct.own_tr = true;
        load_tr(v);
    }
    /* As in its guest: who takes a page away waits until it is out again. */
    __atomic_store_n(&v->in_guest, 1, __ATOMIC_SEQ_CST);
    done = are_reached(v) && svm_direct(v, &v->direct.idtr);
    __atomic_store_n(&v->in_guest, 0, __ATOMIC_SEQ_CST);
    if (!done)
        return false;
    v->vmcb->exit_code = EXIT_EXCEPTION_0 + VECTOR_DB;
    v->vmcb->exit_info1 = v->vmcb->exit_info2 = v->vmcb->exit_int_info = 0;
    v->vmcb->dr6 |= DR6_BS;
    return true;
}
