/* SPDX-License-Identifier: BSD-2-Clause */
/* broadwell_real.c - broadwell as it is sold: with its errata. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_broadwell_real = {
    .name = "broadwell-real",
    .brand = "Simulated, as sold: Broadwell client",
    .signature = 0x000306D4,
    .microcode = 0x2B,
    .as_sold = true,
    .regime = REGIME_A,
    .has_rtm = true,
    .has_hle = true,
    .pt_needs_branch_en = true, /* erratum BDM106 */
    BROADWELL_CLIENT,
};
