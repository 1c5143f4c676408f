/* SPDX-License-Identifier: BSD-2-Clause */
/* needs_cases.c - what each test says that it needs, against what
 * tests/boot/needs.txt says of it. The two are readings by themselves; they
 * agree in all that a processor enumerates. */
#include "src/harness/case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CASE(name) extern const struct test test_##name;
#include "cases.inc"
#undef CASE

static const struct test *const tests[] = {
#define CASE(name) &test_##name,
#include "cases.inc"
#undef CASE
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

#define LATER (REGIME_C | REGIME_C_PRIME | REGIME_D)

/* What a word needs beside an Intel processor; "" has what each test needs.
 * What is not here only the body can find out. */
static const struct word {
    const char *word;
    struct needs needs;
} words[] = {
    {"A", {REGIME_A, 0, 0}},
    {"B", {REGIME_B, 0, 0}},
    {"C", {REGIME_C, 0, 0}},
    {"C|C'|D", {LATER, 0, 0}},
    {"F", {REGIME_F, 0, 0}},
    {"msr_10fh", {REGIME_B | LATER | REGIME_E, 0, 0}},
    {"rtm", {0, NEED_RTM, 0}},
    {"rtm_listed", {0, NEED_RTM, 0}},
    {"ldtrk", {0, NEED_TSXLDTRK, 0}},
    {"forced_abort", {REGIME_B | REGIME_C | REGIME_D | REGIME_F, NEED_RTM, 0}},
    {"elision", {REGIME_A, NEED_HLE, 0}},
    {"parallel", {0, NEED_TWO_PROCESSORS, 0}},
    {"threads>=2", {0, NEED_TWO_PROCESSORS, 0}},
    {"cores>=2", {0, NEED_TWO_PROCESSORS, 0}},
    {"counters>=1", {0, NEED_PMU, 1}},
    {"counters>=2", {0, NEED_PMU, 2}},
    {"counters>=3", {0, NEED_PMU, 3}},
    {"counters>=4", {0, NEED_PMU, 4}},
    {"counters>=5", {0, NEED_PMU, 5}},
    {"perfmon>=4", {0, NEED_PMU | NEED_PERFMON_4, 0}},
    {"metrics", {0, NEED_PMU | NEED_METRICS, 0}},
    {"pebs>=1", {0, NEED_PMU | NEED_PEBS, 0}},
    {"pebs>=2", {0, NEED_PMU | NEED_PEBS | NEED_PEBS_2, 0}},
    {"pebs>=3", {0, NEED_PMU | NEED_PEBS | NEED_PEBS_3, 0}},
    {"pebs>=4", {0, NEED_PMU | NEED_PEBS | NEED_ADAPTIVE_PEBS, 0}},
    {"pt", {0, NEED_PT, 0}},
    {"ip_filter", {0, NEED_PT, 0}},
    {"topa", {0, NEED_PT_TOPA, 0}},
    {"event_trace", {0, NEED_PT_EVENT, 0}},
    {"distnt", {0, NEED_PT_DISTNT, 0}},
    {"ptwrite", {0, NEED_PT_PTWRITE, 0}},
    {"range", {0, NEED_PT_RANGE, 0}},
    {"lbr>=3", {0, NEED_LBR, 0}},
    {"lbr>=4", {0, NEED_LBR, 0}},
    {"offcore", {0, NEED_PMU | NEED_OFFCORE, 0}},
    {"uncore", {0, NEED_PMU | NEED_UNCORE, 0}},
};

/* Where the two differ, and why that is right. */
#define INTEL (NEED_INTEL | NEED_PMU)
static const struct other {
    const char *test;
    struct needs needs;
} others[] = {
    /* Bytes from the tree, no processor's. */
    {"pebs_decode_golden", {0}},
    {"pt_decode_golden", {0}},
    /* The fixed counters alone are looked at as well. */
    {"counter_count_constant", {REGIME_B | LATER | REGIME_E, INTEL, 0}},
    {"counter_reserved_bits", {0, INTEL, 0}},
    {"fixed_counter_writes", {0, INTEL, 0}},
    {"perf_metrics", {0, INTEL | NEED_METRICS, 1}},
    /* Elision need not work; the prefixes have to exist. */
    {"hle_nesting", {0, NEED_INTEL | NEED_HLE, 0}},
    {"hle_prefixes", {0, NEED_INTEL | NEED_HLE, 0}},
    /* The body says what the processor has in its place. */
    {"data_address", {0, INTEL | NEED_PEBS, 0}},
    /* With one processor there is no scope. */
    {"counter_thread_scope", {0, INTEL | NEED_TWO_PROCESSORS, 2}},
    {"pt_thread_scope", {0, NEED_INTEL | NEED_PT | NEED_TWO_PROCESSORS, 0}},
    {"force_abort_scope_2021", {LATER, NEED_INTEL | NEED_TWO_PROCESSORS, 0}},
    {"force_abort_thread_scope",
     {REGIME_B, NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS, 0}},
    /* A PMU of whatever counters; its version 2 has the interrupt. */
    {"pt_cycles", {0, INTEL | NEED_PT, 0}},
    {"pt_ring3", {0, INTEL | NEED_PT | NEED_PT_TOPA, 0}},
    {"pt_ring3_tx", {0, INTEL | NEED_PT | NEED_PT_TOPA, 0}},
    {"pt_rtm_abort_causes", {0, INTEL | NEED_PT | NEED_PT_TOPA | NEED_RTM, 0}},
    {"pt_range_wrap", {0, INTEL | NEED_PT | NEED_PT_RANGE, 0}},
    {"pt_topa_output", {0, INTEL | NEED_PT | NEED_PT_TOPA, 0}},
    {"tsx_ring3_state", {0, INTEL | NEED_RTM, 0}},
};

static const struct test *test_named(const char *name)
{
    for (unsigned i = 0; i < TESTS; i++)
        if (strcmp(tests[i]->name, name) == 0)
            return tests[i];
    return NULL;
}

static void add(struct needs *sum, const char *word)
{
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, word) == 0) {
            const struct needs *needs = &words[i].needs;
            sum->regimes |= needs->regimes;
            sum->features |= needs->features;
            sum->counters += needs->counters;
        }
}

static struct needs needs_of(const char *test, char *row)
{
    struct needs sum = {.features = NEED_INTEL};
    char *word;

    while ((word = strtok(row, " \n")) != NULL) {
        add(&sum, word);
        row = NULL;
    }
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(others[i].test, test) == 0)
            return others[i].needs;
    return sum;
}

static void as_the_table_says(void **state)
{
    FILE *file = fopen("tests/boot/needs.txt", "r");
    unsigned rows = 0;
    char line[200];

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        char name[100];
        int length;

        if (line[0] == '#' || sscanf(line, "%99s%n", name, &length) != 1)
            continue;
        const struct test *test = test_named(name);
        assert_non_null(test);
        const struct needs want = needs_of(name, line + length);
        if (want.regimes != test->needs.regimes ||
            want.features != test->needs.features ||
            want.counters != test->needs.counters)
            fail_msg("%s needs regimes 0x%x, features 0x%x, %u counters; by "
                     "needs.txt 0x%x, 0x%x, %u",
                     name, test->needs.regimes, test->needs.features,
                     test->needs.counters, want.regimes, want.features,
                     want.counters);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, TESTS);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(as_the_table_says),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
