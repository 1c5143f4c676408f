/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graniterapids.c - a sixth-generation Xeon, 06_ADH_1: Sapphire Rapids with
 * PEBS of format 5. That format has been seen on processors of 06_C5H, of the
 * same time; of this model no reading is at hand.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_graniterapids = {
    .name = "graniterapids",
    .brand = "Simulated Granite Rapids server",
    .signature = 0x000A06D1,
    .microcode = 0x01000405,
    .regime = REGIME_A,
    .has_rtm = true,
    SAPPHIRE_RAPIDS(5),
};
