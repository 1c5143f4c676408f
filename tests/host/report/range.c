/* SPDX-License-Identifier: BSD-2-Clause */
/* range.c - which lines differ in numbers alone, and what is said of several.
 * Nothing after a line is read. */
#include "src/report/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 4

/* Without a NUL: one byte too many is seen. */
static struct line line_of(const char *text)
{
    const size_t bytes = strlen(text);
    char *at = malloc(bytes != 0 ? bytes : 1);

    memcpy(at, text, bytes);
    return (struct line){at, bytes};
}

static bool alike(const char *a, const char *b)
{
    struct line one = line_of(a), other = line_of(b);
    bool is = range_alike(&one, &other);

    assert_int_equal(range_alike(&other, &one), is);
    free((void *)one.at);
    free((void *)other.at);
    return is;
}

static void which_are_alike(void **state)
{
    static const struct {
        const char *a, *b;
        bool alike;
    } rows[] = {
        {"", "", true},
        {"", "1", false},
        {"1", "1", true},
        {"1", "22", true},
        {"a", "b", false},
        {"a", "ab", false},
        {"a 1", "a 2 b", false},
        {"1 of 2", "33 of 444", true},
        {"(1)", "(20)", true},
        {"9, 1", "10, 2", true},
        {"/1:", "/2:", true},
        /* A number is one in the same base. */
        {"0x1", "0xabcdef09", true},
        {"0x1", "1", false},
        {"0x", "0x", true},
        {"0x", "0x1", false},
        {"0xg", "0xh", false},
        {"0xA", "0xB", false},
        /* And beside no letter, '_', '.' or '-': else it is a name. */
        {"PMC1", "PMC2", false},
        {"1FH", "2FH", false},
        {"a_1", "a_2", false},
        {"z1", "z2", false},
        {"A1", "A2", false},
        {"Z1", "Z2", false},
        {"1_", "2_", false},
        {"1.5", "2.5", false},
        {"-1", "-2", false},
        {"1-", "2-", false},
        {"1a", "2a", false},
        {"1z", "2z", false},
        {"1A", "2A", false},
        {"1Z", "2Z", false},
        {"1@", "2@", true},
        {"1[", "2[", true},
        {"1`", "2`", true},
        {"1{", "2{", true},
        {"1/", "2/", true},
        {"x 1", "1 x", false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        if (alike(rows[n].a, rows[n].b) != rows[n].alike)
            fail_msg("\"%s\" and \"%s\"", rows[n].a, rows[n].b);
}

static void says(const char *const texts[MOST], size_t size, const char *want)
{
    struct line lines[MOST];
    char *out = malloc(size);
    unsigned count = 0;

    for (; count < MOST && texts[count] != NULL; count++)
        lines[count] = line_of(texts[count]);
    range_write(lines, count, out, size);
    assert_string_equal(out, want);
    free(out);
    while (count-- != 0)
        free((void *)lines[count].at);
}

static void what_is_said(void **state)
{
    static const struct {
        const char *texts[MOST], *want;
    } rows[] = {
        {{""}, ""},
        {{"saw 7 of 0x1f"}, "saw 7 of 0x1f"},
        {{"saw 7", "saw 7"}, "saw 7"},
        {{"007", "007"}, "007"},
        {{"5", "7", "3", "4"}, "3..7"},
        {{"0xa", "0xff", "0x9"}, "0x9..0xff"},
        {{"18 to 21", "20 to 25"}, "18..20 to 21..25"},
        {{"1 2 3", "1 5 3", "1 4 9"}, "1 2..5 3..9"},
        {{"(1,10) 38FH", "(0,10) 38FH"}, "(0..1,10) 38FH"},
        {{"PMC1 1", "PMC1 2"}, "PMC1 1..2"},
        {{"18446744073709551615", "0"}, "0..18446744073709551615"},
        {{"0xffffffffffffffff", "0x10"}, "0x10..0xffffffffffffffff"},
        {{"12 34,5", "12 34,6"}, "12 34,5..6"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        says(rows[n].texts, 64, rows[n].want);
    says((const char *[MOST]){"saw 10 of 20", "saw 5 of 20"}, 9, "saw 5..1");
    says((const char *[MOST]){"saw 10 of 20"}, 9, "saw 10 o");
    says((const char *[MOST]){"saw 10 of 20"}, 1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_are_alike),
        cmocka_unit_test(what_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
