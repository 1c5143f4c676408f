/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options_text.c - options as bytes, before there is a grammar to them. A file
 * may come from any editor; load options are whatever the loader made of them:
 * UTF-16 by the rule (UEFI specification, "EFI Loaded Image Protocol"), ASCII,
 * the program's name once or twice before them, or no text at all.
 */
#include "src/options/options.h"
#include "src/base/text.h"
#include "src/base/words.h"

#define LOADED_MAX 4096 /* what is longer is cut */

static size_t skip_mark(const uint8_t *from, size_t bytes, bool *wide)
{
    *wide = bytes >= 2 && from[0] != 0 && from[1] == 0;
    if (bytes >= 2 && from[0] == 0xff && from[1] == 0xfe) {
        *wide = true;
        return 2;
    }
    return bytes >= 3 && from[0] == 0xef && from[1] == 0xbb && from[2] == 0xbf
               ? 3
               : 0;
}

size_t options_text(const void *from, size_t bytes, char *text, size_t size,
                    size_t *not_ascii)
{
    const uint8_t *in = from;
    bool wide;
    size_t n = 0, step, at = skip_mark(in, bytes, &wide);

    *not_ascii = 0;
    step = wide ? 2 : 1;
    for (; at + step <= bytes && n < size; at += step) {
        unsigned c = in[at] | (wide ? (unsigned)in[at + 1] << 8 : 0u);
        if (c == 0)
            break;
        bool plain =
            (c >= ' ' && c <= '~') || c == '\t' || c == '\r' || c == '\n';
        *not_ascii += !plain;
        text[n++] = plain ? (char)c : '?';
    }
    return n;
}

/* Where the first word with '=' begins; `bytes` where there is none. */
static size_t skip_name(const char *text, size_t bytes)
{
    size_t word = 0;

    for (size_t at = 0; at < bytes; at++) {
        if (text[at] == '=')
            return word;
        if (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' ||
            text[at] == '\n')
            word = at + 1;
    }
    return bytes;
}

bool options_ask_help(const void *loaded, size_t bytes)
{
    static const char *const asks[] = {"--help", "-help", "-h",
                                       "-?",     "/?",    "help"};
    char text[LOADED_MAX];
    struct word word;
    size_t not_ascii,
        at = 0, n = options_text(loaded, bytes, text, sizeof(text), &not_ascii);

    while (not_ascii == 0 && words_next(text, n, &at, &word))
        for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
            if (word_is(&word, asks[i]))
                return true;
    return false;
}

void options_load(struct options *out, const void *loaded, size_t bytes,
                  void (*warn)(void *context, const char *line), void *context)
{
    char text[LOADED_MAX], line[OPTIONS_WARNING_BYTES];
    size_t not_ascii,
        n = options_text(loaded, bytes, text, sizeof(text), &not_ascii);

    if (not_ascii != 0) {
        text_format(line, sizeof(line),
                    "the load options are not text: %lu bytes ignored", bytes);
        warn(context, line);
        return;
    }
    size_t name = skip_name(text, n);
    options_parse(out, text + name, n - name, warn, context);
}
