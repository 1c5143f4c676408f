/* SPDX-License-Identifier: BSD-2-Clause */
/* apic.h - the local APIC: the host's registers, and what the guest sees of it.
 */
#ifndef SILICON_HYPERVISOR_PROCESSORS_APIC_H
#define SILICON_HYPERVISOR_PROCESSORS_APIC_H

#include <stdbool.h>
#include <stdint.h>

struct vcpu;

/* pmi.c: a register of this processor's local APIC; base: IA32_APIC_BASE. */
#define IA32_APIC_BASE 0x1Bu
uint32_t apic_read(uint64_t base, uint32_t offset);
void apic_write(uint64_t base, uint32_t offset, uint32_t value);
void apic_send(uint64_t base, uint32_t command); /* to itself */

/* x2apic.c: where it is configured; empty_page: what the guest sees instead
 * of the registers in memory. False: no more pages for nested tables. */
bool x2apic_start(uint8_t *empty_page);
bool x2apic_is_msr(uint32_t msr);
/* False: #GP. */
bool x2apic_read(const struct vcpu *v, uint32_t msr, uint64_t *value);
bool x2apic_write(struct vcpu *v, uint32_t msr, uint64_t value);

/* apic_base.c: from then on, where there is an operating system. page: an empty
 * one, in place of the registers. */
void apic_base_prepare(uint8_t *page);
void apic_base_start(struct vcpu *v);
/* False: #GP. */
bool apic_base_write(struct vcpu *v, uint64_t value);
bool apic_base_is_off(const struct vcpu *v);
/* This processor's local APIC, as INIT leaves it. */
void apic_base_init(void);

#endif
