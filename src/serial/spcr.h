/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spcr.h - the serial port that firmware names.
 *
 * Microsoft, "Serial Port Console Redirection Table (SPCR)", revision 4; ACPI
 * specification, "System Description Table Header", "Generic Address Structure
 * (GAS)".
 */
#ifndef SRC_SERIAL_SPCR_H
#define SRC_SERIAL_SPCR_H

#include "src/serial/uart.h"

#define ACPI_HEADER_BYTES 36
#define ACPI_TABLE_MAX    65536 /* a longer table is not accepted */

/* Pure. Length and checksum: the length from the header, where the first
 * `bytes` of the table hold that much and sum up to 0; else 0. */
size_t acpi_table_length(const uint8_t *table, size_t bytes);

/* Pure. table: `bytes` of a whole SPCR. NULL, and *out is the port; or what is
 * wrong with it. */
const char *spcr_parse(const uint8_t *table, size_t bytes, struct uart *out);

#endif
