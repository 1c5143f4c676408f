/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmi.c - performance monitoring interrupts. The host's local APIC is the
 * guest's own; what it lacks is a source for the LVT performance counter
 * register. So that register is read here, and the processor sends the
 * interrupt to itself: vector, IRR, masking by RFLAGS.IF and EOI are all real.
 *
 * SDM volume 3A, chapter "Advanced Programmable Interrupt Controller (APIC)",
 * figures "Local Vector Table (LVT)", "Interrupt Command Register (ICR)", and
 * topic "x2APIC Register Address Space".
 */
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define APIC_BASE_ENABLE  (UINT64_C(1) << 11)
#define APIC_BASE_X2APIC  (UINT64_C(1) << 10)
#define APIC_BASE_ADDRESS UINT64_C(0x000FFFFFFFFFF000)

#define X2APIC_MSR(offset) (0x800u + (offset) / 16)
#define APIC_ID            0x020u
#define APIC_TPR           0x080u
#define APIC_PPR           0x0A0u
#define APIC_ISR           0x100u /* as IRR */
#define APIC_IRR           0x200u /* eight registers of 32 vectors each */
#define APIC_ICR_LOW       0x300u
#define APIC_ICR_HIGH      0x310u /* xAPIC alone */
#define APIC_LVT_PERF      0x340u

#define LVT_VECTOR   0x0FFu
#define LVT_DELIVERY 0x700u
#define LVT_FIXED    0x000u
#define LVT_NMI      0x400u
#define LVT_MASK     0x10000u

#define ICR_ASSERT 0x04000u

uint32_t apic_read(uint64_t base, uint32_t offset)
{
    if ((base & APIC_BASE_X2APIC) != 0)
        return (uint32_t)rdmsr(X2APIC_MSR(offset));
    return *(volatile uint32_t *)((base & APIC_BASE_ADDRESS) + offset);
}

void apic_write(uint64_t base, uint32_t offset, uint32_t value)
{
    if ((base & APIC_BASE_X2APIC) != 0)
        wrmsr(X2APIC_MSR(offset), value);
    else
        *(volatile uint32_t *)((base & APIC_BASE_ADDRESS) + offset) = value;
}

uint8_t pmi_vector_in_service(void)
{
    const uint64_t base = rdmsr(IA32_APIC_BASE);

    for (unsigned n = 8; n-- > 0;) {
        uint32_t vectors = apic_read(base, APIC_ISR + 16 * n);

        if (vectors != 0)
            return (uint8_t)(32 * n + 31 - (unsigned)__builtin_clz(vectors));
    }
    return 0;
}

/* To this processor by its ID: the shorthand "self" takes no NMI. The guest's
 * destination field is restored. */
void apic_send(uint64_t base, uint32_t command)
{
    uint32_t id = apic_read(base, APIC_ID), saved;

    if ((base & APIC_BASE_X2APIC) != 0) {
        wrmsr(X2APIC_MSR(APIC_ICR_LOW), (uint64_t)id << 32 | command);
        return;
    }
    saved = apic_read(base, APIC_ICR_HIGH);
    apic_write(base, APIC_ICR_HIGH, id);
    apic_write(base, APIC_ICR_LOW, command);
    apic_write(base, APIC_ICR_HIGH, saved);
}

static void send_by_lvt(struct vcpu *v, uint64_t base, uint32_t lvt)
{
    const struct machine *m = v->model->machine;

    if ((v->vmcb->rflags & RFLAGS_IF) == 0 &&
        !faults_rule(m,
                     (lvt & LVT_DELIVERY) == LVT_NMI ? PMI_NMI_DOES_NOT_WAIT
                                                     : PMI_WAITS,
                     true))
        return;
    if ((lvt & LVT_DELIVERY) == LVT_NMI && v->current_cpl > 0 &&
        !faults_rule(m, NMI_RING_3, true))
        return;
    switch (lvt & LVT_DELIVERY) {
    case LVT_FIXED:
        if (!faults_rule(m, PMI_HAS_PRIORITY, true)) /* below its class */
            apic_write(base, APIC_TPR, (lvt & LVT_VECTOR & 0xF0) - 0x10);
        v->pmi_pending = true;
        apic_send(base, ICR_ASSERT | (lvt & LVT_VECTOR));
        break;
    case LVT_NMI:
        v->guest_nmi = v->model->faults.nmi = true;
        apic_send(base, ICR_ASSERT | LVT_NMI);
        break;
    default:
        break; /* SMI, INIT: not simulated */
    }
}

/* SDM volume 3A, "Task and Processor Priorities": a class above the
 * processor's. */
bool apic_interrupts(void)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint32_t above = (apic_read(base, APIC_PPR) & LVT_VECTOR) / 16 + 1;

    for (uint32_t byte = 2 * above; byte < 32; byte++) {
        uint32_t bits = apic_read(base, APIC_IRR + byte / 4 * 0x10);

        if ((bits >> byte % 4 * 8 & 0xFF) != 0)
            return true;
    }
    return false;
}

void pmi_mask(void)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);

    if ((base & APIC_BASE_ENABLE) != 0)
        apic_write(base, APIC_LVT_PERF, LVT_MASK);
}

void pmi_send(struct vcpu *v)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint32_t lvt;

    if ((base & APIC_BASE_ENABLE) == 0)
        return;
    lvt = faults_lvt(v->model, apic_read(base, APIC_LVT_PERF), LVT_MASK);
    if ((lvt & LVT_MASK) != 0)
        return;
    /* "When a performance monitoring counters interrupt is generated, the mask
     * bit for its associated LVT entry is set." */
    if (v->current_cpl == 0 ||
        faults_rule(v->model->machine, LVT_MASKED_RING3, true))
        lvt |= faults_lvt_mask(v->model, LVT_MASK);
    apic_write(base, APIC_LVT_PERF,
               faults_rule(v->model->machine, LVT_KEEPS_DELIVERY, true)
                   ? lvt
                   : lvt & ~LVT_DELIVERY);
    if ((lvt & LVT_DELIVERY) == LVT_NMI &&
        !faults_rule(v->model->machine, NMI_FREEZES, true)) {
        v->model->pmu.global_status &= ~STATUS_CTR_FRZ;
        pmu_update(v->model);
    }
    send_by_lvt(v, base, lvt);
    v->model->pmu.pmi_again =
        faults_pmi_again(v->model) ||
        ((v->model->pmu.global_status & BITS(34, 0)) != 0 &&
         erratum_shows(v->model, ERRATUM_PMI_AGAIN, 8));
}

void pmi_send_again(struct vcpu *v)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint32_t lvt = apic_read(base, APIC_LVT_PERF), vector = lvt & LVT_VECTOR;

    if ((lvt & LVT_DELIVERY) == LVT_FIXED &&
        (apic_read(base, APIC_IRR + vector / 32 * 0x10) >> vector % 32 & 1) !=
            0)
        return;
    v->model->pmu.pmi_again = false;
    send_by_lvt(v, base, lvt);
}
