/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sapphirerapids.c - a fourth-generation Xeon Scalable, 06_8FH_8: adaptive PEBS
 * of format 4 with the latency of loads in two parts, two levels of metrics,
 * architectural LBRs, RTM with 122H and no HLE.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_sapphirerapids = {
    .name = "sapphirerapids",
    .brand = "Simulated Sapphire Rapids server",
    .signature = 0x000806F8,
    .microcode = 0x2B0005C0,
    .regime = REGIME_A,
    .has_rtm = true,
    SAPPHIRE_RAPIDS(4),
};
