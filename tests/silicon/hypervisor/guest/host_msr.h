/* SPDX-License-Identifier: BSD-2-Clause */
/* host_msr.h - MSRs that stay in the host, and IA32_APIC_BASE, as an operating
 * system reads and writes them. */
#ifndef SILICON_HYPERVISOR_GUEST_HOST_MSR_H
#define SILICON_HYPERVISOR_GUEST_HOST_MSR_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* From then on they exit. */
void host_msr_start(void);
bool host_msr_has(uint32_t number);
uint64_t host_msr_read(const struct vcpu *v, uint32_t number);
/* False: #GP. */
bool host_msr_write(struct vcpu *v, uint32_t number, uint64_t value);

#endif
