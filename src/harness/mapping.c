/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping.c - walks paging structures. */
#include "src/harness/mapping.h"

#include "src/base/msr.h"

#define CR4_LA57      BIT(12)
#define ENTRY_P       BIT(0)
#define ENTRY_PS      BIT(7) /* of levels 2 and 3: it maps a page */
#define ENTRY_ADDRESS BITS(51, 12)
#define ENTRIES       512

static unsigned levels_of(uint64_t cr4)
{
    return (cr4 & CR4_LA57) != 0 ? 5 : 4;
}

/* Of a table of that level, 1 to 5, the entry for the address. */
static uint64_t entry_of(uint64_t table, unsigned level, uint64_t address)
{
    const volatile uint64_t *entries =
        (const volatile uint64_t *)(uintptr_t)(table & ENTRY_ADDRESS);

    return entries[address >> (12 + 9 * (level - 1)) & (ENTRIES - 1)];
}

bool mapping_is_present(uint64_t cr3, uint64_t cr4, uint64_t address)
{
    uint64_t entry = cr3;

    for (unsigned level = levels_of(cr4); level > 0; level--) {
        entry = entry_of(entry, level, address);
        if ((entry & ENTRY_P) == 0)
            return false;
        if ((level == 2 || level == 3) && (entry & ENTRY_PS) != 0)
            return true;
    }
    return true;
}

uint64_t mapping_find_absent(uint64_t cr3, uint64_t cr4)
{
    const unsigned levels = levels_of(cr4), shift = 12 + 9 * (levels - 1);

    for (unsigned n = 0; n < ENTRIES; n++) {
        uint64_t entry = (n + ENTRIES / 2) % ENTRIES;
        uint64_t address = entry << shift;
        if (entry >= ENTRIES / 2)
            address |= BITS(63, shift + 8); /* canonical */
        if (address != 0 && !mapping_is_present(cr3, cr4, address))
            return address;
    }
    return 0;
}
