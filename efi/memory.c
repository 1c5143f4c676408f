/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - memory allocated from the firmware, and all of it freed. */
#include "efi/platform.h"

#define TAKEN_MAX 8
#define PAGES(b)  (((b) + 4095) / 4096)

static struct {
    EFI_PHYSICAL_ADDRESS at; /* 0: none */
    UINTN pages;
} taken[TAKEN_MAX];

void *memory_take(size_t bytes)
{
    EFI_PHYSICAL_ADDRESS at = 0;
    unsigned i = 0;

    while (i < TAKEN_MAX && taken[i].at != 0)
        i++;
    if (i == TAKEN_MAX ||
        EFI_ERROR(platform_boot->AllocatePages(AllocateAnyPages, EfiLoaderData,
                                               PAGES(bytes), &at)))
        return NULL;
    taken[i].at = at;
    taken[i].pages = PAGES(bytes);
    return (void *)(uintptr_t)at;
}

static void give_back(unsigned i)
{
    if (taken[i].at != 0)
        platform_boot->FreePages(taken[i].at, taken[i].pages);
    taken[i].at = 0;
}

void memory_give_back(const void *at)
{
    for (unsigned i = 0; i < TAKEN_MAX; i++)
        if (at != NULL && taken[i].at == (uintptr_t)at)
            give_back(i);
}

void memory_give_back_all(void)
{
    for (unsigned i = 0; i < TAKEN_MAX; i++)
        give_back(i);
}
