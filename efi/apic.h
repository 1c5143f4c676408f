/* SPDX-License-Identifier: BSD-2-Clause */
/* apic.h - the local APIC. hw_x2apic() too. */
#ifndef EFI_APIC_H
#define EFI_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_MAX 7

struct apic_saved {
    uint32_t lvt[APIC_LVT_MAX];
    uint64_t deadline; /* IA32_TSC_DEADLINE, 0 where not in use */
    bool one_shot;     /* the timer was to fire once, and had not yet */
    bool usable;       /* the local APIC is enabled */
};

/* Masks every LVT entry of the calling processor, and puts all back. */
void apic_mask(struct apic_saved *saved);
void apic_restore(const struct apic_saved *saved);

/* SDM 3A, "Local Vector Table": delivery mode [10:8], mask [16]. */
#define APIC_LVT_NMI    (4u << 8)
#define APIC_LVT_MASKED (1u << 16)

/* Sets the calling processor's LVT entry for counters. False where its local
 * APIC is not enabled; *old is then not changed. */
bool apic_swap_counters_entry(uint32_t entry, uint32_t *old);
void apic_end_of_interrupt(void);
/* To the processor with this APIC ID: an NMI, or an interrupt. */
void apic_send_nmi(uint32_t id);
void apic_send_vector(uint32_t id, uint8_t vector);
/* That entry as it is. False likewise. */
bool apic_counters_entry(uint32_t *entry);

/* The APIC ID of the calling processor, by CPUID.0BH or CPUID.1. */
uint32_t apic_id(void);

#endif
