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

/* Of a processor, before its first job: IA32_PERF_GLOBAL_CTRL and
 * IA32_RTIT_CTL, where they are there. */
struct enables {
    uint64_t found[ENABLES];
    bool known[ENABLES], looked;
};

/* exceptions_guard(), after which one of them that enables more than was found
 * is 0. What a job has turned off stays off: 38FH has bits set from power-up
 * on, and the selects are a test's until it gives them back; the journal has
 * the value. *enables: zeros before the first job. */
bool enables_guard(struct enables *enables, unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception);

#endif
