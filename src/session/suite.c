/* SPDX-License-Identifier: BSD-2-Clause */
/* suite.c - selects, sorts and numbers tests. */
#include "src/session/suite.h"

#include "src/session/case_list.h"
#include "src/base/mem.h"
#include "src/session/microcode_update.h"
#include "src/base/words.h"
#include "src/report/summary.h"
#include "src/report/test_names.h"

/* Is the test asked for by one word of tests=? */
static bool fits(const char *word, const struct test *test)
{
    char folder[OPTIONS_TESTS_BYTES + 16];

    text_format(folder, sizeof(folder), "*/cases/%s/*", word);
    return text_match(word, test->name) ||
           (test->file != NULL && text_match(folder, test->file)) ||
           (text_equal(word, "parsers") &&
            text_match("*_decode_golden", test->name)) ||
           (text_equal(word, "counter3") &&
            (text_match("counter3_*", test->name) ||
             summary_rests_on(test->name)));
}

/* The next word of a list. False at its end. */
static bool next_word(struct word *rest, char word[OPTIONS_TESTS_BYTES])
{
    if (rest->bytes == 0)
        return false;
    struct word part = word_next_part(rest);
    memcpy(word, part.at, part.bytes);
    word[part.bytes] = '\0';
    return true;
}

static bool is_wanted(const struct options *options, const struct test *test)
{
    struct word rest = {options->tests, text_length(options->tests)};
    char word[OPTIONS_TESTS_BYTES];

    if (options->soak != 0 && text_equal(options->tests, "*"))
        return text_equal(test->name, test_name(TEST_counter3_provoked)) ||
               text_equal(test->name, test_name(TEST_counter3_other_processor));
    while (next_word(&rest, word))
        if (fits(word, test))
            return true;
    return false;
}

void suite_make(struct suite *out, const struct options *options)
{
    *out = (struct suite){.count = 0};
    out->rounds = options->repeats;
    out->foreign = text_equal(options->tests, "*") && !identity_here_is_intel();
    if (out->foreign)
        return;
    for (const struct test *const *list = case_list(); *list != NULL; list++) {
        unsigned at = out->count;
        if (!is_wanted(options, *list) || at == SUITE_TESTS_MAX)
            continue;
        for (; at > 0 &&
               text_compare(out->tests[at - 1]->name, (*list)->name) > 0;
             at--)
            out->tests[at] = out->tests[at - 1];
        out->tests[at] = *list;
        out->count++;
    }
    if (update_asked_for(options) && out->count != 0)
        out->update = &update_test;
}

/* Of one pass. */
static unsigned pass_results(const struct suite *suite)
{
    return suite->count * suite->rounds;
}

unsigned suite_results(const struct suite *suite)
{
    return pass_results(suite) + (suite->update != NULL) +
           (suite->revision != 0 ? pass_results(suite) : 0);
}

bool suite_is_update(const struct suite *suite, unsigned n)
{
    return n == pass_results(suite);
}

bool suite_is_second(const struct suite *suite, unsigned n)
{
    return n > pass_results(suite);
}

/* The number of the n-th among those of its pass. */
static unsigned in_pass(const struct suite *suite, unsigned n)
{
    return suite_is_second(suite, n) ? n - pass_results(suite) - 1 : n;
}

unsigned suite_slot(const struct suite *suite, unsigned n)
{
    if (suite_is_update(suite, n))
        return suite->count;
    return in_pass(suite, n) % suite->count +
           (suite_is_second(suite, n) ? suite->count + 1 : 0);
}

unsigned suite_slots(const struct suite *suite)
{
    return suite->update != NULL ? 2 * suite->count + 1 : suite->count;
}

const struct test *suite_slot_test(const struct suite *suite, unsigned slot)
{
    if (slot == suite->count)
        return suite->update;
    return suite->tests[slot < suite->count ? slot : slot - suite->count - 1];
}

const struct test *suite_test(const struct suite *suite, unsigned n)
{
    return suite_slot_test(suite, suite_slot(suite, n));
}

unsigned suite_round(const struct suite *suite, unsigned n)
{
    return suite_is_update(suite, n) ? 0 : in_pass(suite, n) / suite->count;
}

bool suite_begins_round(const struct suite *suite, unsigned n)
{
    return in_pass(suite, n) % suite->count == 0;
}

const char *suite_name(const struct suite *suite, unsigned n,
                       char out[SUITE_NAME_BYTES])
{
    text_format(out, SUITE_NAME_BYTES, "%s", suite_test(suite, n)->name);
    if (suite->rounds > 1 && !suite_is_update(suite, n))
        text_append(out, SUITE_NAME_BYTES, "/%u", suite_round(suite, n) + 1);
    if (suite_is_second(suite, n))
        text_append(out, SUITE_NAME_BYTES, "@%XH", suite->revision);
    return out;
}

uint64_t suite_seed(const struct suite *suite, unsigned n,
                    const struct options *options)
{
    return options->seed + suite_round(suite, n);
}

void suite_unmatched(const struct options *options,
                     void (*say)(void *context, const char *pattern),
                     void *context)
{
    struct word rest = {options->tests, text_length(options->tests)};
    char word[OPTIONS_TESTS_BYTES];

    while (next_word(&rest, word)) {
        bool any = false;
        for (const struct test *const *list = case_list(); *list != NULL;
             list++)
            any = any || fits(word, *list);
        if (!any)
            say(context, word);
    }
}
