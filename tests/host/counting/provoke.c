/* SPDX-License-Identifier: BSD-2-Clause */
/* provoke.c - a window around work that changes one register of counter 3, and
 * the one figure that this is. */
#include "src/counting/provoke.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct provoked p;
static struct provoked_histogram h;

enum change {
    NOTHING,
    SELECT,
    CONTROL,
    IN_USE,
    COUNT,
    STATUS,
    SMI,
    OTHER,
    COUNT_BY, /* of counter 3; of the witness */
    WITNESS_BY,
    SELECT_OF_0, /* these bits of each register: the others' too */
    SELECT_OF_1,
    CONTROL_OF,
    STATUS_OF,
};
static uint64_t bits;
static int64_t by;

/* Both count alike; then one thing is otherwise. */
static void work(void *argument)
{
    enum change change = *(enum change *)argument;

    *reg(IA32_PMC(0)) += 5;
    *reg(IA32_PMC(1)) += 5;
    *reg(IA32_PMC(3)) += 5;
    *reg(IA32_PERF_GLOBAL_INUSE) = 0xa;
    switch (change) {
    case SELECT:
        *reg(IA32_PERFEVTSEL(3)) ^= BIT(20);
        break;
    case CONTROL:
        *reg(IA32_PERF_GLOBAL_CTRL) &= ~BIT(3);
        break;
    case IN_USE:
        *reg(IA32_PERF_GLOBAL_INUSE) = 2;
        break;
    case COUNT:
        *reg(IA32_PMC(3)) += 20;
        break;
    case STATUS:
        *reg(IA32_PERF_GLOBAL_STATUS) |= BIT(3);
        break;
    case SMI:
        *reg(IA32_PERFEVTSEL(3)) = 0;
        *reg(MSR_SMI_COUNT) += 1;
        break;
    case OTHER:
        *reg(IA32_PERF_GLOBAL_CTRL) &= ~BIT(1);
        break;
    case COUNT_BY:
        *reg(IA32_PMC(3)) += (uint64_t)by;
        break;
    case WITNESS_BY:
        *reg(IA32_PMC(0)) += (uint64_t)by;
        break;
    case SELECT_OF_0:
        *reg(IA32_PERFEVTSEL(0)) ^= bits;
        break;
    case SELECT_OF_1:
        *reg(IA32_PERFEVTSEL(1)) ^= bits;
        break;
    case CONTROL_OF:
        *reg(IA32_PERF_GLOBAL_CTRL) &= ~bits;
        break;
    case STATUS_OF:
        *reg(IA32_PERF_GLOBAL_STATUS) |= bits;
        break;
    case NOTHING:
        break;
    }
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(MSR_SMI_COUNT);
    memset(&p, 0, sizeof(p));
    memset(&h, 0, sizeof(h));
    begin_context(REGIME_B, NULL);
    assert_true(counters_claim(t));
    return 0;
}

static void try_turn(enum change change, unsigned turn)
{
    *reg(IA32_PERF_GLOBAL_STATUS) = 0;
    assert_true(provoke(t, turn, FROM_0, work, &change, &p, &h));
}

static void each_change_is_its_figure(void **state)
{
    (void)state;
    try_turn(NOTHING, 0);
    assert_int_equal(p.rounds, 1);
    assert_int_equal(p.wrong, 0);
    assert_int_equal(h.values[0].times, 0);
    try_turn(SELECT, 1);
    assert_int_equal(p.select, 1);
    assert_int_equal(p.got_select, p.want_select ^ BIT(20));
    try_turn(CONTROL, 2);
    assert_int_equal(p.control, 1);
    try_turn(IN_USE, 3);
    assert_int_equal(p.in_use, 1);
    try_turn(COUNT, 4);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.got_count, 25);
    assert_int_equal(p.want_count, 5);
    try_turn(STATUS, 5);
    assert_int_equal(p.status, 1);
    assert_int_equal(p.wrong, 5);
    assert_int_equal(p.rounds, 6);
    assert_int_equal(p.dropped, 0);
}

static void a_window_with_an_smi_is_dropped(void **state)
{
    (void)state;
    try_turn(SMI, 0);
    assert_int_equal(p.dropped, 1);
    assert_int_equal(p.rounds, 0);
    assert_int_equal(p.wrong, 0);
    fake_msr_remove(MSR_SMI_COUNT); /* cannot be told: the window counts */
    *reg(MSR_SMI_COUNT) = 0;
    fake_msr(MSR_SMI_COUNT)->read_vector = HW_GP;
    try_turn(NOTHING, 0);
    assert_int_equal(p.rounds, 1);
}

/* Alike are one line; of different ones six, the rest a number. */
static void values_are_capped(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 12; turn += 4)
        try_turn(COUNT, turn);
    assert_int_equal(h.values[0].times, 3);
    assert_int_equal(h.values[0].off, 1000);
    assert_int_equal(h.values[1].times, 0);
    for (unsigned turn = 0; turn < 12; turn++)
        for (enum change change = SELECT; change <= IN_USE; change++)
            try_turn(change, turn);
    assert_int_equal(h.values[PROVOKED_VALUES - 1].times, 3);
    assert_int_equal(h.others, 39 - 3 - 3 * (PROVOKED_VALUES - 1));
    t->text_bytes = 0;
    provoke_report_values(t, &h, p.rounds);
    t->text[t->text_bytes] = '\0';
    assert_non_null(strstr(t->text,
                           "189H = 0x4300c0 (written 0x4300c0), C4H off by up "
                           "to 1000, 38FH = 0xb, 392H = 0xa: 3 of 39 windows"));
    assert_non_null(strstr(t->text, "C4H as its twin, 38FH = 0x3,"));
    assert_non_null(strstr(t->text, "still other values"));
}

static void short_of_overflow(void **state)
{
    enum change change = NOTHING;

    (void)state;
    assert_true(provoke(t, 0, SHORT_OF_IT, work, &change, &p, NULL));
    assert_int_equal(*reg(IA32_PMC(3)), UINT64_C(0xfffffffffff5));
    assert_true(provoke(t, 4, SHORT_OF_IT, work, &change, &p, NULL));
    assert_int_equal(*reg(IA32_PMC(3)), UINT64_C(0xffffffffffd5));
    assert_int_equal(p.wrong, 0);
}

/* FAIL where it is promised, a figure where it is not. */
static void reported(void **state)
{
    (void)state;
    try_turn(COUNT, 0);
    provoke_report(t, false, "work", &p);
    assert_int_equal(t->verdict, VERDICT_PASS);
    t->text[t->text_bytes] = '\0';
    assert_non_null(strstr(t->text, "work: 1 of 1 windows wrong: "));
    provoke_report(t, true, "work", &p);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

/* FAIL whatever is promised of counter 3. */
static void others_have_no_excuse(void **state)
{
    (void)state;
    try_turn(NOTHING, 0);
    assert_int_equal(p.others, 0);
    provoke_report(t, false, "work", &p);
    assert_int_equal(t->verdict, VERDICT_PASS);
    try_turn(OTHER, 0);
    assert_int_equal(p.others, 1);
    assert_int_equal(p.wrong, 0);
    provoke_report(t, false, "work", &p);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

/* A select, an enable, or one of the two overflow bits of counters 0 and 1. */
static void each_other_register(void **state)
{
    static const struct {
        enum change change;
        uint64_t bit;
        unsigned others;
    } rows[] = {
        {SELECT_OF_0, BIT(20), 1}, {SELECT_OF_1, BIT(20), 1},
        {CONTROL_OF, BIT(0), 1},   {CONTROL_OF, BIT(1), 1},
        {CONTROL_OF, BIT(3), 0},   {STATUS_OF, BIT(0), 1},
        {STATUS_OF, BIT(1), 1},    {STATUS_OF, BIT(1) | BIT(0), 0},
        {STATUS_OF, BIT(3), 0},    {STATUS_OF, BIT(2), 0},
    };

    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        set_up(state);
        bits = rows[n].bit;
        try_turn(rows[n].change, 0);
        if (p.others != rows[n].others)
            fail_msg("row %zu: %u", n, p.others);
    }
}

/* A few instructions may be an erratum's (HSD140), of any counter; registers
 * that are not as written are none's. */
static void a_few_by_an_erratum(void **state)
{
    static const int64_t few[] = {-5, 5, 8, 9};

    for (unsigned other = 0; other < 2; other++)
        for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
            for (unsigned haswell = 0; haswell < 2; haswell++) {
                const bool known = haswell != 0 && few[i] < 9;

                set_up(state);
                t->cpu.model = haswell != 0 ? 0x3c : 0x5e;
                *reg(IA32_PMC(0)) = *reg(IA32_PMC(3)) = 0;
                by = few[i];
                try_turn(other != 0 ? WITNESS_BY : COUNT_BY, 0);
                provoke_report(t, true, "work", &p);
                assert_int_equal(t->verdict,
                                 known ? VERDICT_KNOWN : VERDICT_FAIL);
            }
    set_up(state);
    t->cpu.model = 0x3c;
    try_turn(OTHER, 0);
    provoke_report(t, true, "work", &p);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_change_is_its_figure, set_up),
        cmocka_unit_test_setup(a_window_with_an_smi_is_dropped, set_up),
        cmocka_unit_test_setup(values_are_capped, set_up),
        cmocka_unit_test_setup(short_of_overflow, set_up),
        cmocka_unit_test_setup(reported, set_up),
        cmocka_unit_test_setup(others_have_no_excuse, set_up),
        cmocka_unit_test_setup(each_other_register, set_up),
        cmocka_unit_test(a_few_by_an_erratum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
