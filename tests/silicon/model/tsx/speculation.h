/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speculation.h - IA32_SPEC_CTRL, IA32_PRED_CMD and IA32_FLUSH_CMD, as CPUID.7
 * enumerates them: there is nothing here that they would change.
 */
#ifndef SILICON_MODEL_TSX_SPECULATION_H
#define SILICON_MODEL_TSX_SPECULATION_H

#include "tests/silicon/model/machine.h"

/* Is it one of these, enumerated or not? */
bool speculation_is_msr(struct processor *p, uint32_t number);
/* False: #GP. */
bool speculation_read(struct processor *p, uint32_t number, uint64_t *value);
bool speculation_write(struct processor *p, uint32_t number, uint64_t value);

#endif
