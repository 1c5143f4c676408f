/* SPDX-License-Identifier: BSD-2-Clause */
/* clean.c - takes out what is no text. */
#include "host/report/clean.h"

#include <stdbool.h>
#include <string.h>

#define ESC 0x1b
#define BEL 0x07

/* ECMA-48, "Bit combinations and control functions": CSI is ESC [, parameter
 * bytes 30H-3FH, intermediate bytes 20H-2FH, and a final byte 40H-7EH. */
static size_t control_sequence(const char *text, size_t bytes, bool *first)
{
    size_t n = 2, parameters;

    while (n < bytes && text[n] >= 0x30 && text[n] <= 0x3f)
        n++;
    parameters = n;
    while (n < bytes && text[n] >= 0x20 && text[n] <= 0x2f)
        n++;
    if (n == bytes || text[n] < 0x40 || text[n] > 0x7e)
        return n; /* cut: what follows is text again */
    /* CUP and HVP, "line ; column": without a column it is the first. */
    if (text[n] == 'H' || text[n] == 'f') {
        const char *column = memchr(text, ';', parameters);
        size_t at = column == NULL ? parameters : (size_t)(column - text) + 1;
        while (at < parameters && text[at] == '0')
            at++;
        *first = at == parameters || (text[at] == '1' && at + 1 == parameters);
    }
    return n + 1;
}

/* A string of a device or an operating system: to BEL or ESC \, at most to the
 * end of the line. */
static size_t control_string(const char *text, size_t bytes)
{
    size_t n = 2;

    while (n < bytes && text[n] != BEL && text[n] != ESC && text[n] != '\n')
        n++;
    if (n < bytes && text[n] == BEL)
        return n + 1;
    return n + 1 < bytes && text[n] == ESC && text[n + 1] == '\\' ? n + 2 : n;
}

/* How long the sequence is that begins here; *first: the next character is the
 * first of a line. */
static size_t escape(const char *text, size_t bytes, bool *first)
{
    size_t n = 1;

    if (bytes < 2)
        return 1;
    if (text[1] == '[')
        return control_sequence(text, bytes, first);
    if (memchr("]PX^_", text[1], 5) != NULL)
        return control_string(text, bytes);
    while (n < bytes && text[n] >= 0x20 && text[n] <= 0x2f)
        n++;
    return n < bytes && text[n] >= 0x30 && text[n] <= 0x7e ? n + 1 : n;
}

/* Printable characters: nearly all of a text, and kept as they are. */
static size_t plain(const char *text, size_t bytes)
{
    size_t n = 0;

    while (n < bytes && text[n] >= ' ' && text[n] < 0x7f)
        n++;
    return n;
}

size_t clean_text(char *text, size_t bytes, struct cleaned *out)
{
    size_t to = 0, line = 0; /* where what is kept ends; where its line began */

    *out = (struct cleaned){0};
    for (size_t from = 0; from < bytes;) {
        const size_t kept = plain(text + from, bytes - from);
        memmove(text + to, text + from, kept);
        to += kept;
        from += kept;
        if (from == bytes)
            break;
        const unsigned char c = (unsigned char)text[from];
        bool first = c == '\r' && to > line;
        if (c == ESC) {
            from += escape(text + from, bytes - from, &first);
            out->escapes++;
            first = first && to > line;
        } else {
            from++;
        }
        if (first && (from == bytes || text[from] != '\n'))
            text[to++] = '\n';
        else if (c == '\n')
            text[to++] = '\n';
        else if (c == '\t')
            text[to++] = ' ';
        else if (c == '\b')
            to -= to > line;
        else if (c != '\r' && c != ESC)
            out->bytes++;
        if (to > 0 && text[to - 1] == '\n')
            line = to;
    }
    return to;
}
