/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sweep.h - fault injection: the application is run again and again, and each
 * time the n-th access to an MSR raises #GP, an exception
 * comes after the n-th, or the n-th write to a file fails.
 */
#ifndef SILICON_EQUIPMENT_SWEEP_H
#define SILICON_EQUIPMENT_SWEEP_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/equipment/sweep_config.h"

/* volume: of the application; files that it opens there are wrapped. */
void sweep_prepare(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                   const struct sweep_config *config);

/* Around one run of the image: the firmware's own accesses do not count. */
void sweep_begin(const void *base, uint64_t bytes);
/* Prints how many points there were. True: run it once more. */
bool sweep_end(void);

#endif
