/* SPDX-License-Identifier: BSD-2-Clause */
/* file.h - files of the boot volume, beside src/store/volume.h. */
#ifndef EFI_FILE_H
#define EFI_FILE_H

#include <efi.h>
#include <stddef.h>

/* Reads at most `bytes` of a file of the boot volume; its length, 0 if none.
 * *why: NULL, or why nothing is read of what there is. */
size_t file_read(const CHAR16 *path, char *text, size_t bytes,
                 const char **why);
/* All of the file of that name, from the volume's root on, in memory that was
 * allocated for it (pages.c); NULL, and *why, where it cannot be read. */
void *file_load(const char *name, size_t *bytes, const char **why);
/* Before the power goes: closes what is open, and waits for a USB stick. */
void file_finish(void);

#endif
