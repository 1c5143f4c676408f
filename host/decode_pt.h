/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.h - a raw stream of Intel Processor Trace as text. */
#ifndef HOST_DECODE_PT_H
#define HOST_DECODE_PT_H

#include <stdbool.h>
#include <stdio.h>

enum decode_pt_what {
    DECODE_PT_PACKETS, /* one a line: offset, name, payload; PADs by the run */
    DECODE_PT_TSX,     /* transitions of transactions, and what is wrong */
    DECODE_PT_COUNT,   /* the number of each packet */
};

/* Reads `in` in blocks, whatever the length; errata: of the processor that
 * wrote it (pt_errata()), else 0. What is wrong with the packets goes to the
 * standard error, a line each, with `name` and the offset; then, and where
 * there is no packet or a deviation, false is returned. After a thousand of
 * these lines there is one more, with the number of others. Not checked: `out`.
 */
bool decode_pt(FILE *in, const char *name, enum decode_pt_what what,
               unsigned errata, FILE *out);

#endif
