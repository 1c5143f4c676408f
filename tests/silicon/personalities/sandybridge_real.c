/* SPDX-License-Identifier: BSD-2-Clause */
/* sandybridge_real.c - sandybridge as it is sold: with its errata. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_sandybridge_real = {
    .name = "sandybridge-real",
    .brand = "Simulated Sandy Bridge client, as sold",
    .signature = 0x000206A7,
    .microcode = 0x2F,
    .as_sold = true,
    .regime = REGIME_A,
    .pdir_needs_quiet = true,
    SANDY_BRIDGE_CLIENT,
    CLIENT_POWER(POWER_SANDY_BRIDGE),
};
