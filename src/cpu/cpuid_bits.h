/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpuid_bits.h - bits of CPUID that decide what is tested, each with its place
 * and name: for what is read (identity.h), and for what is said of it.
 *
 * SDM 2A, CPUID, "Information Returned by CPUID Instruction".
 */
#ifndef SRC_CPU_CPUID_BITS_H
#define SRC_CPU_CPUID_BITS_H

#include "src/base/hw.h"

/* CPUID.7.0, as masks. */
#define LEAF7_EBX_BMI1              (UINT32_C(1) << 3)
#define LEAF7_EBX_HLE               (UINT32_C(1) << 4)
#define LEAF7_EBX_RTM               (UINT32_C(1) << 11)
#define LEAF7_EBX_PT                (UINT32_C(1) << 25)
#define LEAF7_EDX_SRBDS_CTRL        (UINT32_C(1) << 9) /* MSR 123H */
#define LEAF7_EDX_RTM_ALWAYS_ABORT  (UINT32_C(1) << 11)
#define LEAF7_EDX_TSX_FORCE_ABORT   (UINT32_C(1) << 13)
#define LEAF7_ECX_TME               (UINT32_C(1) << 13)
#define LEAF7_ECX_LA57              (UINT32_C(1) << 16)
#define LEAF7_EDX_HYBRID            (UINT32_C(1) << 15)
#define LEAF7_EDX_TSXLDTRK          (UINT32_C(1) << 16)
#define LEAF7_EDX_ARCH_LBR          (UINT32_C(1) << 19)
#define LEAF7_EDX_ARCH_CAPABILITIES (UINT32_C(1) << 29)

enum cpuid_bit {
    CPUID_DTES64,
    CPUID_PDCM,
    CPUID_HYPERVISOR,
    CPUID_DS,
    CPUID_HLE,
    CPUID_RTM,
    CPUID_PT,
    CPUID_RTM_ALWAYS_ABORT,
    CPUID_TSX_FORCE_ABORT,
    CPUID_HYBRID,
    CPUID_LA57,
    CPUID_TSXLDTRK,
    CPUID_ARCH_LBR,
    CPUID_ARCH_CAPABILITIES,
    CPUID_PT_TOPA,
    CPUID_PT_RANGE,
    CPUID_PT_EVENT,
    CPUID_PT_DISTNT,
    CPUID_PT_PTWRITE,
    CPUID_BITS
};

/* Is it 1 in what its leaf has answered? */
bool cpuid_bit_set(enum cpuid_bit bit, const struct hw_cpuid *leaf);

#define CPUID_BIT_BYTES 64

/* "RTM", "CPUID.7.0:EBX[11]", "EBX[11]". The latter two return out. */
const char *cpuid_bit_name(enum cpuid_bit bit);
const char *cpuid_bit_place(enum cpuid_bit bit, char out[CPUID_BIT_BYTES]);
const char *cpuid_bit_register(enum cpuid_bit bit, char out[CPUID_BIT_BYTES]);

#endif
