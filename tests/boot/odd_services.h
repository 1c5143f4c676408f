/* SPDX-License-Identifier: BSD-2-Clause */
/* odd_services.h - for odd_firmware.c: tables and services that are odd. */
#ifndef TESTS_BOOT_ODD_SERVICES_H
#define TESTS_BOOT_ODD_SERVICES_H

#include <efi.h>

BOOLEAN odd_same(const EFI_GUID *a, const EFI_GUID *b);

/* A pointer in ACPI's XSDT is not canonical. */
void odd_acpi(EFI_SYSTEM_TABLE *st);
/* SMBIOS' structures are where nothing is. */
void odd_smbios(EFI_SYSTEM_TABLE *st);
/* GetTime() fails. */
void odd_time(EFI_SYSTEM_TABLE *st);
/* MP services say nothing of the last processor, though it is enabled. */
void odd_processors(EFI_BOOT_SERVICES *bs);

#endif
