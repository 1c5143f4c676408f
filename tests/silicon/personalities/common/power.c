/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * power.c - registers of power, idle states and frequency, which processors
 * have whatever CPUID says. As firmware that wants none of it has left them:
 * limits are locked and not enabled, and no package idles deeper than C1, so
 * residencies are 0. Energy that is not 0 here follows the clock:
 * hypervisor/guest/power.c.
 *
 * SDM volume 4, tables "MSRs Supported by Intel Processors Based on Sandy
 * Bridge Microarchitecture" and those of the generations after it; what they
 * leave out of Skylake's, 601H and 618H, as turbostat reads it.
 */
#include "tests/silicon/personalities/common/families.h"

#include "tests/silicon/model/bits.h"

/* clang-format off */
#define RO(number, value) { number, MSR_READ_ONLY, 0, value }
#define RW(number, bits)  { number, MSR_READ_WRITE, bits, 0 }

/* Units of 1/8 W, 61 uJ, 976 us; 65 W. */
#define UNITS    0xA0E03
#define WATTS_65 0x208

/* Locked are MSR_PKG_CST_CONFIG_CONTROL[15], power limits' last bit. */
#define OF_BOTH                                                               \
    RO(0x0E2, BIT(15)),            /* MSR_PKG_CST_CONFIG_CONTROL: C0/C1 */    \
    RO(0x0E4, 0),                  /* MSR_PMG_IO_CAPTURE_BASE */              \
    RW(0x1A4, BITS(3, 0)),         /* MSR_MISC_FEATURE_CONTROL */             \
    RO(0x1AA, 0),                  /* MSR_MISC_PWR_MGMT */                    \
    RO(MSR_TURBO_RATIO_LIMIT, 0),  /* msr.c has it */                         \
    RW(0x1FC, BIT(1)),             /* MSR_POWER_CTL */                        \
    RO(0x3F8, 0), RO(0x3F9, 0),    /* MSR_PKG_C3_RESIDENCY, C6 */             \
    RO(0x3FC, 0), RO(0x3FD, 0),    /* MSR_CORE_C3_RESIDENCY, C6 */            \
    RO(0x606, UNITS),              /* MSR_RAPL_POWER_UNIT */                  \
    RO(0x60A, 0), RO(0x60B, 0), RO(0x60C, 0), /* MSR_PKGCn_IRTL */            \
    RO(0x60D, 0),                  /* MSR_PKG_C2_RESIDENCY */                 \
    RO(0x610, BIT(63) | WATTS_65), /* MSR_PKG_POWER_LIMIT */                  \
    RO(0x611, 0),                  /* MSR_PKG_ENERGY_STATUS */                \
    RO(0x614, WATTS_65)            /* MSR_PKG_POWER_INFO */

#define CONFIG_TDP                                                            \
    RO(MSR_CONFIG_TDP_NOMINAL, 0), RO(0x649, 0), RO(0x64A, 0),                \
    RO(0x64B, BIT(31)), RO(0x64C, BIT(31))

/* MSR_PKG_PERF_STATUS, MSR_DRAM_ENERGY_STATUS, MSR_DRAM_PERF_STATUS. */
#define OF_MEMORY RO(0x613, 0), RO(0x619, 0), RO(0x61B, 0)

const struct msr_row family_power_client[POWER_SKYLAKE] = {
    OF_BOTH,
    RO(0x3FA, 0), RO(0x3FE, 0),    /* MSR_PKG_C7_RESIDENCY, _CORE_ */
    RO(0x601, 0),                  /* MSR_PP0_CURRENT_CONFIG */
    RO(0x638, BIT(31)),            /* MSR_PP0_POWER_LIMIT */
    RO(0x639, 0),                  /* MSR_PP0_ENERGY_STATUS */
    RW(0x63A, BITS(4, 0)),         /* MSR_PP0_POLICY */
    RO(0x640, BIT(31)),            /* MSR_PP1_POWER_LIMIT */
    RO(0x641, 0),                  /* MSR_PP1_ENERGY_STATUS */
    RW(0x642, BITS(4, 0)),         /* MSR_PP1_POLICY */
    /* From Ivy Bridge on: */
    CONFIG_TDP,
    /* Haswell: */
    OF_MEMORY,
    RO(0x690, 0), RO(0x6B0, 0), RO(0x6B1, 0), /* MSR_.._PERF_LIMIT_REASONS */
    /* Broadwell with leaf 14H, and mobile Haswell: C8, C9, C10. */
    RO(0x630, 0), RO(0x631, 0), RO(0x632, 0),
    RO(0x633, 0), RO(0x634, 0), RO(0x635, 0),
    /* Skylake: */
    RO(0x618, BIT(31)),            /* MSR_DRAM_POWER_LIMIT */
    RO(0x64F, 0),                  /* MSR_CORE_PERF_LIMIT_REASONS */
    RO(0x658, 0), RO(0x659, 0), RO(0x65A, 0), RO(0x65B, 0), /* .._C0 */
};

const struct msr_row family_power_server[POWER_SERVER] = {
    OF_BOTH,
    CONFIG_TDP,
    OF_MEMORY,
    RO(0x1AE, UINT64_C(0x1C1814100C080604)), /* cores for ratios of 1ADH */
    RO(0x601, 0),
    RO(0x618, BIT(31)),
    RO(0x61C, WATTS_65),           /* MSR_DRAM_POWER_INFO */
    RO(0x64F, 0),
};
/* clang-format on */
