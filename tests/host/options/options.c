/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - each option, and words that are none. */
#include "tests/host/options/options_fixture.h"

static void defaults(void **state)
{
    struct options o = parse("");

    (void)state;
    assert_string_equal(o.tests, "*");
    assert_int_equal(o.trials, 0);
    assert_int_equal(o.at_end, AT_END_MENU);
    assert_int_equal(o.repeats, 1);
    assert_int_equal(o.verbosity, VERBOSITY_NORMAL);
    assert_int_equal(o.raw, RAW_FAILED);
    assert_int_equal(o.countdown, 5);
    assert_int_equal(o.serial, SERIAL_AUTO);
    assert_int_equal(o.speed, 0);
    assert_int_equal(o.allow, 0);
    assert_true(options_want_processor(&o, 0));
    assert_true(options_want_processor(&o, 255));
    assert_false(options_want_processor(&o, 256));
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
    assert_int_equal(parse("exit=reboot exit=menu").at_end, AT_END_MENU);
    assert_int_equal(parse("exit=firmware").at_end, AT_END_FIRMWARE);
    assert_int_equal(parse("repeats=10000").repeats, 10000);
    assert_int_equal(parse("ht=one").ht, HT_ONE);
    assert_int_equal(parse("ht=one ht=all").ht, HT_ALL);
    assert_int_equal(parse("soak=10080").soak, 7 * 24 * 3600);
    assert_int_equal(parse("soak=90s").soak, 90);
    assert_int_equal(parse("soak=2").soak, 120);
    assert_int_equal(parse("verbosity=quiet").verbosity, VERBOSITY_QUIET);
    assert_int_equal(parse("verbosity=verbose").verbosity, VERBOSITY_VERBOSE);
    assert_int_equal(parse("raw=all").raw, RAW_ALL);
    assert_int_equal(parse("raw=off").raw, RAW_OFF);
    assert_int_equal(parse("countdown=0").countdown, 0);
    assert_int_equal(parse("allow=sdv_enable_rtm").allow, ALLOW_SDV_ENABLE_RTM);
    assert_int_equal(parse("allow=microcode,sdv_enable_rtm").allow,
                     ALLOW_SDV_ENABLE_RTM | ALLOW_MICROCODE);
    assert_int_equal(parse("allow=microcode allow=nothing").allow, 0);
    assert_string_equal(parse("microcode=06-5e-03").microcode, "06-5e-03");
    assert_int_equal(parse("speed=9600").speed, 9600);
    assert_string_equal(parse("machine=rack7-03").machine, "rack7-03");
    assert_int_equal(parse("identity=full").identity, IDENTITY_FULL);
    assert_true(parse("send=tftp").send);
    assert_false(parse("send=tftp send=off").send);
    assert_int_equal(parse("identity=full identity=hash").identity,
                     IDENTITY_HASH);
    assert_int_equal(warnings, 0);
    assert_int_equal(parse("trials=4294967295").trials, UINT32_MAX);
}

/* All that options are, as words. */
static void assert_same(const struct options *a, const struct options *b)
{
    char left[OPTIONS_LINE_BYTES], right[OPTIONS_LINE_BYTES];

    options_write(a, left);
    options_write(b, right);
    assert_string_equal(left, right);
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
                                        "TRIALS=1",
                                        "trials",
                                        "trialsx=1",
                                        "=",
                                        "seed=-1",
                                        "repeats=0",
                                        "repeats=10001",
                                        "verbosity=loud",
                                        "raw=some",
                                        "countdown=601",
                                        "serial=",
                                        "serial=0",
                                        "serial=0x3f8/3",
                                        "serial=0x3f8/",
                                        "serial=0x3f8/9",
                                        "serial=COM1",
                                        "speed=0",
                                        "speed=115201",
                                        "speed=100000",
                                        "allow=",
                                        "allow=everything",
                                        "allow=microcode,x",
                                        "processors=",
                                        "processors=256",
                                        "processors=3-1",
                                        "processors=1-",
                                        "processors=-1",
                                        "processors=1,,2",
                                        "microcode=",
                                        "soak=",
                                        "soak=s",
                                        "soak=10081",
                                        "soak=604801s",
                                        "ht=two",
                                        "soak=1m"};

    struct options usual = parse("");

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct options o = parse(words[i]);
        assert_int_equal(warnings, 1);
        assert_non_null(strstr(warned, words[i]));
        assert_int_equal(o.trials, 0);
        assert_int_equal(o.seed, 1);
        assert_string_equal(o.tests, "*");
        assert_same(&o, &usual);
    }
    parse("a=1 tests=x b=2");
    assert_int_equal(warnings, 2);
}

static void too_long(void **state)
{
    char text[400] = "tests=";

    (void)state;
    memset(text + 6, 'a', 255);
    assert_int_equal(strlen(parse(text).tests), 255);
    memset(text + 6, 'a', 256);
    assert_string_equal(parse(text).tests, ""); /* none, rather than all */
    assert_int_equal(warnings, 1);
    assert_string_equal(parse("tests=").tests, "");
    assert_int_equal(warnings, 1);
    memset(text, 'b', 199);
    parse(text);
    assert_non_null(strstr(warned, "bbb..: no such option"));
}

static bool asks(const char *text)
{
    return options_ask_help(text, strlen(text));
}

static void count_line(void *context, const char *line)
{
    unsigned *lines = context;

    assert_true(strlen(line) < 80);
    ++*lines;
}

static void help(void **state)
{
    static const uint8_t entry[] = {1, 0, 0, 0, 0x4a, 0, 'W', 0, 0, 0, 4, 1};
    unsigned lines = 0;

    (void)state;
    assert_true(asks("--help"));
    assert_true(asks("fs0:\\tsxpmu.efi -h"));
    assert_true(asks("tsxpmu.efi tests=pt -?\n"));
    assert_true(options_ask_help(u"tsxpmu.efi --help", 36));
    assert_false(asks("tsxpmu.efi tests=pt"));
    assert_false(asks("tests=help"));
    assert_false(asks("# --help"));
    assert_false(asks(""));
    assert_false(options_ask_help(entry, sizeof(entry)));
    options_help(count_line, &lines);
    assert_in_range(lines, 15, 24); /* a screen */
}

static void lists(void **state)
{
    struct options o = parse("processors=0,2-4,255 tests=pt_*,tsx_commit,");

    (void)state;
    for (unsigned p = 0; p < 256; p++)
        assert_int_equal(options_want_processor(&o, p),
                         p == 0 || (p >= 2 && p <= 4) || p == 255);
    o = parse("processors=1 processors=all");
    assert_true(options_want_processor(&o, 0));
    assert_int_equal(warnings, 0);
}

static void serial_ports(void **state)
{
    struct options o = parse("serial=0x2f8 speed=57600");

    (void)state;
    assert_int_equal(o.serial, SERIAL_AT);
    assert_true(o.serial_address == 0x2f8);
    assert_int_equal(o.serial_stride, 1);
    assert_int_equal(o.speed, 57600);
    o = parse("serial=0xfe034000/4");
    assert_true(o.serial_address == 0xfe034000);
    assert_int_equal(o.serial_stride, 4);
    assert_int_equal(parse("serial=0x2f8 serial=off").serial, SERIAL_OFF);
    assert_int_equal(parse("serial=off serial=auto").serial, SERIAL_AUTO);
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
        cmocka_unit_test(help),
        cmocka_unit_test(lists),
        cmocka_unit_test(serial_ports),
        cmocka_unit_test(stays_within_the_bytes_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
