/* SPDX-License-Identifier: BSD-2-Clause */
/* load_app.h - for applications of the tests' that start \tsxpmu.efi. */
#ifndef TESTS_BOOT_LOAD_APP_H
#define TESTS_BOOT_LOAD_APP_H

#include <efi.h>

/* Loads it from the volume that `image` came from; what StartImage() wants. */
EFI_STATUS load_app(EFI_HANDLE image, EFI_SYSTEM_TABLE *system,
                    EFI_HANDLE *app);

#endif
