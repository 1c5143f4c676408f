/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - the grammar of the options. */
#include "src/options.h"

#include "src/mem.h"
#include "src/text.h"

#define WARNING_BYTES 160
#define WORD_SHOWN    40 /* of a word that is no option */

/* A word of the text; not ended by NUL. */
struct word {
    const char *at;
    size_t bytes;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static bool next_word(const char *text, size_t bytes, size_t *at,
                      struct word *out)
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

/* The value, where the word is key=value; else at is NULL. */
static struct word value_of(const struct word *word, const char *key)
{
    size_t length = text_length(key);

    if (word->bytes <= length || memcmp(word->at, key, length) != 0 ||
        word->at[length] != '=')
        return (struct word){NULL, 0};
    return (struct word){word->at + length + 1, word->bytes - length - 1};
}

static bool word_is(const struct word *word, const char *text)
{
    return word->bytes == text_length(text) &&
           memcmp(word->at, text, word->bytes) == 0;
}

/* Decimal, or hexadecimal after 0x; at most `max`. */
static bool parse_number(struct word word, uint64_t max, uint64_t *out)
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
        if (digit >= base || value > (max - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return word.bytes != 0;
}

static bool parse_tests(struct options *out, const struct word *value)
{
    if (value->bytes == 0 || value->bytes >= sizeof(out->tests))
        return false;
    memcpy(out->tests, value->at, value->bytes);
    out->tests[value->bytes] = '\0';
    return true;
}

static bool parse_at_end(struct options *out, const struct word *value)
{
    static const char *const names[] = {
        [AT_END_FIRMWARE] = "firmware",
        [AT_END_POWEROFF] = "poweroff",
        [AT_END_REBOOT] = "reboot",
    };

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (word_is(value, names[i])) {
            out->at_end = (enum at_end)i;
            return true;
        }
    return false;
}

/* What is wrong with the word, or NULL. */
static const char *take(struct options *out, const struct word *word)
{
    struct word value;
    uint64_t number;

    if ((value = value_of(word, "tests")).at != NULL)
        return parse_tests(out, &value) ? NULL
                                        : "wanted a name or pattern of 1 to 63 "
                                          "characters";
    if ((value = value_of(word, "trials")).at != NULL) {
        if (!parse_number(value, UINT32_MAX, &number))
            return "wanted a number, 0 to 4294967295";
        out->trials = (uint32_t)number;
        return NULL;
    }
    if ((value = value_of(word, "seed")).at != NULL)
        return parse_number(value, UINT64_MAX, &out->seed)
                   ? NULL
                   : "wanted a number of 64 bits";
    if ((value = value_of(word, "exit")).at != NULL)
        return parse_at_end(out, &value)
                   ? NULL
                   : "wanted firmware, poweroff or reboot";
    return "no such option: tests= trials= seed= exit=";
}

/* Loaders put the program's own name before its options. */
static bool is_program_name(const struct word *word)
{
    static const char end[] = ".efi";

    if (word->bytes < 4)
        return false;
    for (size_t i = 0; i < 4; i++)
        if ((word->at[word->bytes - 4 + i] | 32) != (end[i] | 32))
            return false;
    return true;
}

static void complain(const struct word *word, const char *why,
                     void (*warn)(void *context, const char *line),
                     void *context)
{
    char shown[WORD_SHOWN + 1], line[WARNING_BYTES];
    size_t bytes = word->bytes < WORD_SHOWN ? word->bytes : WORD_SHOWN;

    memcpy(shown, word->at, bytes);
    shown[bytes] = '\0';
    text_format(line, sizeof(line), "option %s%s: %s", shown,
                bytes < word->bytes ? ".." : "", why);
    warn(context, line);
}

void options_default(struct options *out)
{
    *out = (struct options){.tests = "*", .seed = 1, .at_end = AT_END_FIRMWARE};
}

void options_parse(struct options *out, const char *text, size_t bytes,
                   void (*warn)(void *context, const char *line), void *context)
{
    struct word word;
    size_t at = 0;

    while (next_word(text, bytes, &at, &word)) {
        if (is_program_name(&word))
            continue;
        const char *why = take(out, &word);
        if (why != NULL)
            complain(&word, why, warn, context);
    }
}
