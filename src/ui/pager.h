/* SPDX-License-Identifier: BSD-2-Clause */
/* pager.h - a text that is longer than the screen, by pages. Pure. */
#ifndef SRC_UI_PAGER_H
#define SRC_UI_PAGER_H

#include "src/ui/key.h"

#include <stdbool.h>
#include <stddef.h>

struct pager {
    const char *text; /* lines ended by "\n" */
    size_t bytes;
    unsigned columns, rows; /* for the text, of the screen */
    size_t top;             /* where the first row shown begins */
};

/* The last page. */
void pager_open(struct pager *pager, const char *text, size_t bytes,
                unsigned columns, unsigned rows);
/* From the line that begins the summary of a report on, which ends the text;
 * the last page where there is none. */
void pager_to_summary(struct pager *pager);
/* Up, down, page up, page down, home and end; others do nothing. */
void pager_key(struct pager *pager, enum key_code key);
/* Calls row(context, text, bytes, first) for each row shown, at most `rows`;
 * first: it begins a line, else it is to be indented by WRAP_INDENT. */
void pager_show(const struct pager *pager,
                void (*row)(void *context, const char *text, size_t bytes,
                            bool first),
                void *context);
/* How much of the text stands above the last row shown, in percent. */
unsigned pager_percent(const struct pager *pager);

#endif
