/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * microcode.h - microcode updates. A real one is encrypted; what is simulated
 * here takes its data as text: which of the personalities with this signature
 * the processor becomes.
 *
 * SDM volume 3A, "Microcode Update Facilities", tables "Microcode Update Field
 * Definitions" and "Microcode Update Format"; topic "Microcode Update Loader".
 */
#ifndef SILICON_MODEL_MICROCODE_H
#define SILICON_MODEL_MICROCODE_H

#include "tests/silicon/model/machine.h"

#define IA32_BIOS_UPDT_TRIG 0x79u

#define UPDATE_HEADER_BYTES 48
#define UPDATE_BYTES_MAX    16384

/* Total size in bytes, of the header; 0 where it cannot be one, or where it
 * is more than UPDATE_BYTES_MAX. */
uint32_t microcode_bytes(const uint8_t header[UPDATE_HEADER_BYTES]);

/*
 * WRMSR of IA32_BIOS_UPDT_TRIG with the data of this update, of bytes that
 * microcode_bytes() gave. The personality the core becomes, or NULL: the update
 * is not for this processor, damaged, or not newer; nothing is loaded then.
 */
const struct personality *microcode_accepts(const struct processor *p,
                                            const uint8_t *update,
                                            uint32_t bytes);

#endif
