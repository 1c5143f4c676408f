/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.h - what one logical processor says of itself: CPUID and the few
 * MSRs that go with it, read once at the start of a run.
 *
 * SDM 2A, CPUID, "Information Returned by CPUID Instruction".
 */
#ifndef SRC_CPU_IDENTITY_H
#define SRC_CPU_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "src/cpu/generation.h"

struct identity {
    char vendor[13];        /* CPUID.0, NUL-terminated */
    char brand[49];         /* CPUID.80000002H-4H; empty where absent */
    uint16_t family, model; /* DisplayFamily, DisplayModel */
    uint8_t stepping;
    uint32_t signature;       /* CPUID.1:EAX */
    uint8_t platform;         /* IA32_PLATFORM_ID (17H) [52:50] */
    bool platform_known;      /* false: 17H faulted, or not Intel */
    uint32_t microcode;       /* IA32_BIOS_SIGN_ID (8BH) [63:32] */
    bool microcode_known;     /* false: 8BH faulted, or not Intel */
    bool hypervisor;          /* CPUID.1:ECX[31] */
    char hypervisor_name[13]; /* CPUID.40000000H; empty without it */
    uint32_t leaf_max;        /* CPUID.0:EAX */

    uint32_t leaf7_ebx, leaf7_edx; /* CPUID.7.0; zero where absent */
    bool hle, rtm, rtm_always_abort, tsx_force_abort; /* from the two above */
    bool arch_capabilities_present;                   /* EDX[29] */
    uint64_t arch_capabilities;                       /* 10AH, zero if absent */

    uint32_t leaf0a_eax, leaf0a_ebx, leaf0a_edx; /* CPUID.0AH as read */
    uint8_t perfmon_version;                     /* 0: no architectural PMU */
    uint8_t counters; /* CPUID.0AH:EAX[15:8]; 23H.1:EAX, which is the core's
                         own, without those after a hole; and two more that
                         0AH does not tell */
    uint8_t counter_bits;
    uint8_t fixed_counters, fixed_bits; /* from 0 on, without a hole */
    uint32_t fixed_set; /* all there are: EDX[4:0], and bits of ECX or
                           of CPUID.23H.1:EBX from version 5 on */
    uint32_t leaf1c_eax, leaf1c_ebx, leaf1c_ecx; /* CPUID.1CH.0; 0 if absent */
    uint32_t leaf23_ebx;    /* CPUID.23H.0:EBX, from version 5 on */
    bool select_counts_lbr; /* CPUID.1CH.0:ECX[19:16]: IA32_PERFEVTSELx[35] */
    bool pdcm;              /* CPUID.1:ECX[15]: 345H exists */
    uint64_t perf_capabilities; /* IA32_PERF_CAPABILITIES (345H) */
    uint8_t pebs_format;   /* of records: 345H[11:8], but 4 for 5, whose records
                              are the same, and 6, whose may have more */
    bool pebs_area_5;      /* it is 5 or 6: the DS area differs (pebs_ds.h) */
    bool pebs_counters;    /* it is 6: records may have counters */
    bool ds, dtes64;       /* CPUID.1:EDX[21], ECX[2] */
    bool pebs_unavailable; /* IA32_MISC_ENABLE (1A0H)[12]; or it faults */
    bool full_width_writes; /* 345H[13] */

    bool pt; /* CPUID.7.0:EBX[25]; then, zero where absent: */
    uint32_t leaf14_ebx, leaf14_ecx;     /* CPUID.14H.0 */
    uint32_t leaf14_1_eax, leaf14_1_ebx; /* CPUID.14H.1 */

    uint32_t leaf15_eax, leaf15_ebx; /* CPUID.15H: TSC = crystal * EBX / EAX */
    uint8_t physical_bits;           /* MAXPHYADDR, CPUID.80000008H:EAX[7:0] */
    uint8_t key_bits;                /* the uppermost of them, which choose a
                                      key of memory: 982H[35:32] */
    bool la57;                       /* CPUID.7.0:ECX[16]: 57 linear bits */
    bool tsxldtrk;                   /* CPUID.7.0:EDX[16]: XSUSLDTRK */
    bool arch_lbr;                   /* CPUID.7.0:EDX[19]: LBRs of 14CEH, not of
                                      1D9H[0] */
    uint32_t apic_id;                /* CPUID.0BH:EDX, or 1:EBX[31:24] */
    uint8_t smt_shift, core_shift;   /* CPUID.0BH.0/1:EAX[4:0]; 0 if absent */
    bool topology_known;             /* leaf 0BH is there */
    uint8_t core_type;               /* CPUID.1AH:EAX[31:24]; 0: not hybrid */
};

#define LEAF23_UMASK2     (UINT32_C(1) << 0) /* EBX: UnitMask2 */
#define LEAF23_EQ         (UINT32_C(1) << 1) /* EBX: EQ */
#define LEAF23_USER_RDPMC (UINT32_C(1) << 2) /* EBX: RDPMC_USR_DISABLE */

#define LEAF14_CR3 (UINT32_C(1) << 0) /* EBX: CR3Filter, 572H */
#define LEAF14_PSB_FREQ                                                       \
    (UINT32_C(1) << 1)                      /* EBX: PSBFreq may be set; CYCEn \
                                             */
#define LEAF14_FILTER    (UINT32_C(1) << 2) /* EBX: address ranges */
#define LEAF14_MTC       (UINT32_C(1) << 3) /* EBX: MTCEn, MTCFreq */
#define LEAF14_PTW       (UINT32_C(1) << 4) /* EBX: PTWEn, FUPonPTW */
#define LEAF14_POWER     (UINT32_C(1) << 5) /* EBX: PwrEvtEn */
#define LEAF14_PRESERVE  (UINT32_C(1) << 6) /* EBX: PSB and PMI preservation */
#define LEAF14_EVENT     (UINT32_C(1) << 7) /* EBX: EventEn */
#define LEAF14_DISTNT    (UINT32_C(1) << 8) /* EBX: DisTNT */
#define LEAF14_TRIGGER   (UINT32_C(1) << 9) /* EBX: trigger tracing */
#define LEAF14_TOPA      (UINT32_C(1) << 0) /* ECX: output by ToPA */
#define LEAF14_TOPA_MANY (UINT32_C(1) << 1) /* ECX: of several regions */
#define LEAF14_RANGE     (UINT32_C(1) << 2) /* ECX: to a single range */
#define LEAF14_FABRIC    (UINT32_C(1) << 3) /* ECX: to trace transport */

/* The signature that the project's own simulated processor carries in
 * hypervisor_name. A report made on it has to say so. */
#define IDENTITY_SIMULATED "SimulatedCPU"

/* Reads the processor it runs on. Nothing it does can fault: MSRs are read
 * only where enumerated, and guarded. Writes 0 to 8BH, as documented. */
void identity_read(struct identity *out);

/* True for GenuineIntel; all MSRs of this project are Intel's. */
bool identity_is_intel(const struct identity *id);

/* The same of the processor that calls it. */
bool identity_here_is_intel(void);

/* False in the guest of somebody else's hypervisor, who may hide what there is,
 * and take a WRMSR for nothing. VMX non-root operation sets NR of PIPs
 * ("Paging Information (PIP) Packet"). */
bool identity_is_native(const struct identity *id);

/* The crystal's clocks in so many of the time-stamp counter's: where CPUID.15H
 * has both. */
static inline uint64_t identity_crystal(const struct identity *id, uint64_t tsc)
{
    return tsc * id->leaf15_eax / id->leaf15_ebx;
}

/* Its generation, and whether it is one of generation.h. */
enum generation identity_generation(const struct identity *id);
bool identity_known(const struct identity *id);

/* True where a and b share a physical core (equal apic_id >> smt_shift). */
bool identity_siblings(const struct identity *a, const struct identity *b);

/* True where they share a package (equal apic_id >> core_shift), or leaf 0BH
 * does not tell. */
bool identity_one_package(const struct identity *a, const struct identity *b);

#endif
