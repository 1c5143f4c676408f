/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - the formatter, and the patterns of tests=. */
#include "src/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void formats_like_printf(void **state)
{
    char out[64];

    (void)state;
    assert_int_equal(
        text_format(out, sizeof(out), "%s|%c|%%|%5s|", "ab", 'c', "de"), 13);
    assert_string_equal(out, "ab|c|%|   de|");
}

static void numbers(void **state)
{
    char out[128];

    (void)state;
    text_format(out, sizeof(out), "%d %d %u %x %X %08x %4u|%03d|%4d", -7,
                INT32_MIN, UINT32_MAX, 0xbeef, 0xbeef, 0x1234, 12, -5, -5);
    assert_string_equal(
        out, "-7 -2147483648 4294967295 beef BEEF 00001234   12|-05|  -5");
    text_format(out, sizeof(out), "%lu %lx %llx %ld %016lx", UINT64_MAX,
                UINT64_MAX, 0x123456789abcdefull, INT64_MIN, 0xabcUL);
    assert_string_equal(out, "18446744073709551615 ffffffffffffffff "
                             "123456789abcdef -9223372036854775808 "
                             "0000000000000abc");
    text_format(out, sizeof(out), "%u %x", 0u, 0u);
    assert_string_equal(out, "0 0");
    text_format(out, sizeof(out), "%10u|%09d|%19x|%u", 7u, -7, 0x9au, 9u);
    assert_string_equal(out, "         7|-00000007|                 9a|9");
    text_format(out, sizeof(out), "%03d|%02u|%1d|%2d", 1234, 123u, -12, -1);
    assert_string_equal(out, "1234|123|-12|-1");
}

static void cuts_off_and_ends(void **state)
{
    char out[8] = "zzzzzzz";
    const char *volatile nothing = NULL;

    (void)state;
    assert_int_equal(text_format(out, 4, "%s", "abcdef"), 3);
    assert_string_equal(out, "abc");
    assert_int_equal(out[4], 'z');
    assert_int_equal(text_format(out, 1, "%u", 77u), 0);
    assert_string_equal(out, "");
    assert_int_equal(text_format(out, 8, "%8x", 1u), 7);
    text_format(out, sizeof(out), "%s", nothing);
    assert_string_equal(out, "(none)");
    assert_int_equal(text_format(out, 7, "%s", "abcdef"), 6); /* just so */
    assert_string_equal(out, "abcdef");
}

/* After what there is, and no further than the buffer. */
static void appends(void **state)
{
    char out[8] = "";

    (void)state;
    text_append(out, sizeof(out), "%s", "");
    assert_string_equal(out, "");
    text_append(out, sizeof(out), "%s%u", "ab", 1u);
    assert_string_equal(out, "ab1");
    text_append(out, 6, "%c%s", 'c', "defg");
    assert_string_equal(out, "ab1cd");
    text_append(out, 6, "%s", "h");
    assert_string_equal(out, "ab1cd");
}

static void compares(void **state)
{
    (void)state;
    assert_int_equal(text_length(""), 0);
    assert_int_equal(text_length("abc"), 3);
    assert_true(text_equal("a", "a") && !text_equal("a", "ab"));
    assert_true(text_compare("a", "b") < 0 && text_compare("b", "ab") > 0);
    assert_true(text_compare("ab", "abc") < 0);
}

static void matches_patterns(void **state)
{
    (void)state;
    assert_true(text_match("*", ""));
    assert_true(text_match("*", "counter3_overflow"));
    assert_true(text_match("counter3_*", "counter3_overflow"));
    assert_true(text_match("*_overflow", "counter3_overflow"));
    assert_true(text_match("c*3*o*w", "counter3_overflow"));
    assert_true(text_match("*aab", "aaab"));
    assert_true(text_match("counter3_overflow*", "counter3_overflow"));
    assert_false(text_match("counter3", "counter3_overflow"));
    assert_false(text_match("*overflo", "counter3_overflow"));
    assert_false(text_match("", "a"));
    assert_false(text_match("a*b*c", "acb"));
    assert_false(text_match("?", "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_like_printf),
        cmocka_unit_test(numbers),
        cmocka_unit_test(cuts_off_and_ends),
        cmocka_unit_test(appends),
        cmocka_unit_test(compares),
        cmocka_unit_test(matches_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
