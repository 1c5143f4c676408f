/* SPDX-License-Identifier: BSD-2-Clause */
/* odd_console.h - for odd_firmware.c: the console, where it is odd. */
#ifndef TESTS_BOOT_ODD_CONSOLE_H
#define TESTS_BOOT_ODD_CONSOLE_H

#include <efi.h>

/* A key that nobody lets go: 'x', again and again. */
void odd_key_held(EFI_SYSTEM_TABLE *st);
/* A terminal that sends back what is written to it. */
void odd_echo(EFI_SYSTEM_TABLE *st);
/* Text modes: no size is known, and none can be set. */
void odd_modes(EFI_SYSTEM_TABLE *st);
/* Each row takes 50 ms more; no console has a device path. */
void odd_consoles(EFI_BOOT_SERVICES *bs, BOOLEAN slow, BOOLEAN pathless);

#endif
