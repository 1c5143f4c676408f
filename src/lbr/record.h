/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.h - one last branch record: the registers of an entry decoded, by the
 * format that the processor enumerates. Pure.
 *
 * SDM 3B, "LBR Stack and Intel 64 Processors" (formats), table "LBR Stack Size
 * and TOS Pointer Range", "MSR_LASTBRANCH_x_FROM_IP", the same "with TSX
 * Information", "MSR_LBR_INFO_x".
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
    uint64_t select; /* bits of MSR_LBR_SELECT */
    enum generation generation;
};

/* False where the format or the depth is not known here: those of 14CEH, or of
 * 345H[5:0] other than 3 to 5, or of a generation that the manual's table does
 * not have. */
bool lbr_of(const struct identity *id, struct lbr_model *model);

/* MSR_LBR_SELECT, "MSR_LBR_SELECT for Intel microarchitecture code name
 * Haswell": what is not captured. Bits 2 to 8 are those of enum lbr_kind, in
 * its order from LBR_JCC on. */
#define MSR_LBR_SELECT_CPL_EQ_0     BIT(0)
#define MSR_LBR_SELECT_CPL_NEQ_0    BIT(1)
#define MSR_LBR_SELECT_KIND(kind)   BIT((kind) + 1)
#define MSR_LBR_SELECT_KINDS        BITS(8, 2)
#define MSR_LBR_SELECT_EN_CALLSTACK BIT(9)

#define LBR_MISPRED BIT(63)

struct lbr_entry {
    uint64_t from, to, info; /* as read; info: 0 where there is none */
};

struct lbr_record {
    uint64_t from, to;
    bool mispredicted, in_tx, abort;
    uint16_t cycles; /* format 5; else 0 */
    bool malformed;  /* an address is not sign-extended, or a reserved bit 1 */
};

struct lbr_record lbr_decode(const struct lbr_model *model,
                             const struct lbr_entry *entry);

#endif
