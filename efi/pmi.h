/* SPDX-License-Identifier: BSD-2-Clause */
/* pmi.h - performance-monitoring interrupts. hw_pmi_*() too. */
#ifndef EFI_PMI_H
#define EFI_PMI_H

#include <stdbool.h>
#include <stdint.h>

/* Of the highest priority class, and not the spurious vectors in use (0FH and
 * FFH). exception_entry.asm pushes it too. */
#define PMI_VECTOR 0xfd

/* True where this vector is a performance-monitoring interrupt between
 * hw_pmi_begin() and hw_pmi_end(): it is then counted. rip: where it came. */
bool pmi_handle(uint64_t vector, uint64_t rip);
/* True between hw_pmi_begin() and hw_pmi_end() on that processor. */
bool pmi_active(unsigned processor);

#endif
