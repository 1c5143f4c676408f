/* SPDX-License-Identifier: BSD-2-Clause */
/* npt.c - nested page tables. */
#include "tests/silicon/hypervisor/host/npt.h"

#include "tests/silicon/hypervisor/host/x86.h"

#define LARGE_BYTES UINT64_C(0x200000)
#define ADDRESS     UINT64_C(0x000FFFFFFFFFF000)
#define TABLE       (NPT_PRESENT | NPT_WRITE | NPT_USER)
#define LEVELS      4

static void lock(struct npt *t)
{
    while (__atomic_exchange_n(&t->lock, 1, __ATOMIC_ACQUIRE) != 0)
        cpu_pause();
}

static void unlock(struct npt *t)
{
    __atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
}

/* Level 3 is that of the root, level 0 maps pages of 4 KiB. */
static size_t table_index(uint64_t address, unsigned level)
{
    return (address >> (12 + 9 * level)) & 511;
}

static uint64_t *new_table(struct npt *t)
{
    uint64_t *table;

    if (t->used >= t->pages)
        return NULL;
    table = t->pool + 512 * t->used++;
    for (size_t n = 0; n < 512; n++)
        table[n] = 0;
    return table;
}

void npt_start(struct npt *t, uint64_t *pool, size_t pages, uint64_t flags)
{
    *t = (struct npt){.flags = flags, .pool = pool, .pages = pages};
    t->root = new_table(t);
}

void npt_clear(struct npt *t)
{
    lock(t);
    t->used = 0;
    t->root = new_table(t);
    unlock(t);
}

uint64_t npt_rights(uint64_t flags)
{
    return NPT_PRESENT | NPT_USER | ((flags & NPT_CODE) == 0 ? NPT_WRITE : 0);
}

/* The entry of that level for the address, making the tables above it. */
static uint64_t *entry_at(struct npt *t, uint64_t address, unsigned level)
{
    uint64_t *table = t->root;

    for (unsigned l = LEVELS - 1; l > level; l--) {
        uint64_t *entry = &table[table_index(address, l)];

        if ((*entry & NPT_PRESENT) == 0) {
            uint64_t *below = new_table(t);

            if (below == NULL)
                return NULL;
            *entry = (uint64_t)below | TABLE;
        } else if ((*entry & NPT_LARGE) != 0) {
            uint64_t *below = new_table(t), old = *entry & ~NPT_LARGE;

            if (below == NULL)
                return NULL;
            for (uint64_t n = 0; n < 512; n++)
                below[n] = old + n * PAGE_BYTES;
            *entry = (uint64_t)below | TABLE;
        }
        table = (uint64_t *)(*entry & ADDRESS);
    }
    return &table[table_index(address, level)];
}

static bool fill_locked(struct npt *t, uint64_t address)
{
    uint64_t *entry = entry_at(t, address, 1);

    if (entry != NULL && (*entry & NPT_PRESENT) == 0)
        *entry =
            (address & ADDRESS & ~(LARGE_BYTES - 1)) | NPT_LARGE | t->flags;
    return entry != NULL;
}

bool npt_fill(struct npt *t, uint64_t address)
{
    bool good;

    lock(t);
    good = fill_locked(t, address);
    unlock(t);
    return good;
}

bool npt_map_page(struct npt *t, uint64_t address, uint64_t to, uint64_t flags)
{
    uint64_t *entry = NULL;

    lock(t);
    /* The pages around it are there too, where any are. */
    if (t->flags == 0 || fill_locked(t, address))
        entry = entry_at(t, address, 0);
    if (entry != NULL)
        *entry = (to & ADDRESS) | flags;
    unlock(t);
    return entry != NULL;
}

bool npt_set_page(struct npt *t, uint64_t address, uint64_t flags)
{
    return npt_map_page(t, address, address, flags);
}

uint64_t npt_entry(const struct npt *t, uint64_t address)
{
    const uint64_t *table = t->root;

    for (unsigned l = LEVELS; l-- > 0;) {
        uint64_t entry = table[table_index(address, l)];

        if (l == 0)
            return entry;
        if ((entry & NPT_PRESENT) == 0)
            return 0;
        if ((entry & NPT_LARGE) != 0)
            return entry;
        table = (const uint64_t *)(entry & ADDRESS);
    }
    return 0;
}

bool npt_gives(const struct npt *t, uint64_t address, bool write)
{
    uint64_t entry = npt_entry(t, address);
    uint64_t rights = NPT_PRESENT | NPT_USER | (write ? NPT_WRITE : 0);

    if ((entry & NPT_LARGE) != 0)
        return true;
    return (entry & rights) == rights && ((entry ^ address) & ADDRESS) == 0;
}
