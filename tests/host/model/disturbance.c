/* SPDX-License-Identifier: BSD-2-Clause */
/* disturbance.c - which transactions disturb counter 3, as configured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/lbr/branches.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/tsx/tsx.h"

static struct machine machine;
static struct processor processor, sibling;

static void start(enum disturbance counter3)
{
    struct machine_config config = {
        .cpu = personality_find("skylake-2018"),
        .seed = 1,
        .smt = true,
        .counter3 = counter3,
        .force_abort = FORCE_ABORT_AS_PERSONALITY,
    };

    machine_start(&machine, &config, 2);
    processor_start(&processor, &machine, 0, 0);
    processor_start(&sibling, &machine, 1, 1);
    processor.choices.garble = sibling.choices.garble = GARBLE_COUNT_JUMPS;
    processor.choices.garble_one_in = sibling.choices.garble_one_in = 1;
}

struct run {
    bool aborts;
    unsigned lines, steps;
    uint64_t counter;
};

static void make(const struct run *r)
{
    const struct tx_abort how = {.cause = TX_CAUSE_EXCEPTION, .depth = 1};

    processor.pmu.counter[3] = r->counter;
    tsx_began(&processor, false);
    processor.tsx.lines = r->lines;
    processor.tsx.steps = r->steps;
    if (r->aborts)
        tsx_aborted(&processor, &how);
    else
        tsx_committed(&processor);
}

static void what_fits_disturbs(void **state)
{
    static const struct run commits = {false, 1, 5, 0},
                            aborts = {true, 1, 5, 0},
                            lines = {false, 256, 5, 0},
                            steps = {true, 1, 2000, 0},
                            near = {false, 1, 5, COUNTER_MASK - 63};
    static const struct {
        enum disturbance counter3;
        const struct run *run;
        bool own, others;
    } rows[] = {
        {DISTURB_ANY, &commits, true, false},
        {DISTURB_ANY, &aborts, true, false},
        {DISTURB_SPECULATIVE, &aborts, false, false},
        {DISTURB_SIBLING, &commits, false, true},
        {DISTURB_OVERFLOW, &commits, false, false},
        {DISTURB_OVERFLOW, &near, true, false},
        {DISTURB_LONG, &aborts, false, false},
        {DISTURB_LONG, &lines, true, false},
        {DISTURB_LONG, &steps, true, false},
        {DISTURB_ABORTS, &commits, false, false},
        {DISTURB_ABORTS, &aborts, true, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start(rows[n].counter3);
        make(rows[n].run);
        assert_int_equal(processor.pmu.counter[3] != rows[n].run->counter,
                         rows[n].own);
        assert_int_equal(sibling.pmu.counter[3] != 0, rows[n].others);
    }
}

static void speculation_disturbs_where_asked_for(void **state)
{
    (void)state;
    start(DISTURB_ABORTS);
    tsx_speculated(&processor);
    assert_int_equal(processor.pmu.counter[3], 0);
    start(DISTURB_SPECULATIVE);
    tsx_speculated(&processor);
    assert_int_not_equal(processor.pmu.counter[3], 0);
}

/* A RET that goes elsewhere was expected behind its CALL; a conditional branch
 * that is taken, behind itself. */
static void expected_where_predicted(void **state)
{
    static const uint8_t call[] = {0xE8, 0, 0, 0, 0}, ret[] = {0xC3},
                         jcc[] = {0x74, 0x10};
    struct predictor b = {.calls = 0};
    struct instruction i;

    (void)state;
    instruction_classify(&i, call, sizeof(call));
    assert_true(branches_predicted(&b, &i, 0x1000, 0x2000, true));
    instruction_classify(&i, ret, sizeof(ret));
    assert_false(branches_predicted(&b, &i, 0x2000, 0x3000, true));
    assert_int_equal(branches_expected(&b, &i, 0x2000, true), 0x1005);
    instruction_classify(&i, jcc, sizeof(jcc));
    assert_false(branches_predicted(&b, &i, 0x4000, 0x4012, true));
    assert_int_equal(branches_expected(&b, &i, 0x4000, true), 0x4002);
    assert_int_equal(branches_expected(&b, &i, 0x4000, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_disturbs),
        cmocka_unit_test(speculation_disturbs_where_asked_for),
        cmocka_unit_test(expected_where_predicted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
