/* SPDX-License-Identifier: BSD-2-Clause */
/* counts.c - both threads of a core; CMASK, INV and EDGE; branches that are
 * mispredicted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/lbr/branches.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/msr.h"

#define OS           UINT64_C(0x420000) /* and EN */
#define USR          UINT64_C(0x410000)
#define INSTRUCTIONS 0xC0u
#define CYCLES       0x3Cu
#define EDGE         BIT(18)
#define ANY          BIT(21)
#define INV          BIT(23)
#define CMASK(n)     ((uint64_t)(n) << 24)

static struct machine machine;
static struct processor processors[4];

static void start(bool smt)
{
    struct machine_config config = {
        .cpu = personality_find("haswell"), .seed = 1, .smt = smt};

    machine_start(&machine, &config, 4);
    for (unsigned n = 0; n < 4; n++)
        processor_start(&processors[n], &machine, n, n);
}

static void set(unsigned p, uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processors[p], number, value));
}

static uint64_t get(unsigned p, uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processors[p], number, &value));
    return value;
}

static void run(unsigned p, unsigned instructions, uint32_t cycles, bool user)
{
    struct retirement r = {.instructions = 1, .cycles = cycles, .user = user};

    for (unsigned n = 0; n < instructions; n++)
        counters_retire(&processors[p], &r);
}

static void threads_of_a_core(void **state)
{
    (void)state;
    for (unsigned smt = 0; smt < 2; smt++) {
        start(smt != 0);
        set(0, 0x186, OS | ANY | INSTRUCTIONS);
        set(0, 0x187, USR | ANY | INSTRUCTIONS);
        set(0, 0x188, OS | INSTRUCTIONS);
        set(0, 0x38D, 0x035); /* fixed: OS and ANY; both levels */
        set(0, 0x38F, BITS(33, 32) | 7);
        assert_int_equal(counters_watch(&processors[1]), smt);
        assert_false(counters_watch(&processors[2]));
        run(0, 2, 3, false);
        run(1, 4, 3, false);
        run(1, 8, 3, true);
        run(2, 16, 3, false); /* of another core */
        assert_int_equal(get(0, 0xC1), smt ? 6 : 2);
        assert_int_equal(get(0, 0xC2), smt ? 8 : 0);
        assert_int_equal(get(0, 0xC3), 2);
        assert_int_equal(get(0, 0x309), smt ? 6 : 2);
        assert_int_equal(get(0, 0x30A), 6);
        set(0, 0x38F, 0);
        run(1, 1, 3, false);
        assert_int_equal(get(0, 0xC1), smt ? 6 : 2);
    }
}

static void other_thread_overflows(void **state)
{
    (void)state;
    start(true);
    set(0, 0x186, OS | ANY | BIT(20) | INSTRUCTIONS);
    set(0, 0xC1, 0xFFFFFFFE);
    set(0, 0x38F, 1);
    run(1, 3, 1, false);
    run(0, 1, 1, false);
    assert_int_equal(get(0, 0x38E), 1);
    assert_int_equal(get(0, 0xC1), 2);
    assert_true(processors[0].pmu.pmi);
    assert_false(processors[1].pmu.pmi);
}

/* Ten instructions of three cycles, each in the first of them. */
static void cycles_with_events(void **state)
{
    static const struct {
        uint64_t select, count;
    } rows[] = {
        {INSTRUCTIONS, 10},
        {INSTRUCTIONS | INV, 10}, /* without CMASK it is ignored */
        {INSTRUCTIONS | CMASK(1), 10},
        {INSTRUCTIONS | CMASK(1) | INV, 20},
        {INSTRUCTIONS | CMASK(2), 0},
        {INSTRUCTIONS | CMASK(2) | INV, 30},
        {INSTRUCTIONS | CMASK(255) | INV, 30},
        {INSTRUCTIONS | EDGE, 10},
        {INSTRUCTIONS | EDGE | INV, 10},
        {INSTRUCTIONS | EDGE | CMASK(1), 10},
        {INSTRUCTIONS | EDGE | CMASK(1) | INV, 10},
        {CYCLES, 30},
        {CYCLES | CMASK(1), 30},
        {CYCLES | EDGE, 1},
        {CYCLES | EDGE | CMASK(1), 1},
        {CYCLES | CMASK(1) | INV, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start(true);
        set(0, 0x186, OS | rows[n].select);
        set(0, 0x38F, 1);
        run(0, 10, 3, false);
        if (get(0, 0xC1) != rows[n].count)
            fail_msg("row %zu: %lu", n, (unsigned long)get(0, 0xC1));
    }
}

/* "Back-to-back assertions" are not told apart. */
static void edge_of_single_cycles(void **state)
{
    (void)state;
    start(true);
    set(0, 0x186, OS | EDGE | INSTRUCTIONS);
    set(0, 0x38F, 1);
    run(0, 5, 1, false);
    assert_int_equal(get(0, 0xC1), 1);
}

static bool predicted(struct predictor *b, const uint8_t bytes[8], uint64_t ip,
                      uint64_t next, bool taken)
{
    struct instruction i;

    instruction_classify(&i, bytes, 8);
    return branches_predicted(b, &i, ip, next, taken);
}

static void branches_are_learned(void **state)
{
    static const uint8_t jcc[8] = {0x74, 0x10}, call[8] = {0xE8},
                         ret[8] = {0xC3}, jump[8] = {0xFF, 0xE0},
                         near[8] = {0xEB, 0x10}, far[8] = {0x48, 0xCF};
    struct predictor b = {.calls = 0};

    (void)state;
    assert_false(predicted(&b, jcc, 0x1000, 0x1012, true));
    assert_false(predicted(&b, jcc, 0x1000, 0x1012, true));
    assert_true(predicted(&b, jcc, 0x1000, 0x1012, true));
    assert_false(predicted(&b, jcc, 0x1000, 0x1002, false));
    assert_true(predicted(&b, near, 0x1000, 0x1012, true));
    assert_true(predicted(&b, call, 0x2000, 0x3000, true));
    assert_true(predicted(&b, ret, 0x3000, 0x2005, true));
    assert_false(predicted(&b, ret, 0x3000, 0x2005, true));
    assert_false(predicted(&b, jump, 0x4000, 0x5000, true));
    assert_true(predicted(&b, jump, 0x4000, 0x5000, true));
    assert_false(predicted(&b, jump, 0x4000, 0x6000, true));
    assert_true(predicted(&b, far, 0x4000, 0x6000, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_core),
        cmocka_unit_test(other_thread_overflows),
        cmocka_unit_test(cycles_with_events),
        cmocka_unit_test(edge_of_single_cycles),
        cmocka_unit_test(branches_are_learned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
