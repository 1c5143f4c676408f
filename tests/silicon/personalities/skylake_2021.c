/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_2021.c - a Skylake client with the TSX disable update of 2021. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_2021 = {
    .name = "skylake-2021",
    .brand = "Simulated Skylake client, microcode of 2021",
    .signature = 0x000506E3,
    .microcode = 0xEA,
    .regime = REGIME_C,
    .has_rtm = true,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2019,
};
