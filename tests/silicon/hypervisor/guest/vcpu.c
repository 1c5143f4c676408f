/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu.c - takes a processor into its guest and out again. The guest starts as
 * an exact copy of the state it is called in:
 * same registers, same page tables, same firmware around it.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"
#include "tests/silicon/hypervisor/host/x86.h"

_Static_assert(offsetof(struct vcpu, gprs.rdi) == 0x20, "vcpu.inc: RDI_");
_Static_assert(offsetof(struct vcpu, gprs.r15) == 0x68, "vcpu.inc: R15_");
_Static_assert(offsetof(struct vcpu, vmcb_address) == 0x70, "vcpu.inc: VMCB_");
_Static_assert(offsetof(struct vcpu, host_stack) == 0x78, "vcpu.inc: STACK_");
_Static_assert(offsetof(struct vcpu, host_rsp) == 0x80, "vcpu.inc: HOST_RSP_");
_Static_assert(offsetof(struct vcpu, direct.self) % 64 == 0, "svm.asm: STACK");

/* svm.asm */
void svm_enter(struct vcpu *v);
void svm_leave(struct vcpu *v, uint64_t rsp, uint64_t rflags)
    __attribute__((noreturn));
void svm_longjmp(const uint64_t jump_buffer[8]) __attribute__((noreturn));

void vcpu_main(struct vcpu *v, uint64_t rsp, uint64_t rip);

#define MSR_PAT      0x277u
#define RFLAGS_FIXED UINT64_C(2)

struct vcpu *vcpu_current(void)
{
    uint32_t out[4];

    cpuid(1, 0, out);
    for (unsigned n = 0; n < hypervisor.processors; n++)
        if (hypervisor.apic_ids[n] == out[1] >> 24)
            return &hypervisor.vcpus[n];
    return NULL;
}

/* AMD64 APM volume 2, "Segment Descriptors, long mode": bits 55:52, 47:40. */
static void load_segment(struct vmcb_segment *s, uint16_t selector,
                         uint64_t gdt)
{
    uint64_t d = *(const uint64_t *)(gdt + (selector & 0xFFF8u));

    s->selector = selector;
    s->attributes = (uint16_t)((d >> 40 & 0xFF) | (d >> 44 & 0xF00));
    s->limit = 0xFFFFFFFF;
    s->base = 0;
}

#define READ_REGISTER(name, to) \
    __asm__ volatile("mov %%" name ", %0" : "=r"(to))

static void copy_state(struct vmcb *b)
{
    struct table_register gdt, idt;
    uint16_t cs, ss, ds, es;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("sidt %0" : "=m"(idt));
    READ_REGISTER("cs", cs);
    READ_REGISTER("ss", ss);
    READ_REGISTER("ds", ds);
    READ_REGISTER("es", es);
    load_segment(&b->cs, cs, gdt.base);
    load_segment(&b->ss, ss, gdt.base);
    load_segment(&b->ds, ds, gdt.base);
    load_segment(&b->es, es, gdt.base);
    b->gdtr.limit = gdt.limit;
    b->gdtr.base = gdt.base;
    b->idtr.limit = idt.limit;
    b->idtr.base = idt.base;
    READ_REGISTER("cr0", b->cr0);
    READ_REGISTER("cr2", b->cr2);
    READ_REGISTER("cr3", b->cr3);
    READ_REGISTER("cr4", b->cr4);
    READ_REGISTER("dr6", b->dr6);
    READ_REGISTER("dr7", b->dr7);
    b->efer = rdmsr(MSR_EFER);
    b->g_pat = rdmsr(MSR_PAT);
    b->rflags = RFLAGS_FIXED;
    b->cpl = 0;
}

static void set_controls(struct vmcb *b)
{
    b->intercept_misc1 = INTERCEPT1_NMI | INTERCEPT1_RDPMC | INTERCEPT1_CPUID |
                         INTERCEPT1_INVLPGA | INTERCEPT1_MSR |
                         INTERCEPT1_SHUTDOWN;
    b->intercept_misc2 = INTERCEPT2_VMRUN | INTERCEPT2_VMMCALL |
                         INTERCEPT2_VMLOAD | INTERCEPT2_VMSAVE |
                         INTERCEPT2_STGI | INTERCEPT2_CLGI | INTERCEPT2_SKINIT;
    b->msrpm_base = (uint64_t)hypervisor.msr_map;
    b->iopm_base = (uint64_t)hypervisor.io_map;
    b->nested_control = NESTED_PAGING;
    b->tlb_control = TLB_FLUSH_ALL;
    b->event_inject = 0;
}

static void leave_guest(struct vcpu *v) __attribute__((noreturn));
static void leave_guest(struct vcpu *v)
{
    struct vmcb *b = v->vmcb;
    struct table_register gdt = {(uint16_t)b->gdtr.limit, b->gdtr.base};
    struct table_register idt = {(uint16_t)b->idtr.limit, b->idtr.base};

    v->entered = false;
    kick_drain(v);
    direct_end(v);
    __asm__ volatile("lgdt %0" : : "m"(gdt));
    __asm__ volatile("lidt %0" : : "m"(idt));
    write_cr3(b->cr3);
    svm_leave(v, b->rsp, b->rflags & ~(uint64_t)RFLAGS_TF);
}

/* As firmware does by INIT, which masks the local vectors: SDM volume 3A,
 * "Local APIC State After It Receives an INIT Reset". */
static void restart_after_init(struct vcpu *v)
{
    v->reset = false;
    tx_break_off(v);
    v->entered = false;
    kick_drain(v);
    v->guest_nmi = false;
    pmi_mask();
    direct_end(v);
    svm_longjmp(v->restart);
}

void vcpu_main(struct vcpu *v, uint64_t rsp, uint64_t rip)
{
    v->entered = true;
    copy_state(v->vmcb);
    set_controls(v->vmcb);
    direct_start(v);
    v->levels = (struct levels){.sce = (v->vmcb->efer & EFER_SCE) != 0};
    v->vmcb->rsp = rsp;
    v->vmcb->rip = rip;
    v->tx.depth = 0;
    v->tx.hle = false;
    v->tx.not_elided = UINT64_MAX;
    v->tx.elision.now = ELIDE_NONE;
    hint_replace_end(v);
    v->grants = 0;
    v->if_masked = false;
    v->dr6_reported = 0;
    v->mode = MODE_FREE;
    step_end(v);
    do {
        if (v->reset)
            restart_after_init(v);
        if (startup_is_due(v))
            startup_begin(v);
    } while (loop_round(v));
    leave_guest(v);
}

void vcpu_prepare(struct vcpu *v)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, (uint64_t)v->vmcb + PAGE_BYTES);
    svm_clgi();
}

void vcpu_enter(struct vcpu *v)
{
    vcpu_prepare(v);
    svm_enter(v);
}
