/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regime.h - the regime of TSX and counter 3 that one logical processor is in.
 *
 * White paper 604224, sections 1.2, 2, 2.1 and tables A-1 and 2.2-1. Decided
 * from CPUID and TSX_FORCE_ABORT (10FH) alone, never from the product table.
 */
#ifndef SRC_CPU_REGIME_H
#define SRC_CPU_REGIME_H

#include "src/cpu/identity.h"

/* Bits, so that a test can name a set of them. */
enum regime {
    REGIME_A = 1 << 0, /* no TSX_FORCE_ABORT: TSX as enumerated */
    REGIME_B = 1 << 1, /* October 2018: bit 0 writable, counter 3 doubtful */
    REGIME_C = 1 << 2, /* June 2021: RTM always aborts */
    REGIME_C_PRIME = 1 << 3,       /* C with TSX_CPUID_CLEAR set */
    REGIME_D = 1 << 4,             /* C with SDV_ENABLE_RTM set */
    REGIME_E = 1 << 5,             /* RTM hidden by firmware, 10FH reads 0 */
    REGIME_F = 1 << 6,             /* TSX_CTRL/MCU_OPT_CTRL instead of 10FH */
    REGIME_NONE = 1 << 7,          /* not an Intel processor */
    REGIME_CONTRADICTORY = 1 << 8, /* CPUID and 10FH exclude each other */
};

/* A register that is not enumerated, and so was not touched. */
#define REGIME_NOT_READ (-2)

/* What the decision rests on, for the report. fault_x: HW_NO_FAULT, the
 * vector that RDMSR raised, or REGIME_NOT_READ; value_x: 0 where not read. */
struct regime_evidence {
    int fault_10f;
    uint64_t value_10f;
    int fault_122, fault_123; /* TSX_CTRL, MCU_OPT_CTRL */
    uint64_t value_122, value_123;
};

/* Reads, where enumerated and on Intel processors only: 10FH (CPUID.7:EDX[13]),
 * 122H (IA32_ARCH_CAPABILITIES[7]), 123H (CPUID.7:EDX[9] or
 * IA32_ARCH_CAPABILITIES[18]). */
void regime_probe(const struct identity *id, struct regime_evidence *out);

/* Pure. The regime that the evidence makes; contradictions have their own. */
enum regime regime_decide(const struct identity *id,
                          const struct regime_evidence *evidence);

/* "B", "C'", ... and one plain sentence about it. */
const char *regime_name(enum regime regime);
const char *regime_meaning(enum regime regime);

#endif
