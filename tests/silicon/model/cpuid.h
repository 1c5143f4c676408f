/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpuid.h - CPUID of the simulated processor.
 *
 * SDM volume 2A, CPUID, table "Information Returned by CPUID Instruction".
 */
#ifndef SILICON_MODEL_CPUID_H
#define SILICON_MODEL_CPUID_H

#include "tests/silicon/model/machine.h"

#define LEAF_XSAVE        0x0Du
#define LEAF1_ECX_XSAVE   UINT32_C(0x04000000)
#define LEAF1_ECX_OSXSAVE UINT32_C(0x08000000)
#define LEAF1_EDX_APIC    UINT32_C(0x00000200)

#define LEAF7_EBX_BMI1              BIT(3)
#define LEAF7_EBX_HLE               BIT(4)
#define LEAF7_EBX_RTM               BIT(11)
#define LEAF7_EDX_SRBDS_CTRL        BIT(9)
#define LEAF7_EDX_RTM_ALWAYS_ABORT  BIT(11)
#define LEAF7_EDX_TSX_FORCE_ABORT   BIT(13)
#define LEAF7_EDX_TSXLDTRK          BIT(16)
#define LEAF7_EDX_IBRS              BIT(26) /* and IBPB */
#define LEAF7_EDX_STIBP             BIT(27)
#define LEAF7_EDX_L1D_FLUSH         BIT(28)
#define LEAF7_EDX_ARCH_CAPABILITIES BIT(29)
#define LEAF7_EDX_SSBD              BIT(31)
#define LEAFX_ECX_LZCNT             BIT(5) /* of 80000001H */

/* Bits of leaf 1 and 7 that name instructions and so need a real executor
 * below the simulation; the hypervisor clears those that it lacks. */
#define LEAF1_ECX_EXECUTED UINT32_C(0x57F8220B)
#define LEAF7_EBX_EXECUTED UINT32_C(0x009C0109)

struct cpuid_result {
    uint32_t eax, ebx, ecx, edx;
};

/* SDM volume 2A, CPUID: beyond the highest leaf, basic or extended, "the data
 * for the highest basic information leaf is returned". Those of hypervisors are
 * left alone. */
uint32_t cpuid_leaf(const struct processor *p, uint32_t leaf);

/* Executes CPUID: also loads MSR 8BH for leaf 1. */
void cpuid_execute(struct processor *p, uint32_t asked, uint32_t subleaf,
                   struct cpuid_result *out);

#endif
