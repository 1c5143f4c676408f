/* SPDX-License-Identifier: BSD-2-Clause */
/* cometlake_2022.c - a Comet Lake with MSRs 122H and 123H instead of 10FH. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_cometlake_2022 = {
    .name = "cometlake-2022",
    .brand = "Simulated Comet Lake, microcode of 2022",
    .signature = 0x000A0655,
    .microcode = 0xEC,
    .regime = REGIME_F,
    .has_rtm = true,
    COMET_LAKE(family_cpuid),
};
