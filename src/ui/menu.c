/* SPDX-License-Identifier: BSD-2-Clause */
/* menu.c - items, each with the few values that are usual; everything else
 * can be typed, in the one grammar there is. */
#include "src/ui/menu.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/ui/wrap.h"

static const char *const suites[] = {"*",   "counter3", "counting,pebs",
                                     "tsx", "hle,tsx",  "pt"};
static const char *const repeats[] = {"1", "2", "10", "100", "1000"};
static const char *const trials[] = {"0", "20", "100", "1000", "10000"};
static const char *const allows[] = {"nothing", "sdv_enable_rtm"};

/* key=value for each; an item without a key is an action. */
static const struct item {
    const char *name, *key;
    const char *const *values;
    unsigned count;
    enum menu_action action;
} items[] = {
    {"Start", NULL, NULL, 0, MENU_START},
    {"Tests", "tests", suites, 6, MENU_STAY},
    {"Rounds", "repeats", repeats, 5, MENU_STAY},
    {"Trials of each measurement, 0: as usual", "trials", trials, 5, MENU_STAY},
    {"Verbosity", "verbosity", options_verbosities, 3, MENU_STAY},
    {"Raw records", "raw", options_raws, 3, MENU_STAY},
    {"Dangerous operations allowed", "allow", allows, 2, MENU_STAY},
    {"At the end", "exit", options_ends, 4, MENU_STAY},
    {"Type an option", NULL, NULL, 0, MENU_STAY},
    {"Reboot", NULL, NULL, 0, MENU_REBOOT},
    {"Power off", NULL, NULL, 0, MENU_POWEROFF},
    {"Back to the firmware", NULL, NULL, 0, MENU_FIRMWARE},
};
#define ITEMS ((unsigned)(sizeof(items) / sizeof(items[0])))

static void set_warning(void *context, const char *line)
{
    struct menu *menu = context;

    text_append(menu->warning, sizeof(menu->warning), "%s%s",
                menu->warning[0] != '\0' ? "; " : "", line);
}

static void parse_options(struct menu *menu, const char *text)
{
    menu->warning[0] = '\0';
    options_parse(menu->options, text, text_length(text), set_warning, menu);
}

/* True where the options are as they are with this value of the item. */
static bool has_value(const struct menu *menu, const struct item *item,
                      unsigned value)
{
    struct options with = *menu->options;
    char text[OPTIONS_LINE_BYTES], now[OPTIONS_LINE_BYTES];
    size_t bytes = text_format(text, sizeof(text), "%s=%s", item->key,
                               item->values[value]);

    options_parse(&with, text, bytes, set_warning, &(struct menu){0});
    options_write(&with, text);
    options_write(menu->options, now);
    return text_equal(text, now);
}

/* The index of the item's value; item->count where it was typed. */
static unsigned value_of(const struct menu *menu, const struct item *item)
{
    unsigned value = 0;

    while (value < item->count && !has_value(menu, item, value))
        value++;
    return value;
}

static void change_value(struct menu *menu, const struct item *item,
                         bool forward)
{
    char text[OPTIONS_LINE_BYTES];
    unsigned value = value_of(menu, item);

    if (item->key == NULL)
        return;
    if (value >= item->count)
        value = 0;
    else
        value = (value + (forward ? 1 : item->count - 1)) % item->count;
    text_format(text, sizeof(text), "%s=%s", item->key, item->values[value]);
    parse_options(menu, text);
}

static void type_key(struct menu *menu, struct key key)
{
    size_t length = text_length(menu->entry);

    if (key.code == KEY_CHARACTER && length + 1 < sizeof(menu->entry)) {
        menu->entry[length] = key.character;
        menu->entry[length + 1] = '\0';
    } else if (key.code == KEY_BACKSPACE && length != 0) {
        menu->entry[length - 1] = '\0';
    } else if (key.code == KEY_ENTER) {
        parse_options(menu, menu->entry);
        menu->typing = false;
    } else if (key.code == KEY_ESCAPE) {
        menu->typing = false;
    }
}

void menu_open(struct menu *menu, struct options *options, bool has_report)
{
    *menu = (struct menu){.options = options, .has_report = has_report};
}

static enum menu_action press_enter(struct menu *menu)
{
    const struct item *item = &items[menu->at];

    if (item->key != NULL) {
        change_value(menu, item, true);
    } else if (item->action == MENU_STAY) {
        menu->typing = true;
        menu->entry[0] = menu->warning[0] = '\0';
    }
    return item->action;
}

enum menu_action menu_key(struct menu *menu, struct key key)
{
    if (menu->typing) {
        type_key(menu, key);
        return MENU_STAY;
    }
    switch (key.code) {
    case KEY_UP:
        menu->at = (menu->at + ITEMS - 1) % ITEMS;
        break;
    case KEY_DOWN:
        menu->at = (menu->at + 1) % ITEMS;
        break;
    case KEY_LEFT:
    case KEY_RIGHT:
        change_value(menu, &items[menu->at], key.code == KEY_RIGHT);
        break;
    case KEY_ENTER:
        return press_enter(menu);
    case KEY_ESCAPE:
        return menu->has_report ? MENU_REPORT : MENU_STAY;
    default:
        break;
    }
    return MENU_STAY;
}

static void show_item(const struct menu *menu, unsigned i,
                      void (*row)(void *context, const char *text),
                      void *context)
{
    const struct item *item = &items[i];
    char text[MENU_COLUMNS + 1];
    const char *mark = menu->at == i ? ">" : " ";

    if (item->key == NULL) {
        text_format(text, sizeof(text), " %s %s", mark, item->name);
    } else {
        unsigned value = value_of(menu, item);
        text_format(text, sizeof(text), " %s %s: < %s >", mark, item->name,
                    value < item->count ? item->values[value] : "as typed");
    }
    row(context, text);
}

/* At most `rows` rows; what is longer is cut. */
static void show_wrapped(const char *line, unsigned rows,
                         void (*row)(void *context, const char *text),
                         void *context)
{
    size_t bytes = text_length(line), skip;
    char text[MENU_COLUMNS + 1];

    for (bool first = true; bytes != 0 && rows != 0; first = false, rows--) {
        size_t n = wrap_row(line, bytes, MENU_COLUMNS, first, &skip);
        size_t indent = first ? 0 : WRAP_INDENT;
        memset(text, ' ', indent);
        memcpy(text + indent, line, n);
        text[indent + n] = '\0';
        row(context, text);
        line += n + skip;
        bytes -= n + skip;
    }
}

void menu_show(const struct menu *menu, const char *title,
               void (*row)(void *context, const char *text), void *context)
{
    char line[OPTIONS_LINE_BYTES + 16], options[OPTIONS_LINE_BYTES];

    show_wrapped(title, 1, row, context);
    row(context, "");
    for (unsigned i = 0; i < ITEMS; i++)
        show_item(menu, i, row, context);
    row(context, "");
    if (menu->typing)
        text_format(line, sizeof(line), " key=value, Enter to take it: %s_",
                    menu->entry);
    else
        text_format(line, sizeof(line),
                    " Up, Down: choose; Left, Right: "
                    "change; Enter: do it%s",
                    menu->has_report ? "; Esc: the report" : "");
    show_wrapped(line, 2, row, context);
    show_wrapped(menu->warning, 3, row, context);
    options_write(menu->options, options);
    text_format(line, sizeof(line), " Options: %s", options);
    show_wrapped(line, 4, row, context);
}
