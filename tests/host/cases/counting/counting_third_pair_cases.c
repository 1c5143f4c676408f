/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_third_pair_cases.c - the case of counter 3 beside another
 * processor, whose transactions may reach it. */
#include "src/counting/provoke.h"
#include "src/tsx/pair.h"
#include "tests/host/cases/counting/counting_third.h"

extern const struct test test_counter3_other_processor;

#define ROUNDS 8 /* of 40 trials */
#define PAIR   ((struct pair *)(void *)buffers[0])

static bool hangs;
static unsigned steps;
static uint64_t other_force_abort; /* of processor 1, in its last turn */

static void step(void)
{
    if (PAIR->repeat == NULL || PAIR->stop)
        return;
    if (hangs) {
        fake_tsc += UINT64_C(1) << 32;
        return;
    }
    fake_current = 1;
    PAIR->repeat(&all[1], PAIR->argument);
    other_force_abort = *msr(TSX_FORCE_ABORT);
    fake_current = 0;
    PAIR->rounds++;
    steps++;
}

/* It is at work in each window. */
static int access_beside(uint32_t number, const uint64_t *written)
{
    const int vector = third_access(number, written);

    if (number != IA32_PERF_GLOBAL_CTRL || written == NULL)
        return vector;
    *msr(number) = *written;
    for (unsigned i = 0;
         *written != 0 && fake_current == 0 && i < 2 * PROVOKE_FEW; i++)
        step();
    return vector;
}

static void begin(enum regime regime, enum third is, bool reaches)
{
    third_begin(&test_counter3_other_processor, regime, is, 5 * ROUNDS);
    memset(buffers[0], 0, sizeof(struct pair));
    memset(t->carried, 0, sizeof(t->carried));
    hangs = false;
    steps = 0;
    third.reaches_others = reaches;
    fake_device = access_beside;
    fake_beside = step;
    fake_ms_step = 1000; /* no more than the rounds */
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        *msr(TSX_FORCE_ABORT) = regime == REGIME_B; /* as a driver has it */
        fake_msr(IA32_PERF_GLOBAL_CTRL)->writable = 0;
    }
    fake_current = 0;
}

static void sound(void **state)
{
    (void)state;
    begin(REGIME_A, SOUND, false);
    expect_case(third_end(), VERDICT_PASS, "processor 1, on the same core");
    assert_true(third.inside != 0);
    begin(REGIME_B, SOUND, true);
    expect_case(third_end(), VERDICT_PASS,
                "NOT OBSERVED counter 3 wrong beside another processor: 0 of");
    /* What is asked there is of both without it. */
    assert_int_equal(other_force_abort, 0);
    begin(REGIME_A, SOUND, false);
    all[1].cpu.apic_id = 2;
    expect_case(third_end(), VERDICT_PASS, "processor 1, on another core");
}

/* What reaches counter 3: its own transactions, and then the other's too. */
static void unsound(void **state)
{
    static const enum third kinds[] = {COUNT, SELECT, CONTROL, IN_USE, STATUS};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        begin(REGIME_A, kinds[i], false);
        expect_case(third_end(), VERDICT_FAIL, "conflicts with another");
        assert_non_null(strstr(t->text, "FAIL: transactions while another "
                                        "processor fills the cache: "));
        assert_null(strstr(t->text, "FAIL: transactions of another processor"));
        begin(REGIME_A, kinds[i], true);
        expect_case(third_end(), VERDICT_FAIL,
                    "FAIL: transactions of another processor alone: ");
        assert_null(strstr(t->text, "FAIL: no transactions"));
        begin(REGIME_B, kinds[i], true);
        expect_case(third_end(), VERDICT_PASS,
                    "OBSERVED counter 3 wrong beside another processor: 17 of "
                    "17");
        begin(REGIME_B, kinds[i], true);
        third.although_forced = true;
        expect_case(third_end(), VERDICT_FAIL,
                    "FAIL: transactions of another processor alone, "
                    "RTM_FORCE_ABORT = 1 here: ");
    }
    begin(REGIME_B, SOUND, false);
    third.spoils_1 = true;
    expect_case(third_end(), VERDICT_FAIL, "counters 0 and 1, of the same");
}

static void windows(void **state)
{
    (void)state;
    begin(REGIME_B, CONTROL, false);
    expect_case(third_end(), VERDICT_PASS,
                "conflicts with another processor: 8 of 8 windows wrong");
    assert_non_null(strstr(t->text, "alone: 0 of 8 windows wrong"));
    assert_non_null(strstr(t->text, "fills the cache: 1 of 1 windows wrong"));
    assert_non_null(strstr(t->text, "no transactions: 0 of 17 windows wrong"));
    assert_int_equal(t->windows[BESIDE_TRANSACTIONS].wrong, 9);
    assert_int_equal(t->windows[BESIDE_TRANSACTIONS].of, 17);
    assert_int_equal(t->windows[BESIDE_NOTHING].wrong, 0);
    assert_int_equal(t->windows[BESIDE_NOTHING].of, 17);
    const unsigned inside = third.inside;
    begin(REGIME_B, CONTROL, false);
    fake_ms_step = 20; /* two more of each kind, in 60 ms */
    expect_case(third_end(), VERDICT_PASS,
                "conflicts with another processor: 10 of 10 windows wrong");
    assert_true(third.inside > inside);
}

static void not_possible(void **state)
{
    (void)state;
    begin(REGIME_B, SOUND, false);
    fake_beside = NULL;
    expect_case(third_end(), VERDICT_SKIP, "two processors at the same time");
    begin(REGIME_B, SOUND, false);
    hangs = true;
    expect_case(third_end(), VERDICT_ERROR, "makes no progress");
    begin(REGIME_B, SOUND, false);
    third.faults = true;
    expect_case(third_end(), VERDICT_SKIP, "and XBEGIN raises #UD");
    assert_int_equal(steps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound),
        cmocka_unit_test(unsound),
        cmocka_unit_test(windows),
        cmocka_unit_test(not_possible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
