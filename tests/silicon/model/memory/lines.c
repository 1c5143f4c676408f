/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - the sets as one table, open addressing, emptied by a number. */
#include "tests/silicon/model/memory/lines.h"

#include "tests/silicon/model/bits.h"

/* An entry: line number (address / 64) above 18 bits: serial, flags. */
#define LINE_SHIFT   18
#define SERIAL_SHIFT 3
#define SERIAL_MASK  BITS(LINE_SHIFT - 1, SERIAL_SHIFT)
#define FLAGS_MASK   BITS(SERIAL_SHIFT - 1, 0)
#define PAGE_LINES   64u

void lines_start(struct line_set *set, uint64_t *entries)
{
    *set = (struct line_set){.entries = entries, .serial = 1};
}

void lines_clear(struct line_set *set)
{
    set->reads = set->writes = 0;
    if (++set->serial <= SERIAL_MASK >> SERIAL_SHIFT)
        return;
    for (unsigned n = 0; n < LINE_ENTRIES; n++)
        set->entries[n] = 0;
    set->serial = 1;
}

/* The entry of this line, or the free one where it belongs; NULL if there is
 * neither. */
static uint64_t *entry_of(const struct line_set *set, uint64_t address)
{
    uint64_t line = address / LINE_BYTES;
    uint64_t hash = line * UINT64_C(0x9E3779B97F4A7C15) >> 40;

    for (unsigned n = 0; n < LINE_ENTRIES; n++) {
        uint64_t *entry = &set->entries[(hash + n) % LINE_ENTRIES];

        if ((*entry & SERIAL_MASK) >> SERIAL_SHIFT != set->serial ||
            *entry >> LINE_SHIFT == line)
            return entry;
    }
    return NULL;
}

static bool is_used(const struct line_set *set, const uint64_t *entry)
{
    return entry != NULL &&
           (*entry & SERIAL_MASK) >> SERIAL_SHIFT == set->serial;
}

bool lines_add(struct line_set *set, uint64_t address, unsigned flags)
{
    uint64_t *entry = entry_of(set, address);

    if (entry == NULL || flags == 0)
        return flags == 0;
    if (!is_used(set, entry))
        *entry = address / LINE_BYTES << LINE_SHIFT | set->serial
                                                          << SERIAL_SHIFT;
    flags &= ~(unsigned)(*entry & FLAGS_MASK);
    *entry |= flags;
    set->reads += (flags & LINE_READ) != 0;
    set->writes += (flags & LINE_WRITTEN) != 0;
    return true;
}

unsigned lines_find(const struct line_set *set, uint64_t address)
{
    const uint64_t *entry = entry_of(set, address);

    return is_used(set, entry) ? (unsigned)(*entry & FLAGS_MASK) : 0;
}

bool lines_on_page(const struct line_set *set, uint64_t address)
{
    uint64_t page = address & ~(uint64_t)(PAGE_LINES * LINE_BYTES - 1);

    for (unsigned n = 0; n < PAGE_LINES; n++)
        if (lines_find(set, page + n * LINE_BYTES) != 0)
            return true;
    return false;
}
