/* SPDX-License-Identifier: BSD-2-Clause */
/* load_app.c - \tsxpmu.efi by its device path. */
#include "tests/boot/load_app.h"

/* The volume's path, and the file's after it. */
static EFI_DEVICE_PATH *path_of(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume)
{
    static const CHAR16 name[] = L"\\tsxpmu.efi";
    static UINT8 path[512];
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    UINT8 *base = NULL;
    UINTN n = 0, bytes = sizeof(name);

    bs->HandleProtocol(volume, &guid, (VOID **)&base);
    while (base != NULL && base[n] != 0x7F && n + bytes + 16 < sizeof(path)) {
        UINTN next = n + (UINTN)(base[n + 2] | base[n + 3] << 8);

        for (; n < next; n++)
            path[n] = base[n];
    }
    path[n++] = MEDIA_DEVICE_PATH;
    path[n++] = MEDIA_FILEPATH_DP;
    path[n++] = (UINT8)(4 + bytes);
    path[n++] = 0;
    for (UINTN i = 0; i < bytes; i++)
        path[n++] = ((const UINT8 *)name)[i];
    path[n++] = 0x7F;
    path[n++] = 0xFF;
    path[n++] = 4;
    path[n] = 0;
    return (EFI_DEVICE_PATH *)path;
}

EFI_STATUS load_app(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, EFI_HANDLE *app)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_BOOT_SERVICES *bs = system->BootServices;
    EFI_LOADED_IMAGE *self;
    EFI_STATUS status = bs->HandleProtocol(image, &guid, (VOID **)&self);

    if (EFI_ERROR(status))
        return status;
    return bs->LoadImage(FALSE, image, path_of(bs, self->DeviceHandle), NULL, 0,
                         app);
}
