/* SPDX-License-Identifier: BSD-2-Clause */
/* bank.c - places, widths and bounds of counters, and what is written before a
 * window and read after it. */
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct identity cpu = {.vendor = "GenuineIntel",
                                    .family = 6,
                                    .model = 0x5e,
                                    .perfmon_version = 4,
                                    .counters = 4,
                                    .counter_bits = 48,
                                    .fixed_counters = 3,
                                    .fixed_set = 7,
                                    .fixed_bits = 40,
                                    .full_width_writes = true};

static void places_and_widths(void **state)
{
    struct identity narrow = cpu, later = cpu;

    (void)state;
    narrow.full_width_writes = false;
    assert_int_equal(bank_places(&cpu), UINT64_C(0x70000000f));
    later.perfmon_version = 5;
    later.counters = 8;
    later.fixed_set = 0xf;
    assert_int_equal(bank_places(&later), UINT64_C(0xf000000ff));
    later.fixed_set = 0x77; /* a hole, and what is after it */
    assert_int_equal(bank_fixed(&later), 3);
    later.fixed_set = 0x1f;
    assert_int_equal(bank_fixed(&later), 4);
    assert_int_equal(bank_mask(&cpu, 0), UINT64_C(0xffffffffffff));
    assert_int_equal(bank_mask(&cpu, 33), UINT64_C(0xffffffffff));
    assert_int_equal(bank_msr(3), 0xc4);
    assert_int_equal(bank_msr(34), 0x30b);
    assert_true(bank_can_hold(&cpu, 0, UINT64_C(0x800000000000)));
    assert_false(bank_can_hold(&cpu, 0, UINT64_C(0x1000000000000)));
    assert_false(bank_can_hold(&cpu, 32, UINT64_C(0x10000000000)));
    assert_false(bank_can_hold(&narrow, 0, UINT64_C(0x800000000000)));
    assert_false(bank_can_hold(&narrow, 0, 0x80000000));
    assert_true(bank_can_hold(&narrow, 0, 0x7fffffff));
    assert_true(bank_can_hold(&narrow, 0, UINT64_C(0xffff80000000)));
    assert_true(bank_can_hold(&narrow, 32, UINT64_C(0x8000000000)));
}

static void programs(void **state)
{
    struct bank bank = bank_of(BIT(1) | BIT(32) | BIT(34), 0xc4);

    (void)state;
    assert_int_equal(bank.select[0], 0);
    assert_int_equal(bank.select[1], 0x4300c4);
    assert_int_equal(bank.fixed_ctrl, 0x303);
    assert_int_equal(bank.ctrl, UINT64_C(0x500000002));
}

static void bounds(void **state)
{
    const struct window_shape shape = {100, 7, 0, 0};
    struct count_bounds b = bank_bounds(2, &shape, 1000);
    bool signature;

    (void)state;
    assert_true(b.least == 7 && b.most == 7);
    b = bank_bounds(32, &shape, 1000);
    assert_true(b.least == 100 && b.most == 101);
    assert_int_equal(bank_erratum(PLACE_FIXED0, true, 102, b, &signature),
                     ERRATUM_INSTRUCTIONS_INCONSISTENT);
    assert_true(signature);
    assert_int_equal(bank_erratum(PLACE_FIXED0, true, 133, b, &signature),
                     ERRATUM_FIXED0_32_MORE);
    assert_true(signature);
    (void)bank_erratum(PLACE_FIXED0, true, 138, b, &signature);
    assert_false(signature);
    (void)bank_erratum(PLACE_FIXED0, true, 165, b,
                       &signature); /* started twice */
    assert_true(signature);
    (void)bank_erratum(PLACE_FIXED0, true, 197, b, &signature);
    assert_false(signature);
    (void)bank_erratum(PLACE_FIXED0, true, 95, b, &signature);
    assert_false(signature);
    (void)bank_erratum(PLACE_FIXED0, false, 102, b, &signature);
    assert_false(signature);
    /* Of a general-purpose counter a few are the most. */
    assert_int_equal(bank_erratum(0, true, 102, b, &signature),
                     ERRATUM_INSTRUCTIONS_INCONSISTENT);
    assert_true(signature);
    assert_int_equal(bank_erratum(0, true, 133, b, &signature),
                     ERRATUM_INSTRUCTIONS_INCONSISTENT);
    assert_false(signature);
    b = bank_bounds(33, &shape, 1000);
    assert_true(b.least == 1 && b.most >= 4000 && b.most < BIT(20));
    b = bank_bounds(34, &shape, 1000);
    assert_true(b.least == 0 && b.most >= 1000 && b.most < BIT(20));
    b = bank_bounds(35, &shape, 1000);
    assert_true(b.least == 1 && b.most >= 20000 && b.most < BIT(20));
}

/* --- Windows ------------------------------------------------------------- */

static const struct test test = {.name = "bank"};
static struct test_context contexts[1];
static struct test_context *const t = &contexts[0];

static struct {
    uint64_t enable, cell;
    uint64_t select, fixed_ctrl, pmc, fixed; /* as they were in the window */
    uint32_t changes_select;                 /* this register; 0: none */
    bool changes_fixed_ctrl, changes_debugctl, moves_others;
    bool overflow_unsaid;
    unsigned smis, prepared; /* that hit windows; 1 before each attempt */
    unsigned windows;
} seen;

static uint64_t *reg(uint32_t msr)
{
    return &fake_msr(msr)->value;
}

static void look(void)
{
    seen.select = *reg(IA32_PERFEVTSEL(2));
    seen.fixed_ctrl = *reg(IA32_FIXED_CTR_CTRL);
    seen.pmc = *reg(IA32_A_PMC(2));
    seen.fixed = *reg(IA32_FIXED_CTR(1));
    *reg(IA32_PMC(2)) = 77;
    *reg(IA32_FIXED_CTR(1)) = 88;
    if (!seen.overflow_unsaid)
        *reg(IA32_PERF_GLOBAL_STATUS) |= BIT(2);
    if (seen.changes_debugctl)
        *reg(IA32_DEBUGCTL) ^= BIT(11);
    if (seen.moves_others)
        *reg(IA32_FIXED_CTR(0)) = 1;
    if (seen.changes_select != 0)
        *reg(seen.changes_select) ^= BIT(20);
    if (seen.changes_fixed_ctrl)
        *reg(IA32_FIXED_CTR_CTRL) ^= BIT(2);
}

static void prepare(uint64_t cell)
{
    assert_int_equal(cell, 9);
    assert_int_equal(seen.prepared++, seen.windows);
}

static uint64_t window(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    seen.windows++;
    if (seen.smis > 0) {
        seen.smis--;
        ++*reg(MSR_SMI_COUNT);
    }
    seen.enable = enable;
    seen.cell = cells[0];
    look();
    return 0;
}

static void work(void *argument)
{
    assert_ptr_equal(argument, &seen);
    seen.enable = *reg(IA32_PERF_GLOBAL_CTRL);
    *reg(IA32_PERF_GLOBAL_CTRL) = 0x13; /* as a PMI may leave it */
    look();
}

static int set_up(void **state)
{
    (void)state;
    memset(contexts, 0, sizeof(contexts));
    memset(&seen, 0, sizeof(seen));
    fake_reset();
    t->cpu = cpu;
    t->all = contexts;
    t->processors = 1;
    t->regime = REGIME_A;
    context_begin(t, &test, 1);
    assert_int_equal(bank_claim(t), UINT64_C(0x70000000f));
    return 0;
}

static struct bank bank_for_window(void)
{
    struct bank bank = bank_of(bank_places(&cpu), 0xc4);

    bank.pmc[2] = UINT64_C(0xfffffffffff0);
    bank.fixed[1] = 6;
    bank.cell = 9;
    return bank;
}

/* What a window adds up is 0 again where an SMI has hit it. */
static void prepared_again_after_an_smi(void **state)
{
    struct bank before = bank_for_window(), after;

    (void)state;
    *reg(MSR_SMI_COUNT) = 5;
    seen.smis = 2;
    before.prepare = prepare;
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(seen.windows, 3);
    assert_int_equal(seen.prepared, 3);
}

static void written_before_and_read_after(void **state)
{
    struct bank before = bank_for_window(), after;

    (void)state;
    /* Cannot be cleared: not the window's. */
    *reg(IA32_PERF_GLOBAL_STATUS) = BIT(60);
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(seen.enable, UINT64_C(0x70000000f));
    assert_int_equal(seen.cell, 9);
    assert_int_equal(seen.select, 0x4300c4);
    assert_int_equal(seen.fixed_ctrl, 0x333);
    assert_int_equal(seen.pmc, UINT64_C(0xfffffffffff0));
    assert_int_equal(seen.fixed, 6);
    assert_int_equal(after.pmc[2], 77);
    assert_int_equal(after.fixed[1], 88);
    assert_int_equal(after.select[2], 0x4300c4);
    assert_int_equal(after.fixed_ctrl, 0x333);
    assert_int_equal(after.status, BIT(2));
    assert_int_equal(after.stale, BIT(60));
    assert_int_equal(after.ctrl, 0);
    assert_true(after.tsc != 0);
    assert_int_equal(t->verdict, VERDICT_NONE); /* no check of a test's own */
}

static void around_work(void **state)
{
    struct bank before = bank_for_window(), after;

    (void)state;
    before.ctrl = BIT(2) | BIT(33);
    assert_true(bank_work(t, &before, work, &seen, &after));
    assert_int_equal(seen.enable, BIT(2) | BIT(33));
    assert_int_equal(after.ctrl, 0x13);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(after.pmc[2], 77);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void said(enum verdict want, uint64_t ctrl, bool live)
{
    struct bank before = bank_for_window(), after;

    before.ctrl = ctrl;
    before.live = live;
    *reg(IA32_PERF_GLOBAL_STATUS) = 0;
    context_begin(t, &test, 1);
    assert_int_equal(bank_claim(t), UINT64_C(0x70000000f));
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(t->verdict, want);
}

static void what_nothing_has_done_is_said(void **state)
{
    (void)state;
    said(VERDICT_NONE, UINT64_C(0x70000000f), false);
    seen.overflow_unsaid = true;
    said(VERDICT_FAIL, UINT64_C(0x70000000f), false);
    said(VERDICT_NONE, UINT64_C(0x70000000f), true);
    seen.overflow_unsaid = false;
    seen.changes_debugctl = true;
    said(VERDICT_FAIL, UINT64_C(0x70000000f), false);
    seen.changes_debugctl = false;
    seen.moves_others = true;
    said(VERDICT_NONE, UINT64_C(0x70000000f), false);
    said(VERDICT_FAIL, UINT64_C(0x60000000f), false);
}

/* BV080: of counters 4 to 7, on 06_3AH. */
static void selects_that_read_badly(void **state)
{
    static const struct {
        uint16_t model;
        unsigned n;
        enum verdict verdict;
    } rows[] = {{0x3a, 3, VERDICT_FAIL},
                {0x3a, 4, VERDICT_KNOWN},
                {0x3a, 7, VERDICT_KNOWN},
                {0x3c, 4, VERDICT_FAIL}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bank before = bank_for_window(), after;

        set_up(state);
        t->cpu.model = rows[i].model;
        t->cpu.counters = 8;
        for (uint32_t n = 4; n < 8; n++) {
            fake_msr(IA32_PERFEVTSEL(n));
            fake_msr(IA32_PMC(n));
            fake_msr(IA32_A_PMC(n));
            before.select[n] = before.select[0];
        }
        seen.changes_select = IA32_PERFEVTSEL(rows[i].n);
        context_begin(t, &test, 1);
        assert_int_equal(bank_claim(t), UINT64_C(0x7000000ff));
        assert_true(bank_window(t, &before, window, &after));
        assert_int_equal(t->verdict, rows[i].verdict);
    }
}

static void what_a_window_changes_is_said(void **state)
{
    struct bank before = bank_for_window(), after;

    (void)state;
    seen.changes_select = IA32_PERFEVTSEL(2);
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    context_begin(t, &test, 1);
    assert_int_equal(bank_claim(t), UINT64_C(0x70000000f));
    seen.changes_select = 0;
    seen.changes_fixed_ctrl = true;
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    /* One that is not programmed may be microcode's. */
    context_begin(t, &test, 1);
    assert_int_equal(bank_claim(t), UINT64_C(0x70000000f));
    seen.changes_select = IA32_PERFEVTSEL(2);
    seen.changes_fixed_ctrl = false;
    before.select[2] = 0;
    assert_true(bank_window(t, &before, window, &after));
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void an_access_that_faults_ends_it(void **state)
{
    struct bank before = bank_for_window(), after;

    (void)state;
    fake_msr(IA32_FIXED_CTR_CTRL)->write_vector = HW_GP;
    assert_false(bank_window(t, &before, window, &after));
    assert_int_equal(seen.enable, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_widths),
        cmocka_unit_test(programs),
        cmocka_unit_test(bounds),
        cmocka_unit_test_setup(prepared_again_after_an_smi, set_up),
        cmocka_unit_test_setup(written_before_and_read_after, set_up),
        cmocka_unit_test_setup(around_work, set_up),
        cmocka_unit_test_setup(selects_that_read_badly, set_up),
        cmocka_unit_test_setup(what_a_window_changes_is_said, set_up),
        cmocka_unit_test_setup(what_nothing_has_done_is_said, set_up),
        cmocka_unit_test_setup(an_access_that_faults_ends_it, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
