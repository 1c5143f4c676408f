/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * console.c - what the user reads and types at: the console the firmware calls
 * "the" console, which may be a screen and a keyboard, a serial terminal, both,
 * or nothing.
 *
 * UEFI specification, "Simple Text Input Protocol", "Simple Text Output
 * Protocol".
 */
#include "efi/console.h"
#include "efi/platform.h"

#define PRINT_MAX     256
#define TYPED_MAX     64 /* keys typed before they are read */
#define USUAL_COLUMNS 80
#define USUAL_ROWS    25

static const struct {
    UINT16 scan;
    enum key_code code;
} scans[] = {
    {SCAN_UP, KEY_UP},           {SCAN_DOWN, KEY_DOWN},
    {SCAN_LEFT, KEY_LEFT},       {SCAN_RIGHT, KEY_RIGHT},
    {SCAN_HOME, KEY_HOME},       {SCAN_END, KEY_END},
    {SCAN_PAGE_UP, KEY_PAGE_UP}, {SCAN_PAGE_DOWN, KEY_PAGE_DOWN},
    {SCAN_ESC, KEY_ESCAPE},
};

void console_size(SIMPLE_TEXT_OUTPUT_INTERFACE *console, unsigned *columns,
                  unsigned *rows)
{
    UINTN wide = 0, high = 0;

    if (console == NULL || console->Mode == NULL ||
        EFI_ERROR(console->QueryMode(console, (UINTN)console->Mode->Mode, &wide,
                                     &high)) ||
        wide < 20 || high < 5) {
        wide = USUAL_COLUMNS;
        high = USUAL_ROWS;
    }
    *columns = (unsigned)wide;
    *rows = (unsigned)high;
}

static struct {
    SIMPLE_TEXT_OUTPUT_INTERFACE *console; /* NULL: as it was */
    UINTN mode;
} enlarged;

void console_enlarge(SIMPLE_TEXT_OUTPUT_INTERFACE *console)
{
    UINTN most = 0, best = 0, wide, high;

    if (console == NULL || console->Mode == NULL)
        return;
    const UINTN now = (UINTN)console->Mode->Mode;
    for (UINTN mode = 0; mode < (UINTN)console->Mode->MaxMode; mode++) {
        if (EFI_ERROR(console->QueryMode(console, mode, &wide, &high)) ||
            wide * high <= most)
            continue;
        most = wide * high;
        best = mode;
    }
    if (most == 0 || best == now || EFI_ERROR(console->SetMode(console, best)))
        return;
    enlarged.console = console;
    enlarged.mode = now;
}

void console_restore(void)
{
    if (enlarged.console != NULL)
        enlarged.console->SetMode(enlarged.console, enlarged.mode);
    enlarged.console = NULL;
}

void console_write(SIMPLE_TEXT_OUTPUT_INTERFACE *console, const char *text,
                   size_t bytes)
{
    CHAR16 wide[PRINT_MAX];

    if (console == NULL)
        return;
    while (bytes != 0) {
        size_t n = 0;
        for (; n < bytes && n < PRINT_MAX - 1; n++)
            wide[n] = (CHAR16)text[n];
        wide[n] = 0;
        console->OutputString(console, wide);
        text += n;
        bytes -= n;
    }
}

bool console_has_keys(void)
{
    return platform_system->ConIn != NULL;
}

struct key console_key(void)
{
    SIMPLE_INPUT_INTERFACE *in = platform_system->ConIn;
    EFI_INPUT_KEY got = {0, 0};

    if (in == NULL || EFI_ERROR(in->ReadKeyStroke(in, &got)))
        return (struct key){KEY_NONE, 0};
    for (size_t i = 0; i < sizeof(scans) / sizeof(scans[0]); i++)
        if (got.ScanCode == scans[i].scan)
            return (struct key){scans[i].code, 0};
    if (got.UnicodeChar == '\r' || got.UnicodeChar == '\n')
        return (struct key){KEY_ENTER, 0};
    if (got.UnicodeChar == '\b' || got.UnicodeChar == 0x7f)
        return (struct key){KEY_BACKSPACE, 0};
    if (got.UnicodeChar == 0x1b)
        return (struct key){KEY_ESCAPE, 0};
    if (got.UnicodeChar >= ' ' && got.UnicodeChar <= '~')
        return (struct key){KEY_CHARACTER, (char)got.UnicodeChar};
    return (struct key){KEY_OTHER, 0};
}

void console_forget_keys(void)
{
    for (unsigned i = 0; i < TYPED_MAX; i++)
        if (console_key().code == KEY_NONE)
            return;
}
