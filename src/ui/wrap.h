/* SPDX-License-Identifier: BSD-2-Clause */
/* wrap.h - a line of text as rows of a screen, broken between words. */
#ifndef SRC_UI_WRAP_H
#define SRC_UI_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#define WRAP_INDENT 4 /* columns before each row of a line but its first */

/* The row that begins at text[0]: how many of its `bytes` characters stand in
 * it, at least 1 where bytes is not 0; columns: at least WRAP_INDENT + 1.
 * first: text[0] begins the line. A row ends before a blank; a word that no row
 * holds is cut. *skip: blanks after it, which no row shows. */
size_t wrap_row(const char *text, size_t bytes, unsigned columns, bool first,
                size_t *skip);

#endif
