/* SPDX-License-Identifier: BSD-2-Clause */
/* icelake_server.c - a third-generation Xeon Scalable, 06_6AH_6: adaptive PEBS,
 * eight counters and four fixed ones, RTM with 122H and no HLE. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_icelake_server = {
    .name = "icelake-server",
    .brand = "Simulated Ice Lake server",
    .signature = 0x000606A6,
    .microcode = 0x0D0003B9,
    .regime = REGIME_A,
    .has_rtm = true,
    ICELAKE_SERVER,
};
