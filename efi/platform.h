/* SPDX-License-Identifier: BSD-2-Clause */
/* platform.h - the firmware's tables, for all of efi/. Start with main.c. */
#ifndef EFI_PLATFORM_H
#define EFI_PLATFORM_H

#include <efi.h>

/* Set by efi_main before anything else; all of efi/ uses them. */
extern EFI_HANDLE platform_image;
extern EFI_SYSTEM_TABLE *platform_system;
extern EFI_BOOT_SERVICES *platform_boot;

/* The protocol of that GUID on the handle, or NULL. */
void *platform_protocol(EFI_HANDLE handle, const EFI_GUID *guid);

/* Words outside a report, on the firmware's console. */
void platform_print(const char *text);

#endif
