/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_msr.h - the registers' bits, and what uncore.c and uncore_msr.c share:
 * all with the lock held. */
#ifndef SILICON_MODEL_UNCORE_UNCORE_MSR_H
#define SILICON_MODEL_UNCORE_UNCORE_MSR_H

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/machine.h"

#define MSR_UNC_PERF_FIXED_CTRL   0x394u
#define MSR_UNC_PERF_FIXED_CTR    0x395u
#define MSR_UNC_CBO_CONFIG        0x396u
#define MSR_UNC_ARB_PERFCTR0      0x3B0u
#define MSR_UNC_ARB_PERFEVTSEL0   0x3B2u
#define MSR_UNC_CBO_0_PERFEVTSEL0 0x700u
#define MSR_UNC_CBO_0_PERFCTR0    0x706u
#define MSR_UNC_CBO_STRIDE        0x010u

#define UNCORE_CTRL_EN       BIT(29)
#define UNCORE_CTRL_WAKE_PMI BIT(30)
#define UNCORE_CTRL_FREEZE   BIT(31)

/* Event selects; of these, the fixed counter's control has the second pair. */
#define UNCORE_EDGE    BIT(18)
#define UNCORE_INV     BIT(23)
#define UNCORE_CMASK   BITS(28, 24)
#define UNCORE_CMASK_1 BIT(24)
#define UNCORE_OVF_EN  BIT(20)
#define UNCORE_EN      BIT(22)
#define UNCORE_SELECT                                                     \
    (BITS(15, 0) | UNCORE_EDGE | UNCORE_OVF_EN | UNCORE_EN | UNCORE_INV | \
     UNCORE_CMASK)

/* Table "Uncore PMU MSR Summary": 44 bits; the fixed counter has its own. */
#define UNCORE_MASK BITS(43, 0)

void uncore_lock(struct machine *m);
void uncore_unlock(struct machine *m);
bool uncore_enabled(const struct machine *m);
/* Recomputes uncore.counting after a register has changed. */
void uncore_update_counting(struct machine *m);
/* Brings the fixed counter up to now. */
void uncore_update_clock(struct machine *m);

#endif
