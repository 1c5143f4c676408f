/* SPDX-License-Identifier: BSD-2-Clause */
/* words.c - options and lists, taken apart. */
#include "src/base/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct word of(const char *text)
{
    return (struct word){text, strlen(text)};
}

static void words_in_turn(void **state)
{
    static const char text[] = "\t one\r\n# two three\n#\nfour#5 \0six #7";
    static const char *const wanted[] = {"one", "four#5", "six"};
    struct word word;
    size_t at = 0;

    (void)state;
    for (size_t n = 0; n < sizeof(wanted) / sizeof(wanted[0]); n++) {
        assert_true(words_next(text, sizeof(text) - 1, &at, &word));
        assert_true(word_is(&word, wanted[n]));
        assert_true(word.at + word.bytes == text + at);
    }
    assert_false(words_next(text, sizeof(text) - 1, &at, &word));
    assert_int_equal(at, sizeof(text) - 1);
    /* Not one byte after the end. */
    at = 0;
    assert_true(words_next("onetwo", 3, &at, &word));
    assert_true(word_is(&word, "one"));
    assert_false(words_next("onetwo", 3, &at, &word));
}

static void words_compared(void **state)
{
    struct word word = of("seed=7");

    (void)state;
    assert_true(word_is(&word, "seed=7"));
    assert_false(word_is(&word, "seed=70"));
    assert_false(word_is(&word, "seed="));
    assert_false(word_is(&word, "seed=8"));
}

static void values(void **state)
{
    struct word word = of("seed=7"), value = word_value(&word, "seed");

    (void)state;
    assert_true(word_is(&value, "7"));
    assert_null(word_value(&word, "see").at);
    assert_null(word_value(&word, "feed").at);
    assert_null(word_value(&word, "seed=7").at);
    word = of("seed=");
    value = word_value(&word, "seed");
    assert_non_null(value.at);
    assert_int_equal(value.bytes, 0);
    word = of("seed");
    assert_null(word_value(&word, "seed").at);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t max, value;
        bool is_one;
    } rows[] = {
        {"0", 0, 0, true},
        {"7", 7, 7, true},
        {"8", 7, 0, false},
        {"1234567890", UINT64_MAX, 1234567890, true},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, true},
        {"18446744073709551616", UINT64_MAX, 0, false},
        {"0x0", 0, 0, true},
        {"0xaF9", UINT64_MAX, 0xaf9, true},
        {"0XaF9", UINT64_MAX, 0xaf9, true},
        {"0xffffffffffffffff", UINT64_MAX, UINT64_MAX, true},
        {"0x10000000000000000", UINT64_MAX, 0, false},
        {"0x1g", UINT64_MAX, 0, false},
        {"0xG", UINT64_MAX, 0, false},
        {"1f", UINT64_MAX, 0, false},
        {"1x2", UINT64_MAX, 0, false},
        {"0x", UINT64_MAX, 0, false},
        {"", UINT64_MAX, 0, false},
        {"-1", UINT64_MAX, 0, false},
        {"1 ", UINT64_MAX, 0, false},
        {"1/", UINT64_MAX, 0, false},
        {"1:", UINT64_MAX, 0, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint64_t value = 99;
        bool is_one = word_number(of(rows[n].text), rows[n].max, &value);

        if (is_one != rows[n].is_one || (is_one && value != rows[n].value))
            fail_msg("\"%s\", at most %lu", rows[n].text, rows[n].max);
    }
}

static void parts(void **state)
{
    struct word rest = of("a,,bc,"), part;

    (void)state;
    part = word_next_part(&rest);
    assert_true(word_is(&part, "a"));
    part = word_next_part(&rest);
    assert_true(word_is(&part, ""));
    part = word_next_part(&rest);
    assert_true(word_is(&part, "bc"));
    assert_int_equal(rest.bytes, 0);
    part = word_next_part(&rest);
    assert_int_equal(part.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_turn), cmocka_unit_test(words_compared),
        cmocka_unit_test(values),        cmocka_unit_test(numbers),
        cmocka_unit_test(parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
