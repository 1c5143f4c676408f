/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.h - where a processor can be made to go wrong. The model does what the
 * manual says, and asks here where a fault may have it otherwise; without a
 * fault each hook gives back what it was given, or false.
 */
#ifndef SILICON_FAULTS_HOOKS_H
#define SILICON_FAULTS_HOOKS_H

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/machine.h"

static inline bool fault_is(const struct machine *m, enum fault_id fault)
{
    return m->fault == fault;
}

static inline bool has_fault(const struct processor *p, enum fault_id fault)
{
    return p->machine->fault == fault;
}

#endif
