/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping.c - one address after the other, walked. */
#include "src/harness/mapping.h"

#include "src/base/hw.h"
#include "src/base/msr.h"

/* SDM 3A, "4-Level Paging and 5-Level Paging": what one entry of the first
 * table of four maps, and how many there are. */
#define ENTRY_SHIFT 39
#define ENTRIES     512

uint64_t mapping_find_absent(void)
{
    uint64_t physical;
    unsigned pat;

    for (unsigned n = 0; n < ENTRIES; n++) {
        uint64_t entry = (n + ENTRIES / 2) % ENTRIES;
        uint64_t address = entry << ENTRY_SHIFT;
        if (entry >= ENTRIES / 2)
            address |= BITS(63, ENTRY_SHIFT + 9); /* canonical */
        if (address != 0 &&
            !hw_physical((const void *)(uintptr_t)address, &physical, &pat))
            return address;
    }
    return 0;
}
