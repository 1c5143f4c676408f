/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c - formats 3, 4 and 5, and architectural records. */
#include "src/lbr/record.h"

#include "asm/lbr_bodies.h"

#define LBR_FMT      BITS(5, 0)
#define FORMAT_FLAGS 3 /* MISPRED in FROM */
#define FORMAT_TSX   4 /* and the flags of transactions */
#define FORMAT_INFO  5 /* all of them in MSR_LBR_INFO_x, with cycles */

#define IN_TSX    BIT(62)
#define TSX_ABORT BIT(61)
#define RESERVED  BITS(60, 16)
#define CYCLES    BITS(15, 0)

/* Of architectural ones; [55:16] are undefined. */
#define CYC_CNT_VALID BIT(60)
#define BR_TYPE(info) ((uint8_t)((info) >> 56 & 15))

/* CPUID.1CH.0 */
#define EAX_DEPTHS     BITS(7, 0)
#define EBX_CPL        BIT(0)
#define EBX_FILTER     BIT(1)
#define EBX_CALL_STACK BIT(2)
#define ECX_MISPRED    BIT(0)
#define ECX_TIMED      BIT(1)
#define ECX_TYPES      BIT(2)

/* Architectural ones have no TOS: what tests do ends in the same 16 branches
 * each time, and of fewer than 32 records it is not seen whether they move.
 * CPUID could tell so few; no processor is known that does. */
#define LBR_DEPTH_LEAST 32

/* The deepest that there is memory for. */
static unsigned depth_of(uint32_t depths)
{
    depths &= (UINT32_C(1) << LBR_DEPTH_MAX / 8) - 1;
    return depths == 0 ? 0 : 8 * (32 - (unsigned)__builtin_clz(depths));
}

static bool arch_of(const struct identity *id, struct lbr_model *model)
{
    const uint32_t depths = id->leaf1c_eax & (uint32_t)EAX_DEPTHS;

    *model = (struct lbr_model){
        .format = (unsigned)(id->perf_capabilities & LBR_FMT),
        .depth = depth_of(depths),
        .tsx = id->rtm || id->hle,
        .info = true,
        .la57 = id->la57,
        .select = BITS(8, 0) | ((id->leaf1c_ebx & EBX_CALL_STACK) != 0
                                    ? MSR_LBR_SELECT_EN_CALLSTACK
                                    : 0),
        .generation = identity_generation(id),
        .arch = true,
        .mispredicts = (id->leaf1c_ecx & ECX_MISPRED) != 0,
        .cycles = (id->leaf1c_ecx & ECX_TIMED) != 0,
        .types = (id->leaf1c_ecx & ECX_TYPES) != 0,
        .depths = depths,
    };
    return model->depth >= LBR_DEPTH_LEAST && (id->leaf1c_ebx & EBX_CPL) != 0 &&
           (id->leaf1c_ebx & EBX_FILTER) != 0;
}

bool lbr_of(const struct identity *id, struct lbr_model *model)
{
    const enum generation generation = identity_generation(id);
    const unsigned format = (unsigned)(id->perf_capabilities & LBR_FMT);

    if (identity_is_intel(id) && id->arch_lbr)
        return arch_of(id, model);
    if (!identity_is_intel(id) || generation == GENERATION_UNKNOWN ||
        !id->pdcm || format < FORMAT_FLAGS || format > FORMAT_INFO)
        return false;
    *model = (struct lbr_model){
        .format = format,
        .depth = generation >= SKYLAKE ? 32 : 16,
        .tsx = format >= FORMAT_TSX,
        .info = format == FORMAT_INFO,
        .la57 = format == FORMAT_INFO && id->la57,
        .select = BITS(8, 0) |
                  (generation >= HASWELL ? MSR_LBR_SELECT_EN_CALLSTACK : 0),
        .generation = generation,
        .mispredicts = true,
        .cycles = format == FORMAT_INFO,
    };
    return true;
}

uint64_t lbr_control(uint64_t select)
{
    static const uint8_t bit_of[LBR_KINDS] = {
        [LBR_JCC] = 16,      [LBR_REL_JMP] = 17,  [LBR_IND_JMP] = 18,
        [LBR_REL_CALL] = 19, [LBR_IND_CALL] = 20, [LBR_RET] = 21,
        [LBR_FAR] = 22,
    };
    uint64_t control = 0;

    for (unsigned kind = LBR_JCC; kind < LBR_KINDS; kind++)
        if ((select & MSR_LBR_SELECT_KIND(kind)) == 0)
            control |= BIT(bit_of[kind]);
    if ((select & MSR_LBR_SELECT_CPL_EQ_0) == 0)
        control |= IA32_LBR_CTL_OS;
    if ((select & MSR_LBR_SELECT_CPL_NEQ_0) == 0)
        control |= IA32_LBR_CTL_USR;
    if ((select & MSR_LBR_SELECT_EN_CALLSTACK) != 0)
        control |= IA32_LBR_CTL_CALL_STACK;
    return control;
}

/* The address whose sign is in bit `bit`. *wrong where one from there up to
 * `top` is another. */
static uint64_t address(uint64_t value, unsigned bit, unsigned top, bool *wrong)
{
    const uint64_t above = BITS(63, 48) & ~BITS(bit, 0);
    const uint64_t sign = (value & BIT(bit)) != 0 ? above : 0;

    *wrong |= ((value ^ sign) & above & BITS(top, 0)) != 0;
    return (value & ~above) | sign;
}

struct lbr_record lbr_decode(const struct lbr_model *model,
                             const struct lbr_entry *entry)
{
    const uint64_t flags = model->info ? entry->info : entry->from;
    const unsigned top = model->info ? 63 : model->tsx ? 60 : 62;
    const unsigned sign = model->la57 ? 56 : 47;
    struct lbr_record record = {.malformed = false};

    record.from = address(entry->from, sign, top, &record.malformed);
    record.to = address(entry->to, sign, 63, &record.malformed);
    record.mispredicted = (flags & LBR_MISPRED) != 0;
    record.in_tx = model->tsx && (flags & IN_TSX) != 0;
    record.abort = model->tsx && (flags & TSX_ABORT) != 0;
    record.malformed |= model->info && !model->arch && (flags & RESERVED) != 0;
    record.untimed = model->arch && (flags & CYC_CNT_VALID) == 0;
    record.type = model->types ? BR_TYPE(flags) : 0;
    record.cycles = model->info ? (uint16_t)(flags & CYCLES) : 0;
    return record;
}
