/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_types.h - the MTRRs of processors that INIT has started.
 *
 * SDM 3A, table "IA-32 and Intel 64 Processor States Following Power-up, Reset,
 * or INIT": INIT leaves them as they are. QEMU clears them, so that all memory
 * were uncacheable there.
 */
#ifndef SILICON_BOOT_MEMORY_TYPES_H
#define SILICON_BOOT_MEMORY_TYPES_H

/* Notes those of this processor, the boot processor. */
void memory_types_note(void);
/* Gives this processor the noted ones. */
void memory_types_take(void);

#endif
