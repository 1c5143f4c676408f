/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * microcode_file.h - files of microcode updates, as Intel distributes them: one
 * update or several, one after another, each with its header.
 *
 * SDM 3A, "Microcode Update Facilities": tables "Microcode Update Field
 * Definitions", "Extended Processor Signature Table Header Structure" and
 * "Processor Signature Structure"; topics "Processor Identification", "Platform
 * Identification", "Microcode Update Checksum", "Microcode Update Loader".
 */
#ifndef SRC_CPU_MICROCODE_FILE_H
#define SRC_CPU_MICROCODE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICROCODE_ALIGNED   16 /* what an update's data is aligned to */
#define MICROCODE_WHY_BYTES 160

/* Revisions are signed. Pure. */
bool microcode_is_newer(uint32_t a, uint32_t b);

struct microcode_update {
    uint32_t revision;
    const void *data; /* what IA32_BIOS_UPDT_TRIG (79H) takes the address of */
};

/* Looks for an update for a processor: its signature (CPUID.1:EAX), its
 * platform (IA32_PLATFORM_ID (17H) [52:50], 0 to 7) and the revision that it
 * has. file: MICROCODE_ALIGNED. Every update of the file is checked; of those
 * that fit, *out is the one of the highest revision. False, and the reason in
 * why[], where one of the file is damaged, or none is for this processor and
 * newer than what it has. Nothing is written anywhere else. Pure. */
bool microcode_find(const void *file, size_t bytes, uint32_t signature,
                    unsigned platform, uint32_t revision,
                    struct microcode_update *out,
                    char why[MICROCODE_WHY_BYTES]);

#endif
