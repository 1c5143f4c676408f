/* SPDX-License-Identifier: BSD-2-Clause */
/* range.c - reads lines as words and numbers, side by side. */
#include "src/report/range.h"

#include <stdint.h>

#include "src/base/text.h"

struct number {
    uint64_t value;
    bool hex;
    size_t end; /* 0: no number begins here */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '.' || c == '-';
}

static unsigned digit_value(char c)
{
    return is_digit(c)              ? (unsigned)(c - '0')
           : (c >= 'a' && c <= 'f') ? (unsigned)(c - 'a') + 10
                                    : 16;
}

static struct number number_at(const struct line *line, size_t at)
{
    struct number n = {0, false, 0};
    size_t i = at;

    if (i >= line->bytes || !is_digit(line->at[i]) ||
        (i > 0 && is_word(line->at[i - 1])))
        return n;
    if (i + 2 < line->bytes && line->at[i] == '0' && line->at[i + 1] == 'x') {
        n.hex = true;
        i += 2;
    }
    for (unsigned base = n.hex ? 16 : 10, digit;
         i < line->bytes && (digit = digit_value(line->at[i])) < base; i++)
        n.value = n.value * base + digit;
    if (i == line->bytes || !is_word(line->at[i]))
        n.end = i;
    return n;
}

bool range_alike(const struct line *a, const struct line *b)
{
    size_t i = 0, j = 0;

    while (i < a->bytes && j < b->bytes) {
        struct number m = number_at(a, i), n = number_at(b, j);
        if (m.end != 0 && n.end != 0 && m.hex == n.hex) {
            i = m.end;
            j = n.end;
        } else if (a->at[i++] != b->at[j++]) {
            return false;
        }
    }
    return i == a->bytes && j == b->bytes;
}

/* The n-th number of a line that has so many. */
static uint64_t nth_number(const struct line *line, unsigned n)
{
    struct number number = {0, false, 0};

    for (size_t at = 0; at < line->bytes; at++) {
        number = number_at(line, at);
        if (number.end == 0)
            continue;
        if (n-- == 0)
            break;
        at = number.end - 1;
    }
    return number.value;
}

void range_write(const struct line lines[], unsigned count, char *out,
                 size_t size)
{
    size_t used = 0, at = 0;

    out[0] = '\0';
    for (unsigned n = 0; at < lines[0].bytes;) {
        struct number number = number_at(&lines[0], at);
        uint64_t least = number.value, most = number.value;
        const char *format = number.hex ? "0x%lx..0x%lx" : "%lu..%lu";

        for (unsigned i = 1; number.end != 0 && i < count; i++) {
            uint64_t value = nth_number(&lines[i], n);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        n += number.end != 0;
        if (least != most) {
            used += text_format(out + used, size - used, format, least, most);
            at = number.end;
        } else {
            used += text_format(out + used, size - used, "%c", lines[0].at[at]);
            at++;
        }
    }
}
