/* SPDX-License-Identifier: BSD-2-Clause */
/* span.c - compares and takes apart. */
#include "host/report/span.h"

#include <string.h>

bool span_is(struct span span, const char *text)
{
    return span.bytes == strlen(text) && memcmp(span.at, text, span.bytes) == 0;
}

bool span_same(struct span a, struct span b)
{
    return a.bytes == b.bytes &&
           (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

const char *span_find(struct span span, const char *text)
{
    return span.bytes == 0 ? NULL
                           : memmem(span.at, span.bytes, text, strlen(text));
}

bool span_match(struct span span, const char *pattern)
{
    const char *star = NULL;
    size_t at = 0, again = 0;

    while (at < span.bytes) {
        if (*pattern == '*') {
            star = ++pattern;
            again = at;
        } else if (*pattern == span.at[at]) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star;
            at = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static void pass(struct span *rest, size_t bytes)
{
    rest->at += bytes;
    rest->bytes -= bytes;
}

bool take(struct span *rest, const char *text)
{
    const size_t bytes = strlen(text);

    if (rest->bytes < bytes || memcmp(rest->at, text, bytes) != 0)
        return false;
    pass(rest, bytes);
    return true;
}

static int digit(char c, unsigned base)
{
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                       : 16;
    return value < (int)base ? value : -1;
}

static bool take_digits(struct span *rest, unsigned base, uint64_t *number)
{
    uint64_t value = 0;
    size_t n = 0;

    for (; n < rest->bytes && digit(rest->at[n], base) >= 0; n++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit(rest->at[n], base),
                                   &value))
            return false;
    if (n == 0)
        return false;
    pass(rest, n);
    *number = value;
    return true;
}

bool take_number(struct span *rest, uint64_t *number)
{
    return take_digits(rest, 10, number);
}

bool take_hex(struct span *rest, uint64_t *number)
{
    struct span digits = *rest;

    if (!take(&digits, "0x") || !take_digits(&digits, 16, number))
        return false;
    *rest = digits;
    return true;
}

bool take_until(struct span *rest, const char *text, struct span *out)
{
    const char *at = span_find(*rest, text);

    if (at == NULL)
        return false;
    *out = (struct span){rest->at, (size_t)(at - rest->at)};
    pass(rest, out->bytes + strlen(text));
    return true;
}

bool take_line(struct span *rest, struct span *out)
{
    if (rest->bytes == 0)
        return false;
    if (!take_until(rest, "\n", out)) {
        *out = *rest;
        pass(rest, rest->bytes);
    }
    return true;
}
