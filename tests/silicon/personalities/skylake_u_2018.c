/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_u_2018.c - a mobile Skylake, 06_4EH, with the microcode of October
 * 2018. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_u_2018 = {
    .name = "skylake-u-2018",
    .brand = "Simulated Skylake U, microcode of 2018",
    .signature = 0x000406E3,
    .microcode = 0xC6,
    .regime = REGIME_B,
    .has_rtm = true,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2018,
};
