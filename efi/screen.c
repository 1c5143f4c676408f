/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen.c - the report on the screen: every text console that is not a serial
 * port, each wrapped at its own width. The console the firmware offers as "the"
 * console is mirrored to the serial port too, where each line would then stand
 * twice; it has no device path, its parts have. Where no part is to be found,
 * it is better than nothing.
 *
 * A row below the report says how far the run is; the next line is written over
 * it.
 *
 * UEFI specification, "Simple Text Output Protocol", "UART Device Path".
 */
#include "efi/console.h"
#include "efi/platform.h"
#include "efi/sinks.h"
#include "src/base/hw.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/ui/status.h"
#include "src/ui/wrap.h"

#define SCREENS_MAX 4
/* A screen that is scrolled slowly may take this part of the run. */
#define SLOW_PART 10
#define SLOW_MS   300 /* less than that nobody notices */
/* Then the row below is written anew only so often; it scrolls nothing. */
#define SLOW_STATUS_MS 10000

static struct screen {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    unsigned columns; /* the last one is left empty: it may wrap by itself */
    UINTN attribute;  /* as the firmware has it */
    size_t below;     /* characters of the row below the report */
} screens[SCREENS_MAX];
static unsigned screens_count;
static uint64_t opened_ms, spent_ms; /* since; and on screens, of that */
static unsigned left_out;            /* lines, since the last one shown */
static struct status status;
static uint64_t status_ms; /* when the row was written */

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

/* A row in place of the one below the report. */
static void write_over(struct screen *screen, const char *text, size_t bytes)
{
    char blanks[STATUS_BYTES];

    if (screen->below != 0)
        console_write(screen->out, "\r", 1);
    console_write(screen->out, text, bytes);
    if (bytes < screen->below) {
        memset(blanks, ' ', sizeof(blanks));
        console_write(screen->out, blanks, screen->below - bytes);
    }
    screen->below = 0;
}

static void set_colour(const struct screen *screen, enum status_colour colour)
{
    static const UINTN colours[] = {
        [STATUS_KNOWN] = EFI_YELLOW, [STATUS_BAD] = EFI_LIGHTRED};
    UINTN foreground =
        colour == STATUS_PLAIN
            ? screen->attribute
            : (screen->attribute & ~(UINTN)0xf) | colours[colour];

    screen->out->SetAttribute(screen->out, foreground);
}

static void write_rows(struct screen *screen, const char *text, size_t bytes)
{
    size_t skip;

    for (bool first = true; bytes != 0; first = false) {
        size_t n = wrap_row(text, bytes, screen->columns, first, &skip);
        if (!first)
            console_write(screen->out, "    ", WRAP_INDENT);
        write_over(screen, text, n);
        console_write(screen->out, "\r\n", 2);
        text += n + skip;
        bytes -= n + skip;
    }
}

static void write_line(struct screen *screen, const char *text, size_t bytes)
{
    enum status_colour colour = status_colour(text, bytes);

    if (colour != STATUS_PLAIN)
        set_colour(screen, colour);
    write_rows(screen, text, bytes);
    if (colour != STATUS_PLAIN)
        set_colour(screen, STATUS_PLAIN);
}

static bool is_slow(uint64_t now)
{
    return spent_ms > SLOW_MS && spent_ms * SLOW_PART > now - opened_ms;
}

/* Of the run. */
static uint64_t second_of(uint64_t ms)
{
    return (ms - opened_ms) / 1000;
}

static void show_status(void)
{
    uint64_t before = hw_ms();
    char text[STATUS_BYTES];

    if (is_slow(before) && before - status_ms < SLOW_STATUS_MS)
        return;
    status_ms = before;
    for (unsigned s = 0; s < screens_count; s++) {
        struct screen *screen = &screens[s];
        size_t bytes =
            status_text(&status, second_of(before), screen->columns, text);
        write_over(screen, text, bytes);
        screen->below = bytes;
    }
    spent_ms += hw_ms() - before;
}

static void write_lines(const char *text, size_t bytes)
{
    for (size_t at = 0, from = 0; at < bytes; at++) {
        if (text[at] != '\n')
            continue;
        for (unsigned s = 0; s < screens_count; s++)
            write_line(&screens[s], text + from, at - from);
        from = at + 1;
    }
}

static void read_lines(const char *text, size_t bytes)
{
    for (size_t at = 0, from = 0; at < bytes; at++) {
        if (text[at] != '\n')
            continue;
        status_line(&status, text + from, at - from);
        from = at + 1;
    }
}

/* Whole lines, each ended by "\n". */
static void screen_write(void *self, const char *text, size_t bytes)
{
    char note[64];
    uint64_t before = hw_ms();

    (void)self;
    read_lines(text, bytes);
    if (is_slow(before)) {
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
    show_status();
}

/* Once a second the row is written anew. */
static void screen_tick(void *self)
{
    (void)self;
    if (second_of(hw_ms()) != second_of(status_ms))
        show_status();
}

static void open_one(struct screen *screen)
{
    unsigned rows;

    console_size(screen->out, &screen->columns, &rows);
    screen->columns--;
    screen->below = 0;
    screen->attribute = screen->out->Mode != NULL
                            ? (UINTN)screen->out->Mode->Attribute
                            : EFI_LIGHTGRAY;
    screen->out->ClearScreen(screen->out);
}

bool screen_open(struct sink *out)
{
    EFI_GUID text_out = SIMPLE_TEXT_OUTPUT_PROTOCOL;
    EFI_GUID device_path = DEVICE_PATH_PROTOCOL;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    bool known = false, serial = false; /* what any console is */

    screens_count = left_out = 0;
    status = (struct status){.test = 0};
    opened_ms = status_ms = hw_ms();
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
        serial = serial || (path != NULL && is_serial(path));
        if (path == NULL || screen->out == NULL || is_serial(path))
            continue;
        screens_count++;
    }
    if (handles != NULL)
        platform_boot->FreePool(handles);
    if (!known && platform_system->ConOut != NULL)
        screens[screens_count++].out = platform_system->ConOut;
    /* A terminal at a serial port may not be as large as it is told. */
    if (known && !serial && screens_count != 0)
        console_enlarge(platform_system->ConOut);
    for (unsigned s = 0; s < screens_count; s++)
        open_one(&screens[s]);
    *out = (struct sink){
        .write = screen_write, .flush = screen_flush, .tick = screen_tick};
    return screens_count != 0;
}
