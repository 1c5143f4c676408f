/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kick.c - a processor that is in its guest is made to exit, by an NMI: it may
 * have to look for an interrupt, or still have a translation that it has lost.
 * There is one lock for the nested tables of all processors; nobody waits for
 * another while holding it, but for such an exit, which needs no lock.
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"

/* SDM volume 3A, "Local APIC Register Address Map"; volume 4, IA32_APIC_BASE:
 * bit 10 is x2APIC mode; figure "Interrupt Command Register (ICR)". */
#define APIC_BASE_X2    (UINT64_C(1) << 10)
#define APIC_BASE_PAGE  UINT64_C(0x000FFFFFFFFFF000)
#define APIC_ICR_LOW    0x300
#define APIC_ICR_HIGH   0x310
#define IA32_X2APIC_ICR 0x830u
#define ICR_NMI         0x400u

/* An exit takes microseconds; one that takes this long never comes: a
 * processor that firmware has reset. */
#define KICK_TSC_MAX UINT64_C(10000000000)

/* QEMU may lose an NMI: on #VMEXIT it clears the virtual interrupt's request in
 * a word that another thread is just setting the NMI's in. */
#define LOST_TSC 100000000

static volatile uint32_t lock_word;

void pages_lock(void)
{
    while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE) != 0)
        cpu_pause();
}

void pages_unlock(void)
{
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

static void send_nmi(const struct vcpu *to)
{
    uint32_t id = hypervisor.apic_ids[to->model->index];
    uint64_t base = rdmsr(IA32_APIC_BASE);

    if ((base & APIC_BASE_X2) != 0) {
        wrmsr(IA32_X2APIC_ICR, (uint64_t)id << 32 | ICR_NMI);
    } else {
        volatile uint32_t *low, *high;
        uint32_t saved;

        low = (uint32_t *)((base & APIC_BASE_PAGE) + APIC_ICR_LOW);
        high = (uint32_t *)((base & APIC_BASE_PAGE) + APIC_ICR_HIGH);
        saved = *high;
        *high = id << 24;
        *low = ICR_NMI;
        *high = saved;
    }
}

void kick_send(struct vcpu *to)
{
    const uint64_t now = rdtsc();

    if (__atomic_load_n(&to->nmi, __ATOMIC_SEQ_CST) == 0)
        to->nmi_tsc = now;
    if (__atomic_exchange_n(&to->nmi, 1, __ATOMIC_SEQ_CST) != 0 &&
        (int64_t)(now - to->nmi_tsc) < LOST_TSC)
        return; /* on its way */
    to->nmi_tsc = now;
    send_nmi(to);
}

void kick_flush_tlb(struct vcpu *v)
{
    uint64_t start = rdtsc();

    __atomic_store_n(&v->flush, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&v->in_guest, __ATOMIC_SEQ_CST) == 0)
        return;
    do {
        kick_send(v);
        cpu_pause();
    } while (__atomic_load_n(&v->in_guest, __ATOMIC_SEQ_CST) != 0 &&
             __atomic_load_n(&v->flush, __ATOMIC_SEQ_CST) != 0 &&
             rdtsc() - start < KICK_TSC_MAX);
}

void kick_run_guest(struct vcpu *v)
{
    __atomic_store_n(&v->in_guest, 1, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&v->flush, 0, __ATOMIC_SEQ_CST) != 0)
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    if (hypervisor.has_os)
        levels_run(v);
    else
        svm_vmrun(v);
    __atomic_store_n(&v->in_guest, 0, __ATOMIC_SEQ_CST);
}

struct nmi_table {
    struct gate gates[VECTOR_NMI + 1];
    struct table_register idtr;
};

/* A descriptor table for the NMI alone. */
static void make_table(struct nmi_table *t, const char *handler)
{
    *t = (struct nmi_table){
        .idtr = {sizeof(t->gates) - 1, (uint64_t)t->gates},
    };
    gate_set(&t->gates[VECTOR_NMI], handler);
}

static void take_nmi(struct vcpu *v)
{
    struct nmi_table t;

    make_table(&t, svm_nmi_handler);
    svm_take_nmi(&t.idtr, &v->nmi);
}

void kick_sleep(struct vcpu *v)
{
    struct nmi_table t;

    make_table(&t, svm_sleep_handler);
    svm_sleep(&t.idtr, &v->nmi, &v->awake);
    if (v->guest_nmi) /* taken for one of the host's */
        send_nmi(v);
}

struct action kick_on_nmi(struct vcpu *v)
{
    bool own = __atomic_load_n(&v->nmi, __ATOMIC_SEQ_CST) != 0;

    take_nmi(v);
    if (v->guest_nmi || (hypervisor.has_os && !own)) {
        v->guest_nmi = false;
        if (v->tx.depth > 0)
            tx_abort(v, TX_CAUSE_EVENT);
        return levels_nmi(v);
    }
    cpu_pause(); /* its sender is waiting */
    return action_of(ACTION_RESUME);
}

void kick_drain(struct vcpu *v)
{
    while (__atomic_load_n(&v->nmi, __ATOMIC_SEQ_CST) != 0)
        take_nmi(v);
}

void kick_others(const struct vcpu *v)
{
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if (o != v && o->entered && !turns_enabled() &&
            o->model->uncore_pmis != hypervisor.machine.uncore.pmis)
            kick_send(o);
    }
}

bool kick_others_in_guest(const struct vcpu *v)
{
    for (unsigned n = 0; n < hypervisor.processors; n++)
        if (&hypervisor.vcpus[n] != v && hypervisor.vcpus[n].entered)
            return true;
    return false;
}
