/* SPDX-License-Identifier: BSD-2-Clause */
/* file_path.h - the device path of a file, for LoadImage. */
#ifndef SILICON_BOOT_FILE_PATH_H
#define SILICON_BOOT_FILE_PATH_H

#include <stddef.h>

#include <efi.h>

/* pages: gives cleared memory, never freed. */
EFI_DEVICE_PATH *file_path(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                           const char *name, void *(*pages)(size_t count));

#endif
