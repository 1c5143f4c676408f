/* SPDX-License-Identifier: BSD-2-Clause */
/* test_options.c - the grammar of the options, right and wrong. */
#include "src/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char warned[1024];
static unsigned warnings;

static void warn(void *context, const char *line)
{
    assert_ptr_equal(context, warned);
    warnings++;
    strncat(warned, line, sizeof(warned) - strlen(warned) - 2);
    strcat(warned, "\n");
}

static struct options parse(const char *text)
{
    struct options out;

    warned[0] = '\0';
    warnings = 0;
    options_default(&out);
    options_parse(&out, text, strlen(text), warn, warned);
    return out;
}

static void defaults(void **state)
{
    struct options o = parse("");

    (void)state;
    assert_string_equal(o.tests, "*");
    assert_int_equal(o.trials, 0);
    assert_int_equal(o.at_end, AT_END_FIRMWARE);
    assert_int_equal(warnings, 0);
}

static void all_keys(void **state)
{
    struct options o = parse("# a comment tests=no\r\n"
                             "tests=counter3_*\ttrials=20 # trials=9\n"
                             "seed=0xFFFFFFFFFFFFFFFF exit=poweroff trials=21");

    (void)state;
    assert_int_equal(warnings, 0);
    assert_string_equal(o.tests, "counter3_*");
    assert_int_equal(o.trials, 21); /* the later one */
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(o.at_end, AT_END_POWEROFF);
    assert_int_equal(parse("exit=reboot").at_end, AT_END_REBOOT);
    assert_int_equal(parse("trials=4294967295").trials, UINT32_MAX);
}

static void wrong_words_warn_once_each(void **state)
{
    static const char *const words[] = {"frobnicate=1",
                                        "trials=",
                                        "trials=4294967296",
                                        "trials=1x",
                                        "seed=0x",
                                        "seed=18446744073709551616",
                                        "exit=never",
                                        "exit=",
                                        "tests=",
                                        "TRIALS=1",
                                        "trials",
                                        "trialsx=1",
                                        "=",
                                        "seed=-1"};

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct options o = parse(words[i]);
        assert_int_equal(warnings, 1);
        assert_non_null(strstr(warned, words[i]));
        assert_int_equal(o.trials, 0);
        assert_int_equal(o.seed, 1);
        assert_string_equal(o.tests, "*");
    }
    parse("a=1 tests=x b=2");
    assert_int_equal(warnings, 2);
}

static void too_long(void **state)
{
    char text[200] = "tests=";

    (void)state;
    memset(text + 6, 'a', 63);
    assert_int_equal(strlen(parse(text).tests), 63);
    memset(text + 6, 'a', 64);
    assert_string_equal(parse(text).tests, "*");
    assert_int_equal(warnings, 1);
    memset(text, 'b', 199);
    parse(text);
    assert_non_null(strstr(warned, "bbb..: no such option"));
}

/* iPXE gives the name once or twice; it may hold any path. */
static void program_name_is_no_option(void **state)
{
    (void)state;
    assert_int_equal(parse("BOOTX64.EFI \\efi\\tsxpmu.efi trials=5").trials, 5);
    assert_int_equal(warnings, 0);
}

static void stays_within_the_bytes_given(void **state)
{
    struct options o;

    (void)state;
    warned[0] = '\0';
    options_default(&o);
    options_parse(&o, "trials=123", 8, warn, warned);
    assert_int_equal(o.trials, 1);
    options_parse(&o, "seed=5 \0 trials=7", 17, warn, warned);
    assert_int_equal(o.trials, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(all_keys),
        cmocka_unit_test(wrong_words_warn_once_each),
        cmocka_unit_test(too_long),
        cmocka_unit_test(program_name_is_no_option),
        cmocka_unit_test(stays_within_the_bytes_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
