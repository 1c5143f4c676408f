/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * icelake_client.c - a 10th generation Core, 06_7EH_5: the counters and records
 * of an Ice Lake server. CPUID of such processors, as read, enumerates neither
 * RTM nor HLE nor RTM_ALWAYS_ABORT.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_icelake_client = {
    .name = "icelake-client",
    .brand = "Simulated Ice Lake client",
    .signature = 0x000706E5,
    .microcode = 0xBC,
    .regime = REGIME_A,
    ICELAKE_CLIENT,
};
