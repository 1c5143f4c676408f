/* SPDX-License-Identifier: BSD-2-Clause */
/* coffeelake_2020.c - a Coffee Lake on which TSX is gone but its MSR is not. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_coffeelake_2020 = {
    .name = "coffeelake-2020",
    .brand = "Simulated Coffee Lake, microcode of 2020",
    .signature = 0x000906EA,
    .microcode = 0xF6,
    .regime = REGIME_E,
    .has_rtm = true,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2019,
};
