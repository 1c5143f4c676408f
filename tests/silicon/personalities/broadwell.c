/* SPDX-License-Identifier: BSD-2-Clause */
/* broadwell.c - a Broadwell client, the first with Processor Trace. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_broadwell = {
    .name = "broadwell",
    .brand = "Simulated Broadwell client",
    .signature = 0x000306D4,
    .microcode = 0x2B,
    .regime = REGIME_A,
    .has_rtm = true,
    .has_hle = true,
    .pt_needs_branch_en = true, /* erratum BDM106 */
    BROADWELL_CLIENT,
};
