/* SPDX-License-Identifier: BSD-2-Clause */
/* file_path.c - the path of a volume, and after it that of a file. */
#include "tests/silicon/boot/file_path.h"

#include "tests/silicon/hypervisor/host/npt.h"
#include "tests/silicon/model/text.h"

EFI_DEVICE_PATH *file_path(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                           const char *name, void *(*pages)(size_t count))
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    EFI_DEVICE_PATH *base = NULL;
    UINTN length = 0, chars = text_length(name) + 1;
    UINT8 *path;

    bs->HandleProtocol(volume, &guid, (VOID **)&base);
    for (UINT8 *n = (UINT8 *)base; n != NULL && n[0] != 0x7F;) {
        length += (UINTN)(n[2] | n[3] << 8);
        n = (UINT8 *)base + length;
    }
    path = pages((length + 4 + 2 * chars + 4 + PAGE_BYTES - 1) / PAGE_BYTES);
    __builtin_memcpy(path, base, length);
    path[length] = MEDIA_DEVICE_PATH;
    path[length + 1] = MEDIA_FILEPATH_DP;
    path[length + 2] = (UINT8)(4 + 2 * chars);
    path[length + 3] = (UINT8)((4 + 2 * chars) >> 8);
    for (UINTN n = 0; n < chars; n++)
        path[length + 4 + 2 * n] = (UINT8)name[n];
    length += 4 + 2 * chars;
    path[length] = 0x7F; /* end of the entire path */
    path[length + 1] = 0xFF;
    path[length + 2] = 4;
    return (EFI_DEVICE_PATH *)path;
}
