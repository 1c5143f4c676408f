/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmi.c - performance-monitoring interrupts that a test asks for: a handler of
 * our own that counts them (src/base/hw.h).
 *
 * SDM 3A, "Local Vector Table": the processor sets the mask flag of the entry
 * when it takes such an interrupt, so the handler clears it again, and one too
 * many is seen. "Task Priority in IA-32e Mode": CR8 holds off every vector
 * whose class (its bits 7:4) is not above CR8[3:0]. So it does wherever
 * interrupts are on here: on other processors than the boot processor one of
 * the firmware's timer may be pending since before the timer was masked, and
 * its handler is for the boot processor alone.
 */
#include "efi/pmi.h"
#include "efi/apic.h"
#include "efi/processors.h"
#include "src/base/hw.h"

#define NMI_VECTOR    2
#define BELOW_CLASS_F 14 /* for CR8 */
#define CLASS_F       15

struct pmi {
    bool active, nmi;
    bool ended; /* the entry may be the old one again */
    unsigned count, masked;
    uint64_t rip;
    uint32_t id; /* of its local APIC */
    uint32_t old_entry;
    uint64_t old_priority, old_flags;
} __attribute__((aligned(64)));

static struct pmi pmis[HW_PROCESSORS_MAX];

static uint32_t lvt_entry(const struct pmi *pmi)
{
    return pmi->nmi ? APIC_LVT_NMI : PMI_VECTOR;
}

static void set_priority(uint64_t class)
{
    __asm__ volatile("mov %0, %%cr8" : : "r"(class) : "memory");
}

void hw_pmi_outrank(void)
{
    set_priority(CLASS_F);
}

void hw_pmi_hold(void)
{
    __asm__ volatile("cli" : : : "memory");
}

bool hw_pmi_begin(bool nmi)
{
    struct pmi *pmi = &pmis[processors_self()];

    *pmi = (struct pmi){.nmi = nmi, .id = apic_id()};
    __asm__ volatile("pushfq; popq %0" : "=r"(pmi->old_flags) : : "memory");
    __asm__ volatile("mov %%cr8, %0" : "=r"(pmi->old_priority));
    pmi->active = true;
    if (!apic_swap_counters_entry(lvt_entry(pmi), &pmi->old_entry)) {
        pmi->active = false;
        return false;
    }
    set_priority(BELOW_CLASS_F);
    if (nmi)
        hw_pmi_hold();
    else
        __asm__ volatile("sti" : : : "memory");
    return true;
}

void hw_pmi_mask(void)
{
    uint32_t old;

    apic_swap_counters_entry(
        lvt_entry(&pmis[processors_self()]) | APIC_LVT_MASKED, &old);
}

/* STI holds interrupts off for one instruction. */
void hw_pmi_halt(void)
{
    __asm__ volatile("sti; hlt" : : : "memory");
}

void hw_pmi_send(unsigned processor)
{
    apic_send_vector(pmis[processor].id, PMI_VECTOR);
}

unsigned hw_pmi_count(void)
{
    return __atomic_load_n(&pmis[processors_self()].count, __ATOMIC_RELAXED);
}

unsigned hw_pmi_masked(void)
{
    return __atomic_load_n(&pmis[processors_self()].masked, __ATOMIC_RELAXED);
}

unsigned hw_pmi_vector(void)
{
    return PMI_VECTOR;
}

uint64_t hw_pmi_rip(void)
{
    return __atomic_load_n(&pmis[processors_self()].rip, __ATOMIC_RELAXED);
}

void hw_pmi_end(void)
{
    struct pmi *pmi = &pmis[processors_self()];
    uint32_t ours;

    if (!pmi->active)
        return;
    pmi->ended = true;
    /* What has come already is still handled: STI holds interrupts off for one
     * instruction. */
    apic_swap_counters_entry(pmi->old_entry, &ours);
    set_priority(BELOW_CLASS_F);
    __asm__ volatile("sti; nop; nop; cli" : : : "memory");
    set_priority(pmi->old_priority);
    pmi->active = false;
    __asm__ volatile("pushq %0; popfq"
                     :
                     : "r"(pmi->old_flags)
                     : "memory", "cc");
}

bool pmi_active(unsigned processor)
{
    return pmis[processor].active;
}

/* Counts it, and gives it the entry back without the mask flag. */
static void count_and_unmask(struct pmi *pmi, uint64_t rip)
{
    uint32_t entry = lvt_entry(pmi), old;

    if (pmi->count == 0)
        __atomic_store_n(&pmi->rip, rip, __ATOMIC_RELAXED);
    __atomic_store_n(&pmi->count, pmi->count + 1, __ATOMIC_RELAXED);
    if (pmi->count >= HW_PMI_MOST)
        entry |= APIC_LVT_MASKED;
    if (!apic_swap_counters_entry(entry, &old))
        return;
    if ((old & APIC_LVT_MASKED) != 0 &&
        (pmi->ended || (old & ~APIC_LVT_MASKED) == lvt_entry(pmi)))
        __atomic_store_n(&pmi->masked, pmi->masked + 1, __ATOMIC_RELAXED);
    /* Not after hw_pmi_end() has put the old entry back. */
    if (pmi->ended && (old & ~APIC_LVT_MASKED) != lvt_entry(pmi))
        apic_swap_counters_entry(pmi->old_entry, &old);
}

bool pmi_handle(uint64_t vector, uint64_t rip)
{
    struct pmi *pmi = &pmis[processors_self()];

    if (!pmi->active || vector != (pmi->nmi ? NMI_VECTOR : PMI_VECTOR))
        return false;
    count_and_unmask(pmi, rip);
    if (!pmi->nmi)
        apic_end_of_interrupt();
    return true;
}
