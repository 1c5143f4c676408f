/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * range.h - lines that are the same but for their numbers, said as one line:
 * "counted 18 to 21" and "counted 20 to 25" are "counted 18..20 to 21..25".
 *
 * A number is decimal, or hexadecimal after 0x, and stands beside no letter,
 * '_', '.' or '-': those of names (IA32_PMC3, 38FH) are none.
 */
#ifndef SRC_REPORT_RANGE_H
#define SRC_REPORT_RANGE_H

#include <stdbool.h>
#include <stddef.h>

struct line {
    const char *at;
    size_t bytes; /* without "\n" */
};

/* True where the lines are the same but for numbers. */
bool range_alike(const struct line *a, const struct line *b);

/* Writes the first of lines[0 .. count - 1], which are all alike, with the
 * least and the greatest where a number differs; at most size - 1 characters
 * and a NUL. */
void range_write(const struct line lines[], unsigned count, char *out,
                 size_t size);

#endif
