/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_2018.c - a Skylake client with the microcode of October 2018. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_2018 = {
    .name = "skylake-2018",
    .brand = "Simulated Skylake client, microcode of 2018",
    .signature = 0x000506E3,
    .microcode = 0xCC,
    .regime = REGIME_B,
    .has_rtm = true,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2018,
};
