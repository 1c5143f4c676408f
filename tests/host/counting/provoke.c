/* SPDX-License-Identifier: BSD-2-Clause */
/* provoke.c - what a round of provocation sees of counter 3, one register wrong
 * at a time, and what is said of it. */
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/provoke.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct test test = {.name = "provoke"};
static struct test_context contexts[1];
static struct test_context *const t = &contexts[0];

enum wrong { NOTHING, SELECT, CONTROL, IN_USE, COUNT, STATUS };

static struct {
    enum wrong wrong;
    uint64_t select, preset; /* as counter 1 had them while it counted */
    uint64_t status;         /* cleared through 390H */
} seen;

static uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

static const uint64_t mask = BITS(47, 0);

/* Counters 1 and 3 count 100 events, and one thing goes wrong. */
static void work(void *argument)
{
    (void)argument;
    seen.select = *reg(IA32_PERFEVTSEL(1));
    seen.preset = *reg(IA32_PMC(1));
    seen.status = *reg(IA32_PERF_GLOBAL_STATUS_RESET);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0xa);
    assert_int_equal(*reg(IA32_PERFEVTSEL(3)), seen.select);
    assert_int_equal(*reg(IA32_PMC(3)), seen.preset);
    for (unsigned n = 1; n <= 3; n += 2)
        *reg(IA32_PMC(n)) = (*reg(IA32_PMC(n)) + 100) & mask;
    *reg(IA32_PERF_GLOBAL_STATUS) = 0xa;
    *reg(IA32_PERF_GLOBAL_INUSE) = 0xa;
    if (seen.wrong == SELECT)
        *reg(IA32_PERFEVTSEL(3)) = 0x10043003c;
    if (seen.wrong == CONTROL)
        *reg(IA32_PERF_GLOBAL_CTRL) &= ~BIT(3);
    if (seen.wrong == IN_USE)
        *reg(IA32_PERF_GLOBAL_INUSE) &= ~BIT(3);
    if (seen.wrong == COUNT)
        *reg(IA32_PMC(3)) = seen.preset + 107;
    if (seen.wrong == STATUS)
        *reg(IA32_PERF_GLOBAL_STATUS) &= ~BIT(3);
}

static int set_up(void **state)
{
    (void)state;
    memset(contexts, 0, sizeof(contexts));
    memset(&seen, 0, sizeof(seen));
    fake_reset();
    t->cpu = (struct identity){.perfmon_version = 4,
                               .counters = 4,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_bits = 48};
    t->all = contexts;
    t->processors = 1;
    context_begin(t, &test, 1);
    *reg(IA32_PERF_GLOBAL_INUSE) = 0;
    assert_true(counters_claim(t));
    assert_true(set_msr(t, IA32_PERF_GLOBAL_CTRL, 0));
    return 0;
}

static struct provoked round_with(enum wrong wrong, unsigned turn)
{
    struct provoked p = {0};

    seen.wrong = wrong;
    assert_true(provoke(t, turn, work, NULL, &p));
    /* Left as it was found. */
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(*reg(IA32_PERFEVTSEL(1)), 0);
    assert_int_equal(*reg(IA32_PERFEVTSEL(3)), 0);
    return p;
}

static void each_register_is_looked_at(void **state)
{
    (void)state;
    struct provoked p = round_with(NOTHING, 0);
    assert_int_equal(p.rounds, 1);
    assert_int_equal(p.wrong, 0);
    assert_int_equal(p.select + p.control + p.in_use + p.count + p.status, 0);
    p = round_with(SELECT, 0);
    assert_true(p.wrong == 1 && p.select == 1 && p.count == 0);
    assert_int_equal(p.got_select, UINT64_C(0x10043003c));
    assert_int_equal(p.want_select, seen.select);
    p = round_with(CONTROL, 0);
    assert_true(p.wrong == 1 && p.control == 1 && p.select == 0);
    p = round_with(IN_USE, 0);
    assert_true(p.wrong == 1 && p.in_use == 1 && p.control == 0);
    p = round_with(COUNT, 0);
    assert_true(p.wrong == 1 && p.count == 1 && p.in_use == 0);
    assert_int_equal(p.got_count, 107);
    assert_int_equal(p.want_count, 100);
    p = round_with(STATUS, 0);
    assert_true(p.wrong == 1 && p.status == 1 && p.count == 0);
    /* Before version 4 there is no 392H. */
    t->cpu.perfmon_version = 3;
    p = round_with(IN_USE, 0);
    assert_int_equal(p.wrong, 0);
}

static void turns_differ(void **state)
{
    (void)state;
    round_with(NOTHING, 0);
    assert_int_equal(seen.preset, mask - 15); /* 16 before the overflow */
    assert_int_equal(seen.select, 0x4300c0);
    assert_int_equal(seen.status, 0xa); /* of both */
    round_with(NOTHING, 1);
    assert_int_equal(seen.preset, 0);
    assert_int_equal(seen.select, 0x5300c0);
    round_with(NOTHING, 2);
    assert_int_equal(seen.preset, mask - 15);
    assert_int_equal(seen.select, 0x5300c4);
    round_with(NOTHING, 3);
    assert_int_equal(seen.select, 0x4300c0);
}

static void an_access_that_faults_ends_it(void **state)
{
    struct provoked p = {0};

    (void)state;
    fake_msr(IA32_PERFEVTSEL(1))->write_vector = HW_GP;
    assert_false(provoke(t, 0, work, NULL, &p));
    assert_int_equal(p.rounds, 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

static void said_where_promised(void **state)
{
    static const struct provoked right = {.rounds = 5};
    static const struct {
        struct provoked p;
        const char *line;
    } rows[] = {
        {{.rounds = 5, .wrong = 2, .select = 2}, "IA32_PERFEVTSEL3 (189H)"},
        {{.rounds = 5, .wrong = 2, .control = 2}, "(38FH)[3] reads 0"},
        {{.rounds = 5, .wrong = 2, .in_use = 2}, "(392H)[3] = 0"},
        {{.rounds = 5, .wrong = 2, .count = 2, .got_count = 50}, "counted 50"},
        {{.rounds = 5, .wrong = 2, .status = 2}, "(38EH)[3] and [1] differ"},
    };

    (void)state;
    provoke_report(t, true, "work", &right);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->text_bytes, 0);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        context_begin(t, &test, 1);
        provoke_report(t, true, "work", &rows[i].p);
        t->text[t->text_bytes] = '\0';
        assert_int_equal(t->verdict, VERDICT_FAIL);
        assert_non_null(strstr(t->text, rows[i].line));
        assert_null(strchr(strchr(t->text, '\n') + 1, '\n')); /* one line */
    }
    /* Instructions a few off are an erratum of some processors. */
    context_begin(t, &test, 1);
    strcpy(t->cpu.vendor, "GenuineIntel");
    t->cpu.family = 6;
    t->cpu.model = 0x3c;
    provoke_report(t, true, "work",
                   &(struct provoked){.rounds = 5,
                                      .wrong = 1,
                                      .count = 1,
                                      .got_count = 102,
                                      .want_count = 100});
    assert_int_equal(t->verdict, VERDICT_KNOWN);
}

static void observed_elsewhere(void **state)
{
    static const struct provoked p = {.rounds = 5, .wrong = 3, .select = 3};

    (void)state;
    provoke_report(t, false, "work", &p);
    assert_int_equal(t->verdict, VERDICT_PASS);
    t->text[t->text_bytes] = '\0';
    assert_non_null(strstr(t->text, "OBSERVED counter 3 wrong beside work: 3 "
                                    "of 5"));
    assert_non_null(strstr(t->text, "IA32_PERFEVTSEL3 (189H) 3 times"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_register_is_looked_at, set_up),
        cmocka_unit_test_setup(turns_differ, set_up),
        cmocka_unit_test_setup(an_access_that_faults_ends_it, set_up),
        cmocka_unit_test_setup(said_where_promised, set_up),
        cmocka_unit_test_setup(observed_elsewhere, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
