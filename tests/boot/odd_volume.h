/* SPDX-License-Identifier: BSD-2-Clause */
/* odd_volume.h - for odd_firmware.c: a volume that does what some do. */
#ifndef TESTS_BOOT_ODD_VOLUME_H
#define TESTS_BOOT_ODD_VOLUME_H

#include <efi.h>

/* The volume that `image` came from. flush: what Flush() answers instead of
 * anything. pulled: in the PULLED_AT-th Write() the stick is pulled out: from
 * then on each call takes seconds, and fails. less: Write() of more than some
 * bytes writes half. */
#define PULLED_AT 60
void odd_volume(EFI_HANDLE image, EFI_BOOT_SERVICES *bs, EFI_STATUS flush,
                BOOLEAN pulled, BOOLEAN less);

#endif
