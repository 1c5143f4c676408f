/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * families.h - what several personalities have in common: designated
 * initialisers to be written into a struct personality.
 */
#ifndef SILICON_PERSONALITIES_COMMON_FAMILIES_H
#define SILICON_PERSONALITIES_COMMON_FAMILIES_H

#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/personality.h"

extern const struct cpuid_row family_cpuid[10], family_cpuid_old[6],
    family_cpuid_cml[10], family_cpuid_bdw[7], family_cpuid_icl[10],
    family_cpuid_icx[10], family_cpuid_spr[11], family_cpuid_glc[11],
    family_cpuid_grt[11], family_cpuid_grt_alone[11], family_cpuid_lnc[13];
extern const struct msr_row family_msrs_skl[3], family_msrs_skx[3],
    family_msrs_hsw[2], family_msrs_snb[3], family_msrs_icx[5],
    family_msrs_spr[5], family_msrs_grt[4], family_msrs_lnc[5];
extern const struct event_row family_events_skl[62], family_events_hsw[62],
    family_events_old[35], family_events_icl[48], family_events_icx[49],
    family_events_spr[48], family_events_glc[47], family_events_grt[30],
    family_events_lnc[33];

/* power.c: rows of clients up to each generation, and of servers. */
#define POWER_SANDY_BRIDGE 27
#define POWER_IVY_BRIDGE   (POWER_SANDY_BRIDGE + 5)
#define POWER_HASWELL      (POWER_IVY_BRIDGE + 6)
#define POWER_BROADWELL    (POWER_HASWELL + 6)
#define POWER_SKYLAKE      (POWER_BROADWELL + 6)
#define POWER_SERVER       31
_Static_assert(POWER_SKYLAKE <= MSR_ROWS_MAX, "processor.power_msr");
extern const struct msr_row family_power_client[POWER_SKYLAKE],
    family_power_server[POWER_SERVER];
#define CLIENT_POWER(rows) .power = family_power_client, .power_rows = rows
#define SERVER_POWER       .power = family_power_server, .power_rows = POWER_SERVER

/* Sets and ways. Lines of 64 bytes: as leaf 4 says. Pages of 4 KiB:
 * Optimization Reference Manual, "TLB Parameters" of each generation. */
#define CACHES(l2_sets, l2_ways, stlb_sets, stlb_ways) \
    .caches = {                                        \
        .l1 = {64, 8},                                 \
        .l2 = {l2_sets, l2_ways},                      \
        .llc = {8192, 16},                             \
        .dtlb = {16, 4},                               \
        .stlb = {stlb_sets, stlb_ways},                \
    }

extern const struct uncore_traits family_uncore_snb, family_uncore_hsw,
    family_uncore_bdw, family_uncore_skl;

/* Bits of MSR_OFFCORE_RSP_x: "LOCAL", "DRAM". */
#define OFFCORE_LOCAL BIT(22)
#define OFFCORE_DRAM  BIT(26)

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* CPUID.1:ECX[15] PDCM, [7] EIST, [2] DTES64 and the usual instruction sets;
 * among them XSAVE and AVX; EDX[21] DS. */
#define FAMILY_LEAF1_ECX     0x56F8A28F
#define FAMILY_LEAF1_EDX     0x0FABFBFF
#define FAMILY_LEAF1_ECX_OLD 0x16B8A28F

/* SDM volume 4, IA32_PERF_CAPABILITIES: [5:0] LBR format, 6 PEBS trap, 7 PEBS
 * saves architectural registers, [11:8] PEBS format, 12 freeze while SMM, 13
 * full-width writes. */
#define PERF_CAPABILITIES(lbr, pebs) \
    ((lbr) | BITS(7, 6) | (uint64_t)(pebs) << 8 | BITS(13, 12))

/* SDM volume 4, IA32_DEBUGCTL: LBR, BTF, TR, BTS, BTINT, BTS_OFF_OS,
 * BTS_OFF_USR, freeze LBR and counters on PMI, uncore PMI, freeze in SMM. */
#define DEBUGCTL_OLD (BITS(14, 6) | BITS(1, 0))

/* SDM volume 1 gives none of these: 7 levels are what these processors have
 * been seen to have, stores stay in the first-level data cache, and more
 * lines can be read than written: twice as many here, for speed. */
#define FAMILY_TRANSACTIONS(l1_kib)                         \
    .tx_nest_max = 7, .tx_write_lines = (l1_kib)*1024 / 64, \
    .tx_read_lines = 2 * (l1_kib)*1024 / 64, .hle_locks_max = 2
#define FAMILY_TABLES(rows, own_msrs, own_events)                           \
    .leaf1_edx = FAMILY_LEAF1_EDX, .cpuid = rows, .cpuid_rows = ROWS(rows), \
    .msrs = own_msrs, .msr_rows = ROWS(own_msrs), .events = own_events,     \
    .event_rows = ROWS(own_events)
#define FAMILY_COMMON(rows, own_msrs, own_events)                    \
    FAMILY_TRANSACTIONS(32), .counters_smt = 4, .counters_alone = 8, \
                             .fixed_counters = 3,                    \
                             FAMILY_TABLES(rows, own_msrs, own_events)

/* CPUID.7:EDX of microcode of 2018: IBRS and IBPB, STIBP, L1D_FLUSH, SSBD; and
 * from May of 2019 on MD_CLEAR. SDM volume 2A, CPUID, leaf 07H. */
#define SPECULATION_2018 0x9C000000
#define SPECULATION_2019 (SPECULATION_2018 | 0x400)

#define SKYLAKE_COMMON(rows, own_msrs)                      \
    .leaf_max = 0x16, .perfmon_version = 4,                 \
    .perf_capabilities = PERF_CAPABILITIES(5, 3),           \
    .debugctl_writable = DEBUGCTL_OLD | DEBUGCTL_RTM,       \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x029C0309, \
    CACHES(1024, 4, 128, 12), .offcore_dram = OFFCORE_DRAM, \
    FAMILY_COMMON(rows, own_msrs, family_events_skl)

#define SKYLAKE_CLIENT                             \
    SKYLAKE_COMMON(family_cpuid, family_msrs_skl), \
        .uncore = &family_uncore_skl, CLIENT_POWER(POWER_SKYLAKE)
#define SKYLAKE_SERVER                                                    \
    SKYLAKE_COMMON(family_cpuid, family_msrs_skx), .lbr_beside_pt = true, \
                                                   SERVER_POWER

/* EDX[9] SRBDS_CTRL (MSR 123H), EDX[29] MSR 10AH, whose bit 7 is TSX_CTRL. */
#define COMET_LAKE(rows)                            \
    SKYLAKE_COMMON(rows, family_msrs_skl),          \
        .leaf7_edx = SPECULATION_2019 | 0x20000200, \
        .arch_capabilities = BIT(7), CLIENT_POWER(POWER_SKYLAKE)

/* [14] PEBS_BASELINE, [15] PERF_METRICS. Eight counters, SMT on or off. L1D 48
 * KiB, 12 ways; L2 1.25 MiB, 20 ways, of the server, and 512 KiB, 8 ways. */
#define ICE_LAKE_AND_LATER                                           \
    .later_sources = true, .perfmon_version = 5,                     \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x029C0309,          \
    .offcore_dram = OFFCORE_DRAM, .lbr_beside_pt = true,             \
    FAMILY_TRANSACTIONS(48), .counters_smt = 8, .counters_alone = 8, \
    .fixed_counters = 4

/* Optimization Reference Manual: "5-wide". */
#define ICE_LAKE                                                     \
    ICE_LAKE_AND_LATER,                                              \
        .leaf_max = 0x16,                                            \
        .perf_capabilities = PERF_CAPABILITIES(5, 4) | BITS(15, 14), \
        .leaf7_edx = SPECULATION_2019 | 0x20000000, .slots_per_cycle = 5

#define CACHES_ICE_LAKE(l2_ways, llc_ways) \
    .caches = {                            \
        .l1 = {64, 12},                    \
        .l2 = {1024, l2_ways},             \
        .llc = {8192, llc_ways},           \
        .dtlb = {16, 4},                   \
        .stlb = {128, 16},                 \
    }

/* MSR 10AH: RDCL_NO, IBRS_ALL, SKIP_L1DFL_VMENTRY, MDS_NO, PSCHANGE_MC_NO,
 * TSX_CTRL, TAA_NO. */
#define ICELAKE_SERVER                                                        \
    ICE_LAKE, CACHES_ICE_LAKE(20, 12),                                        \
        .arch_capabilities = 0x1EB,                                           \
        .debugctl_writable = DEBUGCTL_OLD | DEBUGCTL_RTM, .hle_absent = true, \
        SERVER_POWER,                                                         \
        FAMILY_TABLES(family_cpuid_icx, family_msrs_icx, family_events_icx)

/* MSR 10AH: the same without TSX_CTRL, as there is no TSX, and TAA_NO. */
#define ICELAKE_CLIENT                                                \
    ICE_LAKE, CACHES_ICE_LAKE(8, 16),                                 \
        .arch_capabilities = 0x6B, .debugctl_writable = DEBUGCTL_OLD, \
        CLIENT_POWER(POWER_SKYLAKE),                                  \
        FAMILY_TABLES(family_cpuid_icl, family_msrs_icx, family_events_icl)

/* L2 2 MiB, 16 ways; six slots. EDX[16] XSUSLDTRK, EDX[19] architectural LBRs,
 * which 345H[5:0] = 3FH says, too. */
#define SAPPHIRE_RAPIDS(pebs)                                                 \
    ICE_LAKE_AND_LATER,                                                       \
        .leaf_max = 0x1C,                                                     \
        .perf_capabilities = PERF_CAPABILITIES(0x3F, pebs) | BITS(15, 14),    \
        .leaf7_edx = SPECULATION_2019 | 0x20090000,                           \
        .arch_capabilities = 0x1EB,                                           \
        .debugctl_writable = DEBUGCTL_OLD | DEBUGCTL_RTM, .hle_absent = true, \
        .pdist = 1, .latency_in_two = true, .metrics_in_two = true,           \
        .slots_per_cycle = 6,                                                 \
        .caches =                                                             \
            {                                                                 \
                .l1 = {64, 12},                                               \
                .l2 = {2048, 16},                                             \
                .llc = {8192, 16},                                            \
                .dtlb = {16, 4},                                              \
                .stlb = {128, 16},                                            \
    },                                                                        \
        SERVER_POWER,                                                         \
        FAMILY_TABLES(family_cpuid_spr, family_msrs_spr, family_events_spr)

/* The two kinds of cores of Alder Lake; no TSX. Leaf 0AH and 345H tell what
 * both have: Linux adds two counters, a fixed one and the metrics to that of
 * the first kind. MSR 10AH as read, without what has registers of its own. */
#define ALDER_LAKE_COMMON(hybrid)                                   \
    .perfmon_version = 5, .leaf_max = 0x1C,                         \
    .leaf7_edx = SPECULATION_2019 | 0x20080000 | (hybrid) << 15,    \
    .perf_capabilities = PERF_CAPABILITIES(0x3F, 4) | BIT(14),      \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x029C0309,         \
    .debugctl_writable = DEBUGCTL_OLD, .arch_capabilities = 0xE169, \
    .offcore_dram = OFFCORE_DRAM, .lbr_beside_pt = true,            \
    CLIENT_POWER(POWER_SKYLAKE), FAMILY_TRANSACTIONS(48)

#define ALDER_LAKE_P                                                 \
    ALDER_LAKE_COMMON(1),                                            \
        .counters_smt = 8, .counters_alone = 8, .fixed_counters = 4, \
        .counters_told = 6, .fixed_told = 3, .metrics_untold = true, \
        .pdist = 1, .latency_in_two = true, .later_sources = true,   \
        .metrics_in_two = true, .slots_per_cycle = 6,                \
        .caches =                                                    \
            {                                                        \
                .l1 = {64, 12},                                      \
                .l2 = {2048, 10},                                    \
                .llc = {8192, 16},                                   \
                .dtlb = {16, 4},                                     \
                .stlb = {128, 16},                                   \
    },                                                               \
        FAMILY_TABLES(family_cpuid_glc, family_msrs_spr, family_events_glc)

/* Lion Cove, the first kind of cores of Lunar and Arrow Lake, alone: version 6,
 * ten counters, PEBS of format 6 (Linux, "Support Lunar Lake and Arrow Lake
 * core PMU"; its line of 06_C6H: "XSAVE Architectural LBR, PEBS fmt6+-baseline,
 * AnyThread deprecated, Lunarlake Hybrid events, 32-deep LBR, full-width
 * counters"). Of 345H [15:14] and [19] are from there, too; MSR 10AH is Alder
 * Lake's here. Eight slots a cycle, L1D of 48 KiB and 192 KiB behind it, L2 3
 * MiB in 12 ways, one thread a core: Intel's articles of the core. */
#define LION_COVE                                                         \
    .perfmon_version = 6, .leaf_max = 0x23,                               \
    .leaf7_edx = SPECULATION_2019 | 0x20080000,                           \
    .perf_capabilities =                                                  \
        PERF_CAPABILITIES(0x3F, 6) | BITS(15, 14) | BIT(17) | BIT(19),    \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x029C0309,               \
    .debugctl_writable = DEBUGCTL_OLD, .arch_capabilities = 0xE169,       \
    .lbr_beside_pt = true, FAMILY_TRANSACTIONS(48), .counters_smt = 10,   \
    .counters_alone = 10, .fixed_counters = 4, .pdist = 2,                \
    .latency_in_two = true, .sources_of_8 = true, .metrics_in_two = true, \
    .slots_per_cycle = 8,                                                 \
    .caches =                                                             \
        {                                                                 \
            .l1 = {64, 12},                                               \
            .l1_behind = {256, 12},                                       \
            .l2 = {4096, 12},                                             \
            .llc = {8192, 16},                                            \
            .dtlb = {16, 4},                                              \
            .stlb = {128, 16},                                            \
    },                                                                    \
    CLIENT_POWER(POWER_SKYLAKE),                                          \
    FAMILY_TABLES(family_cpuid_lnc, family_msrs_lnc, family_events_lnc)

#define GRACEMONT_CORE(hybrid, rows)                                 \
    ALDER_LAKE_COMMON(hybrid),                                       \
        .counters_smt = 6, .counters_alone = 6, .fixed_counters = 3, \
        .latency_in_two = true, .lock_below_stlb = true,             \
        .caches =                                                    \
            {                                                        \
                .l1 = {64, 8},                                       \
                .l2 = {2048, 16},                                    \
                .llc = {8192, 16},                                   \
                .dtlb = {1, 48},                                     \
                .stlb = {512, 4},                                    \
    },                                                               \
        FAMILY_TABLES(rows, family_msrs_grt, family_events_grt)

#define HASWELL_CLIENT                                          \
    .leaf_max = 0x0D, .perfmon_version = 3,                     \
    .perf_capabilities = PERF_CAPABILITIES(4, 2),               \
    .debugctl_writable = DEBUGCTL_OLD | DEBUGCTL_RTM,           \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x00000309,     \
    CACHES(512, 8, 128, 8), .uncore = &family_uncore_hsw,       \
    .offcore_dram = OFFCORE_LOCAL, CLIENT_POWER(POWER_HASWELL), \
    FAMILY_COMMON(family_cpuid_old, family_msrs_hsw, family_events_hsw)

/* A Haswell with Processor Trace. */
#define BROADWELL_CLIENT                                                   \
    .leaf_max = 0x14, .perfmon_version = 3,                                \
    .perf_capabilities = PERF_CAPABILITIES(4, 2),                          \
    .debugctl_writable = DEBUGCTL_OLD | DEBUGCTL_RTM,                      \
    .leaf1_ecx = FAMILY_LEAF1_ECX, .leaf7_ebx = 0x021C0309,                \
    CACHES(512, 8, 256, 6), .uncore = &family_uncore_bdw,                  \
    .offcore_dram = OFFCORE_LOCAL | OFFCORE_DRAM, /* which, is not said */ \
        CLIENT_POWER(POWER_BROADWELL),                                     \
    FAMILY_COMMON(family_cpuid_bdw, family_msrs_hsw, family_events_hsw)

#define SANDY_BRIDGE_CLIENT                                               \
    .leaf_max = 0x0D, .perfmon_version = 3,                               \
    .perf_capabilities = PERF_CAPABILITIES(3, 1),                         \
    .debugctl_writable = DEBUGCTL_OLD, .leaf1_ecx = FAMILY_LEAF1_ECX_OLD, \
    CACHES(512, 8, 128, 4), .uncore = &family_uncore_snb,                 \
    .offcore_dram = OFFCORE_LOCAL,                                        \
    FAMILY_COMMON(family_cpuid_old, family_msrs_snb, family_events_old)

#endif
