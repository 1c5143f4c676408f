/* SPDX-License-Identifier: BSD-2-Clause */
/* wrap.c - breaks lines. */
#include "src/ui/wrap.h"

size_t wrap_row(const char *text, size_t bytes, unsigned columns, bool first,
                size_t *skip)
{
    size_t room = first ? columns : columns - WRAP_INDENT, end = bytes;

    *skip = 0;
    if (bytes <= room)
        return bytes;
    for (end = room; end > 0 && text[end] != ' '; end--)
        ;
    while (end > 0 && text[end - 1] == ' ')
        end--; /* blanks alone are no row */
    if (end == 0)
        return room;
    while (end + *skip < bytes && text[end + *skip] == ' ')
        ++*skip;
    return end;
}
