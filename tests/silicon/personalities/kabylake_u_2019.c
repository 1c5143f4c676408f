/* SPDX-License-Identifier: BSD-2-Clause */
/* kabylake_u_2019.c - a mobile Kaby Lake without TSX, 06_8EH: the microcode
 * update has MSR 10FH there too. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_kabylake_u_2019 = {
    .name = "kabylake-u-2019",
    .brand = "Simulated Kaby Lake U without TSX",
    .signature = 0x000806E9,
    .microcode = 0xB4,
    .regime = REGIME_B,
    SKYLAKE_CLIENT,
    .leaf7_edx = SPECULATION_2019,
};
