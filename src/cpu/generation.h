/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generation.h - the generations of processors whose events and facilities are
 * known here. Pure.
 *
 * SDM 3C, "Model-Specific Registers (MSRs)", table "CPUID Signature Values of
 * DisplayFamily_DisplayModel".
 */
#ifndef SRC_CPU_GENERATION_H
#define SRC_CPU_GENERATION_H

#include <stdint.h>

/* Bits, so that a table can name a set of them. */
enum generation {
    GENERATION_UNKNOWN = 0,
    NEHALEM = 1 << 0,      /* and Westmere */
    SANDY_BRIDGE = 1 << 1, /* 06_2AH, 06_2DH */
    IVY_BRIDGE = 1 << 2,
    HASWELL = 1 << 3,
    BROADWELL = 1 << 4,
    SKYLAKE = 1 << 5,  /* to Comet Lake, and Cascade Lake */
    ICE_LAKE = 1 << 6, /* 06_6AH, 6CH; clients 7DH, 7EH, Tiger Lake 8CH, 8DH */
    GOLDEN_COVE = 1 << 7, /* 06_8FH, CFH, ADH, AEH; cores of hybrids */
    GRACEMONT = 1 << 8,   /* the other cores of those; 06_BEH */
    LION_COVE = 1 << 9,   /* cores of 06_BDH, C5H, C6H */
};
#define SINCE_GOLDEN_COVE (GOLDEN_COVE | LION_COVE)
#define SINCE_ICE_LAKE    (ICE_LAKE | SINCE_GOLDEN_COVE)
/* 3CH/01H is at the rate of the TSC, elsewhere at that of the bus: the table of
 * events of 06_1AH, of which Intel's list (github.com/intel/perfmon) has that
 * of the bus; the lists of the others, as REF_TSC_P. */
#define BUS_AT_TSC_RATE (NEHALEM | SINCE_GOLDEN_COVE | GRACEMONT)

/* SDM 2A, CPUID.1AH:EAX[31:24], "Native Model ID Enumeration": the cores of a
 * hybrid processor. Those of the Atom family have other events. */
#define CORE_TYPE_ATOM 0x20
#define CORE_TYPE_CORE 0x40

/* By DisplayFamily and DisplayModel, and the core's type, 0 where the processor
 * is not hybrid. Models from 97H on: the manual's later editions, and Linux,
 * arch/x86/include/asm/intel-family.h; that cores of a kind have one table of
 * events: Intel's lists SPR, EMR, GNR, ADL and LNL, and Linux,
 * arch/x86/events/intel/core.c, intel_pmu_init_glc(), _grt() and _lnc(). */
enum generation generation_of(unsigned family, unsigned model,
                              unsigned core_type);

#endif
