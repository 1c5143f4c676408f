/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_forced.h - transactions at ring 3 where each is to abort with EAX = 0:
 * by RTM_FORCE_ABORT (white paper 604224, table A-1: "all"), or by RTM_DISABLE
 * (SDM 4, IA32_TSX_CTRL).
 */
#ifndef SRC_COUNTING_RING3_FORCED_H
#define SRC_COUNTING_RING3_FORCED_H

#include "src/harness/case.h"

/* Checks it, while IA32_PMC0 and IA32_PMC3 are enabled as well as not, and that
 * they count the same. Nothing is said where there is no PMU. Uses
 * test_buffer(). */
void ring3_check_forced(struct test_context *t);

/* Checks that CPUID says of leaf 7 what it says at ring 0: whatever hides RTM
 * and HLE from it hides them from programs. Nothing is said where there is no
 * PMU. Uses test_buffer(). */
void ring3_check_leaf7(struct test_context *t);

#endif
