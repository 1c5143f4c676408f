/* SPDX-License-Identifier: BSD-2-Clause */
/* line_access.h - cache lines out of every cache, and read again
 * (asm/line_access.asm). */
#ifndef ASM_LINE_ACCESS_H
#define ASM_LINE_ACCESS_H

#include <stdint.h>

/* CLFLUSH of each of lines[0 .. count - 1], then MFENCE. count: at least 1. */
void lines_flush(const void *const lines[], uint64_t count);

/* One load of 8 bytes from each, in this order, none before the last has
 * ended. */
void lines_read(const void *const lines[], uint64_t count);

#endif
