/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counting, overflow, and the ways to write a counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/msr.h"

#define INSTRUCTIONS UINT64_C(0x4200C0) /* EN, OS */
#define BRANCHES     UINT64_C(0x4200C4)
#define CYCLES       UINT64_C(0x42003C)

static struct machine machine;
static struct processor processor;

static struct processor *start(const char *fault)
{
    struct machine_config config = {
        .cpu = personality_find("skylake-2018"),
        .seed = 1,
        .smt = false,
    };

    assert_true(fault_find(fault, &config.fault));
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    return &processor;
}

static uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

static void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

static void run(unsigned instructions)
{
    struct retirement r = {.instructions = 1, .cycles = 2};

    for (unsigned n = 0; n < instructions; n++)
        counters_retire(&processor, &r);
}

static void counters_agree(void **state)
{
    struct retirement branch = {
        .instructions = 1, .cycles = 3, .branch = INSTRUCTION_BRANCH};

    (void)state;
    start("none");
    assert_int_equal(get(0x38F), 0xFF); /* as after power-up */
    set(0x38F, 0);
    for (uint32_t n = 0; n < 8; n++)
        set(0x186 + n, INSTRUCTIONS);
    set(0x187, BRANCHES);
    set(0x188, CYCLES);
    set(0x38D, 0x111);
    run(5); /* not enabled yet */
    set(0x38F, BITS(34, 32) | 0xFF);
    run(10);
    counters_retire(&processor, &branch);
    set(0x38F, 0);
    run(5);
    assert_int_equal(get(0xC1), 11);
    assert_int_equal(get(0xC2), 1);
    assert_int_equal(get(0xC3), 23);
    assert_int_equal(get(0xC4), 11);
    assert_int_equal(get(0xC8), 11);
    assert_int_equal(get(0x309), 11);
    assert_int_equal(get(0x30A), 23);
}

static void rings_count_separately(void **state)
{
    struct retirement user = {.instructions = 1, .user = true};

    (void)state;
    start("none");
    set(0x186, INSTRUCTIONS);
    set(0x187, (INSTRUCTIONS & ~BIT(17)) | BIT(16));
    set(0x38F, 3);
    run(4);
    counters_retire(&processor, &user);
    assert_int_equal(get(0xC1), 4);
    assert_int_equal(get(0xC2), 1);
}

static void transactions_count_separately(void **state)
{
    struct retirement in_tx = {.instructions = 1, .in_tx = true};

    (void)state;
    start("none");
    set(0x186, INSTRUCTIONS);
    set(0x187, INSTRUCTIONS | BIT(32));
    set(0x188, INSTRUCTIONS | BIT(33));
    set(0x38F, 7);
    run(4);
    counters_checkpoint(&processor);
    counters_retire(&processor, &in_tx);
    counters_roll_back(&processor);
    assert_int_equal(get(0xC1), 5);
    assert_int_equal(get(0xC2), 1);
    assert_int_equal(get(0xC3), 4);
}

static void overflow_is_exact(void **state)
{
    (void)state;
    start("none");
    set(0x189, INSTRUCTIONS);
    set(0xC4, 0xFFFFFFF6); /* -10, sign-extended */
    assert_true(get(0x4C4) == UINT64_C(0xFFFFFFFFFFF6));
    set(0x38F, 8);
    run(9);
    assert_int_equal(get(0x38E), 0);
    run(1);
    assert_int_equal(get(0x38E), 8);
    assert_int_equal(get(0xC4), 0);
    set(0x390, 8);
    assert_int_equal(get(0x38E), 0);
    set(0x391, 4);
    assert_int_equal(get(0x38E), 4);
}

static void freezing_stops_all(void **state)
{
    (void)state;
    start("none");
    set(0x186, INSTRUCTIONS);
    set(0x38F, 1);
    set(0x391, BIT(59));
    run(3);
    assert_int_equal(get(0xC1), 0);
    set(0x390, BIT(59));
    run(3);
    assert_int_equal(get(0xC1), 3);
}

static void full_width_has_a_limit(void **state)
{
    (void)state;
    start("none");
    set(0x4C4, UINT64_C(0xFFFFFFFFFFFF));
    assert_false(msr_write(&processor, 0x4C4, BIT(48)));
    assert_true(get(0xC4) == UINT64_C(0xFFFFFFFFFFFF));
    start("full_width_no_gp");
    set(0x4C4, BIT(48) | 5);
    assert_int_equal(get(0xC4), 5);
    start("alias_split");
    set(0x4C4, 7);
    assert_int_equal(get(0xC4), 0);
}

static void rdpmc_knows_its_counters(void **state)
{
    struct processor *p = start("none");
    uint64_t value;

    (void)state;
    set(0xC8, 77);
    set(0x30B, 99);
    assert_true(counters_rdpmc(p, 7, &value));
    assert_int_equal(value, 77);
    assert_true(counters_rdpmc(p, 1u << 30 | 2, &value));
    assert_int_equal(value, 99);
    assert_false(counters_rdpmc(p, 8, &value));
    assert_false(counters_rdpmc(p, 1u << 30 | 3, &value));
    assert_int_equal(counters_rdpmc(p, 1u << 31 | 7, &value),
                     p->choices.rdpmc_fast);
    p->choices.rdpmc_fast = true;
    set(0x4C8, UINT64_C(0x900000005));
    assert_true(counters_rdpmc(p, 1u << 31 | 7, &value));
    assert_int_equal(value, 5);
    assert_true(counters_rdpmc(p, 3u << 30 | 2, &value));
    assert_int_equal(value, 99);
    assert_false(counters_rdpmc(p, 1u << 31 | 8, &value));
    assert_false(counters_rdpmc(p, 1u << 29, &value));
}

static void faults_of_overflow_show(void **state)
{
    static const struct {
        const char *fault;
        uint64_t at_zero, after;
    } rows[] = {
        {"overflow_late", 0, 8},
        {"overflow_sets_bit2", 12, 12},
        {"overflow_silent", 0, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start(rows[n].fault);
        set(0x189, INSTRUCTIONS);
        set(0xC4, 0xFFFFFFFF);
        set(0x38F, 8);
        run(1);
        assert_int_equal(get(0x38E), rows[n].at_zero);
        run(1);
        assert_int_equal(get(0x38E), rows[n].after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_agree),
        cmocka_unit_test(rings_count_separately),
        cmocka_unit_test(transactions_count_separately),
        cmocka_unit_test(overflow_is_exact),
        cmocka_unit_test(freezing_stops_all),
        cmocka_unit_test(full_width_has_a_limit),
        cmocka_unit_test(rdpmc_knows_its_counters),
        cmocka_unit_test(faults_of_overflow_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
