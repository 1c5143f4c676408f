/* SPDX-License-Identifier: BSD-2-Clause */
/* console.h - the firmware's console, which may be absent. */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include "src/ui/key.h"

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

/* At least 20 by 5; 80 by 25 where the console does not say. */
void console_size(SIMPLE_TEXT_OUTPUT_INTERFACE *console, unsigned *columns,
                  unsigned *rows);
/* The text mode with the most characters; and the one before that. */
void console_enlarge(SIMPLE_TEXT_OUTPUT_INTERFACE *console);
void console_restore(void);
void console_write(SIMPLE_TEXT_OUTPUT_INTERFACE *console, const char *text,
                   size_t bytes);
bool console_has_keys(void);
/* KEY_NONE where none was pressed: does not wait. */
struct key console_key(void);
void console_forget_keys(void);

#endif
