/* SPDX-License-Identifier: BSD-2-Clause */
/* haswell.c - a Haswell client, whose TSX has not been disabled. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_haswell = {
    .name = "haswell",
    .brand = "Simulated Haswell client",
    .signature = 0x000306C3,
    .microcode = 0x07,
    .regime = REGIME_A,
    .has_rtm = true,
    .has_hle = true,
    HASWELL_CLIENT,
};
