/* SPDX-License-Identifier: BSD-2-Clause */
/* leftovers.c - registers as firmware may leave them: any value, and nothing
 * that runs, writes to memory or makes another processor of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/msr.h"

#define SEEDS 200

static struct machine machine;
static struct processor processor;

static void start(const char *cpu, uint64_t seed, bool leftovers)
{
    struct machine_config config = {.cpu = personality_find(cpu),
                                    .seed = seed,
                                    .leftovers = leftovers,
                                    .force_abort = FORCE_ABORT_AS_PERSONALITY};

    assert_true(fault_find("none", &config.fault));
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
}

static uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

/* Bits that are 0 in each. */
static void nothing_runs(void **state)
{
    static const struct {
        uint32_t number;
        uint64_t bits;
    } zero[] = {
        {0x186, 1u << 22}, {0x18D, 1u << 22},   {0x38D, 0x3333},
        {0x1D9, 0x1FF},    {0x3F1, UINT64_MAX}, {0x570, UINT64_MAX},
    };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        start("skylake-2018", seed, true);
        for (size_t n = 0; n < sizeof(zero) / sizeof(zero[0]); n++)
            assert_int_equal(get(zero[n].number) & zero[n].bits, 0);
        assert_int_equal(get(0x10F), 0);
        assert_int_equal(get(0x1A0), 0x10881);
    }
}

/* Each is something else than after reset, for some seed. */
static void anything_is_left(void **state)
{
    static const uint32_t numbers[] = {
        0x0C1, 0x0C8, 0x186, 0x18D, 0x1A6, 0x1A7, 0x1C8, 0x1D9, 0x309, 0x30B,
        0x38D, 0x38F, 0x3F6, 0x560, 0x561, 0x572, 0x580, 0x583, 0x600,
    };

    (void)state;
    for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
        uint64_t other = 0;

        start("skylake-2018", 1, false);
        const uint64_t reset = get(numbers[n]);

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            start("skylake-2018", seed, true);
            other += get(numbers[n]) != reset;
        }
        if (other == 0)
            fail_msg("%x is as after reset", numbers[n]);
    }
}

/* As sold: with even seeds. */
static void as_sold(void **state)
{
    (void)state;
    start("skylake-real", 2, false);
    assert_int_not_equal(get(0x600), 0);
    start("skylake-real", 3, false);
    assert_int_equal(get(0x600), 0);
    start("skylake-2018", 2, false);
    assert_int_equal(get(0x600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_runs),
        cmocka_unit_test(anything_is_left),
        cmocka_unit_test(as_sold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
