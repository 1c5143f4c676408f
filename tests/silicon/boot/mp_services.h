/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mp_services.h - MP services that the guest finds. Firmware starts the other
 * processors once; they stay with the hypervisor from then on, asleep until
 * the guest starts a procedure on one of them, which it runs in its guest.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#ifndef SILICON_BOOT_MP_SERVICES_H
#define SILICON_BOOT_MP_SERVICES_H

#include <efi.h>

#include <stdbool.h>

#include "tests/silicon/boot/mp_protocol.h"

/* Counts the processors and notes their APIC IDs; 1 without MP services. */
unsigned mp_find(EFI_BOOT_SERVICES *bs);

/* Starts the APs. False: the firmware does not let them stay. */
bool mp_start(void);

/* The guest finds these MP services from then on. */
void mp_replace(void);

#endif
