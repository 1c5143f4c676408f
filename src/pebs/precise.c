/* SPDX-License-Identifier: BSD-2-Clause */
/* precise.c - what is known of precise events, by processor. */
#include "src/pebs/precise.h"

#include "src/base/msr.h"
#include "src/cpu/generation.h"

#include <stddef.h>

static const struct {
    uint8_t model, stepping;
    uint32_t microcode;
} fixed_by[] = {{0x2a, 7, 0x28}, {0x2d, 6, 0x618}, {0x2d, 7, 0x70c}};

bool precise_conditional_branches(const struct identity *id)
{
    return identity_known(id);
}

uint64_t precise_select(const struct identity *id, uint64_t select)
{
    const enum generation generation = identity_generation(id);

    if ((generation & (SINCE_ICE_LAKE | GRACEMONT)) == 0)
        return select;
    switch (select & BITS(15, 0)) {
    case PRECISE_CONDITIONAL_BRANCHES:
        return (select & ~BITS(15, 0)) |
               (generation == GRACEMONT   ? 0x7ec4
                : generation == LION_COVE ? PRECISE_CONDITIONAL_UMASK2
                                          : 0x11c4);
    case PRECISE_LOAD_LATENCY:
        return generation == GRACEMONT ? (select & ~BITS(15, 0)) | 0x05d0
                                       : select;
    case PRECISE_INSTRUCTIONS:
        return (select & ~BITS(15, 0)) | 0x00c0;
    default:
        return select;
    }
}

unsigned precise_distribution(const struct identity *id)
{
    const enum generation generation = identity_generation(id);

    return generation == LION_COVE ? 2 : generation == GOLDEN_COVE;
}

unsigned precise_without_skid(const struct identity *id)
{
    const unsigned pdist = precise_distribution(id);

    return pdist != 0 ? pdist : identity_generation(id) == GRACEMONT;
}

uint32_t precise_microcode(const struct identity *id)
{
    for (size_t i = 0; i < sizeof(fixed_by) / sizeof(fixed_by[0]); i++)
        if (id->family == 6 && id->model == fixed_by[i].model &&
            id->stepping == fixed_by[i].stepping)
            return fixed_by[i].microcode;
    return 0;
}
