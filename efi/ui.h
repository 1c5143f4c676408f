/* SPDX-License-Identifier: BSD-2-Clause */
/* ui.h - what a user sees before a run and after it. */
#ifndef EFI_UI_H
#define EFI_UI_H

#include "src/options/options.h"
#include "src/ui/menu.h"

/* Says that an interrupted run is there; true where it is to be continued, as
 * it is unless "n" is pressed within so many seconds. */
bool ui_offer(const char *offer, unsigned seconds);
/* The countdown, and the menu where a key is pressed. Never MENU_STAY. */
enum menu_action ui_before(struct options *options);
/* The report, by pages, and the menu. Does not return without a keyboard. */
enum menu_action ui_after(struct options *options);

#endif
