/* SPDX-License-Identifier: BSD-2-Clause */
/* haswell_real.c - haswell as it is sold: with its errata. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_haswell_real = {
    .name = "haswell-real",
    .brand = "Simulated, as sold: Haswell client",
    .signature = 0x000306C3,
    .microcode = 0x07,
    .as_sold = true,
    .regime = REGIME_A,
    .has_rtm = true,
    .has_hle = true,
    HASWELL_CLIENT,
};
