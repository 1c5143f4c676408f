/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrowlake.c - a Core Ultra of the second series, 06_C6H_2, of which firmware
 * has left the first kind of cores alone. TSX is not enumerated. One thread a
 * core: `smt` has no effect.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_arrowlake = {
    .name = "arrowlake",
    .brand = "Simulated Arrow Lake client",
    .signature = 0x000C0662,
    .microcode = 0x114,
    .regime = REGIME_A,
    .one_thread = true,
    LION_COVE,
};
