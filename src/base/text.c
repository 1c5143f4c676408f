/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - formats, compares and matches text. */
#include "src/base/text.h"

#include <stdint.h>

#define DIGITS_MAX 20 /* 2^64 - 1 in decimal */

struct out {
    char *at, *last; /* *last is reserved for the NUL */
};

/* %[0][width][l[l]]conversion */
struct format {
    bool zero, wide;
    unsigned width;
    char conversion;
};

static void put_char(struct out *out, char c)
{
    if (out->at < out->last)
        *out->at++ = c;
}

static void put_padded(struct out *out, const struct format *f,
                       const char *text, size_t length)
{
    for (size_t i = length; i < f->width; i++)
        put_char(out, f->zero ? '0' : ' ');
    for (size_t i = 0; i < length; i++)
        put_char(out, text[i]);
}

static void put_number(struct out *out, struct format *f, uint64_t value,
                       bool negative)
{
    const char *digits =
        f->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = f->conversion == 'x' || f->conversion == 'X' ? 16 : 10;
    char text[DIGITS_MAX + 1];
    size_t at = sizeof(text);

    do {
        text[--at] = digits[value % base];
        value /= base;
    } while (value != 0);
    if (negative && f->zero) {
        put_char(out, '-');
        f->width -= f->width != 0;
    } else if (negative) {
        text[--at] = '-';
    }
    put_padded(out, f, text + at, sizeof(text) - at);
}

static const char *parse(const char *at, struct format *f)
{
    *f = (struct format){0};
    for (; *at == '0'; at++)
        f->zero = true;
    for (; *at >= '0' && *at <= '9'; at++)
        f->width = f->width * 10 + (unsigned)(*at - '0');
    for (; *at == 'l'; at++)
        f->wide = true;
    f->conversion = *at;
    return at;
}

size_t text_format_list(char *text, size_t size, const char *format,
                        va_list arguments)
{
    struct out out = {text, text + size - 1};
    struct format f;

    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            put_char(&out, *at);
            continue;
        }
        at = parse(at + 1, &f);
        if (f.conversion == 's') {
            const char *s = va_arg(arguments, const char *);
            s = s != NULL ? s : "(none)";
            put_padded(&out, &f, s, text_length(s));
        } else if (f.conversion == 'c') {
            put_char(&out, (char)va_arg(arguments, int));
        } else if (f.conversion == 'd') {
            int64_t v =
                f.wide ? va_arg(arguments, int64_t) : va_arg(arguments, int);
            put_number(&out, &f, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
        } else if (f.conversion == 'u' || f.conversion == 'x' ||
                   f.conversion == 'X') {
            put_number(&out, &f,
                       f.wide ? va_arg(arguments, uint64_t)
                              : va_arg(arguments, unsigned),
                       false);
        } else {
            put_char(&out, '%');
        }
    }
    *out.at = '\0';
    return (size_t)(out.at - text);
}

size_t text_format(char *out, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    size_t length = text_format_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}

void text_append(char *out, size_t size, const char *format, ...)
{
    size_t length = text_length(out);
    va_list arguments;

    va_start(arguments, format);
    text_format_list(out + length, size - length, format, arguments);
    va_end(arguments);
}

size_t text_length(const char *text)
{
    size_t n = 0;

    while (text[n] != '\0')
        n++;
    return n;
}

int text_compare(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

bool text_equal(const char *a, const char *b)
{
    return text_compare(a, b) == 0;
}

/* Goes back only to the last star: a later one can take over all that an
 * earlier one could give it. */
bool text_match(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
