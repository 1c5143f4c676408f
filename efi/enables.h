/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * enables.h - a job after which the firmware has the processor. What it has
 * enabled and not disabled is stopped at its end: the firmware has no handler
 * for it.
 */
#ifndef EFI_ENABLES_H
#define EFI_ENABLES_H

#include "efi/exceptions.h"

/* exceptions_guard(), after which IA32_PERF_GLOBAL_CTRL and IA32_RTIT_CTL are
 * as before it, where they are there. */
bool enables_guard(unsigned processor,
                   void (*job)(unsigned processor, void *context),
                   void *context, struct hw_exception *exception);

#endif
