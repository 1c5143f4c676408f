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
    REGIME_A = 1 << 0,       /* no TSX_FORCE_ABORT: TSX as enumerated */
    REGIME_B = 1 << 1,       /* October 2018: bit 0 writable, counter 3 doubtful */
    REGIME_C = 1 << 2,       /* June 2021: RTM always aborts */
    REGIME_C_PRIME = 1 << 3, /* C with TSX_CPUID_CLEAR set */
    REGIME_D = 1 << 4,       /* C with SDV_ENABLE_RTM set */
    REGIME_E = 1 << 5,       /* RTM hidden by firmware, 10FH reads 0 */
    REGIME_F = 1 << 6,       /* TSX_CTRL/MCU_OPT_CTRL instead of 10FH */
    REGIME_NONE = 1 << 7,    /* not an Intel processor */
    REGIME_CONTRADICTORY = 1 << 8, /* CPUID and 10FH exclude each other */
};

/* What the decision rests on, kept for the report. */
struct regime_evidence {
    int fault_10f;          /* HW_NO_FAULT, or the vector of RDMSR 10FH */
    uint64_t value_10f;     /* where it did not fault */
    int fault_122, fault_123; /* TSX_CTRL, MCU_OPT_CTRL, read where enumerated */
    uint64_t value_122, value_123;
};

/* Reads 10FH (where CPUID.7:EDX[13] enumerates it), 122H and 123H. */
void regime_probe(const struct identity *id, struct regime_evidence *out);

/* Pure. The regime that the evidence makes; contradictions have their own. */
enum regime regime_decide(const struct identity *id,
                          const struct regime_evidence *evidence);

/* "B", "C'", ... and one plain sentence about it. */
const char *regime_name(enum regime regime);
const char *regime_meaning(enum regime regime);

#endif
