/* SPDX-License-Identifier: BSD-2-Clause */
/* data_source.c - the encodings, by generation. */
#include "src/memory/data_source.h"

#include <stddef.h>

/* clang-format off */
#define NO_CORE(level, name) {level, name, CORE_NOTHING}
#define COMMON                                                                \
    [0x0] = NO_CORE(LEVEL_MEMORY, "unknown L3 cache miss"),                   \
    [0x1] = NO_CORE(LEVEL_L1, "L1 data cache"),                               \
    [0x2] = NO_CORE(LEVEL_PENDING, "pending core cache hit"),                 \
    [0x3] = NO_CORE(LEVEL_L2, "L2"),                                          \
    [0x4] = NO_CORE(LEVEL_L3, "L3 hit, no snoop"),                            \
    [0x5] = NO_CORE(LEVEL_L3, "L3 hit, cross core snoop, clean"),             \
    [0x6] = {LEVEL_L3, "L3 hit, cross core snoop, HITM", CORE_EITHER},        \
    [0x8] = NO_CORE(LEVEL_MEMORY, "L3 miss, cross package snoop, clean"),     \
    [0x9] = NO_CORE(LEVEL_RESERVED, "reserved"),                              \
    [0xa] = NO_CORE(LEVEL_MEMORY, "L3 miss, local DRAM, to shared state"),    \
    [0xb] = NO_CORE(LEVEL_MEMORY, "L3 miss, remote DRAM, to shared state"),   \
    [0xc] = NO_CORE(LEVEL_MEMORY, "L3 miss, local DRAM, to exclusive state"), \
    [0xd] = NO_CORE(LEVEL_MEMORY, "L3 miss, remote DRAM, to exclusive state"),\
    [0xe] = NO_CORE(LEVEL_IO, "I/O"),                                         \
    [0xf] = NO_CORE(LEVEL_UNCACHEABLE, "uncacheable memory")

static const struct data_source snoop_hitm[DATA_SOURCES] = {
    COMMON, [0x7] = {LEVEL_L3, "LLC snoop HITM", CORE_MODIFIED}};
static const struct data_source usual[DATA_SOURCES] = {
    COMMON, [0x7] = NO_CORE(LEVEL_RESERVED, "reserved")};

static const struct data_source later[DATA_SOURCES] = {
    [0x0] = NO_CORE(LEVEL_MEMORY, "unknown"),
    [0x1] = NO_CORE(LEVEL_L1, "L1 data cache"),
    [0x2] = NO_CORE(LEVEL_PENDING, "fill buffer hit"),
    [0x3] = NO_CORE(LEVEL_L2, "L2"),
    [0x4] = NO_CORE(LEVEL_L3, "L3 hit, no snoop"),
    [0x5] = NO_CORE(LEVEL_L3, "L3 hit, no core has it"),
    [0x6] = NO_CORE(LEVEL_L3, "L3 hit, a core has it, not modified"),
    [0x7] = {LEVEL_L3, "forwarded by a core", CORE_FORWARDS},
    [0x8] = NO_CORE(LEVEL_MEMORY, "local far memory"),
    [0x9] = NO_CORE(LEVEL_MEMORY, "remote far memory"),
    [0xa] = NO_CORE(LEVEL_MEMORY, "local near memory"),
    [0xb] = NO_CORE(LEVEL_MEMORY, "remote near memory"),
    [0xc] = NO_CORE(LEVEL_MEMORY, "forwarded by a remote cache"),
    [0xd] = NO_CORE(LEVEL_MEMORY, "remote cache, HITM"),
    [0xe] = NO_CORE(LEVEL_IO, "I/O"),
    [0xf] = NO_CORE(LEVEL_UNCACHEABLE, "uncacheable memory"),
};

/* Gracemont: no other document has this. */
static const struct data_source atom[DATA_SOURCES] = {
    [0x0] = NO_CORE(LEVEL_MEMORY, "unknown L3 cache miss"),
    [0x1] = NO_CORE(LEVEL_L1, "L1 data cache"),
    [0x2] = NO_CORE(LEVEL_PENDING, "fill buffer hit"),
    [0x3] = NO_CORE(LEVEL_L2, "L2"),
    [0x4] = NO_CORE(LEVEL_L3, "L3 hit, no snoop"),
    [0x5] = NO_CORE(LEVEL_L3, "L3 hit, a core has it, not modified"),
    [0x6] = {LEVEL_L3, "L3 hit, HITM", CORE_MODIFIED},
    [0x7] = {LEVEL_L3, "L3 hit, HITM", CORE_MODIFIED},
    [0x8] = {LEVEL_L3, "forwarded by a core", CORE_FORWARDS},
    [0x9] = NO_CORE(LEVEL_MEMORY, "remote cache, HITM"),
    [0xa] = NO_CORE(LEVEL_MEMORY, "L3 miss, local memory, shared"),
    [0xb] = NO_CORE(LEVEL_MEMORY, "L3 miss, remote memory, shared"),
    [0xc] = NO_CORE(LEVEL_MEMORY, "L3 miss, local memory, exclusive"),
    [0xd] = NO_CORE(LEVEL_MEMORY, "L3 miss, remote memory, exclusive"),
    [0xe] = NO_CORE(LEVEL_IO, "I/O"),
    [0xf] = NO_CORE(LEVEL_UNCACHEABLE, "uncacheable memory"),
};

/* Lion Cove: nor this; 9 and 10 are DATA_SOURCE_HIGH. */
static const struct data_source wide[DATA_SOURCES] = {
    [0x0] = NO_CORE(LEVEL_MEMORY, "unknown L3 cache miss"),
    [0x1] = NO_CORE(LEVEL_L1, "L1 data cache"),
    [0x2] = NO_CORE(LEVEL_L1, "L1 data cache, second of two"),
    [0x3] = NO_CORE(LEVEL_PENDING, "L1 miss handling buffer hit"),
    [0x4] = NO_CORE(LEVEL_RESERVED, "reserved"),
    [0x5] = NO_CORE(LEVEL_L2, "L2"),
    [0x6] = NO_CORE(LEVEL_PENDING, "L2 miss handling buffer hit"),
    [0x7] = NO_CORE(LEVEL_RESERVED, "reserved"),
    [0x8] = NO_CORE(LEVEL_L3, "L3 hit"),
    [0x9] = NO_CORE(LEVEL_MEMORY, "memory-side cache"),
    [0xa] = NO_CORE(LEVEL_MEMORY, "local memory"),
    [0xb] = NO_CORE(LEVEL_RESERVED, "reserved"),
    [0xc] = {LEVEL_L3, "L3 hit, forwarded by a core", CORE_FORWARDS},
    [0xd] = {LEVEL_L3, "L3 hit, HITM", CORE_MODIFIED},
    [0xe] = NO_CORE(LEVEL_RESERVED, "reserved"),
    [0xf] = NO_CORE(LEVEL_MEMORY, "L3 miss, HITM"),
};

/* Note 1 of the first table: 07H on 06_2A and 06_2E only. Linux has it from
 * Sandy Bridge on, and 06H as what no core has modified: CORE_EITHER. */
static const struct {
    enum generation generation;
    unsigned model; /* 0: any other of the generation */
    const struct data_source *sources;
} tables[] = {
    {NEHALEM, 0x2e, snoop_hitm},
    {NEHALEM, 0, usual},
    {SANDY_BRIDGE, 0, snoop_hitm},
    {IVY_BRIDGE, 0, snoop_hitm},
    {HASWELL, 0, snoop_hitm},
    {BROADWELL, 0, snoop_hitm},
    {SKYLAKE, 0, snoop_hitm},
    {ICE_LAKE, 0, later},
    {GOLDEN_COVE, 0, later},
    {GRACEMONT, 0, atom},
    {LION_COVE, 0, wide},
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
