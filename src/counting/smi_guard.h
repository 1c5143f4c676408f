/* SPDX-License-Identifier: BSD-2-Clause */
/* smi_guard.h - repeats what an SMI fell into: it counts, takes time, and
 * aborts transactions. */
#ifndef SRC_COUNTING_SMI_GUARD_H
#define SRC_COUNTING_SMI_GUARD_H

#include "src/harness/case.h"

/* Windows that an SMI may hit in a row before the machine is given up. */
#define SMI_RETRIES_MAX 100

/* Runs attempt(argument), and again while MSR_SMI_COUNT (34H) says that an SMI
 * fell into it; once where that cannot be read. Adds to *repeated, where
 * that is not NULL, how often it was run again. attempt() begins anew each time
 * and does all of its own set-up; false ends it. False then, and after
 * SMI_RETRIES_MAX hits in a row (ERROR is said). */
bool smi_guard(struct test_context *t, bool (*attempt)(void *argument),
               void *argument, unsigned *repeated);

/* MSR_SMI_COUNT (34H), 0 where there is none. */
uint64_t smi_count(struct test_context *t);

#endif
