/* SPDX-License-Identifier: BSD-2-Clause */
/* config.c - the configuration text: defaults, keys, clear errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/boot/config.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/errata.h"

static struct config config;

static bool parse(const char *text)
{
    return config_parse(&config, text, strlen(text));
}

static void defaults(void **state)
{
    (void)state;
    assert_true(parse(""));
    assert_string_equal(config.machine.cpu->name, "skylake-2018");
    assert_string_equal(config.app, "");
    assert_string_equal(config.options, "");
    assert_string_equal(config.message, "");
    assert_int_equal(config.machine.fault, FAULT_none);
    assert_true(config.machine.smt);
    assert_int_equal(config.machine.smi, 0);
    assert_int_equal(config.machine.force_abort, FORCE_ABORT_AS_PERSONALITY);
    assert_int_equal(config.machine.counter3, DISTURB_ANY);
    assert_int_equal(config.offset, 0);
    assert_true(config.turns);
    assert_false(config.mp_blocking);
    assert_false(config.late_timer);
    assert_int_equal(config.stuck, 0);
}

static void all_keys(void **state)
{
    (void)state;
    assert_true(parse(
        "# comment\r\n\r\ncpu = haswell\nsmt=off\nseed=42\n"
        "fault=alias_split\nsmi=7\nforce_abort=4\napp=\\x.efi\nfigures=on\n"
        "mp=blocking\nlate_timer=on\nstuck=1\ncounter3=long\n"
        "options=trials=5 tests=counter3*"));
    assert_string_equal(config.machine.cpu->name, "haswell");
    assert_false(config.machine.smt);
    assert_true(config.figures);
    assert_int_equal(config.machine.seed, 42);
    assert_int_equal(config.machine.smi, 7);
    assert_int_equal(config.machine.force_abort, 4);
    assert_int_equal(config.machine.counter3, DISTURB_LONG);
    assert_int_equal(config.machine.fault, FAULT_alias_split);
    assert_string_equal(config.app, "\\x.efi");
    assert_true(config.mp_blocking);
    assert_true(config.late_timer);
    assert_int_equal(config.stuck, 1);
    assert_string_equal(config.options, "trials=5 tests=counter3*");
    assert_string_equal(config.message, "");
}

static void errors_are_one_line(void **state)
{
    static const struct {
        const char *text, *begins;
    } rows[] = {
        {"x=1\ncpu=foo\n", "error: unknown cpu \"foo\"; valid: "},
        {"fault=foo", "error: unknown fault \"foo\"; valid: none, "},
        {"seed=-1", "error: bad value \"-1\" for seed"},
        {"seed=99999999999999999999", "error: bad value"},
        {"seed=", "error: bad value \"\" for seed"},
        {"smt=yes", "error: bad value \"yes\" for smt"},
        {"stuck=all", "error: bad value \"all\" for stuck"},
        {"mp=never", "error: bad value \"never\" for mp"},
        {"app=", "error: bad value \"\" for app"},
        {"erratum=SKL999", "error: no erratum \"SKL999\" of skylake-2018"},
        {"erratum=SKL018\ncpu=haswell", "error: no erratum \"SKL018\" of has"},
        {"cpu=haswell\nerratum=HSD176,HSD140,X", "error: no erratum \"X\""},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        size_t length;

        assert_false(parse(rows[n].text));
        length = strlen(config.message);
        assert_memory_equal(config.message, rows[n].begins,
                            strlen(rows[n].begins));
        assert_ptr_equal(strchr(config.message, '\n'),
                         &config.message[length - 1]);
    }
}

/* In any order; of an exact processor those alone. */
static void errata_are_those_named(void **state)
{
    (void)state;
    assert_true(parse("erratum=HSD140,HSD143\ncpu=haswell"));
    assert_int_equal(config.machine.errata,
                     BIT(ERRATUM_INSTRUCTIONS) | BIT(ERRATUM_FIXED0_32));
    assert_true(parse("cpu=haswell"));
    assert_int_equal(config.machine.errata, 0);
    assert_true(parse("cpu=haswell-real"));
    assert_int_equal(config.machine.errata,
                     errata_of(personality_find("haswell")));
    assert_true(parse("cpu=haswell-real\nerratum=HSD140"));
    assert_int_equal(config.machine.errata,
                     errata_of(personality_find("haswell")));
}

static void unknown_keys_are_warnings(void **state)
{
    (void)state;
    assert_true(parse("colour=red\nseed=3\nnonsense\n"));
    assert_non_null(strstr(config.message, "unknown key \"colour\""));
    assert_non_null(strstr(config.message, "without \"=\""));
    assert_int_equal(config.machine.seed, 3);
}

static void long_lines_are_refused(void **state)
{
    static char text[5000];

    (void)state;
    memset(text, 'a', sizeof(text));
    assert_false(config_parse(&config, text, sizeof(text)));
    assert_non_null(strstr(config.message, "too long"));
}

static void every_fault_and_personality_is_accepted(void **state)
{
    const struct personality *cpu;
    const char *name;
    char text[128];

    (void)state;
    for (size_t n = 0; (name = fault_name(n)) != NULL; n++) {
        strcpy(text, "fault=");
        assert_true(parse(strcat(text, name)));
        assert_int_equal(config.machine.fault, n);
        assert_non_null(fault_what(n));
    }
    for (size_t n = 0; (cpu = personality_at(n)) != NULL; n++) {
        strcpy(text, "cpu=");
        assert_true(parse(strcat(text, cpu->name)));
        assert_ptr_equal(config.machine.cpu, cpu);
        assert_true(strlen(cpu->brand) < 48);
        assert_non_null(strstr(cpu->brand, "Simulated"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(all_keys),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(errata_are_those_named),
        cmocka_unit_test(unknown_keys_are_warnings),
        cmocka_unit_test(long_lines_are_refused),
        cmocka_unit_test(every_fault_and_personality_is_accepted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
