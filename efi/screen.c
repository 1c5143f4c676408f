/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen.c - the report on the screen: every text console that is not a serial
 * port. The console the firmware offers as "the" console is mirrored to the
 * serial port too, where each line would then stand twice; it has no device
 * path, its parts have.
 *
 * UEFI specification, "Simple Text Output Protocol", "UART Device Path".
 */
#include "efi/platform.h"

#define SCREENS_MAX 4
#define CHUNK       120

static SIMPLE_TEXT_OUTPUT_INTERFACE *screens[SCREENS_MAX];
static unsigned screens_count;

static bool is_serial(const EFI_DEVICE_PATH *path)
{
    while (!IsDevicePathEndType(path)) {
        if (DevicePathType(path) == MESSAGING_DEVICE_PATH &&
            DevicePathSubType(path) == MSG_UART_DP)
            return true;
        path = NextDevicePathNode(path);
    }
    return false;
}

static void screen_write(void *self, const char *text, size_t bytes)
{
    CHAR16 line[CHUNK + 3];
    size_t at = 0;

    (void)self;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            line[at++] = '\r';
        line[at++] = (CHAR16)text[i];
        if (text[i] != '\n' && at < CHUNK && i + 1 < bytes)
            continue;
        line[at] = 0;
        for (unsigned s = 0; s < screens_count; s++)
            screens[s]->OutputString(screens[s], line);
        at = 0;
    }
}

static void screen_flush(void *self)
{
    (void)self;
}

bool screen_open(struct sink *out)
{
    EFI_GUID text_out = SIMPLE_TEXT_OUTPUT_PROTOCOL;
    EFI_GUID device_path = DEVICE_PATH_PROTOCOL;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    if (EFI_ERROR(platform_boot->LocateHandleBuffer(ByProtocol, &text_out, NULL,
                                                    &count, &handles)))
        return false;
    for (UINTN i = 0; i < count && screens_count < SCREENS_MAX; i++) {
        const EFI_DEVICE_PATH *path =
            platform_protocol(handles[i], &device_path);
        SIMPLE_TEXT_OUTPUT_INTERFACE *screen =
            platform_protocol(handles[i], &text_out);
        if (path != NULL && screen != NULL && !is_serial(path))
            screens[screens_count++] = screen;
    }
    platform_boot->FreePool(handles);
    *out = (struct sink){.write = screen_write, .flush = screen_flush};
    return screens_count != 0;
}
