/* SPDX-License-Identifier: BSD-2-Clause */
/* ivybridge.c - an Ivy Bridge client: no TSX, PEBS as on Sandy Bridge. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_ivybridge = {
    .name = "ivybridge",
    .brand = "Simulated Ivy Bridge client",
    .signature = 0x000306A9,
    .microcode = 0x21,
    .regime = REGIME_A,
    .leaf7_ebx = 0x00000281,
    SANDY_BRIDGE_CLIENT,
    CLIENT_POWER(POWER_IVY_BRIDGE),
};
