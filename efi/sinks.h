/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sinks.h - where a report goes, besides the volume: serial.c, screen.c,
 * report_copy.c. All return false where there is none.
 */
#ifndef EFI_SINKS_H
#define EFI_SINKS_H

#include "efi/warnings.h"
#include "src/options/options.h"
#include "src/report/sink.h"

/* *which names the port, for the report; NULL where there is none. */
bool serial_open(const struct options *options, struct sink *out,
                 const char **which, struct warnings *warnings);
bool screen_open(struct sink *out);
/* The report so far, for the screen. */
bool report_copy_open(struct sink *out);
const char *report_copy_text(size_t *bytes);

#endif
