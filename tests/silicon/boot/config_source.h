/* SPDX-License-Identifier: BSD-2-Clause */
/* config_source.h - the text of the configuration: fw_cfg, or a file. */
#ifndef SILICON_BOOT_CONFIG_SOURCE_H
#define SILICON_BOOT_CONFIG_SOURCE_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>

#define SOURCE_TEXT_MAX 4096

/* Reads a file of QEMU's fw_cfg into buffer. False: no such device or file. */
bool fw_cfg_read(const char *name, char *buffer, size_t size, size_t *length);

/* Reads a file from the root of a volume into pool memory. */
EFI_STATUS volume_read_file(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                            const char *name, VOID **data, UINTN *bytes);

#endif
