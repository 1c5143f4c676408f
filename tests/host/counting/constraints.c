/* SPDX-License-Identifier: BSD-2-Clause */
/* constraints.c - where each kind of event fits on each processor, and
 * what is said where it does not. */
#include "src/counting/constraints.h"
#include "src/base/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RTM_FORCE_ABORT 1
#define TSX_IN_TX       (UINT64_C(1) << 32)
#define TSX_IN_TXCP     (UINT64_C(1) << 33)

static struct constraints_cpu cpu_of(unsigned model, unsigned counters)
{
    return (struct constraints_cpu){.family = 6,
                                    .model = (uint16_t)model,
                                    .counters = counters,
                                    .regime = REGIME_A,
                                    .tsx = model >= 0x3c,
                                    .rtm = model >= 0x3c};
}

static void places(void **state)
{
    static const struct {
        unsigned model, counters;
        uint64_t select;
        bool precise;
        unsigned wanted;
        bool alone;
        uint32_t msr;
    } rows[] = {
        /* Anything, with three, four and eight counters. */
        {0x5e, 3, 0xc4, false, 0x07, false, 0},
        {0x5e, 4, 0xc4, false, 0x0f, false, 0},
        {0x5e, 8, 0xc4, false, 0xff, false, 0},
        {0x5e, 8, 0x1c4, true, 0x0f, false, 0},
        {0x00, 4, 0xc4, false, 0x0f, false, 0}, /* any processor */
        /* INST_RETIRED.ALL, but not .ALL_CYCLES */
        {0x2a, 4, 0x01c0, true, 0x02, true, 0},
        {0x2d, 4, 0x01c0, false, 0x02, true, 0},
        {0x3a, 4, 0x01c0, true, 0x02, false, 0},
        {0x5e, 8, 0x4301c0, true, 0x02, false, 0},
        {0x5e, 8, 0x108001c0, true, 0x0f, false, 0},
        /* MEM_TRANS_RETIRED */
        {0x2a, 4, 0x02cd, true, 0x08, false, 0},
        {0x3e, 8, 0x02cd, true, 0x08, false, 0},
        {0x2a, 4, 0x01cd, true, 0x08, false, 0x3f6},
        {0x3a, 4, 0x01cd, true, 0x08, false, 0x3f6},
        {0x3c, 4, 0x01cd, true, 0x0f, false, 0x3f6},
        {0x5e, 8, 0x01cd, true, 0x0f, false, 0x3f6},
        /* OFF_CORE_RESPONSE, FRONTEND_RETIRED */
        {0x2a, 8, 0x01b7, false, 0xff, false, 0x1a6},
        {0x5e, 4, 0x01bb, false, 0x0f, false, 0x1a7},
        {0x5e, 4, 0x01c6, true, 0x0f, false, 0x3f7},
        {0x3c, 4, 0x01c6, false, 0x00, false, 0},
        {0x5e, 4, 0x02b7, false, 0x0f, false, 0}, /* another umask */
        /* Transactions */
        {0x3c, 4, 0xc0 | TSX_IN_TX, false, 0x0f, false, 0},
        {0x3c, 8, 0xc0 | TSX_IN_TXCP, false, 0x04, false, 0},
        {0x5e, 4, 0x01b7 | TSX_IN_TXCP, false, 0x04, false, 0x1a6},
        /* Ice Lake server: D0H to D3H, 54H, B7H and BBH on four of eight. */
        {0x6a, 8, 0xc4, false, 0xff, false, 0},
        {0x6a, 8, 0x11c4, true, 0xff, false, 0},
        {0x6a, 8, 0x01c9 | TSX_IN_TXCP, false, 0x04, false, 0},
        {0x6c, 8, 0x01cd, true, 0xff, false, 0x3f6},
        {0x6a, 8, 0x81d0, true, 0x0f, false, 0},
        {0x6a, 8, 0x04d3, false, 0x0f, false, 0},
        {0x6a, 8, 0x02d4, false, 0xff, false, 0},
        {0x6a, 8, 0x0154, false, 0x0f, false, 0},
        {0x6a, 8, 0x01b7, false, 0x0f, false, 0x1a6},
        {0x6c, 8, 0x01bb, false, 0x0f, false, 0x1a7},
        {0x6a, 8, 0x01c6, true, 0xff, false, 0x3f7},
        {0x5e, 8, 0x81d0, false, 0xff, false, 0},
        /* Sapphire Rapids and its like: load latency not on counter 0, stores
         * on no other; OCR has other event selects. */
        {0x8f, 8, 0x11c4, true, 0xff, false, 0},
        {0x8f, 8, 0x01cd, true, 0xfe, false, 0x3f6},
        {0xad, 8, 0x02cd, true, 0x01, false, 0},
        {0xcf, 8, 0x81d0, true, 0x0f, false, 0},
        {0x8f, 8, 0x0154, false, 0x0f, false, 0},
        {0x8f, 8, 0x012a, false, 0x0f, false, 0x1a6},
        {0x97, 8, 0x012b, false, 0x0f, false, 0x1a7},
        {0x8f, 8, 0x01b7, false, 0xff, false, 0},
        {0x6a, 8, 0x012a, false, 0xff, false, 0},
        {0x00, 8, 0x012a, false, 0xff, false, 0},
        {0x00, 8, 0x01b7, false, 0x0f, false, 0x1a6},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct constraints_cpu cpu =
            cpu_of(rows[i].model, rows[i].counters);
        const struct event_wanted event = {rows[i].select, rows[i].precise,
                                           0x77};
        struct placement got;
        char why[CONSTRAINTS_WHY_BYTES];
        assert_int_equal(constraints_find(&cpu, &event, &got, why),
                         rows[i].wanted != 0);
        assert_int_equal(got.counters, rows[i].wanted);
        assert_int_equal(got.alone, rows[i].alone);
        assert_int_equal(got.msr, rows[i].msr);
        assert_int_equal(got.value, rows[i].msr != 0 ? 0x77 : 0);
    }
}

/* The same model's other cores have other tables, none of which is known. */
static void other_cores(void **state)
{
    const struct event_wanted event = {0x01cd, true, 3};
    struct constraints_cpu cpu = cpu_of(0x97, 8);
    struct placement got;
    char why[CONSTRAINTS_WHY_BYTES];

    (void)state;
    cpu.core_type = 0x40;
    assert_true(constraints_find(&cpu, &event, &got, why));
    assert_int_equal(got.counters, 0xfe);
    cpu.core_type = 0x20;
    assert_false(constraints_find(&cpu, &event, &got, why));
    assert_string_equal(
        why, "MEM_TRANS_RETIRED.LOAD_LATENCY is not an event of 06_97H");
}

static void check_why(const struct constraints_cpu *cpu, uint64_t select,
                      bool precise, const char *wanted)
{
    const struct event_wanted event = {select, precise, 0};
    struct placement got;
    char why[CONSTRAINTS_WHY_BYTES];

    assert_false(constraints_find(cpu, &event, &got, why));
    assert_string_equal(why, wanted);
}

static void reasons(void **state)
{
    struct constraints_cpu cpu = cpu_of(0x2a, 4);

    (void)state;
    check_why(&cpu, 0xc0 | TSX_IN_TX, false,
              "IN_TX needs a processor with HLE or RTM");
    cpu.counters = 3;
    check_why(&cpu, 0x02cd, true,
              "needs counter 3 (MEM_TRANS_RETIRED.PRECISE_STORE); there is "
              "counter 0 to 2");
    cpu.counters = 4;
    cpu.rtm = true; /* no such processor; the reason is what matters */
    cpu.regime = REGIME_B;
    check_why(&cpu, 0x02cd, true,
              "needs counter 3 (MEM_TRANS_RETIRED.PRECISE_STORE), which is not "
              "usable in regime B without RTM_FORCE_ABORT");
    cpu.regime = REGIME_E;
    check_why(&cpu, 0x01cd, true,
              "needs counter 3 (MEM_TRANS_RETIRED.LOAD_LATENCY), and no "
              "document says that it is usable in this regime");
    cpu = cpu_of(0x5e, 4);
    check_why(&cpu, 0x02cd, true,
              "MEM_TRANS_RETIRED.PRECISE_STORE is not an event of 06_5EH");
    check_why(&cpu, 0x01c0 | TSX_IN_TXCP, true,
              "needs counter 1 (INST_RETIRED.ALL) and counter 2 (IN_TXCP) at "
              "once");
    cpu.counters = 0;
    check_why(&cpu, 0xc4, false, "needs a counter; there is none");
    check_why(&cpu, 0x1c4, true, "needs counter 0 to 3 (PEBS); there is none");
    cpu = cpu_of(0x1a, 4);
    check_why(&cpu, 0x01c0, true, "INST_RETIRED.ALL is not an event of 06_1AH");
}

/* Counter 3 is left out where it is not usable, the others are not. */
static void counter_3(void **state)
{
    const struct event_wanted event = {0xc4, false, 0};
    struct constraints_cpu cpu = cpu_of(0x5e, 8);
    struct placement got;
    char why[CONSTRAINTS_WHY_BYTES];

    (void)state;
    cpu.regime = REGIME_B;
    assert_true(constraints_find(&cpu, &event, &got, why));
    assert_int_equal(got.counters, 0xf7);
    cpu.force_abort = RTM_FORCE_ABORT;
    assert_true(constraints_find(&cpu, &event, &got, why));
    assert_int_equal(got.counters, 0xff);
}

static void fixed(void **state)
{
    static const struct {
        uint64_t select;
        bool precise;
        unsigned fixed, wanted;
    } rows[] = {
        {0x00c0, false, 0, 0x0f},    {0x00c0, false, 3, 0x40f},
        {0x5300c0, false, 3, 0x40f}, {0x003c, false, 3, 0x80f},
        {0x003c, false, 1, 0x0f},    {0x013c, false, 3, 0x0f},
        {0x00c0, true, 3, 0x0f},     {0x10000c0, false, 3, 0x0f},
        {0xc000c0, false, 3, 0x0f},  {0x3c | TSX_IN_TX, false, 3, 0x0f},
        {0x2000c0, false, 3, 0x0f},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct event_wanted event = {rows[i].select, rows[i].precise, 0};
        struct constraints_cpu cpu = cpu_of(0x5e, 4);
        struct placement got;
        char why[CONSTRAINTS_WHY_BYTES];
        cpu.fixed = rows[i].fixed;
        assert_true(constraints_find(&cpu, &event, &got, why));
        assert_int_equal(got.counters, rows[i].wanted);
    }
}

static void of_identity(void **state)
{
    const struct identity id = {
        .family = 6, .model = 0x9e, .counters = 11, .hle = true};
    const struct constraints_cpu cpu = constraints_cpu_of(&id, REGIME_C, 4);

    (void)state;
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 0x9e);
    assert_int_equal(cpu.counters, 10);
    assert_int_equal(cpu.fixed, 0);
    assert_true(cpu.tsx && !cpu.rtm);
    assert_int_equal(cpu.regime, REGIME_C);
    assert_int_equal(cpu.force_abort, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),  cmocka_unit_test(other_cores),
        cmocka_unit_test(reasons), cmocka_unit_test(counter_3),
        cmocka_unit_test(fixed),   cmocka_unit_test(of_identity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
