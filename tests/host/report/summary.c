/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c - advice per regime, and none where its ground is missing. */
#include "src/report/summary.h"
#include "src/harness/verdict.h"
#include "src/report/test_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char lines[16384];

static struct finding findings[TEST_IDS];
static struct identity id;

static void add(void *context, const char *text)
{
    assert_ptr_equal(context, lines);
    assert_true(strlen(text) < SUMMARY_LINE_BYTES - 1); /* nothing cut off */
    assert_null(strchr(text, '{'));
    strcat(lines, text);
    strcat(lines, "\n");
}

static void all_pass(bool rtm, unsigned counters)
{
    id = (struct identity){.vendor = "GenuineIntel",
                           .perfmon_version = 4,
                           .rtm = rtm,
                           .hle = rtm,
                           .counters = (uint8_t)counters};
    for (unsigned i = 0; i < TEST_IDS; i++)
        findings[i] =
            (struct finding){.test = test_name(i), .verdict = VERDICT_PASS};
}

/* A name that no test has does not compile. */
#define finding(name) (&findings[TEST_##name])

static void summarize(enum regime regime)
{
    lines[0] = '\0';
    summary_write(regime, &id, findings, TEST_IDS, add, lines);
}

static void has(const char *text)
{
    if (strstr(lines, text) == NULL) {
        print_error("not there: %s\nin:\n%s", text, lines);
        fail();
    }
}

static void lacks(const char *text)
{
    if (strstr(lines, text) != NULL) {
        print_error("there: %s\nin:\n%s", text, lines);
        fail();
    }
}

static void regime_b(void **state)
{
    (void)state;
    all_pass(true, 4);
    summarize(REGIME_B);
    has("counter 3 can be trusted only while RTM_FORCE_ABORT (10FH[0]) is 1");
    has("may use 3 general-purpose counters (all but counter 3) with "
        "RTM_FORCE_ABORT = 0, and all 4 with RTM_FORCE_ABORT = 1");
    has("Linux perf: 1 in /sys/devices/cpu/allow_tsx_force_abort");
    has("leaves perf 3 counters");
    has("Intel PCM: limits itself to 3 counters; its force-RTM-abort mode");
    has("RTM works while RTM_FORCE_ABORT is 0");
    has("HLE does not work: this microcode disables its prefixes");
    has("may report wrong values of counter 3 while transactions run");
    has("a distribution may have made it 0");
    has("with 0 a group holds at most 3 generic events");
    has("enableForceRTMAbortMode() and disableForceRTMAbortMode()");
    has("conflict bit alone (EAX[2] without EAX[1]) is a conflict like any");
    has("not tested: that transactions abort in SGX mode and in System");
    lacks("never set the retry bit");
    lacks("counter 2");
    id.family = 6;
    id.model = 0x5e;
    id.stepping = 3;
    summarize(REGIME_B);
    has("counter 2 (IA32_PMC2) may hold an invalid value");
    has("SKL194");
    summarize(REGIME_C);
    lacks("counter 2");
    all_pass(true, 4);
    summarize(REGIME_B);
    has("NOT OBSERVED in this run, which is no promise");
    lacks("undecided");
    all_pass(true, 8);
    summarize(REGIME_B);
    has("may use 7 general-purpose counters");
    has("and all 8 with");
    all_pass(false, 4);
    summarize(REGIME_B);
    has("counter 3 can be trusted: RTM is not enumerated");
    lacks("OBSERVED");
}

static void what_was_observed_is_said(void **state)
{
    (void)state;
    all_pass(true, 4);
    finding(counter3_counts_under_rtm)->observed = true;
    summarize(REGIME_B);
    has("registers: OBSERVED in this run");
    all_pass(true, 4);
    finding(sdv_enable_rtm)->observed = true; /* not about counter 3 */
    summarize(REGIME_B);
    has("registers: NOT OBSERVED in this run");
    finding(counter3_counts_under_rtm)->verdict = VERDICT_NONE;
    finding(counter3_counts_alone)->verdict = VERDICT_ERROR;
    finding(counter3_registers_hold)->verdict = VERDICT_SKIP;
    finding(counter3_provoked)->verdict = VERDICT_SKIP;
    finding(counter3_other_processor)->verdict = VERDICT_SKIP;
    summarize(REGIME_B);
    has("registers: not looked for in this run");
    summarize(REGIME_C);
    lacks("OBSERVED");
}

/* Of all tests together, for each kind of window. */
static void what_was_provoked_is_said(void **state)
{
    (void)state;
    all_pass(true, 4);
    summarize(REGIME_B);
    lacks("was provoked");
    finding(counter3_provoked)->windows[BESIDE_TRANSACTIONS] =
        (struct provoked_windows){7, 100};
    finding(counter3_provoked)->windows[BESIDE_NOTHING] =
        (struct provoked_windows){0, 99};
    finding(counter3_other_processor)->windows[BESIDE_TRANSACTIONS] =
        (struct provoked_windows){1, 10};
    summarize(REGIME_A);
    has("counter 3 was provoked: its registers or its count were not as they "
        "had to be in 8 of 110 windows beside transactions, without "
        "transactions in 0 of 99\n");
    finding(counter3_provoked)->windows[BESIDE_FORCED] =
        (struct provoked_windows){2, 50};
    summarize(REGIME_B);
    has("in 0 of 99, with RTM_FORCE_ABORT = 1 in 2 of 50\n");
}

static void regimes_a_and_f(void **state)
{
    (void)state;
    all_pass(true, 4);
    finding(counter_count_constant)->verdict = VERDICT_SKIP;
    finding(counters_above_3)->verdict = VERDICT_SKIP;
    summarize(REGIME_A);
    has("counter 3 can be trusted, also while transactions are used");
    has("all 4 general-purpose counters; there is no force abort to set");
    lacks("retry bit");
    lacks("SGX");
    finding(tsx_conflict_retry)->observed = true;
    summarize(REGIME_A);
    has("conflict aborts never set the retry bit (EAX[1]) here");
    has("Linux perf: nothing to set");
    has("Intel PCM: nothing to set");
    has("RTM can be used");
    has("HLE elides locks");
    lacks("undecided");
    finding(hle_elision)->verdict = VERDICT_FAIL;
    summarize(REGIME_A);
    has("undecided: HLE: test hle_elision is FAIL");
    summarize(REGIME_F);
    has("HLE is enumerated");
    has("IA32_TSX_CTRL (122H)[0]");
    lacks("RTM does not work");
    id.rtm_always_abort = true;
    summarize(REGIME_F);
    has("RTM does not work: every transaction aborts");
    lacks("RTM is enumerated");
    id.rtm_always_abort = false;
    all_pass(false, 4);
    finding(counter3_counts_under_rtm)->verdict = VERDICT_SKIP;
    finding(counter3_registers_hold)->verdict = VERDICT_SKIP;
    summarize(REGIME_A);
    has("RTM cannot be used");
    has("HLE is not enumerated");
    lacks("undecided");
}

static void regimes_c_and_d(void **state)
{
    (void)state;
    all_pass(true, 4);
    summarize(REGIME_C);
    has("counter 3 can be trusted");
    has("all 4 general-purpose counters; no force abort is needed");
    has("RTM does not work: every transaction aborts");
    has("Intel PCM: nothing to set; it finds bit 0 of 10FH set");
    has("HLE does not work");
    lacks("undecided");
    all_pass(false, 4);
    summarize(REGIME_C_PRIME);
    has("TSX_CPUID_CLEAR (10FH[1]) hides it");
    lacks("undecided");
    all_pass(true, 4);
    summarize(REGIME_D);
    has("RTM may commit");
    has("Intel PCM: limits itself to 3 counters although counter 3 is good");
    lacks("undecided");
    finding(sdv_enable_rtm)->verdict = VERDICT_FAIL;
    summarize(REGIME_D);
    has("undecided: RTM: test sdv_enable_rtm is FAIL");
    lacks("RTM may commit, but");
}

static void regime_e(void **state)
{
    (void)state;
    all_pass(false, 4);
    summarize(REGIME_E);
    has("counter 3 is not to be relied on");
    has("may use 3 general-purpose counters");
    has("RTM cannot be used: it is hidden");
    lacks("can be trusted");
    lacks("undecided");
}

static void no_advice(void **state)
{
    (void)state;
    all_pass(true, 4);
    summarize(REGIME_NONE);
    has("no advice");
    lacks("trusted");
    summarize(REGIME_CONTRADICTORY);
    has("no advice");
    lacks("trusted");
    all_pass(true, 2);
    summarize(REGIME_A);
    has("counter 3 does not exist here, or cannot be tested");
    lacks("trusted");
}

/* Only there: that it is what a hypervisor shows. */
static void guest(void **state)
{
    (void)state;
    all_pass(true, 4);
    summarize(REGIME_A);
    lacks("the hypervisor");
    id.hypervisor = true;
    summarize(REGIME_A);
    has("this is what the hypervisor shows its guest");
    has("trusted");
}

/* Any hard test that did not pass takes the advice on counter 3 with it. */
static void no_advice_without_its_ground(void **state)
{
    static const struct {
        enum regime regime;
        enum test_id test;
    } rows[] = {
        {REGIME_A, TEST_counter3_counts_alone},
        {REGIME_A, TEST_counter3_counts_under_rtm},
        {REGIME_A, TEST_counter3_registers_hold},
        {REGIME_A, TEST_counter3_overflow},
        {REGIME_A, TEST_counter3_full_width_alias},
        {REGIME_B, TEST_counter3_counts_alone},
        {REGIME_B, TEST_counter3_counts_force_abort},
        {REGIME_B, TEST_force_abort_aborts_all},
        {REGIME_B, TEST_counter3_overflow},
        {REGIME_C, TEST_counter3_counts_under_rtm},
        {REGIME_D, TEST_counter3_overflow},
        {REGIME_F, TEST_counter3_counts_alone},
    };
    static const enum verdict bad[] = {VERDICT_NONE, VERDICT_FAIL,
                                       VERDICT_ERROR};
    char want[128];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t v = 0; v < 3; v++) {
            all_pass(true, 4);
            findings[rows[i].test].verdict = bad[v];
            finding(counter3_counts_sdv)->verdict = VERDICT_SKIP;
            summarize(rows[i].regime);
            snprintf(want, sizeof(want), "undecided: counter 3: test %s is %s",
                     test_name(rows[i].test), verdict_name(bad[v]));
            has(want);
            lacks("can be trusted");
            lacks("a driver may use");
        }
}

static void skips_that_do_not_matter(void **state)
{
    (void)state;
    all_pass(true, 4);
    finding(counter3_full_width_alias)->verdict = VERDICT_SKIP;
    finding(counters_above_3)->verdict = VERDICT_SKIP;
    finding(force_abort_thread_scope)->verdict = VERDICT_SKIP;
    summarize(REGIME_B);
    lacks("undecided");
    id.counters = 8; /* but here it does */
    summarize(REGIME_B);
    has("undecided: number of counters: test counters_above_3 is SKIP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regime_b),
        cmocka_unit_test(what_was_observed_is_said),
        cmocka_unit_test(what_was_provoked_is_said),
        cmocka_unit_test(regimes_a_and_f),
        cmocka_unit_test(regimes_c_and_d),
        cmocka_unit_test(regime_e),
        cmocka_unit_test(no_advice),
        cmocka_unit_test(guest),
        cmocka_unit_test(no_advice_without_its_ground),
        cmocka_unit_test(skips_that_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
