/* SPDX-License-Identifier: BSD-2-Clause */
/* odd_stacks.h - for odd_firmware.c: small stacks of the other processors. */
#ifndef TESTS_BOOT_ODD_STACKS_H
#define TESTS_BOOT_ODD_STACKS_H

#include <efi.h>

void odd_stacks(EFI_BOOT_SERVICES *bs);
/* How many processors were started on one. */
UINTN odd_stacks_used(void);
/* How many bytes were taken, at most, below the end of one. */
UINTN odd_stacks_overrun(void);

#endif
