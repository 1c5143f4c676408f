/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * families.c - tables that several personalities share.
 *
 * SDM volume 2A, CPUID; volume 4, MSR tables of the 2nd, 4th and 6th
 * generation; volume 3B, "Performance Monitoring", off-core response masks.
 * families.h declares what is here and in events.c.
 */
#include "tests/silicon/personalities/common/families.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/uncore/uncore.h"

/* clang-format off */
/* Leaf 14H of Skylake: CR3 filter, configurable PSB and CYC, IP filter, MTC;
 * ToPA of many entries, single range. Two address ranges; MTC periods 0, 3, 6,
 * 9; cycle thresholds to 2048, PSB periods to 64 KiB. */
#define SKYLAKE_PT                                                            \
    { 0x14, 0, 1, 0x0000000F, 0x00000007, 0 },                                \
    { 0x14, 1, 0x02490002, 0x003F1FFF, 0, 0 }

/* Of Golden Cove and Gracemont, as processors of 06_8FH and 06_97H have been
 * read: PTWRITE, PSB and PMI preservation; cycle thresholds to 16 alone. */
#define GOLDEN_COVE_PT(lip)                                                   \
    { 0x14, 0, 1, 0x0000005F, (lip) << 31 | 0x00000007, 0 },                  \
    { 0x14, 1, 0x02490002, 0x003F003F, 0, 0 }

/* Leaf 0DH: XCR0 may have x87, SSE and AVX; upper halves of YMM at 240H. */
#define XSAVE_AVX                                                             \
    { 0x0D, 0, 0x7, 0x340, 0x340, 0 }, { 0x0D, 2, 0x100, 0x240, 0, 0 }

/* Leaf 4: lines of 64 bytes; EBX[31:22] ways - 1, ECX sets - 1. First-level data
 * and code of 64 sets, second, and last level of 8192. */
#define OF_WAYS(ways) (((ways) - 1u) << 22 | 63)
#define LEAF_4(l1_ways, l2_ways, l2_sets, llc_ways)                           \
    { 0x04, 0, 0x1C004121, OF_WAYS(l1_ways), 63, 0 },                         \
    { 0x04, 1, 0x1C004122, OF_WAYS(8), 63, 0 },                               \
    { 0x04, 2, 0x1C004143, OF_WAYS(l2_ways), (l2_sets) - 1, 0 },              \
    { 0x04, 3, 0x1C03C163, OF_WAYS(llc_ways), 8191, 6 }

/* Leaf 4: 32 KiB data and code, 256 KiB, 8 MiB caches of 64-byte lines. Leaf
 * 15H: TSC = 24 MHz * 250 / 2; leaf 16H: 3000, 3500, 100 MHz. */
const struct cpuid_row family_cpuid[10] = {
    LEAF_4(8, 4, 1024, 16),
    XSAVE_AVX,
    SKYLAKE_PT,
    { 0x15, 0, 2, 250, 24000000, 0 },
    { 0x16, 0, 3000, 3500, 100, 0 },
};

/* Comet Lake of 06_A5H_4, as one has been read: no single range, cycle
 * thresholds to 4096. */
const struct cpuid_row family_cpuid_cml[10] = {
    LEAF_4(8, 4, 1024, 16),
    XSAVE_AVX,
    { 0x14, 0, 1, 0x0000000F, 0x00000003, 0 },
    { 0x14, 1, 0x02490002, 0x003F3FFF, 0, 0 },
    { 0x15, 0, 2, 250, 24000000, 0 },
    { 0x16, 0, 3000, 3500, 100, 0 },
};

const struct cpuid_row family_cpuid_old[6] = {
    LEAF_4(8, 8, 512, 16),
    XSAVE_AVX,
};

/* Leaf 14H of Broadwell: CR3 filter; ToPA of one entry. */
const struct cpuid_row family_cpuid_bdw[7] = {
    LEAF_4(8, 8, 512, 16),
    XSAVE_AVX,
    { 0x14, 0, 0, 0x00000001, 0x00000001, 0 },
};

/* Ice Lake client: 48 KiB in 12 ways, 512 KiB, 8 MiB, as processors of 06_7EH
 * have been read. Its leaf 15H differs: the crystal has 38.4 MHz. */
const struct cpuid_row family_cpuid_icl[10] = {
    LEAF_4(12, 8, 1024, 16),
    XSAVE_AVX,
    SKYLAKE_PT,
    { 0x15, 0, 2, 78, 38400000, 0 },
    { 0x16, 0, 1500, 3900, 100, 0 },
};

/* Ice Lake server: 48 KiB in 12 ways, 1.25 MiB in 20, and 6 MiB here. */
const struct cpuid_row family_cpuid_icx[10] = {
    LEAF_4(12, 20, 1024, 12),
    XSAVE_AVX,
    SKYLAKE_PT,
    { 0x15, 0, 2, 250, 24000000, 0 },
    { 0x16, 0, 3000, 3500, 100, 0 },
};

/* Sapphire Rapids: L2 2 MiB in 16 ways, as leaf 4 of it says; 8 MiB here. Leaf
 * 15H and 16H are those of Ice Lake here. Leaf 1CH: 8, 16 and 32 records,
 * and all else that there is of architectural ones, as CPUs of 06_97H_2, with
 * the same core, have been read. */
const struct cpuid_row family_cpuid_spr[11] = {
    LEAF_4(12, 16, 2048, 16),
    XSAVE_AVX,
    GOLDEN_COVE_PT(0u),
    { 0x15, 0, 2, 250, 24000000, 0 },
    { 0x16, 0, 3000, 3500, 100, 0 },
    { 0x1C, 0, 0x4000000B, 0x00000007, 0x00000007, 0 },
};

/* Alder Lake, as a processor of 06_97H_2 has been read: its leaf 0AH is the
 * same on both kinds of cores. Leaf 14H has linear addresses (LIP) on the second
 * kind, leaf 4 is without the bigger code cache of that. */
const struct cpuid_row family_cpuid_glc[11] = {
    LEAF_4(12, 10, 2048, 16),
    XSAVE_AVX,
    GOLDEN_COVE_PT(0u),
    { 0x15, 0, 2, 120, 38400000, 0 },
    { 0x1A, 0, 0x40000001, 0, 0, 0 },
    { 0x1C, 0, 0x4000000B, 0x00000007, 0x00000007, 0 },
};

const struct cpuid_row family_cpuid_grt[11] = {
    LEAF_4(8, 16, 2048, 16),
    XSAVE_AVX,
    GOLDEN_COVE_PT(1u),
    { 0x15, 0, 2, 120, 38400000, 0 },
    { 0x1A, 0, 0x20000001, 0, 0, 0 },
    { 0x1C, 0, 0xC000000B, 0x00000007, 0x00000007, 0 },
};

/* Alder Lake-N, as processors of 06_BEH have been read, but for power events in
 * leaf 14H, and its smaller last level. */
const struct cpuid_row family_cpuid_grt_alone[11] = {
    LEAF_4(8, 16, 2048, 16),
    XSAVE_AVX,
    { 0x14, 0, 1, 0x000001DF, 0x80000007, 0 },
    { 0x14, 1, 0x02490002, 0x003FFFFF, 0, 0 },
    { 0x15, 0, 2, 88, 38400000, 0 },
    { 0x1A, 0, 0x20000001, 0, 0, 0 },
    { 0x1C, 0, 0xC000000B, 0x00000007, 0x00000007, 0 },
};

/* Lion Cove. Leaf 23H: umask2 and EQ; ten counters and four fixed ones; the
 * events of leaf 0AH and what TOPDOWN adds, as Linux names its bits,
 * selftests/kvm, x86/pmu.h; without auto counter reload, which is not
 * simulated. Leaf 14H is Golden Cove's, 15H and 1CH are Alder Lake's here. */
const struct cpuid_row family_cpuid_lnc[13] = {
    LEAF_4(12, 12, 4096, 16),
    XSAVE_AVX,
    GOLDEN_COVE_PT(0u),
    { 0x15, 0, 2, 120, 38400000, 0 },
    { 0x1C, 0, 0x4000000B, 0x00000007, 0x00000007, 0 },
    { 0x23, 0, 0x0000000B, 0x00000003, 0, 0 },
    { 0x23, 1, 0x000003FF, 0x0000000F, 0, 0 },
    { 0x23, 3, 0x000000FF, 0, 0, 0 },
};

#define OFFCORE_SKL BITS(37, 15) | UINT64_C(0x8FFF)
#define OFFCORE_SNB (UINT64_C(0x3F807F8FFF))

const struct msr_row family_msrs_skl[3] = {
    { 0x1A6, MSR_READ_WRITE, OFFCORE_SKL, 0 },  /* MSR_OFFCORE_RSP_0 */
    { 0x1A7, MSR_READ_WRITE, OFFCORE_SKL, 0 },  /* MSR_OFFCORE_RSP_1 */
    { 0x3F7, MSR_READ_WRITE, 0x7FFF17, 0 },     /* MSR_PEBS_FRONTEND */
};

const struct msr_row family_msrs_skx[3] = {
    { 0x1A6, MSR_READ_WRITE, OFFCORE_SKL, 0 },
    { 0x1A7, MSR_READ_WRITE, OFFCORE_SKL, 0 },
    { 0x3F7, MSR_READ_WRITE, 0x7FFF17, 0 },
};

const struct msr_row family_msrs_hsw[2] = {
    { 0x1A6, MSR_READ_WRITE, OFFCORE_SKL, 0 },
    { 0x1A7, MSR_READ_WRITE, OFFCORE_SKL, 0 },
};

/* Off-core response: Linux, core.c, "icl". IA32_PEBS_ENABLE with extended PEBS;
 * MSR_PEBS_DATA_CFG: SDM volume 4, and KVM has the same bits. */
const struct msr_row family_msrs_icx[5] = {
    { 0x1A6, MSR_READ_WRITE, UINT64_C(0x3FFFFFBFFF), 0 },
    { 0x1A7, MSR_READ_WRITE, UINT64_C(0x3FFFFFBFFF), 0 },
    { 0x3F7, MSR_READ_WRITE, 0x7FFF17, 0 },
    { 0x3F1, MSR_SPECIAL, BITS(35, 32) | BITS(7, 0), 0 },
    { 0x3F2, MSR_READ_WRITE, BITS(31, 24) | BITS(3, 0), 0 },
};

/* Linux, core.c, "glc". */
const struct msr_row family_msrs_spr[5] = {
    { 0x1A6, MSR_READ_WRITE, UINT64_C(0x3FFFFFFFFF), 0 },
    { 0x1A7, MSR_READ_WRITE, UINT64_C(0x3FFFFFFFFF), 0 },
    { 0x3F7, MSR_READ_WRITE, 0x7FFF1F, 0 },
    { 0x3F1, MSR_SPECIAL, BITS(35, 32) | BITS(7, 0), 0 },
    { 0x3F2, MSR_READ_WRITE, BITS(31, 24) | BITS(3, 0), 0 },
};

/* Linux, core.c, "grt": off-core response. */
const struct msr_row family_msrs_grt[4] = {
    { 0x1A6, MSR_READ_WRITE, UINT64_C(0x3FFFFFFFFF), 0 },
    { 0x1A7, MSR_READ_WRITE, UINT64_C(0x3FFFFFFFFF), 0 },
    { 0x3F1, MSR_SPECIAL, BITS(34, 32) | BITS(5, 0), 0 },
    { 0x3F2, MSR_READ_WRITE, BITS(31, 24) | BITS(3, 0), 0 },
};

/* Linux, core.c, "lnc"; ds.c: what 3F2H has with format 6. That bits of counters
 * that are not there cannot be written is a guess. */
const struct msr_row family_msrs_lnc[5] = {
    { 0x1A6, MSR_READ_WRITE, UINT64_C(0xFFFFFFFFFFF), 0 },
    { 0x1A7, MSR_READ_WRITE, UINT64_C(0xFFFFFFFFFFF), 0 },
    { 0x3F7, MSR_READ_WRITE, 0x7FFF1F, 0 },
    { 0x3F1, MSR_SPECIAL, BITS(35, 32) | BITS(9, 0), 0 },
    { 0x3F2, MSR_READ_WRITE,
      BITS(51, 48) | BITS(41, 32) | BITS(31, 24) | BITS(5, 0), 0 },
};

/* IA32_PEBS_ENABLE[63]: precise store, in this generation alone. */
const struct msr_row family_msrs_snb[3] = {
    { 0x1A6, MSR_READ_WRITE, OFFCORE_SNB, 0 },
    { 0x1A7, MSR_READ_WRITE, OFFCORE_SNB, 0 },
    { 0x3F1, MSR_SPECIAL, BIT(63) | BITS(35, 32) | BITS(3, 0), 0 },
};

/* Four cores and a C-Box for each; a fifth, that of the graphics, stays idle
 * here. 396H counts it in, or is what "-1" has to be applied to. */
#define QUAD_CORE .config = 5, .boxes = 4, .registers = 5

const struct uncore_traits family_uncore_snb = {
    .global_ctrl = 0x391, .global_status = 0x392, .cores = 4,
    .clock_up = 31, .clock_down = 34, .clock_bits = 48, QUAD_CORE,
};

const struct uncore_traits family_uncore_hsw = {
    .global_ctrl = 0x391, .global_status = 0x392, .cores = 4,
    .config = 5, .boxes = 4, .registers = 4, .clock_up = 8, .clock_down = 7,
    .clock_bits = 48,
};

/* Two cores. */
const struct uncore_traits family_uncore_bdw = {
    .global_ctrl = 0x391, .global_status = 0x392, .cores = 4,
    .config = 3, .boxes = 2, .registers = 2, .clock_up = 20, .clock_down = 21,
    .clock_bits = 48,
};

/* On perfmon version 4, 391H and 392H are architectural. */
const struct uncore_traits family_uncore_skl = {
    .global_ctrl = 0xE01, .global_status = 0xE02, .cores = 5,
    .clock_up = 9, .clock_down = 10, .clock_bits = 44, QUAD_CORE,
};
/* clang-format on */
