/* SPDX-License-Identifier: BSD-2-Clause */
/* power.h - registers of power and frequency that follow the clock. */
#ifndef SILICON_HYPERVISOR_GUEST_POWER_H
#define SILICON_HYPERVISOR_GUEST_POWER_H

#include <stdbool.h>
#include <stdint.h>

struct vcpu;

/* IA32_MPERF and IA32_APERF. */
bool power_is_clock(uint32_t number);
uint64_t power_clock(struct vcpu *v, uint32_t number);
void power_write_clock(struct vcpu *v, uint32_t number, uint64_t value);

/* What the package, its cores or memory have consumed; of others 0. */
uint64_t power_energy(uint32_t number);

#endif
