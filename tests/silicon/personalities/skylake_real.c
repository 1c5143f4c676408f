/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_real.c - skylake-2018 as it is sold: with its errata. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_real = {
    .name = "skylake-real",
    .brand = "Simulated Skylake client of 2018, as sold",
    .signature = 0x000506E3,
    .microcode = 0xCC,
    .as_sold = true,
    .regime = REGIME_B,
    .has_rtm = true,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2018,
};
