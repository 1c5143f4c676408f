/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.c - memory allocated from the firmware, and all of it freed. */
#include "efi/pages.h"
#include "efi/platform.h"

#define ALLOCATIONS_MAX 8
#define PAGES(b)        (((b) + 4095) / 4096)

static struct {
    EFI_PHYSICAL_ADDRESS at; /* 0: none */
    UINTN pages;
} allocated[ALLOCATIONS_MAX];

/* Physical addresses at which an elided lock may hang the processor (errata
 * SKL167, KBL121, CFL106, CML101). */
#define NO_LOCKS_FROM  0x40000000u
#define NO_LOCKS_UNTIL 0x40400000u

/* Of this type, but not there; linear addresses are physical ones. */
static EFI_STATUS allocate(EFI_ALLOCATE_TYPE type, UINTN pages,
                           EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS status =
        platform_boot->AllocatePages(type, EfiLoaderData, pages, at);

    if (EFI_ERROR(status) || *at >= NO_LOCKS_UNTIL ||
        *at + pages * 4096 <= NO_LOCKS_FROM)
        return status;
    platform_boot->FreePages(*at, pages);
    *at = NO_LOCKS_FROM - 1;
    return platform_boot->AllocatePages(AllocateMaxAddress, EfiLoaderData,
                                        pages, at);
}

static void *allocate_one(EFI_ALLOCATE_TYPE type, size_t bytes)
{
    EFI_PHYSICAL_ADDRESS at = UINT32_MAX; /* where the type asks for a limit */
    unsigned i = 0;

    while (i < ALLOCATIONS_MAX && allocated[i].at != 0)
        i++;
    if (i == ALLOCATIONS_MAX || EFI_ERROR(allocate(type, PAGES(bytes), &at)))
        return NULL;
    allocated[i].at = at;
    allocated[i].pages = PAGES(bytes);
    return (void *)(uintptr_t)at;
}

void *allocate_pages(size_t bytes)
{
    return allocate_one(AllocateAnyPages, bytes);
}

void *allocate_low_pages(size_t bytes)
{
    void *low = allocate_one(AllocateMaxAddress, bytes);

    return low != NULL ? low : allocate_pages(bytes);
}

static void free_entry(unsigned i)
{
    if (allocated[i].at != 0)
        platform_boot->FreePages(allocated[i].at, allocated[i].pages);
    allocated[i].at = 0;
}

void free_pages(const void *at)
{
    for (unsigned i = 0; i < ALLOCATIONS_MAX; i++)
        if (at != NULL && allocated[i].at == (uintptr_t)at)
            free_entry(i);
}

void free_all_pages(void)
{
    for (unsigned i = 0; i < ALLOCATIONS_MAX; i++)
        free_entry(i);
}
