/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_2017.c - a Skylake client before the microcode of October 2018. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_2017 = {
    .name = "skylake-2017",
    .brand = "Simulated Skylake client, microcode of 2017",
    .signature = 0x000506E3,
    .microcode = 0xBA,
    .regime = REGIME_A,
    .has_rtm = true,
    .has_hle = true,
    SKYLAKE_CLIENT,
};
