/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_source.c - reads from QEMU's fw_cfg device and from the boot volume.
 *
 * QEMU documentation, "QEMU Firmware Configuration (fw_cfg) Device".
 */
#include "tests/silicon/boot/config_source.h"

#include "tests/silicon/boot/config.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/text.h"

#define FW_CFG_SELECTOR  0x510
#define FW_CFG_DATA      0x511
#define FW_CFG_SIGNATURE 0x0000
#define FW_CFG_FILES     0x0019
#define FW_CFG_NAME_MAX  56
#define FW_CFG_FILES_MAX 1024

static uint32_t next_big_endian(unsigned bytes)
{
    uint32_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | inb(FW_CFG_DATA);
    return value;
}

/* Walks the directory. Returns the selector of the file, 0 for none. */
static uint16_t fw_cfg_find(const char *name, uint32_t *bytes)
{
    char found[FW_CFG_NAME_MAX];
    uint32_t files;

    outw(FW_CFG_SELECTOR, FW_CFG_SIGNATURE);
    if (next_big_endian(4) != 0x51454D55) /* "QEMU" */
        return 0;
    outw(FW_CFG_SELECTOR, FW_CFG_FILES);
    files = next_big_endian(4);
    for (uint32_t n = 0; n < files && n < FW_CFG_FILES_MAX; n++) {
        uint16_t selector;

        *bytes = next_big_endian(4);
        selector = (uint16_t)next_big_endian(2);
        next_big_endian(2);
        for (size_t i = 0; i < sizeof(found); i++)
            found[i] = (char)inb(FW_CFG_DATA);
        found[sizeof(found) - 1] = '\0';
        if (text_equal(found, name))
            return selector;
    }
    return 0;
}

bool fw_cfg_read(const char *name, char *buffer, size_t size, size_t *length)
{
    uint32_t bytes;
    uint16_t selector = fw_cfg_find(name, &bytes);

    if (selector == 0)
        return false;
    outw(FW_CFG_SELECTOR, selector);
    for (*length = 0; *length < bytes && *length < size; ++*length)
        buffer[*length] = (char)inb(FW_CFG_DATA);
    return true;
}

EFI_STATUS volume_read_file(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                            const char *name, VOID **data, UINTN *bytes)
{
    EFI_GUID info_guid = EFI_FILE_INFO_ID;
    EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *files;
    union {
        EFI_FILE_INFO info;
        UINT8 room[sizeof(EFI_FILE_INFO) + 2 * CONFIG_APP_MAX];
    } u;
    CHAR16 wide[CONFIG_APP_MAX];
    EFI_FILE_HANDLE root, file;
    EFI_STATUS status;
    UINTN n = 0, room = sizeof(u);

    status = bs->HandleProtocol(volume, &volume_guid, (VOID **)&files);
    if (!EFI_ERROR(status))
        status = files->OpenVolume(files, &root);
    if (EFI_ERROR(status))
        return status;
    for (; name[n] != '\0' && n + 1 < CONFIG_APP_MAX; n++)
        wide[n] = (CHAR16)name[n];
    wide[n] = 0;
    status = root->Open(root, &file, wide, EFI_FILE_MODE_READ, 0);
    if (EFI_ERROR(status))
        return status;
    status = file->GetInfo(file, &info_guid, &room, &u);
    if (!EFI_ERROR(status)) {
        *bytes = (UINTN)u.info.FileSize;
        status = bs->AllocatePool(EfiLoaderData, *bytes + 1, data);
    }
    if (!EFI_ERROR(status))
        status = file->Read(file, bytes, *data);
    file->Close(file);
    root->Close(root);
    return status;
}
