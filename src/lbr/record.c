/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c - formats 3, 4 and 5. */
#include "src/lbr/record.h"

#define LBR_FMT      BITS(5, 0)
#define FORMAT_FLAGS 3 /* MISPRED in FROM */
#define FORMAT_TSX   4 /* and the flags of transactions */
#define FORMAT_INFO  5 /* all of them in MSR_LBR_INFO_x, with cycles */

#define IN_TSX    BIT(62)
#define TSX_ABORT BIT(61)
#define RESERVED  BITS(60, 16)
#define CYCLES    BITS(15, 0)

bool lbr_of(const struct identity *id, struct lbr_model *model)
{
    const enum generation generation = identity_generation(id);
    const unsigned format = (unsigned)(id->perf_capabilities & LBR_FMT);

    if (!identity_is_intel(id) || generation == GENERATION_UNKNOWN ||
        !id->pdcm || id->arch_lbr || format < FORMAT_FLAGS ||
        format > FORMAT_INFO)
        return false;
    *model = (struct lbr_model){
        .format = format,
        .depth = generation >= SKYLAKE ? 32 : 16,
        .tsx = format >= FORMAT_TSX,
        .info = format == FORMAT_INFO,
        .select = BITS(8, 0) |
                  (generation >= HASWELL ? MSR_LBR_SELECT_EN_CALLSTACK : 0),
        .generation = generation,
    };
    return true;
}

/* The address in [47:0]. *wrong where a bit from there up to `top` is not the
 * sign. */
static uint64_t address(uint64_t value, unsigned top, bool *wrong)
{
    const uint64_t sign = (value & BIT(47)) != 0 ? BITS(63, 48) : 0;

    *wrong |= ((value ^ sign) & BITS(63, 48) & BITS(top, 0)) != 0;
    return (value & BITS(47, 0)) | sign;
}

struct lbr_record lbr_decode(const struct lbr_model *model,
                             const struct lbr_entry *entry)
{
    const uint64_t flags = model->info ? entry->info : entry->from;
    const unsigned top = model->info ? 63 : model->tsx ? 60 : 62;
    struct lbr_record record = {.malformed = false};

    record.from = address(entry->from, top, &record.malformed);
    record.to = address(entry->to, 63, &record.malformed);
    record.mispredicted = (flags & LBR_MISPRED) != 0;
    record.in_tx = model->tsx && (flags & IN_TSX) != 0;
    record.abort = model->tsx && (flags & TSX_ABORT) != 0;
    record.malformed |= model->info && (flags & RESERVED) != 0;
    record.cycles = model->info ? (uint16_t)(flags & CYCLES) : 0;
    return record;
}
