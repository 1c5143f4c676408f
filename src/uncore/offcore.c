/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore.c - off-core response per generation. */
#include "src/uncore/offcore.h"

#include <stddef.h>

/* The tables of the manual, "MSR_OFFCORE_RSP_x Snoop Info Field Definition":
 * one for all. */
#define SNOOP BITS(37, 31)

/* Reserved on every processor; with no meaning given by any table. */
#define REFUSED (BITS(14, 12) | BITS(63, 38))

/* "MSR_OFFCORE_RSP_x Request_Type Field Definition", "MSR_OFFCORE_RSP_x
 * Response Supplier Info Field Definition"; the 3rd generation is the same. */
static const struct offcore_table sandy_bridge = {
    .request = BITS(11, 0) | BIT(15),
    .not_read = BIT(3) | BITS(11, 10), /* COREWB, BUS_LOCKS, STRM_ST */
    .supplier = BITS(22, 17),
    .snoop = SNOOP,
    .l3_hit = BITS(21, 18),
    .memory = BIT(22),
    .refused = REFUSED | BITS(30, 23),
};

/* "MSR_OFFCORE_RSP_x Supplier Info Field Definitions" of Sandy Bridge-E: remote
 * DRAM, "either all 0s or all 1s". */
static const struct offcore_table sandy_bridge_e = {
    .request = BITS(11, 0) | BIT(15),
    .not_read = BIT(3) | BITS(11, 10), /* COREWB, BUS_LOCKS, STRM_ST */
    .supplier = BITS(30, 17),
    .snoop = SNOOP,
    .all_or_none = BITS(30, 23),
    .l3_hit = BITS(21, 18),
    .memory = BITS(30, 22),
    .refused = REFUSED,
};

/* "MSR_OFFCORE_RSP_x Request_Type Definition (Haswell microarchitecture)" and
 * "Supplier Info Field Definition (CPUID Signature 06_3CH, 06_46H)". */
#define HASWELL_REQUEST (BITS(2, 0) | BITS(6, 4) | BIT(15))
static const struct offcore_table haswell = {
    .request = HASWELL_REQUEST,
    .supplier = BITS(20, 17) | BIT(22),
    .snoop = SNOOP,
    .l3_hit = BITS(20, 18),
    .memory = BIT(22),
    .refused = REFUSED,
};

/* Broadwell: "the same capability". The bit of DRAM is another, though, and not
 * in the manual (Linux, arch/x86/events/intel/core.c, BDW_L3_MISS_LOCAL: 26).
 */
static const struct offcore_table broadwell = {
    .request = HASWELL_REQUEST,
    .supplier = BITS(20, 17) | BIT(22),
    .snoop = SNOOP,
    .l3_hit = BITS(20, 18),
    .refused = REFUSED,
};

/* "... (CPUID Signature 06_45H)": an L4, and no DRAM among the suppliers. */
static const struct offcore_table haswell_l4 = {
    .request = HASWELL_REQUEST,
    .supplier = BITS(20, 17) | BITS(25, 22),
    .snoop = SNOOP,
    .l3_hit = BITS(20, 18),
    .refused = REFUSED,
};

/* "Off-core Response Performance Monitoring in Intel Xeon Processors E5 v3
 * Series". */
static const struct offcore_table haswell_e = {
    .request = HASWELL_REQUEST,
    .supplier = BITS(22, 17) | BITS(29, 27),
    .snoop = SNOOP,
    .l3_hit = BITS(21, 18),
    .memory = BIT(22) | BITS(29, 27),
    .refused = REFUSED,
};

/* "MSR_OFFCORE_RSP_x Request_Type Definition (Skylake microarchitecture)" and
 * "Supplier Info Field Definition (CPUID Signature 06_4EH, 06_5EH)"; later
 * editions give it to the 7th and 8th generation too. */
static const struct offcore_table skylake = {
    .request = BITS(2, 0) | BITS(8, 7) | BIT(11) | BIT(15),
    .not_read = BIT(11), /* STRM_ST */
    .supplier = BITS(20, 17) | BIT(22) | BIT(26) | BIT(30),
    .snoop = SNOOP,
    .l3_hit = BITS(20, 18),
    .memory = BIT(26),
    .refused = REFUSED,
};

/* OCR.HWPF_L3 is [13] and [9:7], OTHER [15]; DRAM of this and of other sockets
 * [29:26]. */
#define LATER_REQUEST  (BITS(2, 0) | BITS(11, 4) | BIT(13))
#define LATER_SUPPLIER BITS(29, 18)
/* OCR.x.SNC_CACHE: what a core or the L3 of another cluster of this socket
 * supplies, where it has such; OCR.x.SNC_DRAM too. */
#define LATER_CLUSTER BIT(27)
static const struct offcore_table ice_lake_server = {
    .request = LATER_REQUEST | BIT(15),
    .not_read = BIT(11), /* STREAMING_WR */
    .supplier = LATER_SUPPLIER,
    .snoop = SNOOP,
    .l3_hit = BITS(21, 18),
    .cluster = LATER_CLUSTER,
    .memory = BITS(29, 26),
    .refused = BIT(14) | BITS(63, 38),
};

/* READS_TO_CORE has [14], MODIFIED_WRITE [3]. */
static const struct offcore_table sapphire_rapids = {
    .golden_cove = true,
    .request = LATER_REQUEST | BIT(3) | BIT(14),
    .not_read = BIT(11), /* STREAMING_WR */
    .supplier = LATER_SUPPLIER,
    .snoop = SNOOP,
    .l3_hit = BITS(21, 18),
    .cluster = LATER_CLUSTER,
    .memory = BITS(29, 26),
    .refused = BITS(63, 38),
};

static const struct {
    uint8_t model;
    const struct offcore_table *table;
} models[] = {
    {0x2a, &sandy_bridge},    {0x2d, &sandy_bridge_e},
    {0x3a, &sandy_bridge},    {0x3c, &haswell},
    {0x46, &haswell},         {0x45, &haswell_l4},
    {0x3f, &haswell_e},       {0x3d, &broadwell},
    {0x47, &broadwell},       {0x4e, &skylake},
    {0x5e, &skylake},         {0x8e, &skylake},
    {0x9e, &skylake},         {0x6a, &ice_lake_server},
    {0x6c, &ice_lake_server}, {0x8f, &sapphire_rapids},
    {0xcf, &sapphire_rapids}, {0xad, &sapphire_rapids},
    {0xae, &sapphire_rapids},
};

const struct offcore_table *offcore_of(const struct identity *id)
{
    if (!identity_is_native(id))
        return NULL;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (id->family == 6 && id->model == models[i].model)
            return models[i].table;
    return NULL;
}

uint64_t offcore_event(const struct offcore_table *table, unsigned n)
{
    return table->golden_cove ? OFFCORE_EVENT_GOLDEN_COVE(n) : OFFCORE_EVENT(n);
}

enum offcore_fault offcore_validate(const struct offcore_table *table,
                                    uint64_t value)
{
    uint64_t have =
        table->request | OFFCORE_ANY | table->supplier | table->snoop;
    uint64_t all_or_none = value & table->all_or_none;

    if ((value & ~have) != 0)
        return OFFCORE_RESERVED;
    if ((value & table->request) == 0)
        return OFFCORE_NO_REQUEST;
    if ((value & OFFCORE_ANY) == 0 &&
        ((value & table->supplier) == 0 || (value & table->snoop) == 0))
        return OFFCORE_NO_RESPONSE;
    return all_or_none == 0 || all_or_none == table->all_or_none
               ? OFFCORE_VALID
               : OFFCORE_INCOMPLETE;
}

bool offcore_write(struct test_context *t, const struct offcore_table *table,
                   unsigned n, uint64_t value)
{
    if (offcore_validate(table, value) == OFFCORE_VALID)
        return set_msr(t, MSR_OFFCORE_RSP(n), value);
    broken(t, "0x%lx selects nothing in MSR_OFFCORE_RSP_%u (%XH)", value, n,
           MSR_OFFCORE_RSP(n));
    return false;
}
