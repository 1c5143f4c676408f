/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cometlake_rtm_2022.c - that Comet Lake where firmware has set RTM_ALLOW (MSR
 * 123H, bit 1), as for development: transactions commit.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_cometlake_rtm_2022 = {
    .name = "cometlake-rtm-2022",
    .brand = "Simulated Comet Lake with RTM_ALLOW",
    .signature = 0x000A0654,
    .microcode = 0xEC,
    .regime = REGIME_F,
    .mcu_opt_ctrl = BIT(1),
    .has_rtm = true,
    COMET_LAKE(family_cpuid_cml),
};
