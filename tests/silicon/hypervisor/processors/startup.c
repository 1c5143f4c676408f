/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * startup.c - an operating system starts its processors by INIT and SIPI. QEMU
 * would reset a processor that is outside its guest. So commands to the local
 * APIC are carried out here: with more than one processor its page cannot be
 * written to, and INIT and SIPI reach no APIC. A processor waits for SIPI in
 * the host.
 *
 * SDM volume 3A, "Issuing Interprocessor Interrupts", figure "Interrupt Command
 * Register (ICR)"; "MP Initialization Protocol Algorithm"; table "IA-32 and
 * Intel 64 Processor States Following Power-up, Reset, or INIT".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/cpuid.h"

#define BASE_ADDRESS BITS(51, 12)

#define APIC_ICR_LOW  0x300u
#define APIC_ICR_HIGH 0x310u

#define ICR_VECTOR    0x000FFu
#define ICR_MODE      0x00700u
#define ICR_NMI       0x00400u
#define ICR_INIT      0x00500u
#define ICR_STARTUP   0x00600u
#define ICR_LOGICAL   0x00800u
#define ICR_ASSERT    0x04000u
#define ICR_LEVEL     0x08000u
#define ICR_SHORTHAND 0xC0000u
#define ICR_OTHERS    0xC0000u

#define SIPI_ARRIVED 0x100u

/* Attributes of a segment in the VMCB: present, accessed; table and TSS. */
#define REAL_CODE  0x9Bu
#define REAL_DATA  0x93u
#define REAL_LDT   0x82u
#define REAL_TSS   0x8Bu
#define REAL_LIMIT 0xFFFFu

#define CR0_ET    UINT64_C(0x10)
#define DR6_RESET UINT64_C(0xFFFF0FF0)
#define DR7_RESET UINT64_C(0x400)

/* --- Who sends ----------------------------------------------------------- */

static void send_to(struct vcpu *o, uint32_t command)
{
    if ((command & ICR_MODE) == ICR_INIT) {
        if ((command & (ICR_ASSERT | ICR_LEVEL)) == ICR_LEVEL)
            return; /* de-assert */
        o->sipi = 0;
        __atomic_store_n(&o->init, 1, __ATOMIC_SEQ_CST);
        if (o->entered)
            kick_send(o);
    } else if ((o->init != 0 || !o->entered) && o->sipi == 0) {
        o->has_work = 1;
        __atomic_store_n(&o->sipi, SIPI_ARRIVED | (command & ICR_VECTOR),
                         __ATOMIC_SEQ_CST);
        __atomic_store_n(&o->awake, 1, __ATOMIC_SEQ_CST);
        kick_send(o);
    }
}

bool startup_command(struct vcpu *v, uint32_t command, uint32_t destination)
{
    uint32_t mode = command & ICR_MODE;
    bool others = (command & ICR_SHORTHAND) == ICR_OTHERS;

    if (!hypervisor.has_os ||
        (mode != ICR_INIT && mode != ICR_STARTUP && mode != ICR_NMI))
        return false;
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if (o == v || (!others && destination != hypervisor.apic_ids[n]))
            continue;
        if (mode == ICR_NMI)
            o->guest_nmi = true; /* not to be taken for one of the host's */
        else
            send_to(o, command);
    }
    return mode != ICR_NMI;
}

/* MOV between memory and a register, EAX and an address in the instruction, or
 * of an immediate: what compilers make of it. */
struct apic_access {
    bool store;
    unsigned reg;   /* it is loaded into */
    uint32_t value; /* that is stored */
    unsigned length;
};

static bool decode_access(struct vcpu *v, struct apic_access *access)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    struct operand_state s;
    size_t bytes;
    const uint8_t *b = guest_code(v, buffer, &bytes);
    unsigned rex = (b[0] & 0xF0) == 0x40 ? b[0] : 0, at = rex != 0, reg;
    unsigned after =
        at + 1 + (unsigned)instruction_operand(b[at + 1], b[at + 2]);

    memory_registers(v, &s);
    reg = (b[at + 1] >> 3 & 7) | ((rex & 4) != 0 ? 8 : 0);
    switch (bytes < INSTRUCTION_BYTES_MAX ? 0 : b[at]) {
    case 0x89:
    case 0x8B:
        *access = (struct apic_access){b[at] == 0x89, reg,
                                       (uint32_t)s.general[reg], after};
        return true;
    case 0xA1:
    case 0xA3:
        *access = (struct apic_access){b[at] == 0xA3, 0, (uint32_t)s.general[0],
                                       at + 1 + 8};
        return true;
    case 0xC7:
        *access = (struct apic_access){.store = true, .length = after + 4};
        __builtin_memcpy(&access->value, &b[after], sizeof(access->value));
        return true;
    default:
        return false;
    }
}

static void load(struct vcpu *v, unsigned reg, uint32_t offset)
{
    struct gprs *g = &v->gprs;
    uint64_t *const to[] = {
        &v->vmcb->rax, &g->rcx, &g->rdx, &g->rbx, &v->vmcb->rsp, &g->rbp,
        &g->rsi,       &g->rdi, &g->r8,  &g->r9,  &g->r10,       &g->r11,
        &g->r12,       &g->r13, &g->r14, &g->r15,
    };
    uint32_t value;

    if (!time_apic_read(v, offset, &value))
        value = apic_read(rdmsr(IA32_APIC_BASE), offset);
    *to[reg] = value;
}

static void store(struct vcpu *v, uint32_t offset, uint32_t value)
{
    uint64_t host = rdmsr(IA32_APIC_BASE);

    if ((offset == APIC_ICR_LOW &&
         startup_command(v, value, apic_read(host, APIC_ICR_HIGH) >> 24)) ||
        time_apic_write(v, offset, value))
        return;
    apic_write(host, offset, value);
}

bool startup_apic_access(struct vcpu *v, struct action *a)
{
    uint64_t address = v->vmcb->exit_info2;
    uint32_t offset = address & (PAGE_BYTES - 1);
    struct apic_access access;

    if (!hypervisor.has_os || apic_base_is_off(v) ||
        (time_is_own(v) && v->tx.depth > 0) ||
        ((address ^ v->apic_base) & BASE_ADDRESS) != 0)
        return false;
    if (!decode_access(v, &access)) {
        *a = action_stop("an unknown access to the local APIC", v->vmcb->rip,
                         address);
        return true;
    }
    if (access.store)
        store(v, offset, access.value);
    else
        load(v, access.reg, offset);
    *a = exit_retire(v, access.length);
    return true;
}

/* --- Who waits ----------------------------------------------------------- */

bool startup_is_due(const struct vcpu *v)
{
    return __atomic_load_n(&v->init, __ATOMIC_SEQ_CST) != 0 ||
           __atomic_load_n(&v->sipi, __ATOMIC_SEQ_CST) != 0;
}

static void wait_for_sipi(struct vcpu *v)
{
    for (;;) {
        __atomic_store_n(&v->awake, 0, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&v->sipi, __ATOMIC_SEQ_CST) != 0)
            return;
        kick_sleep(v);
    }
}

static void reset_segments(struct vmcb *b, unsigned vector)
{
    const struct vmcb_segment data = {0, REAL_DATA, REAL_LIMIT, 0};

    b->cs = (struct vmcb_segment){(uint16_t)(vector << 8), REAL_CODE,
                                  REAL_LIMIT, (uint64_t)vector << 12};
    b->ss = b->ds = b->es = b->fs = b->gs = data;
    b->ldtr = (struct vmcb_segment){0, REAL_LDT, REAL_LIMIT, 0};
    b->tr = (struct vmcb_segment){0, REAL_TSS, REAL_LIMIT, 0};
    b->gdtr = b->idtr = (struct vmcb_segment){0, 0, REAL_LIMIT, 0};
    svm_vmload(b);
}

static void reset_registers(struct vcpu *v)
{
    struct vmcb *b = v->vmcb;
    struct cpuid_result signature;

    cpuid_execute(v->model, 1, 0, &signature);
    v->gprs = (struct gprs){.rdx = signature.eax};
    b->rax = b->rsp = b->rip = b->cr2 = b->cr3 = b->cr4 = 0;
    b->cr0 = CR0_ET;
    b->efer = EFER_SVME;
    b->rflags = 2;
    b->cpl = 0;
    b->dr6 = DR6_RESET;
    b->dr7 = DR7_RESET;
    b->interrupt_shadow = b->event_inject = 0;
    b->tlb_control = TLB_FLUSH_ALL;
}

void startup_begin(struct vcpu *v)
{
    unsigned vector;

    if (v->mode != MODE_FREE)
        tx_break_off(v);
    kick_drain(v);
    apic_base_init();
    wait_for_sipi(v);
    vector = v->sipi & ICR_VECTOR;
    v->init = v->sipi = 0;
    v->guest_nmi = false;
    host_tables_load(v);
    reset_segments(v->vmcb, vector);
    reset_registers(v);
    v->vmcb->intercept_cr = INTERCEPT_CR4_WRITE;
    v->levels = (struct levels){
        .between = hypervisor.vcpus[0].levels.between,
    };
    v->rounds = (struct rounds){.count = 0};
    apic_base_start(v);
    step_set_mode(v, MODE_FREE);
    levels_stale(v);
    levels_choose(v);
}
