/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_golden.h - the golden records of tests/golden/pebs-format*.txt, for the
 * self-test at ring 0 and the unit tests. The Makefile makes the table of them
 * (pebs_golden.inc); the texts are the one source.
 */
#ifndef SRC_PEBS_PEBS_GOLDEN_H
#define SRC_PEBS_PEBS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* One line: eight bytes, and what they have to decode to. */
struct pebs_golden {
    unsigned format;
    unsigned offset;
    const char *name; /* in the manual */
    uint64_t value;
    const char *words; /* of the value, or "" */
    uint8_t bytes[8];
};

extern const struct pebs_golden pebs_golden[];
extern const size_t pebs_golden_rows;

/* The bytes of a format's lines in their order. Returns how many; at most
 * `size` are written. */
size_t pebs_golden_bytes(unsigned format, uint8_t *bytes, size_t size);

#endif
