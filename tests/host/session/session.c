/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - whole runs on the fake machine: the report, letter by letter
 * once, and what becomes of bad luck. */
#include "src/base/msr.h"
#include "src/base/crc.h"
#include "src/session/session.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ASKS(name) "What of " name "?"
#define CITE       "A book, \"A table\""

/* What the body of the test named counter3_overflow does. */
static void (*inject)(struct test_context *t);

static void overflow_body(struct test_context *t)
{
    set_msr(t, TSX_FORCE_ABORT, 1);
    set_msr(t, IA32_PERFEVTSEL(3), 0x4300c0);
    if (inject != NULL)
        inject(t);
    check_equal(t, "IA32_PMC3 (C4H)", 5, 5);
}

static void alone_body(struct test_context *t)
{
    note(t, "windows: %u", test_trials(t, 1000, 100));
    observe(t, "a thing", test_processor(t), 3);
    check_equal(t, "IA32_PMC3 (C4H)", 4, 5);
}

static void regime_c_body(struct test_context *t)
{
    check(t, true, "never seen");
}

static void silent_body(struct test_context *t)
{
    note(t, "looked at nothing");
}

static void peer_sets(struct test_context *peer, void *argument)
{
    set_msr(peer, TSX_FORCE_ABORT, *(uint64_t *)argument);
    if (inject != NULL)
        inject(peer);
}

static void scope_body(struct test_context *t)
{
    uint64_t one = 1;

    for (unsigned p = 0; p < hw_processors(); p++)
        check(t, on_processor(t, p, peer_sets, &one),
              "processor %u set the bit", p);
    check(t, !on_processor(t, 99, peer_sets, &one), "there is no processor 99");
}

static const struct test overflow = {
    "counter3_overflow",           ASKS("overflow"), CITE, EACH_PROCESSOR,
    {0, NEED_INTEL | NEED_PMU, 4}, overflow_body,    NULL};
static const struct test alone = {
    "counter3_counts_alone",       ASKS("alone"), CITE, EACH_PROCESSOR,
    {0, NEED_INTEL | NEED_PMU, 4}, alone_body,    NULL};
static const struct test needs_c = {
    "always_abort_default",      ASKS("C"),     CITE, EACH_PROCESSOR,
    {REGIME_C | REGIME_D, 0, 0}, regime_c_body, NULL};
static const struct test silent = {
    "silent",  ASKS("silence"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, silent_body,     NULL};
static const struct test scope = {
    "force_abort_thread_scope",  ASKS("scope"), CITE, WHOLE_MACHINE,
    {0, NEED_TWO_PROCESSORS, 0}, scope_body,    NULL};

static const struct test *const three[] = {&overflow, &needs_c, &alone, NULL};
static const struct test *const one_overflow[] = {&overflow, NULL};
static const struct test *const one_silent[] = {&silent, NULL};
static const struct test *const one_scope[] = {&scope, NULL};

/* What firmware calls the machine of the next runs; NULL: nothing. */
static const struct machine *named;

/* What the next runs are asked beside tests= and trials=, as words. */
static const char *words = "";

static void no_warning(void *context, const char *line)
{
    (void)context;
    print_error("%s\n", line);
    fail();
}

static struct ktap_totals run(const struct test *const *list, const char *tests,
                              unsigned trials)
{
    static const char *const warnings[] = {"no serial port at 3F8H"};
    struct options options;
    struct sink sink;
    /* Not cleared: the session has to do that. */
    void *workspace = malloc(session_workspace(hw_processors()));

    memset(workspace, 0xa5, session_workspace(hw_processors()));
    fake_cases = list;
    fake_sink(&sink);
    options_default(&options);
    snprintf(options.tests, sizeof(options.tests), "%s", tests);
    options.trials = trials;
    options_parse(&options, words, strlen(words), no_warning, NULL);
    struct session_setup setup = {
        .options = &options,
        .sinks = &sink,
        .sinks_count = 1,
        .program = "tsxpmu 0.1 (git 1234567)",
        .image_crc = 0x89abcdef,
        .warnings = warnings,
        .warnings_count = 1,
        .machine = named,
        .workspace = workspace,
    };
    struct ktap_totals totals = session_run(&setup);
    free(workspace);
    return totals;
}

/* The END line agrees with the totals and with what stands before it. */
static void assert_sound(struct ktap_totals totals)
{
    char want[128];
    char *end = strstr(fake_report, "# END ");

    assert_non_null(end);
    assert_true(strncmp(fake_report, "KTAP version 1\n1..", 18) == 0);
    snprintf(want, sizeof(want),
             "# END pass=%u fail=%u error=%u skip=%u known=%u crc=%08X\n",
             totals.pass, totals.fail, totals.error, totals.skip, totals.known,
             crc32(0, fake_report, (size_t)(end - fake_report)));
    assert_string_equal(end, want);
}

static void assert_has(const char *text)
{
    if (strstr(fake_report, text) == NULL) {
        print_error("not there: %s\nin:\n%s", text, fake_report);
        fail();
    }
}

static void assert_lacks(const char *text)
{
    if (strstr(fake_report, text) != NULL) {
        print_error("there: %s\nin:\n%s", text, fake_report);
        fail();
    }
}

static void assert_restored(void)
{
    for (fake_current = 0; fake_current < hw_processors(); fake_current++) {
        assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 0);
        assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->value, 0);
    }
    fake_current = 0;
}

static void report_letter_by_letter(void **state)
{
    static const struct machine machine = {
        .text = {"Maker", "F.42", "07/01/2021", "Some Corp.", "Model 5",
                 "Board Corp.", "B-1", "SN-1"},
        .firmware = "EDK II",
        .firmware_revision = 0x10000,
        .uefi_revision = 0x20046,
        .year = 2026,
        .month = 2,
        .day = 3,
        .hour = 4,
        .minute = 5};
    char golden[65536];
    FILE *file = fopen("tests/golden/session.report", "r");

    (void)state;
    fake_reset();
    fake_processors(2);
    inject = NULL;
    named = &machine;
    struct ktap_totals totals = run(three, "*", 50);
    named = NULL;
    if (getenv("TSXPMU_GOLDEN") != NULL) { /* to be looked at, then committed */
        FILE *out = fopen("tests/golden/session.report", "w");
        assert_non_null(out);
        fputs(fake_report, out);
        fclose(out);
        return;
    }
    assert_non_null(file);
    golden[fread(golden, 1, sizeof(golden) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(fake_report, golden);
    assert_sound(totals);
    assert_int_equal(totals.pass, 1);
    assert_int_equal(totals.fail, 1);
    assert_int_equal(totals.skip, 1);
    assert_true(fake_flushes >= 4);
    assert_restored();
}

static void smi_hits(struct test_context *t)
{
    (void)t;
    fake_msr(MSR_SMI_COUNT)->value += 2;
}

/* Of the test in which there were some alone. */
static void smis_of_a_test(void **state)
{
    static const struct test *const two[] = {&overflow, &silent, NULL};

    (void)state;
    fake_reset();
    fake_msr(MSR_SMI_COUNT)->value = 0xffffffff; /* 32 bits */
    inject = smi_hits;
    run(two, "*", 0);
    assert_has("# 2 SMIs while the test ran (MSR_SMI_COUNT, 34H)\n"
               "ok 1 - counter3_overflow");
    assert_null(strstr(strstr(fake_report, "ok 1 - "), "SMIs"));
    inject = NULL;
}

static void raise_everywhere(struct test_context *t)
{
    (void)t;
    fake_raise(14, 0x1234);
}

static void exception_is_error_and_undone(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    inject = raise_everywhere;
    struct ktap_totals totals = run(three, "*", 0);
    assert_sound(totals);
    assert_int_equal(totals.error, 1);
    assert_int_equal(totals.fail, 1);
    assert_has("# processors 0-1: ERROR: unexpected exception #PF: error 0x0, "
               "RIP 0x1234,");
    assert_has("not ok 3 - counter3_overflow # ERROR unexpected exception #PF");
    assert_restored();
}

static void hang_on_1(struct test_context *t)
{
    if (test_processor(t) == 1)
        fake_hang();
}

static void lost_processor_is_error_others_run(void **state)
{
    static const struct test *const list[] = {&overflow, &silent, &needs_c,
                                              NULL};

    (void)state;
    fake_reset();
    fake_processors(3);
    inject = hang_on_1;
    struct ktap_totals totals = run(list, "*", 100);
    assert_sound(totals);
    /* Before the loss: skipped by all. After it: an error by processor 1. */
    assert_has("ok 1 - always_abort_default # SKIP needs regime C or D; this "
               "processor is in regime B\n");
    assert_has("\n# processor 1: ERROR: processor 1 did not answer in 32 s\n");
    assert_has("not ok 2 - counter3_overflow # ERROR processor 1 did not "
               "answer in 32 s\n");
    assert_has("not ok 3 - silent # ERROR");
    assert_has("# processors 0,2: ERROR: made no check\n");
    assert_int_equal(totals.error, 2);
}

static void absent_processor_is_named(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    fake_absent[1] = true;
    inject = NULL;
    struct ktap_totals totals = run(three, "counter3_o*", 0);
    assert_sound(totals);
    assert_has("# processor 1: ERROR: processor 1 never came up\n");
    assert_has("not ok 1 - counter3_overflow # ERROR processor 1 never came "
               "up\n");
    assert_has("# the processors differ");
}

/* Nothing is known of it, so nothing can be tested on it. */
static void processor_that_cannot_be_identified(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    fake_explosive = TSX_FORCE_ABORT;
    inject = NULL;
    struct ktap_totals totals = run(three, "counter3_o*", 0);
    assert_sound(totals);
    assert_has("# processor 1: ERROR: processor 1 could not be identified\n");
    assert_has("not ok 1 - counter3_overflow # ERROR processor 1 could not be "
               "identified\n");
}

static void no_check_is_error(void **state)
{
    (void)state;
    fake_reset();
    struct ktap_totals totals = run(one_silent, "*", 0);
    assert_sound(totals);
    assert_int_equal(totals.error, 1);
    assert_has("# looked at nothing\n# ERROR: made no check\n");
    assert_has("not ok 1 - silent # ERROR made no check\n");
}

static void pattern_that_fits_nothing(void **state)
{
    (void)state;
    fake_reset();
    struct ktap_totals totals = run(three, "nothing_like_this", 0);
    assert_sound(totals);
    assert_int_equal(totals.error, 1);
    assert_has("\n1..1\n");
    assert_has("# warning: no test fits tests=nothing_like_this\n");
    assert_has("\nnot ok 1 - selection # ERROR no test fits tests=\n");
    assert_has("# summary: undecided: counter 3: test counter3_counts_alone "
               "is not run\n");
}

/* In one line; each by itself where it is asked for. */
static void not_intel_skips_all(void **state)
{
    (void)state;
    fake_reset();
    fake_cpuid(0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65);
    struct ktap_totals totals = run(three, "*", 0);
    assert_sound(totals);
    assert_int_equal(totals.skip, 1);
    assert_has("KTAP version 1\n1..1\n");
    assert_has("\nok 1 - selection # SKIP not an Intel processor: nothing to "
               "test\n");
    assert_lacks("running 1");
    fake_reset();
    fake_cpuid(0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65);
    totals = run(three, "*_*", 0);
    assert_sound(totals);
    assert_int_equal(totals.skip, 3);
    assert_has("# SKIP needs an Intel processor; this one is "
               "\"AuthenticAMD\"\n");
    assert_has("# regime none: ");
    assert_has("# summary: no advice for this processor\n");
    assert_int_equal(fake_written_count, 0);
}

static void says_on_what_it_was_made(void **state)
{
    (void)state;
    fake_reset();
    run(one_silent, "*", 0);
    assert_has("# made on: a bare machine");

    fake_reset();
    fake_leaf(1, 0)->ecx |= 1u << 31;
    memcpy(&fake_leaf(0x40000000, 0)->ebx, "KVMKVMKVM\0\0\0", 12);
    run(one_silent, "*", 0);
    assert_has("# made on: a virtual machine, hypervisor \"KVMKVMKVM\"");
    assert_lacks("bare machine");

    fake_reset();
    fake_leaf(1, 0)->ecx |= 1u << 31;
    memcpy(&fake_leaf(0x40000000, 0)->ebx, IDENTITY_SIMULATED, 12);
    run(one_silent, "*", 0);
    assert_has("\n# made on: a SIMULATED processor, not silicon: nothing below "
               "says anything about a real one\n");
}

static void processors_that_differ(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    fake_current = 1;
    fake_msr(0x8b)->value = 0xd6ull << 32;
    fake_leaf(7, 0)->edx |= 1u << 11;
    fake_msr(TSX_FORCE_ABORT)->value = 1;
    fake_msr(TSX_FORCE_ABORT)->writable = 6;
    fake_current = 0;
    inject = NULL;
    struct ktap_totals totals = run(three, "*", 0);
    assert_sound(totals);
    assert_has("# processor 0: GenuineIntel 06_5EH stepping 3, microcode C6H");
    assert_has("# processor 1: GenuineIntel 06_5EH stepping 3, microcode D6H");
    assert_has("# the processors differ");
    assert_has("# processor 0: SKIP: needs regime C or D");
    assert_has("\nok 1 - always_abort_default\n"); /* processor 1 ran it */
    assert_has("# summary: processor 0: regime B: ");
    assert_has("# summary: processor 1: regime C: ");
}

static void whole_machine_test(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(3);
    inject = NULL;
    struct ktap_totals totals = run(one_scope, "*", 0);
    assert_sound(totals);
    /* The body asked for a processor that is not there. */
    assert_has("# processor 0: ERROR: calls processor 99 of 3\n");
    assert_int_equal(totals.error, 1);
    assert_restored();

    fake_reset();
    fake_processors(3);
    inject = raise_everywhere;
    totals = run(one_scope, "*", 0);
    assert_sound(totals);
    assert_has("# processors 0-2: ERROR: unexpected exception #PF");
    assert_restored();

    fake_reset();
    fake_processors(3);
    inject = hang_on_1;
    totals = run(one_scope, "*", 0);
    assert_sound(totals);
    assert_has("# processor 1: ERROR: processor 1 did not answer in 61 s\n");

    fake_reset(); /* one processor: nothing to compare */
    totals = run(one_scope, "*", 0);
    assert_sound(totals);
    assert_int_equal(totals.skip, 1);
    assert_has("# SKIP needs two logical processors\n");
}

/* Each MSR access of a run in turn raises #GP: the report ends in order, and
 * what could be restored is. */
static void every_access_faults_once(void **state)
{
    unsigned k, left = 1;

    (void)state;
    inject = NULL;
    for (k = 1; left != 0 && k < 1000; k++) {
        fake_reset();
        fake_processors(2);
        fake_fault_at = k;
        assert_sound(run(one_overflow, "*", 0));
        left = fake_fault_at == 0;
    }
    assert_true(k > 20 && k < 1000);
}

/* --- Options ---------------------------------------------------------------
 */

/* PASS at first, FAIL from the third call on. */
static unsigned calls;

static void fickle_body(struct test_context *t)
{
    note(t, "random: %lx", (unsigned long)test_random(t));
    check(t, calls++ < 2, "too often");
}

static const struct test fickle = {
    "fickle",  ASKS("moods"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, fickle_body,   NULL};
static const struct test *const two_rounds[] = {&fickle, &overflow, NULL};

static void repeats_runs_the_list_again(void **state)
{
    char first[64], second[64];

    (void)state;
    fake_reset();
    inject = NULL;
    calls = 0;
    words = "repeats=3 seed=40";
    struct ktap_totals totals = run(two_rounds, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.pass, 5);
    assert_int_equal(totals.fail, 1);
    assert_has("\n1..6\n");
    assert_has("\n# round 1 of 3: seed=40\n# running 1 of 6: counter3_ov");
    assert_has("\n# round 3 of 3: seed=42\n# running 5 of 6: counter3_ov");
    assert_has("\nok 2 - fickle/1\n");
    assert_has("\nok 4 - fickle/2\n");
    assert_has("\nnot ok 6 - fickle/3\n");
    assert_has("\n# summary: not the same in every round: fickle\n");
    assert_lacks("every round: counter3_overflow");
    assert_has("\n# options: tests=* seed=40 repeats=3\n");

    /* Another seed each round, and it is the one that the line says. */
    const char *at = strstr(fake_report, "# random: ");
    snprintf(first, sizeof(first), "%.26s", at);
    at = strstr(at + 1, "# random: ");
    snprintf(second, sizeof(second), "%.26s", at);
    assert_string_not_equal(first, second);
    fake_reset();
    calls = 0;
    words = "seed=41";
    run(two_rounds, "*", 0);
    words = "";
    assert_has(second);
    assert_lacks(first);
}

/* One erratum on both processors, another on one: each name once. */
static void erratum_body(struct test_context *t)
{
    check(t, true, "not said");
    check_known(t, false, ERRATUM_EVENTING_IP, true, "a record");
    check_known(t, test_processor(t) == 0, ERRATUM_PMC2_OVER_ABORTS, true,
                "IA32_PMC2 (C3H)");
}

static const struct test erratum = {
    "erratum", ASKS("errata"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, erratum_body,   NULL};
static const struct test *const one_erratum[] = {&erratum, NULL};

static void errata_are_named_in_the_result(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    inject = NULL;
    struct ktap_totals totals = run(one_erratum, "*", 0);
    assert_int_equal(totals.known, 1);
    assert_sound(totals);
    assert_has("\n# processors 0-1: KNOWN SKL120: a record\n");
    assert_has("\n# processor 1: KNOWN SKL194: IA32_PMC2 (C3H)\n");
    assert_has("\nok 1 - erratum # KNOWN SKL194 SKL120\n");
    assert_has("0 skipped, 1 known\n");
}

static void nmis_of_the_board_are_said(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    run(one_overflow, "*", 1);
    assert_lacks("NMI");
    fake_reset();
    fake_nmis = 3;
    struct ktap_totals totals = run(one_overflow, "*", 1);
    assert_sound(totals);
    assert_int_equal(totals.pass, 1);
    assert_has("\n# warning: 3 NMIs while no test ran: ");
}

static void processors_left_out_are_not_asked(void **state)
{
    static const struct test *const list[] = {&alone, &scope, &overflow, NULL};

    (void)state;
    fake_reset();
    fake_processors(4);
    inject = NULL;
    words = "processors=1-2";
    struct ktap_totals totals = run(list, "*", 100);
    words = "";
    assert_sound(totals);
    assert_has("\n# excluded by processors=: processors 0,3\n");
    assert_has("\n# processors 1-2: windows: 100\n");
    assert_lacks("processor 0: ");
    assert_lacks("processor 3: ");
    assert_has("force_abort_thread_scope # SKIP needs all processors, and "
               "processors= excludes some\n");
    assert_has("\nok 2 - counter3_overflow\n");
    assert_has("\nnot ok 1 - counter3_counts_alone\n");
    for (fake_current = 0; fake_current < 4; fake_current++)
        assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->writes != 0,
                         fake_current == 1 || fake_current == 2);
    fake_current = 0;

    fake_reset(); /* the boot processor alone would run the body */
    fake_processors(3);
    words = "processors=0-1";
    totals = run(one_scope, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.skip, 1);
    assert_has("force_abort_thread_scope # SKIP needs all processors");

    fake_reset(); /* none of those that there are */
    words = "processors=9";
    totals = run(one_overflow, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.pass, 1);
    assert_has("\n# warning: processors= names none of those that there are: "
               "all are tested\n");
}

static void verbosity_is_what_is_said(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    words = "verbosity=quiet";
    assert_sound(run(three, "*", 100));
    assert_has(
        "\n# running 3 of 3: counter3_overflow: What of overflow?\nok 3");
    assert_has("\n# windows: 100\n"); /* of the one that fails */
    assert_has("\n# rests on: A book");
    fake_reset();
    calls = 0;
    assert_sound(run(two_rounds, "fickle", 0));
    assert_lacks("# random: ");
    fake_reset();
    calls = 0;
    fake_ms_step = 1;
    words = "verbosity=verbose";
    assert_sound(run(two_rounds, "fickle", 0));
    words = "";
    assert_has("# random: ");
    assert_has("\n# rests on: A book, \"A table\"\nok 1 - fickle\n# took ");
}

static const uint8_t bytes[40] = {0xde, 0xad, 0xbe, 0xef, [39] = 0x42};

static void raw_body(struct test_context *t)
{
    test_raw(t, "bytes of a kind", bytes, sizeof(bytes));
    check(t, calls == 0, "as wanted");
}

static const struct test raw = {"raw",     ASKS("bytes"), CITE, EACH_PROCESSOR,
                                {0, 0, 0}, raw_body,      NULL};
static const struct test *const one_raw[] = {&raw, NULL};

static void raw_bytes(void **state)
{
    static const struct {
        const char *words;
        bool passes, fails; /* shown then */
    } rows[] = {{"raw=off", false, false},
                {"raw=all", true, true},
                {"raw=failed", false, true},
                {"", false, true}};
    char want[160];

    (void)state;
    snprintf(want, sizeof(want),
             "\n# raw, processor 0: bytes of a kind: 40 bytes, crc %08X\n"
             "# raw 0000 deadbeef",
             crc32(0, bytes, sizeof(bytes)));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        words = rows[i].words;
        for (calls = 0; calls < 2; calls++) {
            fake_reset();
            assert_sound(run(one_raw, "*", 0));
            if (calls == 0 ? rows[i].passes : rows[i].fails) {
                assert_has(want);
                assert_has("\n# raw 0020 0000000000000042\n");
            } else {
                assert_lacks("# raw");
            }
        }
    }
    words = "";
}

/* A test of two minutes, which lets the boot processor speak each second. */
static void long_body(struct test_context *t)
{
    for (unsigned i = 0; i < 120; i++) {
        fake_ms += 1000;
        hw_poll();
    }
    check(t, true, "it ends");
}

static const struct test lasting = {
    "lasting", ASKS("time"), CITE, EACH_PROCESSOR, {0, 0, 0}, long_body, NULL};
static const struct test *const one_long[] = {&lasting, NULL};

static void a_tick_every_ten_seconds(void **state)
{
    unsigned last = 0, ticks = 0, seconds, n, of;

    (void)state;
    fake_reset();
    assert_sound(run(one_long, "*", 0));
    for (const char *at = fake_report; (at = strstr(at, "\n# tick ")) != NULL;
         at++) {
        assert_int_equal(sscanf(at, "\n# tick %u s: test %u of %u, lasting\n",
                                &seconds, &n, &of),
                         3);
        assert_true(seconds > last && seconds - last <= 10);
        assert_int_equal(n, 1);
        assert_int_equal(of, 1);
        last = seconds;
        ticks++;
    }
    assert_true(ticks >= 12 && last >= 110);
    fake_reset(); /* and none in a short run */
    run(one_overflow, "*", 0);
    assert_lacks("# tick");
}

static void lists_of_patterns(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    struct ktap_totals totals = run(three, "*alone,nonsense,counter3_o*", 0);
    assert_sound(totals);
    assert_has("\n1..2\n");
    assert_has("\n# warning: no test fits tests=nonsense\n");
    assert_int_equal(totals.error, 0);
}

/* Subjects are folders; counter3 has what its advice rests on as well. */
static void subjects(void **state)
{
    static const struct test in_pt = {.name = "transactions",
                                      .asks = "a trace?",
                                      .cite = "a book",
                                      .body = alone_body,
                                      .file = "src/cases/pt/transactions.c"};
    static const struct test golden = {.name = "pt_decode_golden",
                                       .asks = "decoded?",
                                       .cite = "a book",
                                       .body = alone_body,
                                       .file =
                                           "src/cases/pt/pt_decode_golden.c"};
    static const struct test ground = {
        .name = "force_abort_aborts_all",
        .asks = "aborts?",
        .cite = "a book",
        .body = alone_body,
        .file = "src/cases/tsx/force_abort_aborts_all.c"};
    static const struct test *const list[] = {&in_pt, &golden, &ground,
                                              &overflow, NULL};

    (void)state;
    fake_reset();
    inject = NULL;
    run(list, "pt", 0);
    assert_has("\n1..2\n");
    assert_has("ok 1 - pt_decode_golden");
    assert_has("ok 2 - transactions");
    fake_reset();
    run(list, "parsers", 0);
    assert_has("\n1..1\n");
    assert_has("ok 1 - pt_decode_golden");
    fake_reset();
    run(list, "counter3", 0);
    assert_has("\n1..2\n");
    assert_has("ok 1 - counter3_overflow");
    assert_has("ok 2 - force_abort_aborts_all");
    fake_reset();
    run(list, "pebs", 0);
    assert_has("\nnot ok 1 - selection # ERROR no test fits tests=\n");
}

static unsigned troubles;

static const char *failure(void *self)
{
    (void)self;
    return troubles++ == 20 ? "the other sink is full" : NULL;
}

static void ignore(void *self, const char *text, size_t count)
{
    (void)self, (void)text, (void)count;
}

static void ignore_flush(void *self)
{
    (void)self;
}

/* One line in the report, which goes on. */
static void a_failed_sink_is_reported(void **state)
{
    struct options options;
    struct sink sinks[2];
    void *workspace = malloc(session_workspace(1));

    (void)state;
    fake_reset();
    fake_cases = three;
    inject = NULL;
    options_default(&options);
    fake_sink(&sinks[0]);
    sinks[1] = (struct sink){
        .write = ignore, .flush = ignore_flush, .failure = failure};
    struct session_setup setup = {.options = &options,
                                  .sinks = sinks,
                                  .sinks_count = 2,
                                  .program = "tsxpmu",
                                  .serial = "I/O port 3F8H (probed)",
                                  .workspace = workspace};
    assert_sound(session_run(&setup));
    assert_has("\n# warning: the other sink is full\n");
    assert_has("\n# serial port: I/O port 3F8H (probed)\n");
    free(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_letter_by_letter),
        cmocka_unit_test(exception_is_error_and_undone),
        cmocka_unit_test(lost_processor_is_error_others_run),
        cmocka_unit_test(absent_processor_is_named),
        cmocka_unit_test(processor_that_cannot_be_identified),
        cmocka_unit_test(no_check_is_error),
        cmocka_unit_test(pattern_that_fits_nothing),
        cmocka_unit_test(not_intel_skips_all),
        cmocka_unit_test(says_on_what_it_was_made),
        cmocka_unit_test(processors_that_differ),
        cmocka_unit_test(whole_machine_test),
        cmocka_unit_test(every_access_faults_once),
        cmocka_unit_test(repeats_runs_the_list_again),
        cmocka_unit_test(errata_are_named_in_the_result),
        cmocka_unit_test(nmis_of_the_board_are_said),
        cmocka_unit_test(processors_left_out_are_not_asked),
        cmocka_unit_test(verbosity_is_what_is_said),
        cmocka_unit_test(smis_of_a_test),
        cmocka_unit_test(raw_bytes),
        cmocka_unit_test(a_tick_every_ten_seconds),
        cmocka_unit_test(lists_of_patterns),
        cmocka_unit_test(subjects),
        cmocka_unit_test(a_failed_sink_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
