/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paging.c - where a byte is in physical memory. The firmware's tables map
 * themselves one to one.
 *
 * SDM 3A, "4-Level Paging and 5-Level Paging", "Memory Typing for Paging".
 */
#include "src/base/hw.h"
#include "src/base/msr.h"

#define CR4_LA57     BIT(12)
#define ENTRY_P      BIT(0)
#define ENTRY_PWT    BIT(3)
#define ENTRY_PCD    BIT(4)
#define ENTRY_PS     BIT(7) /* of a page larger than 4 KiB */
#define ENTRY_PAT    BIT(7) /* of one of 4 KiB */
#define ENTRY_PAT_PS BIT(12)
#define ADDRESS      BITS(51, 12)
#define INDEX_BITS   9
#define PAGE_SHIFT   12

bool hw_physical(const void *at, uint64_t *physical, unsigned *pat)
{
    uint64_t linear = (uintptr_t)at, entry;
    unsigned shift = PAGE_SHIFT + INDEX_BITS * 3;

    __asm__ volatile("mov %%cr3, %0" : "=r"(entry));
    if ((hw_cr4() & CR4_LA57) != 0)
        shift += INDEX_BITS;
    for (;; shift -= INDEX_BITS) {
        const uint64_t *table = (const void *)(uintptr_t)(entry & ADDRESS);
        entry = table[linear >> shift & (BIT(INDEX_BITS) - 1)];
        if ((entry & ENTRY_P) == 0)
            return false;
        if (shift == PAGE_SHIFT ||
            (shift <= PAGE_SHIFT + 2 * INDEX_BITS && (entry & ENTRY_PS) != 0))
            break;
    }
    uint64_t inside = BIT(shift) - 1;
    bool high = (entry & (shift == PAGE_SHIFT ? ENTRY_PAT : ENTRY_PAT_PS)) != 0;
    *physical = (entry & ADDRESS & ~inside) | (linear & inside);
    *pat = (high ? 4u : 0) | ((entry & ENTRY_PCD) != 0 ? 2u : 0) |
           ((entry & ENTRY_PWT) != 0 ? 1u : 0);
    return true;
}
