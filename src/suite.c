/* SPDX-License-Identifier: BSD-2-Clause */
/* suite.c - selects, sorts and numbers tests. */
#include "src/suite.h"

#include "src/cases.h"
#include "src/mem.h"
#include "src/words.h"

void suite_make(struct suite *out, const struct options *options)
{
    out->count = 0;
    out->rounds = options->repeats;
    for (const struct test *const *list = cases_list(); *list != NULL; list++) {
        unsigned at = out->count;
        if (!options_want_test(options, (*list)->name) || at == SUITE_TESTS_MAX)
            continue;
        for (; at > 0 &&
               text_compare(out->tests[at - 1]->name, (*list)->name) > 0;
             at--)
            out->tests[at] = out->tests[at - 1];
        out->tests[at] = *list;
        out->count++;
    }
}

unsigned suite_results(const struct suite *suite)
{
    return suite->count * suite->rounds;
}

const char *suite_name(const struct suite *suite, unsigned n,
                       char out[SUITE_NAME_BYTES])
{
    const char *name = suite->tests[n % suite->count]->name;

    if (suite->rounds == 1)
        text_format(out, SUITE_NAME_BYTES, "%s", name);
    else
        text_format(out, SUITE_NAME_BYTES, "%s/%u", name, n / suite->count + 1);
    return out;
}

uint64_t suite_seed(const struct suite *suite, unsigned n,
                    const struct options *options)
{
    return options->seed + n / suite->count;
}

void suite_unmatched(const struct options *options,
                     void (*say)(void *context, const char *pattern),
                     void *context)
{
    struct word rest = {options->tests, text_length(options->tests)};
    char pattern[OPTIONS_TESTS_BYTES];

    while (rest.bytes != 0) {
        struct word part = word_next_part(&rest);
        bool fits = false;
        memcpy(pattern, part.at, part.bytes);
        pattern[part.bytes] = '\0';
        for (const struct test *const *list = cases_list(); *list != NULL;
             list++)
            fits = fits || text_match(pattern, (*list)->name);
        if (!fits)
            say(context, pattern);
    }
}
