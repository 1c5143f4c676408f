/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msr.h - RDMSR and WRMSR of the simulated processor. What is not here and not
 * in the hypervisor's list of registers passed through raises #GP.
 */
#ifndef SILICON_MODEL_MSR_H
#define SILICON_MODEL_MSR_H

#include "tests/silicon/model/machine.h"

#define IA32_PLATFORM_ID       0x017u
#define MSR_SMI_COUNT          0x034u
#define IA32_FEATURE_CONTROL   0x03Au
#define IA32_BIOS_SIGN_ID      0x08Bu
#define MSR_PLATFORM_INFO      0x0CEu
#define IA32_PERF_STATUS       0x198u
#define IA32_PERF_CTL          0x199u
#define IA32_ARCH_CAPABILITIES 0x10Au
#define IA32_MISC_ENABLE       0x1A0u
#define MSR_TURBO_RATIO_LIMIT  0x1ADu
#define MSR_CONFIG_TDP_NOMINAL 0x648u
#define IA32_DEBUGCTL          0x1D9u
#define DEBUGCTL_RTM           BIT(15)
#define IA32_PERF_CAPABILITIES 0x345u
#define IA32_MC0_STATUS        0x401u /* and every fourth after it */
#define MACHINE_CHECK_BANKS    10

void msr_reset(struct processor *p);

/* Of the TSC to the bus clock, and of the core. */
unsigned msr_tsc_ratio(const struct processor *p);
unsigned msr_core_ratio(const struct processor *p);

/* False: #GP. */
bool msr_read(struct processor *p, uint32_t number, uint64_t *value);
bool msr_write(struct processor *p, uint32_t number, uint64_t value);

#endif
