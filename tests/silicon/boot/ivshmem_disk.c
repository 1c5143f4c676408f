/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ivshmem_disk.c - block I/O on memory. QEMU, "Device Specification for
 * Inter-VM shared memory device": PCI 1AF4H:1110H, BAR 2 is the memory. PCI
 * Local Bus specification, "Configuration Space". UEFI specification, "Block
 * I/O Protocol"; the firmware finds the partitions and the file system on it.
 */
#include "tests/silicon/boot/ivshmem_disk.h"

#include <stdbool.h>
#include <stddef.h>

#include "tests/silicon/hypervisor/host/x86.h"

#define BLOCK_BYTES 512
#define DEVICE      0x11101AF4u

#define PCI_ADDRESS 0xCF8
#define PCI_DATA    0xCFC
#define PCI_ENABLE  0x80000000u
#define PCI_SLOTS   32
#define PCI_COMMAND 0x04
#define PCI_MEMORY  2u
#define PCI_BAR2    0x18
#define PCI_BAR3    0x1C
#define BAR_64      0x4u
#define BAR_FLAGS   0xFu

static uint8_t *memory;
static EFI_BLOCK_IO_MEDIA media;
static EFI_BLOCK_IO block_io;

/* A vendor's hardware device path, and its end. */
static struct {
    VENDOR_DEVICE_PATH vendor;
    EFI_DEVICE_PATH end;
} path = {
    {{HARDWARE_DEVICE_PATH, HW_VENDOR_DP, {sizeof(VENDOR_DEVICE_PATH), 0}},
     {0x7a0e3c52,
      0x6e0b,
      0x4b5c,
      {0x9f, 0x1d, 0x54, 0x53, 0x58, 0x50, 0x4d, 0x57}}},
    {END_DEVICE_PATH_TYPE,
     END_ENTIRE_DEVICE_PATH_SUBTYPE,
     {sizeof(EFI_DEVICE_PATH), 0}},
};

static uint32_t pci_read(unsigned slot, unsigned at)
{
    outl(PCI_ADDRESS, PCI_ENABLE | slot << 11 | at);
    return inl(PCI_DATA);
}

static void pci_write(unsigned slot, unsigned at, uint32_t value)
{
    outl(PCI_ADDRESS, PCI_ENABLE | slot << 11 | at);
    outl(PCI_DATA, value);
}

/* Its size: the bits that stay 0 when all are set. */
static uint64_t bar_bytes(unsigned slot)
{
    uint32_t was = pci_read(slot, PCI_BAR2), bits;

    pci_write(slot, PCI_BAR2, UINT32_MAX);
    bits = pci_read(slot, PCI_BAR2) & ~BAR_FLAGS;
    pci_write(slot, PCI_BAR2, was);
    return bits & -bits;
}

static bool find_memory(void)
{
    for (unsigned slot = 0; slot < PCI_SLOTS; slot++) {
        uint64_t at;

        if (pci_read(slot, 0) != DEVICE)
            continue;
        at = pci_read(slot, PCI_BAR2);
        if ((at & BAR_64) != 0)
            at |= (uint64_t)pci_read(slot, PCI_BAR3) << 32;
        media.LastBlock = bar_bytes(slot) / BLOCK_BYTES - 1;
        pci_write(slot, PCI_COMMAND, pci_read(slot, PCI_COMMAND) | PCI_MEMORY);
        memory = (uint8_t *)(at & ~(uint64_t)BAR_FLAGS);
        return true;
    }
    return false;
}

static bool is_inside(EFI_LBA block, UINTN bytes)
{
    return bytes % BLOCK_BYTES == 0 && block <= media.LastBlock &&
           bytes / BLOCK_BYTES <= media.LastBlock + 1 - block;
}

static EFI_STATUS EFIAPI read_blocks(EFI_BLOCK_IO *this, UINT32 media_id,
                                     EFI_LBA block, UINTN bytes, VOID *buffer)
{
    (void)this, (void)media_id;
    if (!is_inside(block, bytes))
        return EFI_INVALID_PARAMETER;
    __builtin_memcpy(buffer, memory + block * BLOCK_BYTES, bytes);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_blocks(EFI_BLOCK_IO *this, UINT32 media_id,
                                      EFI_LBA block, UINTN bytes, VOID *buffer)
{
    (void)this, (void)media_id;
    if (!is_inside(block, bytes))
        return EFI_INVALID_PARAMETER;
    __builtin_memcpy(memory + block * BLOCK_BYTES, buffer, bytes);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_blocks(EFI_BLOCK_IO *this)
{
    (void)this;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI reset_disk(EFI_BLOCK_IO *this, BOOLEAN extended)
{
    (void)this, (void)extended;
    return EFI_SUCCESS;
}

/* Does a handle's path begin with this disk's node? */
static bool is_on_this_disk(EFI_BOOT_SERVICES *bs, EFI_HANDLE handle)
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    const uint8_t *ours = (const uint8_t *)&path.vendor, *theirs;
    VOID *found;

    if (EFI_ERROR(bs->HandleProtocol(handle, &guid, &found)))
        return false;
    theirs = found;
    for (size_t n = 0; n < sizeof(path.vendor); n++)
        if (theirs[n] != ours[n])
            return false;
    return true;
}

static EFI_HANDLE volume_on_disk(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_HANDLE *handles, found = NULL;
    UINTN count;

    if (EFI_ERROR(
            bs->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
        return NULL;
    for (UINTN n = 0; n < count && found == NULL; n++)
        if (is_on_this_disk(bs, handles[n]))
            found = handles[n];
    bs->FreePool(handles);
    return found;
}

EFI_HANDLE ivshmem_disk_find(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL, block_guid = BLOCK_IO_PROTOCOL;
    EFI_HANDLE handle = NULL;

    if (!find_memory())
        return NULL;
    media.MediaPresent = TRUE;
    media.BlockSize = BLOCK_BYTES;
    block_io = (EFI_BLOCK_IO){
        .Revision = EFI_BLOCK_IO_INTERFACE_REVISION,
        .Media = &media,
        .Reset = reset_disk,
        .ReadBlocks = read_blocks,
        .WriteBlocks = write_blocks,
        .FlushBlocks = flush_blocks,
    };
    if (EFI_ERROR(bs->InstallProtocolInterface(&handle, &path_guid,
                                               EFI_NATIVE_INTERFACE, &path)) ||
        EFI_ERROR(bs->InstallProtocolInterface(
            &handle, &block_guid, EFI_NATIVE_INTERFACE, &block_io)))
        return NULL;
    bs->ConnectController(handle, NULL, NULL, TRUE);
    return volume_on_disk(bs);
}
