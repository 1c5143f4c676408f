/* SPDX-License-Identifier: BSD-2-Clause */
/* generation.c - processors by DisplayFamily and DisplayModel. */
#include "src/cpu/generation.h"

#include <stddef.h>

/* clang-format off */
static const struct {
    uint8_t model;
    uint16_t generation;
} models[] = {
    {0x1a, NEHALEM}, {0x1e, NEHALEM}, {0x1f, NEHALEM}, {0x2e, NEHALEM},
    {0x25, NEHALEM}, {0x2c, NEHALEM}, {0x2f, NEHALEM}, /* Westmere */
    {0x2a, SANDY_BRIDGE}, {0x2d, SANDY_BRIDGE},
    {0x3a, IVY_BRIDGE}, {0x3e, IVY_BRIDGE},
    {0x3c, HASWELL}, {0x3f, HASWELL}, {0x45, HASWELL}, {0x46, HASWELL},
    {0x3d, BROADWELL}, {0x47, BROADWELL}, {0x4f, BROADWELL}, {0x56, BROADWELL},
    {0x4e, SKYLAKE}, {0x5e, SKYLAKE}, {0x55, SKYLAKE},
    {0x8e, SKYLAKE}, {0x9e, SKYLAKE}, {0xa5, SKYLAKE}, {0xa6, SKYLAKE},
    {0x6a, ICE_LAKE}, {0x6c, ICE_LAKE},
    {0x7d, ICE_LAKE}, {0x7e, ICE_LAKE}, {0x8c, ICE_LAKE}, {0x8d, ICE_LAKE},
    {0xa7, ICE_LAKE}, /* Rocket Lake */
    {0x8f, GOLDEN_COVE}, {0xcf, GOLDEN_COVE}, {0xad, GOLDEN_COVE},
    {0xae, GOLDEN_COVE}, /* Granite Rapids-D */
    {0x97, GOLDEN_COVE}, {0x9a, GOLDEN_COVE}, {0xb7, GOLDEN_COVE},
    {0xba, GOLDEN_COVE}, {0xbf, GOLDEN_COVE},
    {0xbe, GRACEMONT},
    {0xbd, LION_COVE}, {0xc5, LION_COVE}, {0xc6, LION_COVE},
};
/* clang-format on */

enum generation generation_of(unsigned family, unsigned model,
                              unsigned core_type)
{
    enum generation found = GENERATION_UNKNOWN;

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (family == 6 && models[i].model == model)
            found = (enum generation)models[i].generation;
    if (core_type != CORE_TYPE_ATOM)
        return found;
    return found == GOLDEN_COVE ? GRACEMONT : GENERATION_UNKNOWN;
}
