/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.h - what the MSRs of Processor Trace take on a given processor.
 * Pure: reads nothing but the identity.
 *
 * SDM 3C, Intel Processor Trace, "Enabling and Configuration MSRs", tables
 * "CPUID Leaf 14H Enumeration of Intel Processor Trace Capabilities" and
 * "CPUID Leaf 14H, sub-leaf 1H".
 */
#ifndef SRC_TRACE_REGISTERS_H
#define SRC_TRACE_REGISTERS_H

#include "src/cpu/identity.h"

/* 560H, 561H, 571H, 572H, 580H to 587H: all but IA32_RTIT_CTL. */
#define REGISTERS_COUNT 12

struct register_rule {
    uint32_t msr;
    bool present;      /* else each access raises #GP */
    uint64_t writable; /* bits that a write changes */
    uint64_t ignored;  /* that it does not change, without a fault */
    uint64_t open;     /* of which nothing is said here */
    bool canonical;    /* sign-extended from its highest; else #GP */
};

/* index below REGISTERS_COUNT. A bit in none of the three masks is reserved: a
 * write that sets it raises #GP. */
struct register_rule registers_rule(const struct identity *id, unsigned index);

/* Bits of a linear address that an MSR takes: 57 where 5-level paging exists,
 * be it in use or not (Linux, commit 9245fd6b8531, "KVM: x86: model canonical
 * checks more precisely"; no title of the SDM says it of an MSR), else 48. */
unsigned registers_linear_bits(const struct identity *id);

/* Bits of IA32_RTIT_CTL (570H): PSB seldom, before which CYC may be lost
 * (erratum SKL168); MTC as often as may be, 0 where there is none. */
uint64_t registers_psb_seldom(const struct identity *id);
uint64_t registers_mtc_often(const struct identity *id);

/* Is this CycThresh one that the processor has and goes by? Erratum SKL069: 13
 * is advertised, and taken for 0; no list says that of later generations. */
bool registers_threshold_holds(const struct identity *id, unsigned n);

/* Address ranges, 0 to 4. */
unsigned registers_ranges(const struct identity *id);

enum register_answer { REGISTER_TAKES, REGISTER_REFUSES, REGISTER_OPEN };

/* What a WRMSR of this value to IA32_RTIT_CTL (570H) does while TraceEn is and
 * stays 0. */
enum register_answer registers_control(const struct identity *id,
                                       uint64_t value);

#endif
