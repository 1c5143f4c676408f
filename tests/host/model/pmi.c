/* SPDX-License-Identifier: BSD-2-Clause */
/* pmi.c - performance monitoring interrupts, and freezing on them. */
#include "tests/host/model/pebs_fixture.h"

static void overflow_interrupts(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 2, 2);
    set(0x186, BRANCHES | INT);
    set(0x187, BRANCHES);
    set(0xC1, (uint32_t)-1);
    set(0xC2, (uint32_t)-2);
    set(0x38D, 0x009); /* fixed counter 0: OS, PMI */
    set(0x309, BITS(47, 2));
    set(0x38F, BIT(32) | 3);
    branch();
    assert_true(took_interrupt());
    branch();
    assert_false(took_interrupt()); /* counter 1 has no INT */
    branch();
    assert_false(took_interrupt());
    branch();
    assert_true(took_interrupt()); /* the fixed counter */
}

static void held_until_the_record(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 4, 4);
    arm(0, BRANCHES | INT, 1);
    set(0x38F, 1);
    branch();
    assert_false(took_interrupt());
    branch();
    assert_true(make_record());
    assert_true(took_interrupt());
}

/* Up to version 3 it clears LBR, from version 4 on it sets LBR_Frz. */
static void freezes_branch_records(void **state)
{
    (void)state;
    for (unsigned v4 = 0; v4 < 2; v4++) {
        start(v4 != 0 ? "skylake-2017" : "haswell", "none", 0xC8, 2, 2);
        set(0x1D9, BIT(11) | 1);
        set(0x186, BRANCHES | INT);
        set(0xC1, (uint32_t)-1);
        set(0x38F, 1);
        branch();
        branch();
        assert_int_equal(get(0x1D9), BIT(11) | v4);
        assert_int_equal(get(0x38E), (uint64_t)v4 << 58 | 1);
        assert_int_equal(get(0x38F), 1);
        assert_int_equal(get(0xC1), 1);
    }
}

static void freezes(const char *cpu, uint64_t status, uint64_t ctrl)
{
    start(cpu, "none", 0xC8, 2, 2);
    set(0x1D9, BIT(12));
    set(0x186, BRANCHES | INT);
    set(0xC1, (uint32_t)-1);
    set(0x38F, 1);
    branch();
    branch();
    branch();
    assert_int_equal(get(0xC1), 0);
    assert_int_equal(get(0x38E), status);
    assert_int_equal(get(0x38F), ctrl);
    set(0x390, status);
    set(0x38F, 1);
    branch();
    assert_int_equal(get(0xC1), 1);
}

static void freeze_on_interrupt(void **state)
{
    (void)state;
    freezes("skylake-2017", BIT(59) | 1, 1);
    freezes("haswell", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_interrupts),
        cmocka_unit_test(held_until_the_record),
        cmocka_unit_test(freeze_on_interrupt),
        cmocka_unit_test(freezes_branch_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
