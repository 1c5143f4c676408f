/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dirty.c - an application that restores nothing: silicon.efi has to report
 * each of these.
 */
#include <efi.h>

#include <stdint.h>

#define IA32_PERFEVTSEL0 0x186
#define APIC_LVT_PERF    ((volatile uint32_t *)0xFEE00340)
#define LVT_MASKED_NMI   0x10400u
#define FREE_PAGE        ((volatile uint64_t *)0x4000000) /* of 256 MiB */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) idt;
    EFI_PHYSICAL_ADDRESS pages;

    (void)image;
    system->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, 3,
                                        &pages);
    __asm__ volatile("wrmsr" : : "a"(0xC0), "d"(0), "c"(IA32_PERFEVTSEL0));
    __asm__ volatile("mov %0, %%dr1" : : "r"(UINT64_C(0x1234)));
    __asm__ volatile("sidt %0" : "=m"(idt));
    idt.limit = (uint16_t)(idt.limit - 16);
    __asm__ volatile("lidt %0" : : "m"(idt));
    *APIC_LVT_PERF = LVT_MASKED_NMI;
    *FREE_PAGE = ~*FREE_PAGE;
    return EFI_SUCCESS;
}
