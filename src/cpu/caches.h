/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caches.h - the caches that the processor which runs this says it has.
 *
 * SDM 2A, CPUID.04H, "Deterministic Cache Parameters Leaf".
 */
#ifndef SRC_CPU_CACHES_H
#define SRC_CPU_CACHES_H

#include "src/cpu/identity.h"
#include "src/base/hw.h"

/* The first cache of this level, 1 or more: *out is its sub-leaf. False where
 * none is listed; id is that of this processor. */
bool caches_find(const struct identity *id, unsigned level,
                 struct hw_cpuid *out);

/* EDX[1] of level 3: true unless it is "not inclusive of lower cache levels".
 */
bool caches_l3_includes(const struct identity *id);

/* EAX[25:14] of level 2: processors whose APIC IDs are the same from this bit
 * on share it; 0 where none is listed. */
unsigned caches_l2_shift(const struct identity *id);

#endif
