/* SPDX-License-Identifier: BSD-2-Clause */
/* names.h - the manual's names of MSRs and exceptions, for lines of a
 * report. */
#ifndef SRC_BASE_NAMES_H
#define SRC_BASE_NAMES_H

#include <stdint.h>

#define MSR_NAME_BYTES 64

/* "IA32_PERF_GLOBAL_CTRL (38FH)", or "MSR 124H" where the project has no name
 * for it. Returns out. */
const char *msr_name(uint32_t msr, char out[MSR_NAME_BYTES]);

/* "#GP"; "vector 22" where it has no name, "no exception" above 31. */
const char *vector_name(uint64_t vector);

/* The same for an answer of a guarded instruction: "#GP", "no exception". */
const char *fault_name(int fault);

#define BITS_NAME_BYTES 96

/* A set of bits in the manual's order, "[63:34] [21]"; "none" for 0. What does
 * not fit is "..". Returns out. */
const char *bits_name(uint64_t bits, char out[BITS_NAME_BYTES]);

/* What became of a register's bits: "[5] cleared", "[63] set, [1:0] cleared";
 * "no change". What does not fit is left out. Returns out. */
#define BITS_CHANGE_BYTES (BITS_NAME_BYTES + 16)
const char *bits_change(uint64_t from, uint64_t to,
                        char out[BITS_CHANGE_BYTES]);

#endif
