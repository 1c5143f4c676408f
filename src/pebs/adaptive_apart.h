/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * adaptive_apart.h - adaptive records of one counter beside another that makes
 * records too, and whose Adaptive_Record is the other one.
 */
#ifndef SRC_PEBS_ADAPTIVE_APART_H
#define SRC_PEBS_ADAPTIVE_APART_H

#include "src/pebs/sampling.h"

/* After sampling_claim() with format 4: IA32_PMC0 makes them, IA32_PMC1 does
 * not come to overflow. False where that could not be measured. */
bool adaptive_apart_try(struct sampling *p);

#endif
