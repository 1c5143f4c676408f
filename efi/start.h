/* SPDX-License-Identifier: BSD-2-Clause */
/* start.h - the seam between entry.asm, start.c and an image's efi_main. */
#ifndef EFI_START_H
#define EFI_START_H

#include <stddef.h>
#include <stdint.h>

struct elf_dyn;

/* Applies the image's own relocations. base: where it was loaded. */
void image_relocate(uint64_t base, const struct elf_dyn *dyn);

void *memset(void *to, int byte, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
