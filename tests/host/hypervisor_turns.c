/* SPDX-License-Identifier: BSD-2-Clause */
/* turns.c - which is next, where the turn is passed on, and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/host/below.h"

/* The order in which the processors have had the turn. */
static unsigned had[64], turns;

/* The one that is awake passes the turn on, until it is back. */
static void others(void)
{
    for (unsigned n = 0; n < BELOW_PROCESSORS; n++) {
        struct vcpu *v = below_vcpu(n);

        if (v->awake == 0)
            continue;
        had[turns++ % 64] = n;
        if (n != 0)
            turn_wait(v);
    }
}

static int start(void **state)
{
    (void)state;
    below_start("skylake-2018", "none");
    turns = 0;
    below.asleep = others;
    below.tsc_of_64 = 64 * 8;
    for (unsigned n = 0; n < BELOW_PROCESSORS; n++)
        *below_vcpu(n) = (struct vcpu){
            .model = below_vcpu(n)->model,
            .vmcb = below_vcpu(n)->vmcb,
            .runs = 1,
            .awake = n == 0,
        };
    assert_true(turns_start(true));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    turns_start(false);
    return 0;
}

static void instructions_of_one_length_are_noticed(void **state)
{
    (void)state;
    assert_true(turns_start(true));
    below.tsc_of_64 = 64 * 8 + 1;
    assert_false(turns_start(true));
}

static void the_turn_goes_round(void **state)
{
    struct vcpu *v = below_vcpu(0);

    (void)state;
    turn_yield(v);
    assert_int_equal(had[0], 1);
    assert_int_equal(v->awake, 1);
    assert_int_equal(below_vcpu(1)->awake, 0);
    /* Both start at an agreed tick, some instructions of 8 ticks later. */
    assert_int_equal(below.instruction_tsc, 8);
    assert_true(below.landed >= 100 * 8);
}

static void who_has_no_work_has_no_turn(void **state)
{
    (void)state;
    below_vcpu(1)->runs = 0;
    turn_yield(below_vcpu(0));
    assert_int_equal(below.sleeps, 0);
}

static void who_only_waits_has_few_turns(void **state)
{
    unsigned of_other = 0;

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        below_vcpu(0)->waits = 0;
        turn_yield(below_vcpu(0));
    }
    for (unsigned n = 0; n < turns; n++)
        of_other += had[n] == 1;
    assert_in_range(of_other, 4, 8);
}

/* It waits between two pieces of work. */
static void who_moves_does_not_only_wait(void **state)
{
    struct vcpu *v = below_vcpu(0);

    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        v->gprs.rcx++;
        turn_wait(v);
        assert_int_equal(v->waits, 0);
    }
    turn_wait(v);
    assert_int_equal(v->waits, 1);
}

static void when_all_wait_all_have_turns(void **state)
{
    struct vcpu *v = below_vcpu(0);
    unsigned before;

    (void)state;
    for (unsigned n = 0; n < 8; n++)
        turn_wait(v);
    before = turns;
    for (unsigned n = 0; n < 8; n++)
        turn_wait(v);
    assert_in_range(turns - before, 6, 8); /* one goes on by itself at times */
}

static void steps_end_a_turn(void **state)
{
    struct vcpu *v = below_vcpu(0);
    unsigned n;

    (void)state;
    for (n = 0; n < 1000 && below.sleeps == 0; n++)
        turn_over(v, true);
    assert_in_range(n, 2, 256);
    below.sleeps = 0;
    for (n = 0; n < 1000; n++)
        turn_over(v, false);
    assert_int_equal(below.sleeps, 0);
}

static void who_falls_asleep_passes_it_on(void **state)
{
    struct vcpu *v = below_vcpu(1);

    (void)state;
    below_vcpu(0)->awake = 0;
    v->awake = 1;
    below.asleep = NULL;
    turn_sleep(v);
    assert_int_equal(v->runs, 0);
    assert_int_equal(below_vcpu(0)->awake, 1);
}

static void work_wakes_where_nobody_takes_turns(void **state)
{
    struct vcpu *v = below_vcpu(1);

    (void)state;
    turns_start(false);
    v->awake = 0;
    turn_wake();
    assert_int_equal(v->awake, 1);
    assert_int_equal(v->nmi, 1);
    v->nmi = 0;
    turn_wake();
    assert_int_equal(v->nmi, 0);
    v->reset = true;
    turn_wake();
    assert_int_equal(v->nmi, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(instructions_of_one_length_are_noticed),
        TEST(the_turn_goes_round),
        TEST(who_has_no_work_has_no_turn),
        TEST(who_only_waits_has_few_turns),
        TEST(who_moves_does_not_only_wait),
        TEST(when_all_wait_all_have_turns),
        TEST(steps_end_a_turn),
        TEST(who_falls_asleep_passes_it_on),
        TEST(work_wakes_where_nobody_takes_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
