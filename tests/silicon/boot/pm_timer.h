/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_timer.h - where firmware says that the ACPI PM timer is.
 *
 * ACPI specification, "Root System Description Pointer (RSDP) Structure",
 * "Extended System Description Table (XSDT)", "Fixed ACPI Description Table
 * (FADT)".
 */
#ifndef SILICON_BOOT_PM_TIMER_H
#define SILICON_BOOT_PM_TIMER_H

#include <efi.h>

/* Its port; 0: there is none. */
unsigned pm_timer_find(const EFI_SYSTEM_TABLE *st);

#endif
