/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - which machine it is: what firmware says in SMBIOS.
 *
 * DMTF DSP0134, System Management BIOS Reference Specification, "SMBIOS 2.1
 * (32-bit) Entry Point", "SMBIOS 3.0 (64-bit) Entry Point", "BIOS Information
 * (Type 0)", "System Information (Type 1)", "Baseboard (or Module) Information
 * (Type 2)", "System Enclosure or Chassis (Type 3)".
 */
#ifndef SRC_CPU_MACHINE_H
#define SRC_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_TEXT_BYTES  48 /* longer ones are cut */
#define MACHINE_ENTRY_BYTES 32 /* of an entry point, the longer kind is 31 */
#define MACHINE_TABLE_MAX   65536
#define MACHINE_UUID_BYTES  16
#define MACHINE_ID_BYTES    17 /* 16 digits */

enum machine_text {
    MACHINE_BIOS_VENDOR,
    MACHINE_BIOS_VERSION,
    MACHINE_BIOS_DATE,
    MACHINE_SYSTEM_VENDOR,
    MACHINE_SYSTEM,
    MACHINE_BOARD_VENDOR,
    MACHINE_BOARD,
    MACHINE_SYSTEM_SERIAL, /* the first that tells equal machines apart */
    MACHINE_BOARD_SERIAL,
    MACHINE_CHASSIS_SERIAL,
    MACHINE_TEXTS
};

struct machine {
    char text[MACHINE_TEXTS][MACHINE_TEXT_BYTES]; /* "": not said */
    uint8_t uuid[MACHINE_UUID_BYTES];             /* zeros: not said */
    char firmware[MACHINE_TEXT_BYTES];            /* who made it, by UEFI */
    uint32_t firmware_revision, uefi_revision;
    unsigned year; /* 0: there is no clock */
    unsigned month, day, hour, minute;
};

/* Where an entry point of either kind says that the structures are. False where
 * it is none. */
bool machine_entry(const uint8_t entry[MACHINE_ENTRY_BYTES], uint64_t *address,
                   size_t *bytes);
/* Reads the structures; what is damaged ends them. */
void machine_read(struct machine *out, const uint8_t *table, size_t bytes);

/* True where UUID or serial numbers tell it from another; out is then a hash of
 * them, which is the same in each run. */
bool machine_id(const struct machine *machine, char out[MACHINE_ID_BYTES]);

#endif
