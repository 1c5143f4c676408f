/* SPDX-License-Identifier: BSD-2-Clause */
/* serial_find.h - which serial port the report goes to. */
#ifndef EFI_SERIAL_FIND_H
#define EFI_SERIAL_FIND_H

#include "efi/warnings.h"
#include "src/options/options.h"
#include "src/serial/uart.h"

/* The port that serial= names; for "auto" the first that answers of: the one in
 * ACPI's SPCR, a PCI function of class 07/00, COM1 to COM4. Sets it up. Returns
 * how it was found, or NULL with a warning. Needs processors_start(): memory
 * that is not there becomes a warning too. */
const char *serial_find(const struct options *options, struct uart *out,
                        struct warnings *warnings);

/* Gives back what finding and setting up has changed. */
void serial_give_back(void);

#endif
