/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * enables.h - a job after which the firmware has the processor. What it has
 * enabled and not disabled is stopped at its end: the firmware has no handler
 * for it.
 */
#ifndef EFI_ENABLES_H
#define EFI_ENABLES_H

#include "efi/exceptions.h"

#define ENABLES 2

/* Of a processor: IA32_PERF_GLOBAL_CTRL and IA32_RTIT_CTL. */
struct enables {
    uint64_t found[ENABLES], before[ENABLES]; /* its first job, and each */
    bool known[ENABLES], stopped[ENABLES], found_known, returned;
};

/* exceptions_guard(), after which neither of them enables more than before it
 * or than was found at first; else, and where the job has raised, it is 0
 * until the next job has ended, and then what the last one began with. What a
 * test has turned off stays off: 38FH has bits set from power-up on, and the
 * selects are the test's until it gives them back. *enables: zeros before the
 * first job. */
bool enables_guard(struct enables *enables, unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception);

#endif
