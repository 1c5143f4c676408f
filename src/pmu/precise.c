/* SPDX-License-Identifier: BSD-2-Clause */
/* precise.c - processors by DisplayFamily and DisplayModel. */
#include "src/pmu/precise.h"

#include <stddef.h>

/* SDM 3C, "Model-Specific Registers (MSRs)", table "CPUID Signature Values of
 * DisplayFamily_DisplayModel". */
static const uint8_t models[] = {
    0x1a, 0x1e, 0x1f, 0x2e,                   /* Nehalem */
    0x25, 0x2c, 0x2f,                         /* Westmere */
    0x2a, 0x2d, 0x3a, 0x3e,                   /* Sandy Bridge, Ivy Bridge */
    0x3c, 0x3f, 0x45, 0x46,                   /* Haswell */
    0x3d, 0x47, 0x4f, 0x56,                   /* Broadwell */
    0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, /* Skylake to Comet Lake */
};

static const struct {
    uint8_t model, stepping;
    uint32_t microcode;
} fixed_by[] = {{0x2a, 7, 0x28}, {0x2d, 6, 0x618}, {0x2d, 7, 0x70c}};

bool precise_conditional_branches(const struct identity *id)
{
    for (size_t i = 0; i < sizeof(models); i++)
        if (id->family == 6 && id->model == models[i])
            return true;
    return false;
}

uint32_t precise_microcode(const struct identity *id)
{
    for (size_t i = 0; i < sizeof(fixed_by) / sizeof(fixed_by[0]); i++)
        if (id->family == 6 && id->model == fixed_by[i].model &&
            id->stepping == fixed_by[i].stepping)
            return fixed_by[i].microcode;
    return 0;
}
