/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mem.h - the four functions that the compiler may call by itself, and all of a
 * C library that the core uses. efi/start.c has them for the image.
 */
#ifndef SRC_BASE_MEM_H
#define SRC_BASE_MEM_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
