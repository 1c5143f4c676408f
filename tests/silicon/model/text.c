/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - the few string functions that the model needs without a libc. */
#include "tests/silicon/model/text.h"

bool text_equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

size_t text_length(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0')
        n++;
    return n;
}

void text_start(struct text *t, char *buffer, size_t size)
{
    t->at = buffer;
    t->length = 0;
    t->size = size;
    buffer[0] = '\0';
}

void text_add(struct text *t, const char *s)
{
    for (; *s != '\0' && t->length + 1 < t->size; s++)
        t->at[t->length++] = *s;
    t->at[t->length] = '\0';
}

static void add_number(struct text *t, uint64_t value, unsigned base)
{
    char digits[21];
    size_t n = sizeof(digits);

    digits[--n] = '\0';
    do {
        digits[--n] = "0123456789ABCDEF"[value % base];
        value /= base;
    } while (value != 0);
    text_add(t, &digits[n]);
}

void text_add_unsigned(struct text *t, uint64_t value)
{
    add_number(t, value, 10);
}

void text_add_hex(struct text *t, uint64_t value)
{
    add_number(t, value, 16);
}

void text_add_value(struct text *t, const char *name, uint64_t value)
{
    text_add(t, name);
    text_add_hex(t, value);
    text_add(t, "H");
}

bool text_to_unsigned(const char *s, uint64_t *value)
{
    uint64_t v = 0;

    if (*s == '\0')
        return false;
    for (; *s != '\0'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');

        if (*s < '0' || *s > '9' || v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}
