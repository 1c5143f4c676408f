/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strict.c - starts \tsxpmu.efi as strict firmware does: of its image, code is
 * not writable and data not executable, as its sections say, and all memory but
 * firmware's code is not executable. What it does against that is a page fault.
 *
 * Microsoft PE/COFF specification, "Section Table". SDM volume 3A, "4-Level
 * Paging and 5-Level Paging", tables of the formats of entries.
 */
#include "tests/boot/load_app.h"

#include <stdint.h>

#define P          UINT64_C(0x01)
#define RW         UINT64_C(0x02)
#define PS         UINT64_C(0x80)
#define XD         (UINT64_C(1) << 63)
#define ADDRESS    UINT64_C(0x000FFFFFFFFFF000)
#define CR0_WP     (UINT64_C(1) << 16)
#define LARGE      UINT64_C(0x200000)
#define WRITABLE   UINT32_C(0x80000000)
#define EXECUTABLE UINT32_C(0x20000000)

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_SYSTEM_TABLE *st;
static EFI_BOOT_SERVICES *bs;

static void print(CHAR16 *text)
{
    st->ConOut->OutputString(st->ConOut, text);
}

static uint64_t *new_table(void)
{
    EFI_PHYSICAL_ADDRESS at;

    if (EFI_ERROR(bs->AllocatePages(AllocateAnyPages, EfiRuntimeServicesData, 1,
                                    &at)))
        return NULL;
    return (uint64_t *)(uintptr_t)at;
}

/* The entry of a 4-KiB page; a larger page that it is part of is split. */
static uint64_t *entry_of(uint64_t linear)
{
    uint64_t cr3, *table;

    __asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
    table = (uint64_t *)(uintptr_t)(cr3 & ADDRESS);
    for (unsigned level = 3; level > 0; level--) {
        uint64_t *entry = &table[linear >> (12 + 9 * level) & 511];

        if ((*entry & P) == 0)
            return NULL;
        if ((*entry & PS) != 0) {
            uint64_t bytes = UINT64_C(1) << (12 + 9 * (level - 1));
            uint64_t *smaller = new_table();

            if (smaller == NULL)
                return NULL;
            for (unsigned n = 0; n < 512; n++)
                smaller[n] = (*entry & ~(level == 1 ? PS : 0)) + n * bytes;
            *entry = (uint64_t)(uintptr_t)smaller | P | RW | (*entry & 4);
        }
        table = (uint64_t *)(uintptr_t)(*entry & ADDRESS);
    }
    return &table[linear >> 12 & 511];
}

/* False: it is not mapped. */
static BOOLEAN protect(uint64_t start, uint64_t bytes, uint64_t clear,
                       uint64_t set)
{
    for (uint64_t at = start; at < start + bytes; at += 4096) {
        uint64_t *entry = entry_of(at);

        if (entry == NULL)
            return FALSE;
        *entry = (*entry & ~clear) | set;
    }
    return TRUE;
}

static uint32_t read32(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

/* Headers and gaps are neither writable nor executable. */
static BOOLEAN protect_image(const EFI_LOADED_IMAGE *app)
{
    const uint8_t *base = app->ImageBase, *pe = base + read32(base + 0x3C);
    unsigned sections = pe[6] | pe[7] << 8;
    const uint8_t *section = pe + 24 + (pe[20] | pe[21] << 8);

    if (!protect((uint64_t)base, app->ImageSize, RW, XD))
        return FALSE;
    for (unsigned n = 0; n < sections; n++, section += 40) {
        uint32_t flags = read32(section + 36);

        if (!protect((uint64_t)base + read32(section + 12), read32(section + 8),
                     (flags & EXECUTABLE) != 0 ? XD : 0,
                     (flags & WRITABLE) != 0 ? RW : 0))
            return FALSE;
    }
    return TRUE;
}

/* All that is not code of the firmware's is not executable. */
static BOOLEAN protect_data(const EFI_LOADED_IMAGE *self)
{
    static UINT8 map[65536];
    UINTN bytes = sizeof(map), key, each;
    UINT32 version;

    if (EFI_ERROR(bs->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key,
                                   &each, &version)))
        return FALSE;
    for (UINTN at = 0; at < bytes; at += each) {
        const EFI_MEMORY_DESCRIPTOR *d = (EFI_MEMORY_DESCRIPTOR *)(map + at);
        uint64_t end = d->PhysicalStart + d->NumberOfPages * 4096;
        uint64_t me = (uint64_t)self->ImageBase;

        if (d->Type != EfiConventionalMemory && d->Type != EfiLoaderData &&
            d->Type != EfiBootServicesData && d->Type != EfiLoaderCode &&
            d->Type != EfiRuntimeServicesData)
            continue;
        for (uint64_t page = d->PhysicalStart; page < end; page += 4096)
            if ((page < me || page >= me + self->ImageSize) &&
                page >= 0x100000 && !protect(page, 4096, 0, XD))
                return FALSE;
    }
    return TRUE;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *self, *app;
    EFI_HANDLE handle;
    uint64_t cr0, cr3;
    BOOLEAN good;

    st = system;
    bs = system->BootServices;
    if (EFI_ERROR(bs->HandleProtocol(image, &guid, (VOID **)&self)) ||
        EFI_ERROR(load_app(image, system, &handle)) ||
        EFI_ERROR(bs->HandleProtocol(handle, &guid, (VOID **)&app))) {
        print(L"strict: cannot load \\tsxpmu.efi\r\n");
        return EFI_LOAD_ERROR;
    }
    __asm__ volatile("mov %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("mov %0, %%cr0" : : "r"(cr0 & ~CR0_WP));
    good = protect_data(self) && protect_image(app);
    __asm__ volatile("mov %%cr3, %0\n\tmov %0, %%cr3" : "=r"(cr3) : : "memory");
    __asm__ volatile("mov %0, %%cr0" : : "r"(cr0 | CR0_WP));
    print(good ? L"strict: memory is mapped strictly\r\n"
               : L"strict: cannot map memory strictly\r\n");
    return good ? bs->StartImage(handle, NULL, NULL) : EFI_LOAD_ERROR;
}
