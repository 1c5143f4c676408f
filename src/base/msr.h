/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msr.h - the MSRs this project uses, by the manual's names, with their fields
 * beneath them in the manual's [high:low] order.
 *
 * SDM 3C, "Model-Specific Registers (MSRs)", "IA-32 Architectural MSRs", unless
 * a line says otherwise.
 */
#ifndef SRC_BASE_MSR_H
#define SRC_BASE_MSR_H

#include <stdint.h>

#define BIT(n)       (UINT64_C(1) << (n))
#define BITS(hi, lo) ((~UINT64_C(0) >> (63 - (hi))) & (~UINT64_C(0) << (lo)))

#define IA32_PLATFORM_ID       0x17u
#define IA32_PLATFORM_ID_SHIFT 50 /* of the platform, [52:50] */

#define MSR_SMI_COUNT       0x34u /* "MSRs in Processors Based on .. Nehalem" */
#define MSR_SMI_COUNT_COUNT BITS(31, 0)

/* Loads a microcode update: takes the linear address of its data. */
#define IA32_TSC_ADJUST     0x3bu
#define IA32_BIOS_UPDT_TRIG 0x79u
#define IA32_BIOS_SIGN_ID   0x8bu

/* General-purpose counters 0 to 7. A write takes EAX[31:0], sign-extended to
 * the counter's width (SDM 3B, "Full-Width Writes to Performance Counter
 * Registers"). */
#define IA32_PMC(n) (0xc1u + (n))

#define MSR_PLATFORM_INFO       0xceu
#define MSR_PLATFORM_INFO_RATIO BITS(15, 8) /* of the TSC to the bus clock */

#define IA32_ARCH_CAPABILITIES 0x10au

#define IA32_TME_ACTIVATE          0x982u       /* CPUID.7.0:ECX[13] */
#define IA32_TME_ACTIVATE_KEY_BITS BITS(35, 32) /* MK_TME_KEYID_BITS */

/* White paper 604224, tables A-1 (bit 0) and 2.2-1 (bits 0 to 2). */
#define TSX_FORCE_ABORT                 0x10fu
#define TSX_FORCE_ABORT_RTM_FORCE_ABORT BIT(0)
#define TSX_FORCE_ABORT_TSX_CPUID_CLEAR BIT(1)
#define TSX_FORCE_ABORT_SDV_ENABLE_RTM  BIT(2)

#define IA32_TSX_CTRL                 0x122u /* IA32_ARCH_CAPABILITIES[7] */
#define IA32_TSX_CTRL_RTM_DISABLE     BIT(0)
#define IA32_TSX_CTRL_TSX_CPUID_CLEAR BIT(1)
#define IA32_MCU_OPT_CTRL             0x123u
/* SRBDS: RDRAND and the like without its mitigation. */
#define IA32_MCU_OPT_CTRL_RNGDS_MITG_DIS BIT(0)
#define IA32_MCU_OPT_CTRL_RTM_ALLOW      BIT(1)
#define IA32_MCU_OPT_CTRL_RTM_LOCKED     BIT(2)

/* SDM 3B, "Layout of IA32_PERFEVTSELx MSRs"; IN_TX and IN_TXCP: "Performance
 * Monitoring and Intel TSX". */
#define IA32_PERFEVTSEL(n)      (0x186u + (n))
#define IA32_PERFEVTSEL_EVENT   BITS(7, 0)
#define IA32_PERFEVTSEL_UMASK   BITS(15, 8)
#define IA32_PERFEVTSEL_USR     BIT(16)
#define IA32_PERFEVTSEL_OS      BIT(17)
#define IA32_PERFEVTSEL_E       BIT(18)
#define IA32_PERFEVTSEL_PC      BIT(19)
#define IA32_PERFEVTSEL_INT     BIT(20)
#define IA32_PERFEVTSEL_ANY     BIT(21)
#define IA32_PERFEVTSEL_EN      BIT(22)
#define IA32_PERFEVTSEL_INV     BIT(23)
#define IA32_PERFEVTSEL_CMASK   BITS(31, 24)
#define IA32_PERFEVTSEL_IN_TX   BIT(32)
#define IA32_PERFEVTSEL_IN_TXCP BIT(33)
/* "Adaptive PEBS", where IA32_PERF_CAPABILITIES[14] is set. */
#define IA32_PERFEVTSEL_ADAPTIVE BIT(34)
/* Version 6, by CPUID.23H.0:EBX: Linux, arch/x86/include/asm/perf_event.h,
 * ARCH_PERFMON_EVENTSEL_EQ and _UMASK2. */
#define IA32_PERFEVTSEL_EQ           BIT(36)
#define IA32_PERFEVTSEL_UMASK2       BITS(47, 40)
#define IA32_PERFEVTSEL_UMASK2_OF(n) ((uint64_t)(n) << 40)
/* Version 6: the counters and selects once more. Linux,
 * arch/x86/include/asm/msr-index.h, MSR_IA32_PMC_V6_GP0_CTR, _GP0_CFG_A and
 * _FX0_CTR, which it uses from that version on. */
#define IA32_PMC_GP_CTR(n)   (0x1900u + 4 * (n))
#define IA32_PMC_GP_CFG_A(n) (0x1901u + 4 * (n))
#define IA32_PMC_FX_CTR(n)   (0x1980u + 4 * (n))

#define IA32_PERF_STATUS 0x198u

/* Which requests and responses an off-core event counts: offcore.h. */
#define MSR_TURBO_RATIO_LIMIT 0x1adu

#define MSR_OFFCORE_RSP(n) (0x1a6u + (n))

/* SDM 3A, "Memory Type Range Registers (MTRRs)", "Page Attribute Table (PAT)".
 */
#define IA32_MTRRCAP           0xfeu
#define IA32_MTRR_FIX16K_A0000 0x259u
#define IA32_MTRR_PHYSBASE(n)  (0x200u + 2 * (n))
#define IA32_MTRR_PHYSMASK(n)  (0x201u + 2 * (n))
#define IA32_PAT               0x277u
#define IA32_MTRR_DEF_TYPE     0x2ffu

/* SDM 3B, "Machine-Check Architecture", "IA32_MCG_STATUS MSR": only 0 may be
 * written. RIPV: the interrupted program can go on at the IP on the stack. */
#define IA32_MCG_STATUS      0x17au
#define IA32_MCG_STATUS_RIPV BIT(0)

#define IA32_MISC_ENABLE                  0x1a0u
#define IA32_MISC_ENABLE_PEBS_UNAVAILABLE BIT(12)
#define IA32_MISC_ENABLE_LIMIT_CPUID      BIT(22)

/* SDM 3B, "Layout of IA32_DEBUGCTL MSR", "Freezing LBRs and Performance
 * Counters on PMI". */
#define IA32_DEBUGCTL                       0x1d9u
#define IA32_DEBUGCTL_LBR                   BIT(0)
#define IA32_DEBUGCTL_BTF                   BIT(1)
#define IA32_DEBUGCTL_TR                    BIT(6)
#define IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI    BIT(11)
#define IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI BIT(12)
#define IA32_DEBUGCTL_UNCORE_PMI_EN         BIT(13)
#define IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN   BIT(14)
#define IA32_DEBUGCTL_RTM                   BIT(15) /* SDM 3B, 17.3.3 */

/* SDM 3B, "Last Branch Records"; SDM 3C, the tables of MSRs of the 1st and the
 * 6th generation. Registers n of 16 or 32. */
#define MSR_LBR_SELECT            0x1c8u
#define MSR_LASTBRANCH_TOS        0x1c9u
#define MSR_LASTBRANCH_FROM_IP(n) (0x680u + (n))
#define MSR_LASTBRANCH_TO_IP(n)   (0x6c0u + (n))
#define MSR_LBR_INFO(n)           (0xdc0u + (n))

/* SDM 3B, "Last Branch Records" of later editions: architectural ones, where
 * CPUID.7.0:EDX[19] is set; the numbers also in Linux,
 * arch/x86/include/asm/msr-index.h. Registers n of up to 64. */
#define IA32_LBR_CTL        0x14ceu
#define IA32_LBR_DEPTH      0x14cfu
#define IA32_LBR_INFO(n)    (0x1200u + (n))
#define IA32_LBR_FROM_IP(n) (0x1500u + (n))
#define IA32_LBR_TO_IP(n)   (0x1600u + (n))

/* Fixed counters: 0 instructions retired, 1 core cycles, 2 reference cycles, 3
 * slots. */
#define IA32_FIXED_CTR(n) (0x309u + (n))

/* "Performance Metrics", where IA32_PERF_CAPABILITIES[15] is set: fractions of
 * the slots of IA32_FIXED_CTR3, FFH each for all of them. [31:0] on Ice Lake:
 * retiring, bad speculation, frontend bound, backend bound, from [7:0] on. */
#define MSR_PERF_METRICS        0x329u
#define MSR_PERF_METRICS_LEVEL1 BITS(31, 0)

#define IA32_PERF_CAPABILITIES                  0x345u
#define IA32_PERF_CAPABILITIES_FREEZE_WHILE_SMM BIT(12)
#define IA32_PERF_CAPABILITIES_FW_WRITE         BIT(13)
#define IA32_PERF_CAPABILITIES_PEBS_BASELINE    BIT(14)
#define IA32_PERF_CAPABILITIES_PERF_METRICS     BIT(15)
#define IA32_PERF_CAPABILITIES_PEBS_OUTPUT_PT   BIT(16)
#define IA32_PERF_CAPABILITIES_PEBS_TIMING      BIT(17)

#define IA32_FIXED_CTR_CTRL        0x38du
#define IA32_FIXED_CTR_CTRL_OS(n)  BIT(4 * (n))
#define IA32_FIXED_CTR_CTRL_USR(n) BIT(4 * (n) + 1)
#define IA32_FIXED_CTR_CTRL_ANY(n) BIT(4 * (n) + 2)
#define IA32_FIXED_CTR_CTRL_PMI(n) BIT(4 * (n) + 3)
/* Linux, arch/x86/include/asm/perf_event.h, ICL_FIXED_0_ADAPTIVE. */
#define IA32_FIXED_CTR_CTRL_ADAPTIVE(n) BIT(32 + 4 * (n))

#define IA32_PERF_GLOBAL_STATUS                  0x38eu
#define IA32_PERF_GLOBAL_STATUS_OVF_PMC(n)       BIT(n)
#define IA32_PERF_GLOBAL_STATUS_OVF_FIXED_CTR(n) BIT(32 + (n))
#define IA32_PERF_GLOBAL_STATUS_OVF_PERF_METRICS BIT(48)
#define IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI   BIT(55)
#define IA32_PERF_GLOBAL_STATUS_LBR_FRZ          BIT(58)
#define IA32_PERF_GLOBAL_STATUS_CTR_FRZ          BIT(59)
#define IA32_PERF_GLOBAL_STATUS_OVF_UNCORE       BIT(61)
#define IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER    BIT(62)

#define IA32_PERF_GLOBAL_CTRL              0x38fu
#define IA32_PERF_GLOBAL_CTRL_PMC(n)       BIT(n)
#define IA32_PERF_GLOBAL_CTRL_FIXED_CTR(n) BIT(32 + (n))
#define IA32_PERF_GLOBAL_CTRL_PERF_METRICS BIT(48)

/* One register, two names: OVF_CTRL up to perfmon version 3, STATUS_RESET from
 * version 4. A 1 clears the bit of GLOBAL_STATUS in the same place. */
#define IA32_PERF_GLOBAL_OVF_CTRL     0x390u
#define IA32_PERF_GLOBAL_STATUS_RESET 0x390u

/* From perfmon version 4 only: client parts before it have uncore registers at
 * these two numbers. */
#define IA32_PERF_GLOBAL_STATUS_SET          0x391u
#define IA32_PERF_GLOBAL_INUSE               0x392u
#define IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(n) BIT(n)
#define IA32_PERF_GLOBAL_INUSE_FC(n)         BIT(32 + (n))
#define IA32_PERF_GLOBAL_INUSE_PMI           BIT(63)

/* SDM 3B, "Layout of IA32_PEBS_ENABLE MSR"; LL_EN: "Load Latency Performance
 * Monitoring Facility"; PS_EN: "Precise Store Facility". */
#define IA32_PEBS_ENABLE          0x3f1u
#define IA32_PEBS_ENABLE_PMC(n)   BIT(n)
#define IA32_PEBS_ENABLE_LL_EN(n) BIT(32 + (n))
#define IA32_PEBS_ENABLE_PS_EN    BIT(63)

/* SDM 3B, "Adaptive PEBS", where IA32_PERF_CAPABILITIES (345H)[14] is set. Its
 * bits: pebs_adaptive.h. */
#define MSR_PEBS_DATA_CFG 0x3f2u

/* SDM 3B, "Layout of MSR_PEBS_LD_LAT MSR"; from Nehalem on. */
#define MSR_PEBS_LD_LAT            0x3f6u
#define MSR_PEBS_LD_LAT_THRHLD     BITS(15, 0) /* core clock cycles */
#define MSR_PEBS_LD_LAT_THRHLD_MIN 3

/* The uncore of client processors (uncore.h): "MSRs Supported by 2nd Generation
 * Intel Core Processors", "Uncore PMU MSRs Supported by 6th Generation Intel
 * Core Processors". Never where uncore_of() does not say so. */
#define MSR_UNC_PERF_GLOBAL_CTRL           0x391u /* the 2nd to 5th */
#define MSR_UNC_PERF_GLOBAL_STATUS         0x392u
#define MSR_UNC_PERF_GLOBAL_CTRL_SKYLAKE   0xe01u /* the 6th and later */
#define MSR_UNC_PERF_GLOBAL_STATUS_SKYLAKE 0xe02u
#define MSR_UNC_PERF_FIXED_CTRL            0x394u
#define MSR_UNC_PERF_FIXED_CTR             0x395u
#define MSR_UNC_CBO_CONFIG                 0x396u
#define MSR_UNC_CBO_CONFIG_CBOX            BITS(3, 0)
#define MSR_UNC_ARB_PERFCTR(n)             (0x3b0u + (n))
#define MSR_UNC_ARB_PERFEVTSEL(n)          (0x3b2u + (n))

/* SDM 3C, Intel Processor Trace, "IA32_RTIT_OUTPUT_BASE MSR",
 * "IA32_RTIT_OUTPUT_MASK_PTRS MSR", "IA32_RTIT_CTL MSR", "IA32_RTIT_STATUS
 * MSR". */
#define IA32_RTIT_OUTPUT_BASE      0x560u
#define IA32_RTIT_OUTPUT_MASK_PTRS 0x561u
#define IA32_RTIT_CTL              0x570u
#define IA32_RTIT_CTL_TraceEn      BIT(0)
#define IA32_RTIT_CTL_CYCEn        BIT(1)
#define IA32_RTIT_CTL_OS           BIT(2)
#define IA32_RTIT_CTL_User         BIT(3)
#define IA32_RTIT_CTL_PwrEvtEn     BIT(4)
#define IA32_RTIT_CTL_FUPonPTW     BIT(5)
#define IA32_RTIT_CTL_FabricEn     BIT(6)
#define IA32_RTIT_CTL_CR3Filter    BIT(7)
#define IA32_RTIT_CTL_ToPA         BIT(8)
#define IA32_RTIT_CTL_MTCEn        BIT(9)
#define IA32_RTIT_CTL_TSCEn        BIT(10)
#define IA32_RTIT_CTL_DisRETC      BIT(11)
#define IA32_RTIT_CTL_PTWEn        BIT(12)
#define IA32_RTIT_CTL_BranchEn     BIT(13)
#define IA32_RTIT_CTL_MTCFreq(n)   ((uint64_t)(n) << 14) /* [17:14] */
#define IA32_RTIT_CTL_CycThresh(n) ((uint64_t)(n) << 19) /* [22:19] */
#define IA32_RTIT_CTL_PSBFreq(n)   ((uint64_t)(n) << 24) /* [27:24] */
/* Of later editions; the numbers also in Linux, RTIT_CTL_EVENT_EN and _NOTNT.
 */
#define IA32_RTIT_CTL_EventEn BIT(31)
#define IA32_RTIT_CTL_DisTNT  BIT(55)
/* [35:32] and so on: 1 a filter, 2 TraceStop */
#define IA32_RTIT_CTL_ADDR_CFG(n, how) ((uint64_t)(how) << (32 + 4 * (n)))
#define IA32_RTIT_ADDR_FILTER          1
#define IA32_RTIT_ADDR_STOP            2
#define IA32_RTIT_STATUS               0x571u
#define IA32_RTIT_STATUS_ENABLES       BITS(2, 0) /* the processor's own */
#define IA32_RTIT_STATUS_FilterEn      BIT(0)
#define IA32_RTIT_STATUS_ContextEn     BIT(1)
#define IA32_RTIT_STATUS_TriggerEn     BIT(2)
#define IA32_RTIT_STATUS_Error         BIT(4)
#define IA32_RTIT_STATUS_Stopped       BIT(5)
#define IA32_RTIT_STATUS_PacketByteCnt BITS(48, 32)

#define IA32_RTIT_CR3_MATCH 0x572u
#define IA32_RTIT_ADDR_A(n) (0x580u + 2 * (n))
#define IA32_RTIT_ADDR_B(n) (0x581u + 2 * (n))

/* Full-width aliases of IA32_PMC(n), where IA32_PERF_CAPABILITIES[13] is set.
 */
#define IA32_A_PMC(n) (0x4c1u + (n))

/* SDM 3B, "BTS and DS Save Area". */
#define IA32_DS_AREA 0x600u

/* Of SYSCALL and SYSRET. */
#define IA32_EFER      0xc0000080u
#define IA32_EFER_SCE  BIT(0)
#define IA32_STAR      0xc0000081u
#define IA32_LSTAR     0xc0000082u
#define IA32_FMASK     0xc0000084u
#define IA32_FMASK_ALL UINT64_C(0x257fd5) /* flags that SYSCALL clears */
#define IA32_FS_BASE   0xc0000100u
#define IA32_GS_BASE   0xc0000101u

#endif
