/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.h - what a processor has that a program can change, read in its
 * guest: registers, tables by their sums, MSRs of the model.
 */
#ifndef SILICON_EQUIPMENT_REGISTERS_H
#define SILICON_EQUIPMENT_REGISTERS_H

#include "tests/silicon/hypervisor/hypervisor.h"

#define REGISTERS 46

/* The nth, of the processor that runs this. */
uint64_t register_read(size_t n);
const char *register_name(size_t n);
/* The number, where it is an MSR of the model; else 0. */
uint32_t register_msr(size_t n);
/* Has it changed by what garbling counter 3 does, not by a program? */
bool register_was_garbled(const struct processor *p, uint32_t number,
                          uint64_t was, uint64_t is);
/* Is it one that interrupts need? */
bool register_is_for_interrupts(size_t n);

/* What only events change is not compared (MSR_SMI_COUNT: each SMI). Reading
 * may change what the model is to do next: a copy of it is read, and is one
 * again afterwards. False: #GP. */
bool register_read_model(struct processor *copy, uint32_t number,
                         uint64_t *value);

/* Of so many bytes, in words of which these bits count; never 0. */
uint64_t register_sum(const void *data, size_t bytes, uint64_t mask);

#endif
