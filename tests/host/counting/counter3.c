/* SPDX-License-Identifier: BSD-2-Clause */
/* test_counter3.c - the promise about counter 3 in every regime. */
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/constraints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void promise_per_regime(void **state)
{
    /* By RTM enumerated or not (first index), bit 0 clear or set (second). */
    static const struct {
        enum regime regime;
        bool reliable[2][2];
    } rows[] = {
        {REGIME_A, {{true, true}, {true, true}}},
        {REGIME_B, {{true, true}, {false, true}}},
        {REGIME_C, {{true, true}, {true, true}}},
        {REGIME_C_PRIME, {{true, true}, {true, true}}},
        {REGIME_D, {{true, true}, {true, true}}},
        {REGIME_E, {{false, false}, {false, false}}},
        {REGIME_F, {{true, true}, {true, true}}},
        {REGIME_NONE, {{false, false}, {false, false}}},
        {REGIME_CONTRADICTORY, {{false, false}, {false, false}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned rtm = 0; rtm < 2; rtm++)
            for (unsigned bit0 = 0; bit0 < 2; bit0++)
                assert_int_equal(
                    constraints_counter3(rows[i].regime, rtm != 0, bit0),
                    rows[i].reliable[rtm][bit0]);
    /* Bits 1 and 2 are not bit 0. */
    assert_false(constraints_counter3(REGIME_B, true, 6));
}

static void published_change_is_recognised(void **state)
{
    (void)state;
    assert_true(counter3_published_change(0x53003c, 0x10043003c));
    assert_false(counter3_published_change(0x53003c, 0x53003c));
    assert_false(counter3_published_change(0x53003c, 0x43003c));
    assert_false(counter3_published_change(0x53003c, 0x10053003c));
    assert_false(counter3_published_change(0, 0x10043003c));
}

/* MSR numbers of SDM 3C, typed once more. */
static void numbers_of_counter_3(void **state)
{
    (void)state;
    assert_int_equal(IA32_PMC(3), 196);
    assert_int_equal(IA32_PERFEVTSEL(3), 393);
    assert_int_equal(IA32_A_PMC(3), 1220);
    assert_int_equal(IA32_FIXED_CTR(0), 777);
    assert_int_equal(IA32_FIXED_CTR_CTRL, 909);
    assert_int_equal(IA32_PERF_GLOBAL_STATUS, 910);
    assert_int_equal(IA32_PERF_GLOBAL_CTRL, 911);
    assert_int_equal(IA32_PERF_GLOBAL_OVF_CTRL, 912);
    assert_int_equal(IA32_PERF_GLOBAL_INUSE, 914);
    assert_int_equal(TSX_FORCE_ABORT, 271);
    assert_true(BITS(63, 0) == UINT64_MAX);
    assert_true(BITS(47, 0) == UINT64_C(0xffffffffffff));
    assert_true(BITS(0, 0) == 1);
    assert_true(IA32_FIXED_CTR_CTRL_OS(1) == 0x10);
    assert_true(IA32_FIXED_CTR_CTRL_USR(1) == 0x20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promise_per_regime),
        cmocka_unit_test(published_change_is_recognised),
        cmocka_unit_test(numbers_of_counter_3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
