/* SPDX-License-Identifier: BSD-2-Clause */
/* menu.h - the menu as data: keys change options, rows show them. Pure. */
#ifndef SRC_UI_MENU_H
#define SRC_UI_MENU_H

#include "src/options/options.h"
#include "src/ui/key.h"

/* What fits every text console: 80 by 25, the last column and row left empty,
 * because a character there may scroll. */
#define MENU_COLUMNS 79
#define MENU_ROWS    24

#define MENU_ENTRY_BYTES   64
#define MENU_WARNING_BYTES (3 * MENU_COLUMNS)

enum menu_action {
    MENU_STAY,
    MENU_REPORT, /* back to it, where there is one */
    MENU_START,
    MENU_REBOOT,
    MENU_POWEROFF,
    MENU_FIRMWARE,
};

struct menu {
    struct options *options;
    unsigned at;     /* the item with the mark */
    bool has_report; /* to go back to */
    bool typing;     /* a word of the grammar into entry[] */
    char entry[MENU_ENTRY_BYTES];
    char warning[MENU_WARNING_BYTES]; /* what was wrong with it; "" */
};

void menu_open(struct menu *menu, struct options *options, bool has_report);
enum menu_action menu_key(struct menu *menu, struct key key);
/* Calls row(context, text) for each row, from the top, MENU_ROWS at most. */
void menu_show(const struct menu *menu, const char *title,
               void (*row)(void *context, const char *text), void *context);

#endif
