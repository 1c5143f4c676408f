/* SPDX-License-Identifier: BSD-2-Clause */
/* test_microcode_update.c - a run with a microcode update between two passes,
 * on four processors of two cores. */
#include "src/base/msr.h"
#include "src/session/session.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DWORDS 512

static uint32_t file[DWORDS] __attribute__((aligned(16)));

/* What the processors do with it. */
static bool takes[4];
static unsigned writes[4];
static uint64_t address[4];

static int device(uint32_t msr, const uint64_t *written)
{
    unsigned core = fake_current & ~1u, here = fake_current;

    if (msr != IA32_BIOS_UPDT_TRIG)
        return HW_NO_FAULT;
    if (written == NULL)
        return HW_GP;
    writes[here]++;
    address[here] = *written;
    for (unsigned p = core; p < core + 2; p++) {
        fake_current = p;
        if (takes[p])
            fake_msr(IA32_BIOS_SIGN_ID)->value = (uint64_t)file[1] << 32;
    }
    fake_current = here;
    return HW_NO_FAULT;
}

static void make_file(uint32_t revision)
{
    uint32_t sum = 0;

    memset(file, 0, sizeof(file));
    file[0] = file[5] = 1;
    file[1] = revision;
    file[3] = 0x506e3;
    file[6] = 1 << 1;
    file[7] = sizeof(file) - 48;
    file[8] = sizeof(file);
    for (unsigned i = 0; i < DWORDS; i++)
        sum += file[i];
    file[4] = 0 - sum;
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(4);
    for (fake_current = 0; fake_current < 4; fake_current++) {
        fake_msr(IA32_PLATFORM_ID)->value = UINT64_C(1) << 50;
        fake_msr(IA32_BIOS_UPDT_TRIG);
        takes[fake_current] = true;
        writes[fake_current] = 0;
    }
    fake_current = 0;
    fake_device = device;
    make_file(0xea);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device = NULL;
    return 0;
}

static void one_body(struct test_context *t)
{
    check(t, true, "never seen");
    observe(t, "the old microcode", test_cpu(t)->microcode == 0xc6, 1);
}

static void two_body(struct test_context *t)
{
    check(t, true, "never seen");
}

static const struct test one = {"one",     "One?",   "A book", EACH_PROCESSOR,
                                {0, 0, 0}, one_body, NULL,     0};
static const struct test two = {"two",     "Two?",   "A book", EACH_PROCESSOR,
                                {0, 0, 0}, two_body, NULL,     0};
static const struct test *const both[] = {&one, &two, NULL};

static void warn(void *context, const char *line)
{
    (void)context;
    fail_msg("%s", line);
}

static struct ktap_totals run(const char *words, bool there)
{
    struct options options;
    struct sink sink;
    void *workspace = malloc(session_workspace(hw_processors()));

    fake_cases = both;
    fake_sink(&sink);
    options_default(&options);
    options_parse(&options, words, strlen(words), warn, NULL);
    struct session_setup setup = {
        .options = &options,
        .sinks = &sink,
        .sinks_count = 1,
        .program = "tsxpmu",
        .microcode = there ? file : NULL,
        .microcode_bytes = sizeof(file),
        .microcode_missing = "there is no such file",
        .workspace = workspace,
    };
    struct ktap_totals totals = session_run(&setup);
    free(workspace);
    return totals;
}

static struct ktap_totals update(void)
{
    return run("microcode=a allow=microcode", true);
}

static void assert_has(const char *text)
{
    if (strstr(fake_report, text) == NULL)
        fail_msg("not there: %s\nin:\n%s", text, fake_report);
}

static void assert_writes(unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned want[] = {a, b, c, d};

    for (unsigned p = 0; p < 4; p++)
        assert_int_equal(writes[p], want[p]);
}

static void tested_before_and_after(void **state)
{
    (void)state;
    struct ktap_totals totals = update();

    assert_writes(1, 0, 1, 0);
    assert_true(address[0] == (uintptr_t)(file + 12) &&
                address[2] == address[0]);
    assert_int_equal(totals.pass, 5);
    assert_has("\n1..5\n");
    assert_has("\nok 1 - one # OBSERVED 1 of 1\n");
    assert_has("\nok 2 - two\n# summary: microcode C6H: regime B");
    assert_has("\n# loaded on 2 cores, by one processor of "
               "each; it stays until the machine is reset\n"
               "ok 3 - microcode_update\n");
    assert_has("\n# GenuineIntel 06_5EH stepping 3, microcode "
               "EAH");
    assert_has("\nok 4 - one@EAH\n");
    assert_has("\nok 5 - two@EAH\n# summary: microcode EAH: regime B");
    assert_has("\n# summary: side by side: microcode C6H | EAH\n"
               "# summary: side by side: regime B | B\n"
               "# summary: side by side: one: PASS with OBSERVED | PASS\n"
               "# summary: side by side: 1 of 2 tests ended alike\n");
}

static void rounds_have_names(void **state)
{
    (void)state;
    struct ktap_totals totals =
        run("microcode=a allow=microcode repeats=2", true);

    assert_int_equal(totals.pass, 9);
    assert_has("\nok 4 - two/2\n");
    assert_has("\nok 5 - microcode_update\n");
    assert_has("\nok 6 - one/1@EAH\n");
    assert_has("\nok 9 - two/2@EAH\n");
    assert_has("\n# round 2 of 2: seed=2\n# running 8: one/2@EAH\n");
}

static void a_core_that_does_not_take_it(void **state)
{
    (void)state;
    takes[0] = takes[1] = false;
    struct ktap_totals totals = update();

    assert_has("\n# summary: side by side: microcode C6H | EAH\n");
    assert_int_equal(totals.fail, 1);
    assert_has(
        "\n# processors 0-1: FAIL: IA32_BIOS_SIGN_ID (8BH) shows revision "
        "C6H after the update to EAH\n");
    assert_has("\nnot ok 3 - microcode_update\n");
    assert_has("\nok 4 - one@EAH # OBSERVED 1 of 1\n");
}

static void a_thread_that_does_not_take_it(void **state)
{
    (void)state;
    takes[1] = false;
    update();
    assert_writes(1, 0, 1, 0);
    assert_has("\n# processor 1: FAIL: IA32_BIOS_SIGN_ID");
}

static void no_core_takes_it(void **state)
{
    (void)state;
    memset(takes, 0, sizeof(takes));
    struct ktap_totals totals = update();

    assert_int_equal(totals.fail, 1);
    assert_int_equal(totals.error, 2);
    assert_has("\nnot ok 4 - one@EAH # ERROR no processor has taken the "
               "update\n");
}

static void a_write_that_faults_is_the_last(void **state)
{
    (void)state;
    for (fake_current = 0; fake_current < 4; fake_current++)
        fake_msr(IA32_BIOS_UPDT_TRIG)->write_vector = HW_GP;
    fake_current = 0;
    memset(takes, 0, sizeof(takes));
    struct ktap_totals totals = update();

    assert_writes(1, 0, 0, 0);
    assert_int_equal(totals.fail, 1);
    assert_has("WRMSR of IA32_BIOS_UPDT_TRIG (79H) raises vector 13\n");
}

static void assert_refused(const char *why)
{
    char line[200];

    assert_writes(0, 0, 0, 0);
    assert_has("\n1..3\n");
    assert_has("\nok 2 - two\n");
    snprintf(line, sizeof(line),
             "\nnot ok 3 - microcode_update # ERROR refused, and nothing "
             "written: %s",
             why);
    assert_has(line);
    assert_has("\n# summary: regime B");
}

static void refusals(void **state)
{
    (void)state;
    assert_int_equal(run("microcode=a allow=microcode", false).error, 1);
    assert_refused("there is no such file\n");
    make_file(0xc6);
    update();
    assert_refused(
        "the update is of revision C6H, and the processor has C6H\n");
    make_file(0xea);
    run("microcode=a allow=microcode processors=0-2", true);
    assert_refused("processors= excludes some");
    fake_msr_remove(IA32_PLATFORM_ID);
    update();
    assert_refused("the processor's revision (8BH) or its platform (17H)");
}

static void one_of_another_kind(void **state)
{
    (void)state;
    fake_current = 3;
    fake_msr(IA32_PLATFORM_ID)->value = 0;
    fake_current = 0;
    struct ktap_totals totals = update();

    assert_writes(0, 0, 0, 0);
    assert_int_equal(totals.error, 3);
    assert_has("written: the processors are not of one kind\n");
}

static void one_that_is_newer_already(void **state)
{
    (void)state;
    fake_current = 3;
    fake_msr(IA32_BIOS_SIGN_ID)->value = UINT64_C(0xf0) << 32;
    fake_current = 0;
    update();
    assert_writes(0, 0, 0, 0);
    assert_has("written: another processor has this revision or a newer one\n");
}

static void not_in_a_virtual_machine(void **state)
{
    (void)state;
    fake_leaf(1, 0)->ecx |= 1u << 31;
    fake_cpuid(0x40000000, 0, 0, 0x4b4d564b, 0x564b4d56, 0x4d);
    update();
    assert_refused("this is a virtual machine");
}

static void one_that_never_came(void **state)
{
    (void)state;
    fake_absent[3] = true;
    update();
    fake_absent[3] = false;
    assert_writes(0, 0, 0, 0);
    assert_has("written: a processor does not answer");
}

static void not_without_being_asked(void **state)
{
    (void)state;
    run("microcode=a", true);
    assert_writes(0, 0, 0, 0);
    assert_has("\n1..2\n");
    assert_has("\n# warning: microcode=: not loaded without allow=microcode\n");
    run("allow=microcode", true);
    assert_writes(0, 0, 0, 0);
    assert_has("\n1..2\n");
}

#define UPDATE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* 06_4FH stepping 1 of two cores, with this revision, and an L3 cache of so
 * many sets of 16 lines. */
static struct ktap_totals update_broadwell_server(uint32_t revision,
                                                  uint32_t sets)
{
    void *state = NULL;

    set_up(&state);
    make_file(0x0b000040);
    file[3] = 0x406f1;
    file[4] += 0x506e3 - 0x406f1; /* the sum is 0 again */
    for (fake_current = 0; fake_current < 4; fake_current++) {
        fake_leaf(1, 0)->eax = 0x406f1;
        fake_msr(IA32_BIOS_SIGN_ID)->value = (uint64_t)revision << 32;
        fake_cpuid(4, 0, 0x121, 0x1c0003f, 63, 0);
        if (sets != 0)
            fake_cpuid(4, 1, 0x163, 15u << 22 | 63, sets - 1, 0);
    }
    fake_current = 0;
    return update();
}

static void a_load_that_may_hang_is_refused(void **state)
{
    static const struct {
        uint32_t revision, sets;
        bool loaded;
    } rows[] = {
        {0x0b000020, 0x1400, true}, /* 2.5 MB for each of two cores */
        {0x0b000020, 0x1401, false},
        {0x0b000020, 0, false},
        {0x0b000021, 0x2800, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ktap_totals totals =
            update_broadwell_server(rows[i].revision, rows[i].sets);
        assert_int_equal(totals.error != 0, !rows[i].loaded);
        assert_writes(rows[i].loaded, 0, rows[i].loaded, 0);
        if (!rows[i].loaded)
            assert_has("not ok 3 - microcode_update # ERROR refused, and "
                       "nothing written: erratum BDF90: below revision "
                       "0B000021H this processor may hang; only firmware can "
                       "load it\n");
    }
    /* Another model of that stepping may. */
    set_up(state);
    update();
    assert_writes(1, 0, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UPDATE_TEST(tested_before_and_after),
        UPDATE_TEST(a_load_that_may_hang_is_refused),
        UPDATE_TEST(rounds_have_names),
        UPDATE_TEST(a_core_that_does_not_take_it),
        UPDATE_TEST(a_thread_that_does_not_take_it),
        UPDATE_TEST(no_core_takes_it),
        UPDATE_TEST(a_write_that_faults_is_the_last),
        UPDATE_TEST(refusals),
        UPDATE_TEST(one_of_another_kind),
        UPDATE_TEST(one_that_is_newer_already),
        UPDATE_TEST(not_in_a_virtual_machine),
        UPDATE_TEST(one_that_never_came),
        UPDATE_TEST(not_without_being_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
