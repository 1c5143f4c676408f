/* SPDX-License-Identifier: BSD-2-Clause */
/* options_files.c - options from files and from whoever starts the program, and
 * written for the next start. */
#include "tests/host/options/options_fixture.h"

static struct options load(const void *bytes, size_t count)
{
    struct options out;

    warned[0] = '\0';
    warnings = 0;
    options_default(&out);
    options_load(&out, bytes, count, warn, warned);
    return out;
}
#define LOAD(text) load(text, sizeof(text))

/* iPXE gives the name once or twice; a shell a path, which may hold blanks. */
static void program_name_is_no_option(void **state)
{
    (void)state;
    assert_int_equal(LOAD(u"BOOTX64.EFI BOOTX64.EFI trials=5 seed=2").trials,
                     5);
    assert_int_equal(LOAD(u"FS0:\\my stick\\tsxpmu.efi trials=6").trials, 6);
    assert_int_equal(LOAD(u"trials=7 seed=3").trials, 7);
    assert_int_equal(LOAD(u"tsxpmu").seed, 1);
    assert_int_equal(LOAD(u"").seed, 1);
    assert_int_equal(load("", 0).seed, 1);
    assert_int_equal(warnings, 0);
    LOAD(u"tsxpmu.efi frobnicate=1");
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warned, "frobnicate=1: no such option"));
    LOAD(u"tsxpmu.efi trials=1 exit");
    assert_int_equal(warnings, 1);
}

static void load_options_of_any_kind(void **state)
{
    static const uint8_t rubbish[] = {0x01, 0x00, 0x00, 0x00, 0x4e, 0xac, 0x81};
    /* An EFI_LOAD_OPTION: attributes, length of a path, a name. */
    static const uint8_t entry[] = {1, 0, 0, 0, 0x4a, 0, 'W', 0, 0, 0, 4, 1};

    (void)state;
    assert_int_equal(LOAD(u"\xfefftrials=8").trials, 8); /* byte order mark */
    assert_int_equal(LOAD("trials=9").trials, 9);        /* ASCII */
    assert_int_equal(LOAD("\xef\xbb\xbftrials=9").trials, 9); /* UTF-8's mark */
    assert_int_equal(load("\xef\xbb\xbf", 3).trials, 0);      /* and no more */
    assert_int_equal(load(u"\xfeff", 2).trials, 0);
    assert_int_equal(warnings, 0);
    assert_int_equal(load(u"trials=123", 16).trials, 1); /* no NUL */
    assert_int_equal(load(u"trials=12", 17).trials, 1);  /* half a character */
    assert_int_equal(LOAD(u"trials=3\0 trials=4").trials, 3);
    assert_int_equal(warnings, 0);
    load(rubbish, sizeof(rubbish));
    assert_int_equal(warnings, 1);
    assert_string_equal(warned,
                        "the load options are not text: 7 bytes ignored\n");
    load(entry, sizeof(entry));
    assert_int_equal(warnings, 1);
    assert_int_equal(LOAD(u"trials=5 \x4e00").trials, 0);
    assert_int_equal(warnings, 1);
}

/* As editors write them. */
static void files_of_any_kind(void **state)
{
    char text[64];
    size_t odd;

    (void)state;
    assert_int_equal(options_text("\xef\xbb\xbf# \xc3\xbc\r\nseed=2", 15, text,
                                  sizeof(text), &odd),
                     12);
    assert_memory_equal(text, "# ??\r\nseed=2", 12);
    assert_int_equal(odd, 2);
    assert_int_equal(options_text(u"\xfeffseed=2", 14, text, 3, &odd), 3);
    assert_memory_equal(text, "see", 3);
}

/* What options_write() says, read again, is the same. */
static void written_and_read_again(void **state)
{
    static const char *const texts[] = {
        "",
        "tests=pt_*,tsx_* trials=5 seed=7 processors=0,2-4,255 repeats=3 "
        "soak=90s ht=one verbosity=quiet raw=all exit=poweroff countdown=0 "
        "serial=0x2f8 "
        "speed=9600 allow=sdv_enable_rtm,microcode microcode=a.bin",
        "processors=1 soak=30 serial=0xfe034000/4 allow=microcode "
        "verbosity=verbose",
        "serial=off exit=reboot raw=off allow=sdv_enable_rtm processors=255",
        "machine=a identity=full send=tftp",
    };
    char line[OPTIONS_LINE_BYTES], again[OPTIONS_LINE_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct options o = parse(texts[i]);
        size_t bytes = options_write(&o, line);
        assert_int_equal(bytes, strlen(line));
        struct options p = parse(line);
        assert_int_equal(warnings, 0);
        options_write(&p, again);
        assert_string_equal(line, again);
        assert_memory_equal(o.processors, p.processors, sizeof(o.processors));
    }
    struct options o = parse(texts[2]);
    options_write(&o, line);
    assert_string_equal(line,
                        "tests=* seed=1 processors=1 soak=30 verbosity=verbose "
                        "serial=0xfe034000/4 allow=microcode");
}

/* scripts/stick/tsxpmu.cfg as it is changes nothing; with every option's #
 * taken away it is the same but for speed= and microcode=, which have no usual
 * value. */
static void the_file_on_the_stick(void **state)
{
    static char file[8192], used[8192];
    char line[OPTIONS_LINE_BYTES];
    FILE *in = fopen("scripts/stick/tsxpmu.cfg", "r");
    size_t n = 0;

    (void)state;
    assert_non_null(in);
    size_t bytes = fread(file, 1, sizeof(file) - 1, in);
    fclose(in);
    struct options o = parse(file);
    options_write(&o, line);
    assert_string_equal(line, "tests=* seed=1");
    for (size_t i = 0; i < bytes; i++)
        if (file[i] != '#' || file[i + 1] == ' ' || file[i + 1] == '\n')
            used[n++] = file[i];
    o = parse(used);
    assert_string_equal(warned, "");
    options_write(&o, line);
    assert_string_equal(line, "tests=* seed=1 speed=115200 microcode=/06-5e-03 "
                              "machine=rack7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_name_is_no_option),
        cmocka_unit_test(load_options_of_any_kind),
        cmocka_unit_test(files_of_any_kind),
        cmocka_unit_test(written_and_read_again),
        cmocka_unit_test(the_file_on_the_stick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
