/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_fixed.h - fixed counters around a window with PEBS: for sampling.c
 * and sampling_check.c alone.
 *
 * SDM 3B, "Architectural Performance Monitoring Version 2" and "Version 3";
 * "Extended PEBS": bits [35:32] of IA32_PEBS_ENABLE (3F1H), the reset values at
 * 80H of the DS area; Adaptive_Record at bit 32 + 4n of IA32_FIXED_CTR_CTRL.
 */
#ifndef SRC_PEBS_SAMPLING_FIXED_H
#define SRC_PEBS_SAMPLING_FIXED_H

#include "src/pebs/sampling.h"

/* What IA32_FIXED_CTR_CTRL (38DH) is programmed with: every level, no
 * interrupt. */
uint64_t sampling_fixed_control(const struct sampling *p);

/* Those that count get their first values; nothing is written where none does.
 */
bool sampling_program_fixed(struct sampling *p);

/* Into p->fixed_value, those that counted. */
void sampling_read_fixed(struct sampling *p);

#endif
