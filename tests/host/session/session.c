/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - whole runs on the fake machine: the report, letter by letter
 * once, and what becomes of bad luck. */
#include "tests/host/session/session_fixture.h"

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
    assert_has("# ERROR: unexpected exception #PF: error 0x0, "
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
               "one is B\n");
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
    assert_has("# ERROR: unexpected exception #PF");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_letter_by_letter),
        cmocka_unit_test(smis_of_a_test),
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
