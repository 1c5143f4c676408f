/* SPDX-License-Identifier: BSD-2-Clause */
/* data_source.c - the encodings, and in which generations 07H is one. */
#include "src/memory/data_source.h"

#include <stddef.h>

/* clang-format off */
#define COMMON                                                                \
    [0x0] = {LEVEL_MEMORY, "unknown L3 cache miss"},                          \
    [0x1] = {LEVEL_L1, "L1 data cache"},                                      \
    [0x2] = {LEVEL_PENDING, "pending core cache hit"},                        \
    [0x3] = {LEVEL_L2, "L2"},                                                 \
    [0x4] = {LEVEL_L3, "L3 hit, no snoop"},                                   \
    [0x5] = {LEVEL_L3, "L3 hit, cross core snoop, clean"},                    \
    [0x6] = {LEVEL_L3, "L3 hit, cross core snoop, HITM"},                     \
    [0x8] = {LEVEL_MEMORY, "L3 miss, cross package snoop, clean"},            \
    [0x9] = {LEVEL_RESERVED, "reserved"},                                     \
    [0xa] = {LEVEL_MEMORY, "L3 miss, local DRAM, to shared state"},           \
    [0xb] = {LEVEL_MEMORY, "L3 miss, remote DRAM, to shared state"},          \
    [0xc] = {LEVEL_MEMORY, "L3 miss, local DRAM, to exclusive state"},        \
    [0xd] = {LEVEL_MEMORY, "L3 miss, remote DRAM, to exclusive state"},       \
    [0xe] = {LEVEL_IO, "I/O"},                                                \
    [0xf] = {LEVEL_UNCACHEABLE, "uncacheable memory"}

static const struct data_source snoop_hitm[DATA_SOURCES] = {
    COMMON, [0x7] = {LEVEL_L3, "LLC snoop HITM"}};
static const struct data_source usual[DATA_SOURCES] = {
    COMMON, [0x7] = {LEVEL_RESERVED, "reserved"}};

/* Note 1 of the first table: 07H on 06_2A and 06_2E only. */
static const struct {
    enum generation generation;
    unsigned model; /* 0: any other of the generation */
    const struct data_source *sources;
} tables[] = {
    {NEHALEM, 0x2e, snoop_hitm},
    {NEHALEM, 0, usual},
    {SANDY_BRIDGE, 0x2a, snoop_hitm},
    {SANDY_BRIDGE, 0, usual},
    {IVY_BRIDGE, 0, usual},
    {HASWELL, 0, usual},
    {BROADWELL, 0, usual},
    {SKYLAKE, 0, usual},
    {ICE_LAKE, 0, usual},
};
/* clang-format on */

const struct data_source *data_source_of(enum generation generation,
                                         unsigned model, unsigned source)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i].generation == generation &&
            (tables[i].model == 0 || tables[i].model == model))
            return &tables[i].sources[source % DATA_SOURCES];
    return NULL;
}
