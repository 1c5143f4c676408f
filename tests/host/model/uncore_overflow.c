/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_overflow.c - counters of the uncore that overflow: whom they
 * interrupt, what freezes, and how the status is cleared. */
#include "tests/host/model/uncore_fixture.h"

static void overflow_interrupts_the_cores_selected(void **state)
{
    (void)state;
    overflow("none", 0xF, true);
    assert_int_equal(interrupted(), 6); /* those with DEBUGCTL[13] */
    assert_int_equal(get(0x392), 2);
    assert_int_equal(get(0x3B0), 1);
    for (unsigned n = 0; n < 4; n++) /* once */
        processors[n].pmu.pmi = false;
    uncore_poll(&processors[1]);
    assert_false(processors[1].pmu.pmi);
    overflow("none", 1, true);
    assert_int_equal(interrupted(), 2);
    overflow("none", 2, true);
    assert_int_equal(interrupted(), 4);
    overflow("none", 0xF, false);
    assert_int_equal(interrupted(), 0);
    assert_int_equal(get(0x392), 0);
}

static void freeze_until_control_is_written(void **state)
{
    (void)state;
    overflow("none", 0xF | FREEZE, true);
    assert_int_equal(get(0x3B0), 0);
    assert_int_equal(get(0x391), 0xF | FREEZE);
    set(0x391, GLOBAL_EN);
    read_line(5, CACHE_DRAM);
    assert_int_equal(get(0x3B0), 1);
    start("haswell", "none");
    set(0x394, EN | OVF_EN);
    set(0x395, BITS(47, 0));
    set(0x391, GLOBAL_EN | FREEZE);
    assert_true(machine.uncore.counting);
    now += 100;
    uncore_poll(&processors[0]);
    assert_int_equal(get(0x392), 1);
    assert_int_equal(get(0x391), FREEZE);
    assert_false(machine.uncore.counting);
}

static void status_is_cleared(void **state)
{
    (void)state;
    overflow("none", 0, true);
    set(0x392, 0);
    assert_int_equal(get(0x392), 0);
    overflow("none", 0, true);
    machine.uncore.status_write_clears = true;
    set(0x392, 0);
    assert_int_equal(get(0x392), 2);
    set(0x392, 2);
    assert_int_equal(get(0x392), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_interrupts_the_cores_selected),
        cmocka_unit_test(freeze_until_control_is_written),
        cmocka_unit_test(status_is_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
