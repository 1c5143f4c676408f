/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.h - one last branch record: the registers of an entry decoded, by the
 * format that the processor enumerates. Pure.
 *
 * SDM 3B, "LBR Stack and Intel 64 Processors" (formats), table "LBR Stack Size
 * and TOS Pointer Range", "MSR_LASTBRANCH_x_FROM_IP", the same "with TSX
 * Information", "MSR_LBR_INFO_x". Architectural ones: later editions, "Last
 * Branch Records", "IA32_LBR_CTL", "IA32_LBR_x_INFO"; CPUID leaf 1CH; all of it
 * also in Linux, arch/x86/events/intel/lbr.c and asm/perf_event.h.
 */
#ifndef SRC_LBR_RECORD_H
#define SRC_LBR_RECORD_H

#include "src/base/msr.h"
#include "src/cpu/generation.h"
#include "src/cpu/identity.h"

#define LBR_DEPTH_MAX 32

/* What there is on a processor. */
struct lbr_model {
    unsigned format; /* IA32_PERF_CAPABILITIES (345H)[5:0] */
    unsigned depth;  /* entries, a power of two */
    bool tsx, info;  /* flags of transactions; MSR_LBR_INFO_x */
    bool la57;       /* linear addresses may have 57 bits */
    uint64_t select; /* bits of MSR_LBR_SELECT */
    enum generation generation;
    bool arch;        /* architectural: 14CEH; entry 0 is the newest */
    bool mispredicts; /* records say so */
    bool cycles, types;
    uint32_t depths; /* bit n: 8 * (n + 1) entries, of architectural ones */
};

/* False where the format or the depth is not known here: 345H[5:0] other than 3
 * to 5, or a generation that the manual's table does not have; architectural
 * ones without filters, or with no depth of 32 or less. */
bool lbr_of(const struct identity *id, struct lbr_model *model);

/* MSR_LBR_SELECT, "MSR_LBR_SELECT for Intel microarchitecture code name
 * Haswell": what is not captured. Bits 2 to 8 are those of enum lbr_kind, in
 * its order from LBR_JCC on. */
#define MSR_LBR_SELECT_CPL_EQ_0     BIT(0)
#define MSR_LBR_SELECT_CPL_NEQ_0    BIT(1)
#define MSR_LBR_SELECT_KIND(kind)   BIT((kind) + 1)
#define MSR_LBR_SELECT_KINDS        BITS(8, 2)
#define MSR_LBR_SELECT_EN_CALLSTACK BIT(9)
/* Of all kinds far branches are captured alone. */
#define MSR_LBR_SELECT_FAR_ALONE \
    (MSR_LBR_SELECT_KINDS & ~MSR_LBR_SELECT_KIND(LBR_FAR))

/* "EN_CALLSTACK": what has to be set with it. */
#define LBR_CALL_STACK                                                     \
    (MSR_LBR_SELECT_EN_CALLSTACK | MSR_LBR_SELECT_KIND(LBR_JCC) |          \
     MSR_LBR_SELECT_KIND(LBR_IND_JMP) | MSR_LBR_SELECT_KIND(LBR_REL_JMP) | \
     MSR_LBR_SELECT_KIND(LBR_FAR))

/* IA32_LBR_CTL: what is captured. Bits 16 to 22 are of kinds. */
#define IA32_LBR_CTL_LBREn      BIT(0)
#define IA32_LBR_CTL_OS         BIT(1)
#define IA32_LBR_CTL_USR        BIT(2)
#define IA32_LBR_CTL_CALL_STACK BIT(3)
#define IA32_LBR_CTL_KINDS      BITS(22, 16)
#define IA32_LBR_CTL_DEFINED    (BITS(3, 0) | IA32_LBR_CTL_KINDS)

/* IA32_LBR_CTL, with LBREn = 0, that captures what MSR_LBR_SELECT = select
 * would. Pure. */
uint64_t lbr_control(uint64_t select);

#define LBR_MISPRED BIT(63)

struct lbr_entry {
    uint64_t from, to, info; /* as read; info: 0 where there is none */
};

struct lbr_record {
    uint64_t from, to;
    bool mispredicted, in_tx, abort;
    uint16_t cycles; /* format 5; else 0 */
    bool untimed;    /* CYC_CNT_VALID is 0 */
    uint8_t type;    /* BR_TYPE, where there are types */
    bool malformed;  /* an address is not sign-extended, or a reserved bit 1 */
};

struct lbr_record lbr_decode(const struct lbr_model *model,
                             const struct lbr_entry *entry);

#endif
