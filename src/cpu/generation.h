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
};

/* By DisplayFamily and DisplayModel. */
enum generation generation_of(unsigned family, unsigned model);

#endif
