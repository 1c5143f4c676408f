/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen.c - the report on the screen: every text console that is not a serial
 * port, each wrapped at its own width. The console the firmware offers as "the"
 * console is mirrored to the serial port too, where each line would then stand
 * twice; it has no device path, its parts have. Where no part is to be found,
 * it is better than nothing.
 *
 * UEFI specification, "Simple Text Output Protocol", "UART Device Path".
 */
#include "efi/console.h"
#include "efi/platform.h"
#include "efi/sinks.h"
#include "src/base/hw.h"
#include "src/base/text.h"
#include "src/ui/wrap.h"

#define SCREENS_MAX 4
/* A screen that is scrolled slowly may take this part of the run. */
#define SLOW_PART 10
#define SLOW_MS   300 /* less than that nobody notices */

static struct screen {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    unsigned columns; /* the last one is left empty: it may wrap by itself */
} screens[SCREENS_MAX];
static unsigned screens_count;
static uint64_t opened_ms, spent_ms; /* since; and on screens, of that */
static unsigned left_out;            /* lines, since the last one shown */

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

static void write_line(const struct screen *screen, const char *text,
                       size_t bytes)
{
    size_t skip;

    for (bool first = true; bytes != 0; first = false) {
        size_t n = wrap_row(text, bytes, screen->columns, first, &skip);
        if (!first)
            console_write(screen->out, "    ", WRAP_INDENT);
        console_write(screen->out, text, n);
        console_write(screen->out, "\r\n", 2);
        text += n + skip;
        bytes -= n + skip;
    }
}

static void write_lines(const char *text, size_t bytes)
{
    for (unsigned s = 0; s < screens_count; s++) {
        size_t from = 0;
        for (size_t at = 0; at < bytes; at++) {
            if (text[at] != '\n')
                continue;
            write_line(&screens[s], text + from, at - from);
            from = at + 1;
        }
    }
}

/* Whole lines, each ended by "\n". */
static void screen_write(void *self, const char *text, size_t bytes)
{
    char note[64];
    uint64_t before = hw_ms();

    (void)self;
    if (spent_ms > SLOW_MS && spent_ms * SLOW_PART > before - opened_ms) {
        left_out++;
        return;
    }
    if (left_out != 0)
        write_lines(note,
                    text_format(note, sizeof(note),
                                "... %u lines are not shown here\n", left_out));
    left_out = 0;
    write_lines(text, bytes);
    spent_ms += hw_ms() - before;
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
    unsigned rows;
    bool known = false; /* what any console is */

    screens_count = left_out = 0;
    opened_ms = hw_ms();
    spent_ms = 0;
    if (EFI_ERROR(platform_boot->LocateHandleBuffer(ByProtocol, &text_out, NULL,
                                                    &count, &handles)))
        count = 0;
    for (UINTN i = 0; i < count && screens_count < SCREENS_MAX; i++) {
        const EFI_DEVICE_PATH *path =
            platform_protocol(handles[i], &device_path);
        struct screen *screen = &screens[screens_count];
        screen->out = platform_protocol(handles[i], &text_out);
        known = known || path != NULL;
        if (path == NULL || screen->out == NULL || is_serial(path))
            continue;
        screens_count++;
    }
    if (handles != NULL)
        platform_boot->FreePool(handles);
    if (!known && platform_system->ConOut != NULL)
        screens[screens_count++].out = platform_system->ConOut;
    for (unsigned s = 0; s < screens_count; s++) {
        console_size(screens[s].out, &screens[s].columns, &rows);
        screens[s].columns--;
    }
    *out = (struct sink){.write = screen_write, .flush = screen_flush};
    return screens_count != 0;
}
