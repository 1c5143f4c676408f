/* SPDX-License-Identifier: BSD-2-Clause */
/* words.c - words of a text, and numbers and lists in them. */
#include "src/base/words.h"

#include "src/base/mem.h"
#include "src/base/text.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

bool words_next(const char *text, size_t bytes, size_t *at, struct word *out)
{
    while (*at < bytes && (is_blank(text[*at]) || text[*at] == '#')) {
        if (text[*at] == '#')
            while (*at < bytes && text[*at] != '\n')
                ++*at;
        else
            ++*at;
    }
    *out = (struct word){text + *at, 0};
    while (*at < bytes && !is_blank(text[*at])) {
        ++*at;
        out->bytes++;
    }
    return out->bytes != 0;
}

struct word word_value(const struct word *word, const char *key)
{
    size_t length = text_length(key);

    if (word->bytes <= length || memcmp(word->at, key, length) != 0 ||
        word->at[length] != '=')
        return (struct word){NULL, 0};
    return (struct word){word->at + length + 1, word->bytes - length - 1};
}

bool word_is(const struct word *word, const char *text)
{
    return word->bytes == text_length(text) &&
           memcmp(word->at, text, word->bytes) == 0;
}

bool word_number(struct word word, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    unsigned base = 10;

    if (word.bytes > 2 && word.at[0] == '0' && (word.at[1] | 32) == 'x') {
        base = 16;
        word.at += 2;
        word.bytes -= 2;
    }
    for (size_t i = 0; i < word.bytes; i++) {
        char c = word.at[i];
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f'
                             ? (unsigned)((c | 32) - 'a' + 10)
                             : base;
        if (digit >= base || digit > max || value > (max - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return word.bytes != 0;
}

struct word word_next_part(struct word *rest)
{
    struct word part = {rest->at, 0};

    while (part.bytes < rest->bytes && part.at[part.bytes] != ',')
        part.bytes++;
    size_t taken = part.bytes + (part.bytes < rest->bytes);
    *rest = (struct word){rest->at + taken, rest->bytes - taken};
    return part;
}
