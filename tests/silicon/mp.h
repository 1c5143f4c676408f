/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mp.h - the MP services that the guest finds. Firmware starts the other
 * processors once; they stay with the hypervisor from then on, asleep until
 * the guest gives one of them a procedure, which it runs in its own guest.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#ifndef SILICON_MP_H
#define SILICON_MP_H

#include <efi.h>

#include <stdbool.h>

#include "efi/mp.h"

/* Counts the processors and notes their APIC IDs; 1 without MP services. */
unsigned mp_find(EFI_BOOT_SERVICES *bs);

/* Fetches the others. False: the firmware does not let them stay. */
bool mp_start(void);

/* From now on the guest finds these MP services. */
void mp_replace(void);

#endif
