/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clean.h - what terminals, BMCs and shells leave in a log beside its text.
 *
 * A report is printable ASCII in lines ended by "\n" (src/report/ktap.h); all
 * else is of whoever carried it. ECMA-48 has the escape sequences.
 */
#ifndef HOST_REPORT_CLEAN_H
#define HOST_REPORT_CLEAN_H

#include <stddef.h>

/* What was taken out. */
struct cleaned {
    size_t escapes; /* sequences */
    size_t bytes;   /* that are no text: NULs, a byte order mark, noise */
};

/* Leaves printable ASCII and "\n" alone, in place; returns how many bytes. CR,
 * LF and both are one end of a line each; a backspace takes the character
 * before it; to place the cursor in the first column ends a line. */
size_t clean_text(char *text, size_t bytes, struct cleaned *out);

#endif
