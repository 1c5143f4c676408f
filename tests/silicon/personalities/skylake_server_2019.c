/* SPDX-License-Identifier: BSD-2-Clause */
/* skylake_server_2019.c - a first-generation Xeon Scalable, 06_55H_4. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_skylake_server_2019 = {
    .name = "skylake-server-2019",
    .brand = "Simulated Skylake server, microcode of 2019",
    .signature = 0x00050654,
    .microcode = 0x0200005E,
    .regime = REGIME_B,
    .has_rtm = true,
    SKYLAKE_SERVER,
    .leaf7_edx = SPECULATION_2019,
};
