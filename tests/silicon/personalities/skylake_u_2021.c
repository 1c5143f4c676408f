/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_u_2021.c - a mobile Skylake, 06_4EH, with the microcode of June
 * 2021, whose firmware hides RTM and HLE: regime C' from the start. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_u_2021 = {
    .name = "skylake-u-2021",
    .brand = "Simulated Skylake U, microcode of 2021",
    .signature = 0x000406E3,
    .microcode = 0xEA,
    .regime = REGIME_C,
    .has_rtm = true,
    .force_abort = BIT(1), /* TSX_CPUID_CLEAR */
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2019,
};
