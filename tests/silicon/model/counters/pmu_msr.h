/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_msr.h - registers of the performance monitors and their bits.
 *
 * SDM volume 3B, "Architectural Performance Monitoring", figures "Layout of
 * IA32_PERFEVTSELx MSRs", "Layout of IA32_FIXED_CTR_CTRL MSR", "IA32_PERF_
 * GLOBAL_STATUS MSR and Architectural Perfmon Version 4"; numbers in volume 4.
 */
#ifndef SILICON_MODEL_COUNTERS_PMU_MSR_H
#define SILICON_MODEL_COUNTERS_PMU_MSR_H

#include "tests/silicon/model/machine.h"

#define IA32_PMC0                     0x0C1u
#define IA32_PERFEVTSEL0              0x186u
#define IA32_FIXED_CTR0               0x309u
#define IA32_FIXED_CTR_CTRL           0x38Du
#define IA32_PERF_GLOBAL_STATUS       0x38Eu
#define IA32_PERF_GLOBAL_CTRL         0x38Fu
#define IA32_PERF_GLOBAL_STATUS_RESET 0x390u /* OVF_CTRL before version 4 */
#define IA32_PERF_GLOBAL_STATUS_SET   0x391u
#define IA32_PERF_GLOBAL_INUSE        0x392u
#define IA32_PERF_METRICS             0x329u
#define IA32_A_PMC0                   0x4C1u

#define EVTSEL_EVENT   BITS(7, 0)
#define EVTSEL_USR     BIT(16)
#define EVTSEL_OS      BIT(17)
#define EVTSEL_EDGE    BIT(18)
#define EVTSEL_PC      BIT(19)
#define EVTSEL_INT     BIT(20)
#define EVTSEL_ANY     BIT(21)
#define EVTSEL_EN      BIT(22)
#define EVTSEL_INV     BIT(23)
#define EVTSEL_CMASK   BITS(31, 24)
#define EVTSEL_IN_TX   BIT(32)
#define EVTSEL_IN_TXCP BIT(33) /* PERFEVTSEL2 only */

/* Adaptive_Record: of a general-purpose counter, and of fixed counter n in
 * 38DH. SDM 3B, "Adaptive PEBS"; the numbers as in Linux, perf_event.h, too. */
#define EVTSEL_ADAPTIVE   BIT(34)
#define FIXED_ADAPTIVE(n) BIT(32 + 4 * (n))

/* By CPUID leaf 23H, of version 6: eight more bits of the umask, and EQ, which
 * does nothing here. Linux, perf_event.h and events/intel/core.c,
 * update_pmu_cap(). */
#define EVTSEL_EQ     BIT(36)
#define EVTSEL_UMASK2 BITS(47, 40)
#define LEAF23_UMASK2 BIT(0) /* EBX of subleaf 0 */
#define LEAF23_EQ     BIT(1)

#define FIXED_OS  BIT(0)
#define FIXED_USR BIT(1)
#define FIXED_ANY BIT(2)
#define FIXED_PMI BIT(3)

#define DEBUGCTL_LBR                   BIT(0)
#define DEBUGCTL_BTF                   BIT(1)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    BIT(11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI BIT(12)

#define DEBUGCTL_UNCORE_PMI BIT(13)

/* EN_PERF_METRICS, and OVF_PERF_METRICS of the status. */
#define CTRL_METRICS BIT(48)

#define STATUS_TOPA_PMI BIT(55)
#define STATUS_LBR_FRZ  BIT(58)
#define STATUS_CTR_FRZ  BIT(59)
#define STATUS_ASCI     BIT(60)
#define STATUS_UNCORE   BIT(61)
#define STATUS_DS_OVF   BIT(62)
#define STATUS_COND_CHG BIT(63)

#define INUSE_PMI BIT(63)

/* Recomputes pmu.counting after a register has changed. */
void pmu_update(struct processor *p);

/* pmu_bits.c. Is AnyThread there? Bits that can be written: of GLOBAL_CTRL, of
 * GLOBAL_STATUS by 390H, of PERFEVTSELn, of IA32_FIXED_CTR_CTRL. */
bool pmu_has_any_thread(const struct processor *p);
uint64_t pmu_counters_bits(const struct processor *p);
uint64_t pmu_status_bits(const struct processor *p);
uint64_t pmu_select_bits(const struct processor *p, unsigned n);
uint64_t pmu_fixed_ctrl_bits(const struct processor *p);
/* What IA32_PERF_GLOBAL_INUSE reads. */
uint64_t pmu_inuse(const struct processor *p);
/* The number of before version 6 of one of its registers. */
uint32_t pmu_named_before(const struct processor *p, uint32_t number);

/* Which general counter an MSR of a row of them belongs to; -1 for none. */
int counter_of(const struct processor *p, uint32_t number, uint32_t first);

/* Is general counter n enabled, whatever the privilege level? */
bool counter_counts(const struct processor *p, unsigned n);

/* What a read gives of a counter, which is narrower than the register. */
uint64_t counter_extended(const struct processor *p, enum rule zero,
                          uint64_t value);

/* IA32_FIXED_CTR_CTRL where firmware owns fixed counter 2, for a watchdog. */
#define PMU_FIRMWARE (UINT64_C(3) << 8)

#endif
