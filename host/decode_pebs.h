/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pebs.h - a raw buffer of PEBS records as text. */
#ifndef HOST_DECODE_PEBS_H
#define HOST_DECODE_PEBS_H

#include <stdbool.h>
#include <stdio.h>

/* Prints every field of every record of `in` to `out`, one field a line; one
 * record at a time, whatever the length. At the first error one line goes to
 * the standard error, with `name` and the record's offset, and false is
 * returned; so it is for an input without a record. Not checked: `out`. */
bool decode_pebs(FILE *in, const char *name, unsigned format, FILE *out);

/* Prints how many records there are, of each counter and cause of an abort; the
 * same of errors, after those before it. */
bool count_pebs(FILE *in, const char *name, unsigned format, FILE *out);

#endif
