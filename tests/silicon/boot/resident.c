/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resident.c - a copy of the image in memory of runtime services, which an
 * operating system leaves alone. It is not an image to the firmware, so
 * SetVirtualAddressMap() does not touch it.
 *
 * UEFI specification, "Memory Type Usage after ExitBootServices()".
 */
#include "tests/silicon/boot/resident.h"

#include "efi/start.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"

/* efi.lds, and the linker's. */
extern const uint8_t ImageBase[] __attribute__((visibility("hidden")));
extern const uint8_t _DYNAMIC[] __attribute__((visibility("hidden")));

static volatile uint64_t own_bytes; /* set in the copy alone */
static EFI_EXIT_BOOT_SERVICES exit_boot_services;

bool resident_is(void)
{
    return own_bytes != 0;
}

void resident_note(struct hypervisor *h)
{
    h->image = (uint64_t)ImageBase;
    h->image_end = h->image + own_bytes;
}

EFI_STATUS resident_go_on(EFI_HANDLE image, EFI_SYSTEM_TABLE *table,
                          resident_entry entry)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_BOOT_SERVICES *bs = table->BootServices;
    EFI_LOADED_IMAGE *self;
    EFI_PHYSICAL_ADDRESS to;
    EFI_STATUS status;
    uint64_t by;

    status = bs->HandleProtocol(image, &guid, (VOID **)&self);
    if (EFI_ERROR(status))
        return status;
    status = bs->AllocatePages(
        AllocateAnyPages, EfiRuntimeServicesCode,
        (UINTN)((self->ImageSize + PAGE_BYTES - 1) / PAGE_BYTES), &to);
    if (EFI_ERROR(status))
        return status;
    by = to - (uint64_t)ImageBase;
    __builtin_memcpy((void *)to, ImageBase, (size_t)self->ImageSize);
    *(volatile uint64_t *)((uint64_t)&own_bytes + by) = self->ImageSize;
    image_relocate(to, (const struct elf_dyn *)((uint64_t)_DYNAMIC + by));
    return ((resident_entry)((uint64_t)entry + by))(image, table);
}

/* In the guest. Firmware itself starts the other processors by INIT, to leave
 * them in memory of its own. */
static EFI_STATUS EFIAPI watched_exit(EFI_HANDLE image, UINTN key)
{
    static bool taken_over;

    if (!taken_over)
        vcpu_os_takes_over();
    taken_over = true;
    return exit_boot_services(image, key);
}

void resident_watch(EFI_BOOT_SERVICES *bs)
{
    exit_boot_services = bs->ExitBootServices;
    bs->ExitBootServices = watched_exit;
    bs->Hdr.CRC32 = 0;
    bs->CalculateCrc32(bs, bs->Hdr.HeaderSize, &bs->Hdr.CRC32);
}
