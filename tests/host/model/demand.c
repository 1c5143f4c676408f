/* SPDX-License-Identifier: BSD-2-Clause */
/* demand.c - how closely a privilege level has to be watched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/demand.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"

#define INSTRUCTIONS UINT64_C(0x4000C0) /* EN */
#define BRANCHES     UINT64_C(0x4000C4)
#define USR          BIT(16)
#define OS           BIT(17)
#define NEAR         UINT64_C(2000)
#define EDGE         BIT(18)
#define INV          BIT(23)
#define UNKNOWN      (BIT(22) | 0x030D)

static struct machine machine;
static struct processor processor;

static void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

/* Counter 0 counts so, from this value. */
static void count(uint64_t select, uint64_t value)
{
    struct machine_config config = {
        .cpu = personality_find("skylake-2018"),
        .fault = FAULT_none,
        .seed = 1,
    };

    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    set(0x4C1, value);
    set(0x186, select);
    set(0x38F, 1);
}

static enum demand kernel(void)
{
    return demand_of(demand_left(&processor, false), NEAR);
}

static enum demand user(void)
{
    return demand_of(demand_left(&processor, true), NEAR);
}

static void levels_that_count(void **state)
{
    (void)state;
    count(INSTRUCTIONS | USR, 0);
    assert_int_equal(kernel(), DEMAND_NONE);
    assert_int_equal(user(), DEMAND_TOTAL);
    assert_true(demand_tells_levels(&processor));
    count(INSTRUCTIONS | USR | OS, 0);
    assert_int_equal(kernel(), DEMAND_TOTAL);
    assert_int_equal(user(), DEMAND_TOTAL);
    assert_false(demand_tells_levels(&processor));
    set(0x38F, 0);
    assert_int_equal(user(), DEMAND_NONE);
}

static void what_takes_steps(void **state)
{
    (void)state;
    count(BRANCHES | OS, 0);
    assert_int_equal(kernel(), DEMAND_STEPS);
    assert_int_equal(user(), DEMAND_NONE);
    count(INSTRUCTIONS | EDGE | OS, 0);
    assert_int_equal(kernel(), DEMAND_STEPS);
    count(INSTRUCTIONS | OS, COUNTER_MASK - 1000); /* soon */
    assert_int_equal(kernel(), DEMAND_STEPS);
}

/* PEBS looks at what is stepped before its overflow, and armed. */
static void what_pebs_takes(void **state)
{
    (void)state;
    count(INSTRUCTIONS | OS, 0);
    set(0x3F1, 1); /* IA32_PEBS_ENABLE */
    assert_int_equal(kernel(), DEMAND_TOTAL);
    assert_int_equal(user(), DEMAND_NONE);
    assert_false(demand_is_time(&processor, false));
    processor.pmu.counter[0] = COUNTER_MASK - 1000;
    assert_int_equal(kernel(), DEMAND_STEPS);
    processor.pmu.counter[0] = 0;
    processor.pebs.armed = 1;
    assert_int_equal(kernel(), DEMAND_STEPS);
    count(BRANCHES | OS, 0);
    set(0x3F1, 1);
    assert_int_equal(kernel(), DEMAND_STEPS);
}

/* Fewer than 16 events in a cycle: each cycle, as perf has it. */
static void cycles_by_invert(void **state)
{
    const uint64_t few = INSTRUCTIONS | INV | UINT64_C(16) << 24;
    const uint64_t executed = 3000000;

    (void)state;
    count(few | USR, 5);
    assert_int_equal(user(), DEMAND_TOTAL);
    demand_executed(&processor, true, executed);
    assert_int_equal(processor.pmu.counter[0],
                     5 + executed * processor.choices.cycles_other);
    count((few & ~INV) | USR, 5);
    demand_executed(&processor, true, executed);
    assert_int_equal(processor.pmu.counter[0], 5);
    count((INSTRUCTIONS | INV | UINT64_C(1) << 24) | USR, 0);
    assert_int_equal(user(), DEMAND_STEPS);
    count(few | EDGE | USR, 0);
    assert_int_equal(user(), DEMAND_STEPS);
}

/* Any number in a cycle of what the model has none of, as events of uops. */
static void cycles_of_nothing(void **state)
{
    const uint64_t any = UNKNOWN | USR | UINT64_C(1) << 24;

    (void)state;
    count(any, 5);
    assert_int_equal(user(), DEMAND_NONE);
    demand_executed(&processor, true, 1000);
    assert_int_equal(processor.pmu.counter[0], 5);
    count(any | INV, 5);
    assert_int_equal(user(), DEMAND_TOTAL);
    demand_executed(&processor, true, 1000);
    assert_int_equal(processor.pmu.counter[0],
                     5 + 1000 * processor.choices.cycles_other);
    count(any | EDGE, 5);
    assert_int_equal(user(), DEMAND_STEPS);
}

static void fixed_counters(void **state)
{
    (void)state;
    count(0, 0);
    set(0x38D, 0x21); /* 0 in the kernel, 1 in programs */
    set(0x38F, BITS(34, 32));
    assert_int_equal(kernel(), DEMAND_TOTAL);
    assert_int_equal(user(), DEMAND_TOTAL);
    assert_true(demand_tells_levels(&processor));
    processor.pmu.fixed[1] = COUNTER_MASK;
    assert_int_equal(kernel(), DEMAND_TOTAL);
    assert_int_equal(user(), DEMAND_STEPS);
}

static void traced_levels(void **state)
{
    (void)state;
    count(0, 0);
    processor.pt.ctl = RTIT_TRACE_EN | RTIT_USER;
    assert_int_equal(kernel(), DEMAND_NONE);
    assert_int_equal(user(), DEMAND_STEPS);
}

/* Instructions without a branch, while branches are counted and traced; not
 * where one of them could overflow, nor while a PMI or a record is on its way,
 * nor where what is counted depends on each. */
static void what_passes(void **state)
{
    const struct demand_round block = {.instructions = 16, .cycles = 64};

    (void)state;
    count(BRANCHES | USR, 0);
    processor.pt.ctl = RTIT_TRACE_EN | RTIT_USER;
    assert_true(demand_passes(&processor, true, &block));
    assert_int_equal(demand_rounds(&processor, true, &block), 0);
    processor.pebs.armed = 1;
    assert_false(demand_passes(&processor, true, &block));
    processor.pebs.armed = 0;
    processor.pmu.pmi_again = true;
    assert_false(demand_passes(&processor, true, &block));
    count(INSTRUCTIONS | USR, COUNTER_MASK - 15);
    assert_false(demand_passes(&processor, true, &block));
    count(INSTRUCTIONS | USR, COUNTER_MASK - 16);
    assert_true(demand_passes(&processor, true, &block));
    count(BRANCHES | USR | EDGE, 0);
    assert_false(demand_passes(&processor, true, &block));
}

/* More than one retirement holds the cycles of. */
static void totals_are_counted(void **state)
{
    (void)state;
    count(INSTRUCTIONS | USR, 5);
    demand_executed(&processor, true, 3000000);
    demand_executed(&processor, false, 7);
    assert_int_equal(processor.pmu.counter[0], 3000005);
}

/* Cycles alone, soon to overflow or not; and no more than cycles. */
static void time_that_is_enough(void **state)
{
    (void)state;
    count(BIT(22) | 0x3C | OS, COUNTER_MASK - 1000);
    assert_true(demand_is_time(&processor, false));
    set(0x38D, 0x20);
    set(0x38F, BITS(34, 32) | 1);
    assert_true(demand_is_time(&processor, true));
    set(0x38D, 0x22); /* instructions, too */
    assert_false(demand_is_time(&processor, true));
    count(BIT(22) | 0x3C | OS | EDGE, 0);
    assert_false(demand_is_time(&processor, false));
    count(BRANCHES | OS, 0);
    assert_false(demand_is_time(&processor, false));
    count(0, 0);
    processor.pt.ctl = RTIT_TRACE_EN | RTIT_USER;
    assert_false(demand_is_time(&processor, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_that_count),
        cmocka_unit_test(what_takes_steps),
        cmocka_unit_test(what_pebs_takes),
        cmocka_unit_test(cycles_by_invert),
        cmocka_unit_test(cycles_of_nothing),
        cmocka_unit_test(fixed_counters),
        cmocka_unit_test(traced_levels),
        cmocka_unit_test(what_passes),
        cmocka_unit_test(time_that_is_enough),
        cmocka_unit_test(totals_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
