/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alderlake_n.c - a processor with cores of the Atom family alone, 06_BEH:
 * Processor Trace with events and without TNT. One thread a core: `smt` has no
 * effect.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_alderlake_n = {
    .name = "alderlake-n",
    .brand = "Simulated Alder Lake-N",
    .signature = 0x000B06E0,
    .microcode = 0x17,
    .regime = REGIME_A,
    .one_thread = true,
    GRACEMONT_CORE(0, family_cpuid_grt_alone),
};
