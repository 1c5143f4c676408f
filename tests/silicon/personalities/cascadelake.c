/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cascadelake.c - a second-generation Xeon Scalable, 06_55H_7: a Skylake server
 * that the white paper does not list; 122H is its only control of TSX, and HLE,
 * which it enumerates, elides nothing.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/personalities/common/families.h"

const struct personality personality_cascadelake = {
    .name = "cascadelake",
    .brand = "Simulated Cascade Lake server",
    .signature = 0x00050657,
    .microcode = 0x05003604,
    .regime = REGIME_A,
    .has_rtm = true,
    SKYLAKE_SERVER,
    /* EDX[29]: MSR 10AH with RDCL_NO, IBRS_ALL, SKIP_L1DFL_VMENTRY, MDS_NO and
     * TSX_CTRL; not TAA_NO. Linux, Documentation, "TAA - TSX Asynchronous
     * Abort": what is affected has MDS_NO and TSX_CTRL without it. */
    .leaf7_edx = SPECULATION_2019 | 0x20000000,
    .arch_capabilities = 0xAB,
};
