/* SPDX-License-Identifier: BSD-2-Clause */
/* summary_grounds.c - in each regime the summary answers each question once,
 * and rests each answer on the tests that looked. */
#include "src/report/summary.h"
#include "src/harness/verdict.h"
#include "src/report/test_names.h"
#include "tests/host/fakes/regime_letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REGIMES    7
#define WITHOUT    1 /* RTM not enumerated */
#define WITH       2
#define LINES_MOST 40

static char lines[LINES_MOST][SUMMARY_LINE_BYTES];
static unsigned count;
static struct finding findings[TEST_IDS];

static void add(void *context, const char *text)
{
    (void)context;
    assert_true(count < LINES_MOST);
    strcpy(lines[count++], text);
}

static void summarize(enum regime regime, bool rtm, bool hle, unsigned counters)
{
    const struct identity id = {.vendor = "GenuineIntel",
                                .perfmon_version = 4,
                                .rtm = rtm,
                                .hle = hle,
                                .counters = (uint8_t)counters};

    count = 0;
    summary_write(regime, &id, findings, TEST_IDS, add, NULL);
}

static void all_pass(void)
{
    for (unsigned i = 0; i < TEST_IDS; i++)
        findings[i] =
            (struct finding){.test = test_name(i), .verdict = VERDICT_PASS};
}

static unsigned beginning_with(const char *start)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += strncmp(lines[i], start, strlen(start)) == 0;
    return n;
}

static void each_question_once(void **state)
{
    (void)state;
    all_pass();
    for (unsigned n = 0; n < REGIMES * 4; n++) {
        const enum regime regime = 1u << n / 4;
        const bool rtm = n & 1, hle = n & 2;
        const bool changed = (regime & (B | C | C_ | D)) != 0;

        summarize(regime, rtm, hle, 4);
        assert_int_equal(beginning_with("regime "), 1);
        assert_int_equal(beginning_with("counter 3 can be trusted") +
                             beginning_with("counter 3 is not to be relied"),
                         1 + ((regime & (C | C_ | D)) != 0));
        assert_int_equal(beginning_with("a driver may use "), 1);
        assert_int_equal(beginning_with("Linux perf: "),
                         regime == B && rtm ? 4 : 1);
        assert_int_equal(beginning_with("Intel PCM: "), 1);
        assert_int_equal(
            beginning_with("RTM ") - beginning_with("RTM libraries"), 1);
        assert_int_equal(beginning_with("HLE "), 1);
        assert_int_equal(beginning_with("RTM_FORCE_ABORT "),
                         regime == B && rtm);
        assert_int_equal(beginning_with("SDV_ENABLE_RTM "),
                         (regime & (C | C_)) != 0);
        assert_int_equal(beginning_with("RTM libraries: "),
                         (regime & (B | D)) != 0 && rtm);
        assert_int_equal(beginning_with("not tested: "), changed);
        assert_int_equal(beginning_with("unexpected values in counter 3"),
                         regime == E || (regime == B && rtm));
        assert_int_equal(beginning_with("undecided: "), 0);
    }
}

#define COUNTERS "counter 3, number of counters, "
#define TOOLS    COUNTERS "Linux perf, Intel PCM, "

/* What is undecided where the test fails. Of all other regimes nothing is. */
static const struct {
    enum test_id test;
    unsigned regimes, rtm;
    const char *undecided;
} rests[] = {
    /* Counter 3 by itself. */
    {TEST_counter3_counts_alone, A | F, WITHOUT | WITH, COUNTERS},
    {TEST_counter3_counts_alone, B | C | C_ | D, WITHOUT | WITH, TOOLS},
    {TEST_counter3_counts_alone, E, WITHOUT | WITH,
     "counters other than 3, number of counters, "},
    {TEST_counter3_overflow, A | F, WITHOUT | WITH, COUNTERS},
    {TEST_counter3_overflow, B | C | C_ | D, WITHOUT | WITH, TOOLS},
    {TEST_counter3_full_width_alias, A | F, WITHOUT | WITH, COUNTERS},
    {TEST_counter3_full_width_alias, B | C | C_ | D, WITHOUT | WITH, TOOLS},
    /* Beside transactions. In regime B it is not good there in any case. */
    {TEST_counter3_counts_under_rtm, A | C | C_ | D | F, WITH, COUNTERS},
    {TEST_counter3_registers_hold, A | C | C_ | D | F, WITH, COUNTERS},
    {TEST_counter3_provoked, A | C | C_ | D | F, WITH, COUNTERS},
    {TEST_counter3_counts_sdv, C | C_ | D, WITHOUT | WITH,
     "counter 3 with SDV_ENABLE_RTM, "},
    /* With RTM_FORCE_ABORT. */
    {TEST_counter3_counts_force_abort, B, WITH, TOOLS},
    {TEST_force_abort_aborts_all, B, WITH, TOOLS "RTM, "},
    {TEST_force_abort_thread_scope, B, WITH, "RTM_FORCE_ABORT, "},
    /* How many there are. */
    {TEST_counters_above_3, A | B | C | C_ | D | E | F, WITHOUT | WITH,
     "number of counters, "},
    {TEST_counter_count_constant, A | B | C | C_ | D | E | F, WITHOUT | WITH,
     "number of counters, "},
    /* Transactions. */
    {TEST_force_abort_enumeration, A | E | F, WITHOUT | WITH, "RTM, "},
    {TEST_force_abort_enumeration, B, WITHOUT, "RTM, "},
    {TEST_always_abort_default, C, WITH, "RTM, "},
    {TEST_tsx_cpuid_clear, C_, WITHOUT | WITH, "RTM, "},
    {TEST_sdv_enable_rtm, C | C_, WITHOUT | WITH, "SDV_ENABLE_RTM, "},
    {TEST_sdv_enable_rtm, D, WITHOUT | WITH, "RTM, "},
    {TEST_hle_elision, A, WITH, "HLE, "},
    {TEST_hle_never_elides, B | C | C_ | D, WITHOUT | WITH, "HLE, "},
};

static const char *undecided_by(enum test_id test, enum regime regime, bool rtm)
{
    for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++)
        if (rests[i].test == test && (rests[i].regimes & regime) != 0 &&
            (rests[i].rtm & (rtm ? WITH : WITHOUT)) != 0)
            return rests[i].undecided;
    return "";
}

/* "counter 3, RTM, ": the subjects that have no answer for want of the test. */
static void check_undecided(enum test_id test, enum verdict verdict,
                            const char *want)
{
    char got[SUMMARY_LINE_BYTES] = "", end[80];

    snprintf(end, sizeof(end), ": test %s is %s", test_name(test),
             verdict_name(verdict));
    for (unsigned i = 0; i < count; i++) {
        const char *at = strstr(lines[i], end);
        if (strncmp(lines[i], "undecided: ", 11) == 0 && at != NULL)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s, ",
                     (int)(at - lines[i] - 11), lines[i] + 11);
    }
    assert_string_equal(got, want);
    if (want[0] == '\0')
        assert_int_equal(beginning_with("undecided: "), 0);
}

static void each_answer_rests_on_its_tests(void **state)
{
    static const enum verdict bad[] = {VERDICT_NONE, VERDICT_FAIL,
                                       VERDICT_ERROR};

    (void)state;
    for (enum test_id test = 0; test < TEST_IDS; test++)
        for (unsigned n = 0; n < REGIMES * 2; n++)
            for (unsigned v = 0; v < 3; v++) {
                const enum regime regime = 1u << n / 2;
                const bool rtm = n & 1;

                all_pass();
                findings[test].verdict = bad[v];
                summarize(regime, rtm, rtm, 8);
                check_undecided(test, bad[v], undecided_by(test, regime, rtm));
            }
    all_pass(); /* an erratum is known, and does not matter */
    for (enum test_id test = 0; test < TEST_IDS; test++)
        findings[test].verdict = VERDICT_KNOWN;
    for (unsigned n = 0; n < REGIMES * 2; n++) {
        summarize(1u << n / 2, n & 1, n & 1, 8);
        assert_int_equal(beginning_with("undecided: "), 0);
    }
}

/* A test that the processor cannot have is not missed: of a full width that it
 * does not write, of a second thread, and of counters above 3 where it has
 * four. */
static void what_may_be_skipped(void **state)
{
    (void)state;
    for (enum test_id test = 0; test < TEST_IDS; test++)
        for (unsigned n = 0; n < REGIMES * 4; n++) {
            const enum regime regime = 1u << n / 4;
            const bool rtm = n & 1;
            const unsigned counters = n & 2 ? 5 : 4;
            const bool may = test == TEST_counter3_full_width_alias ||
                             test == TEST_counter_count_constant ||
                             test == TEST_force_abort_thread_scope ||
                             (test == TEST_counters_above_3 && counters == 4);

            all_pass();
            findings[test].verdict = VERDICT_SKIP;
            summarize(regime, rtm, rtm, counters);
            check_undecided(test, VERDICT_SKIP,
                            may ? "" : undecided_by(test, regime, rtm));
        }
}

/* What tests=counter3 selects: those of what is said of counters. */
static void what_it_rests_on(void **state)
{
    (void)state;
    for (enum test_id test = 0; test < TEST_IDS; test++) {
        bool wanted = false;
        for (unsigned n = 0; n < REGIMES * 2; n++)
            wanted = wanted || strstr(undecided_by(test, 1u << n / 2, n & 1),
                                      "counter") != NULL;
        assert_int_equal(summary_rests_on(test_name(test)), wanted);
    }
    assert_false(summary_rests_on("no_such_test"));
}

/* A version of 2, which has IA32_PERF_GLOBAL_CTRL, and a counter 3. */
static void what_can_be_tested(void **state)
{
    (void)state;
    all_pass();
    for (unsigned version = 0; version < 4; version++)
        for (unsigned counters = 0; counters < 6; counters++) {
            const struct identity id = {.vendor = "GenuineIntel",
                                        .perfmon_version = (uint8_t)version,
                                        .counters = (uint8_t)counters};
            const bool can = version >= 2 && counters >= 4;

            count = 0;
            summary_write(A, &id, findings, TEST_IDS, add, NULL);
            assert_int_equal(beginning_with("counter 3 does not exist"), !can);
            assert_int_equal(beginning_with("counter 3 can be trusted"), can);
            assert_int_equal(beginning_with("RTM "), 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_once),
        cmocka_unit_test(each_answer_rests_on_its_tests),
        cmocka_unit_test(what_may_be_skipped),
        cmocka_unit_test(what_it_rests_on),
        cmocka_unit_test(what_can_be_tested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
