/* SPDX-License-Identifier: BSD-2-Clause */
/* sandybridge.c - a Sandy Bridge client: no TSX at all. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_sandybridge = {
    .name = "sandybridge",
    .brand = "Simulated Sandy Bridge client",
    .signature = 0x000206A7,
    .microcode = 0x2F,
    .regime = REGIME_A,
    .pdir_needs_quiet = true,
    SANDY_BRIDGE_CLIENT,
    CLIENT_POWER(POWER_SANDY_BRIDGE),
};
