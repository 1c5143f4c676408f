/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * precise.h - which processors can make records (PEBS) of the events used here.
 * Pure.
 *
 * PMC0 to PMC3 only, or with extended PEBS any, with AnyThread, Edge, Invert
 * and CMask 0. SDM 3B, "Processor Event Based Sampling (PEBS) Facility", tables
 * "PEBS Facility Comparison".
 */
#ifndef SRC_PEBS_PRECISE_H
#define SRC_PEBS_PRECISE_H

#include "src/base/msr.h"
#include "src/cpu/identity.h"

#define PRECISE_COUNTERS 10 /* at most */

/* IA32_PERFEVTSELx [15:0]: umask, event. BR_INST_RETIRED.CONDITIONAL: SDM 3B,
 * the table of "PEBS Support in Intel Microarchitecture Code Name Sandy Bridge"
 * (the 4th generation's too) and "Precise Events for the Skylake
 * Microarchitecture". RTM_RETIRED.ABORTED, HLE_RETIRED.ABORTED: "Intel TSX and
 * PEBS Support". */
#define PRECISE_CONDITIONAL_BRANCHES 0x01c4
/* BR_INST_RETIRED.COND of Intel's list LNL. */
#define PRECISE_CONDITIONAL_UMASK2 (IA32_PERFEVTSEL_UMASK2_OF(1) | 0x11c4)
#define PRECISE_INSTRUCTIONS       0x01c0 /* INST_RETIRED.ALL: PDIR */
#define PRECISE_LOAD_LATENCY       0x01cd
#define PRECISE_RTM_ABORTED        0x04c9
#define PRECISE_HLE_ABORTED        0x04c8

/* True where C4H/01H is the conditional branch, and precise: the processors
 * from Nehalem to Comet Lake by DisplayModel. */
bool precise_conditional_branches(const struct identity *id);

/* What selects the event that PRECISE_CONDITIONAL_BRANCHES is of the others on
 * this processor: from Ice Lake on C4H/01H is of taken branches alone, C4H/11H
 * of all conditional ones, with UMASK2 = 1 on Lion Cove; on Gracemont C4H/7EH
 * is, where the latency of loads is D0H/05H, and C0H/00H is of instructions on
 * any counter (Intel's lists of events, ICX and ADL). [63:16], and any other
 * select, are returned as they are. */
uint64_t precise_select(const struct identity *id, uint64_t select);

/* So many counters from IA32_PMC0 on have precise distribution (PDist): the
 * record of a precise event is of the very one that overflows, not of the next,
 * where the
 * period is 128 or more; of a shorter one that is not certain. From Golden Cove
 * on: Linux, arch/x86/events/intel/core.c, glc_get_event_constraints() and
 * glc_limit_period(); PDISTCounter of Intel's lists of events, SPR, ADL, LNL;
 * "eliminates any skid or shadowing effects": KVM's patches, which quote the
 * manual, alone. */
unsigned precise_distribution(const struct identity *id);

/* So many counters from IA32_PMC0 on make records that are, or may be, of the
 * very event that overflows: those with PDist, and IA32_PMC0 of Gracemont, as
 * its reduced skid "applies to all precise events": SDM 3B, "Reduced Skid
 * PEBS"; Linux, arch/x86/events/intel/core.c, tnt_get_event_constraints(). */
unsigned precise_without_skid(const struct identity *id);

/* The microcode from which on PEBS works on this processor, 0 where any does:
 * the first Sandy Bridges wrote records that cannot be used (Linux,
 * arch/x86/events/intel/core.c, intel_snb_pebs_broken()). */
uint32_t precise_microcode(const struct identity *id);

#endif
