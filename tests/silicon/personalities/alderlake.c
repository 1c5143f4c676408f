/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alderlake.c - a 12th generation Core, 06_97H_2, whose later processors are
 * cores of the Atom family. TSX is not enumerated. One thread a core: `smt` has
 * no effect.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

static const struct personality gracemont = {
    .name = "alderlake",
    .brand = "Simulated Alder Lake client",
    .signature = 0x00090672,
    .microcode = 0x1F,
    .regime = REGIME_A,
    GRACEMONT_CORE(1, family_cpuid_grt),
};

const struct personality personality_alderlake = {
    .name = "alderlake",
    .brand = "Simulated Alder Lake client",
    .second = &gracemont,
    .one_thread = true,
    .signature = 0x00090672,
    .microcode = 0x1F,
    .regime = REGIME_A,
    ALDER_LAKE_P,
};
