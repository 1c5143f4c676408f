/* SPDX-License-Identifier: BSD-2-Clause */
/* words.h - words of a text, and numbers and lists in them; nothing is ended by
 * NUL. */
#ifndef SRC_BASE_WORDS_H
#define SRC_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct word {
    const char *at;
    size_t bytes;
};

/* The next word of the text from *at on, which it moves past it; blanks and
 * comments are passed over. False where there is none. */
bool words_next(const char *text, size_t bytes, size_t *at, struct word *out);
bool word_is(const struct word *word, const char *text);
/* The value, where the word is key=value; else at is NULL. */
struct word word_value(const struct word *word, const char *key);
/* Decimal, or hexadecimal after 0x. False where it is neither, or over max. */
bool word_number(struct word word, uint64_t max, uint64_t *out);
/* The next part of a list between commas, taken from *rest. */
struct word word_next_part(struct word *rest);

#endif
