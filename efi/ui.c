/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ui.c - what the user at the machine sees before a run and after it. Without a
 * keyboard nothing here waits for one: the countdown ends by itself, and the
 * last page of the report stays on the screen.
 */
#include "efi/ui.h"
#include "efi/console.h"
#include "efi/platform.h"
#include "efi/sinks.h"
#include "src/base/hw.h"
#include "src/base/text.h"
#include "src/ui/pager.h"
#include "src/ui/wrap.h"
#include "version.h"

#include <limits.h>

#define LOOK_MS      10    /* between two looks at the keyboard */
#define MENU_WAIT_MS 60000 /* for a key: noise may have opened the menu */
#define BURST_MS     50    /* nobody presses two keys in less */
#define BURSTS_MAX   100   /* of one echo */
#define TITLE        "tsxpmu " TSXPMU_VERSION

static SIMPLE_TEXT_OUTPUT_INTERFACE *console(void)
{
    return platform_system->ConOut;
}

static void clear_screen(void)
{
    if (console() != NULL)
        console()->ClearScreen(console());
}

/* Over the row as it was. */
static void write_row(const char *text, size_t bytes)
{
    console_write(console(), text, bytes);
    console_write(console(), "\r\n", 2);
}

/* KEY_NONE where none is pressed within so many milliseconds, UINT_MAX: ever.
 * KEY_OTHER is noise of a line: XON, an echo. */
static struct key wait_key(unsigned wait_ms)
{
    for (unsigned ms = 0; wait_ms == UINT_MAX || ms < wait_ms; ms += LOOK_MS) {
        struct key key = console_key();
        if (key.code != KEY_NONE && key.code != KEY_OTHER)
            return key;
        platform_boot->Stall(LOOK_MS * 1000);
    }
    return (struct key){.code = KEY_NONE};
}

static bool same_key(struct key a, struct key b)
{
    return a.code == b.code && a.character == b.character;
}

/* What a terminal sends back of what is written to it comes faster than anybody
 * presses keys: all of it is KEY_OTHER. A key that is held comes again. */
static struct key pressed_key(unsigned wait_ms)
{
    struct key key = wait_key(wait_ms);

    if (key.code == KEY_NONE)
        return key;
    platform_boot->Stall(BURST_MS * 1000);
    struct key next = console_key();
    if (next.code == KEY_NONE || same_key(key, next))
        return key;
    for (unsigned i = 0; i < BURSTS_MAX && next.code != KEY_NONE; i++) {
        console_forget_keys();
        platform_boot->Stall(BURST_MS * 1000);
        next = console_key();
    }
    return (struct key){.code = KEY_OTHER};
}

/* The key that was pressed in time, or KEY_NONE. */
static struct key count_down(const char *what, unsigned seconds)
{
    struct key key;
    char text[96];

    console_forget_keys(); /* of the firmware's own menu */
    for (; seconds != 0; seconds--) {
        size_t bytes = text_format(
            text, sizeof(text), "\rtsxpmu starts in %u s; %s ", seconds, what);
        console_write(console(), text, bytes);
        key = pressed_key(1000);
        if (key.code != KEY_NONE && key.code != KEY_OTHER)
            return key;
    }
    console_write(console(), "\r\n", 2);
    return (struct key){.code = KEY_NONE};
}

static void menu_row(void *context, const char *text)
{
    (void)context;
    write_row(text, text_length(text));
}

/* Without a key it ends by itself: with the report, else with a start. A key
 * that comes again and again is none: something lies on it, or it is noise. */
static enum menu_action run_menu(struct options *options, bool has_report)
{
    struct menu menu;
    struct key key, last = {.code = KEY_NONE};
    enum menu_action action = MENU_STAY;
    uint64_t since = hw_ms();
    bool changed = true;

    menu_open(&menu, options, has_report);
    while (action == MENU_STAY) {
        if (changed) {
            clear_screen();
            menu_show(&menu, TITLE, menu_row, NULL);
        }
        key = wait_key(MENU_WAIT_MS);
        if (!same_key(key, last))
            since = hw_ms();
        last = key;
        changed = menu.typing || key.code != KEY_CHARACTER;
        if (key.code == KEY_NONE || hw_ms() - since > MENU_WAIT_MS)
            action = has_report ? MENU_REPORT : MENU_START;
        else
            action = menu_key(&menu, key);
    }
    clear_screen();
    return action;
}

bool ui_offer(const char *offer, unsigned seconds)
{
    if (seconds == 0 || !console_has_keys())
        return true;
    console_write(console(), "unfinished: ", 12);
    write_row(offer, text_length(offer));
    struct key key =
        count_down("any key: continues that run, n: a new one", seconds);
    return key.code != KEY_CHARACTER || (key.character | 32) != 'n';
}

enum menu_action ui_before(struct options *options)
{
    if (options->countdown != 0 && console_has_keys() &&
        count_down("any key: menu", options->countdown).code != KEY_NONE)
        return run_menu(options, false);
    return MENU_START;
}

static void pager_row(void *context, const char *text, size_t bytes, bool first)
{
    (void)context;
    if (!first)
        console_write(console(), "    ", WRAP_INDENT);
    write_row(text, bytes);
}

static void show_page(const struct pager *pager)
{
    char line[MENU_COLUMNS + 1];

    clear_screen();
    pager_show(pager, pager_row, NULL);
    size_t bytes = text_format(
        line, sizeof(line),
        "-- %u %% -- Up, Down, PgUp, PgDn, Home, End: the report; m: menu",
        pager_percent(pager));
    console_write(console(), line, bytes);
}

enum menu_action ui_after(struct options *options)
{
    struct pager pager;
    unsigned columns, rows;
    size_t bytes;
    const char *text = report_copy_text(&bytes);

    console_size(console(), &columns, &rows);
    pager_open(&pager, text, bytes, columns - 1, rows - 1);
    pager_to_summary(&pager);
    console_forget_keys(); /* of the time of the run */
    show_page(&pager);
    for (;;) {
        struct key key = pressed_key(UINT_MAX);
        if (key.code == KEY_OTHER)
            continue;
        bool menu = key.code == KEY_ESCAPE ||
                    (key.code == KEY_CHARACTER && (key.character | 32) == 'm');
        enum menu_action action = menu ? run_menu(options, true) : MENU_REPORT;
        if (action != MENU_REPORT)
            return action;
        pager_key(&pager, key.code);
        show_page(&pager);
    }
}
