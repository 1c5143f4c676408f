/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resident.h - silicon.efi where it may stay: firmware loads an application
 * into memory that an operating system takes.
 */
#ifndef SILICON_BOOT_RESIDENT_H
#define SILICON_BOOT_RESIDENT_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

/* Is this the copy? */
bool resident_is(void);

/* Goes on at `entry` in a copy of the image, in memory of runtime services. To
 * be called before anything has a pointer into the image. */
typedef EFI_STATUS (*resident_entry)(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);
EFI_STATUS resident_go_on(EFI_HANDLE image, EFI_SYSTEM_TABLE *table,
                          resident_entry entry);

/* From now on: when the guest has left boot services, an operating system has
 * the machine. */
void resident_watch(EFI_BOOT_SERVICES *bs);

#endif
