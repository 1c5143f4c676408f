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

#include <cmocka.h>

static const struct identity cpu = {.vendor = "GenuineIntel",
                                    .family = 6,
                                    .model = 0x5e,
                                    .perfmon_version = 4,
                                    .counters = 4,
                                    .counter_bits = 48,
                                    .fixed_counters = 3,
                                    .fixed_bits = 40,
                                    .full_width_writes = true};

static void places_and_widths(void **state)
{
    struct identity narrow = cpu;

    (void)state;
    narrow.full_width_writes = false;
    assert_int_equal(bank_places(&cpu), UINT64_C(0x70000000f));
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
    assert_int_equal(bank_erratum(true, 102, b, &signature),
                     ERRATUM_INSTRUCTIONS_INCONSISTENT);
    assert_true(signature);
    assert_int_equal(bank_erratum(true, 133, b, &signature),
                     ERRATUM_FIXED0_32_MORE);
    assert_true(signature);
    (void)bank_erratum(true, 138, b, &signature);
    assert_false(signature);
    (void)bank_erratum(true, 95, b, &signature);
    assert_false(signature);
    (void)bank_erratum(false, 102, b, &signature);
    assert_false(signature);
    b = bank_bounds(33, &shape, 1000);
    assert_true(b.least == 1 && b.most >= 4000);
    b = bank_bounds(34, &shape, 1000);
    assert_true(b.least == 0 && b.most >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_widths),
        cmocka_unit_test(programs),
        cmocka_unit_test(bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
