/* SPDX-License-Identifier: BSD-2-Clause */
/* turns.c - which is next, where the turn is passed on, and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/host/fakes/fake_cpu.h"

/* The order in which the processors have had the turn. */
static unsigned had[64], turns;

/* The one that is awake passes the turn on, until it is back. */
static void others(void)
{
    for (unsigned n = 0; n < FAKE_CPU_PROCESSORS; n++) {
        struct vcpu *v = fake_cpu_vcpu(n);

        if (v->awake == 0)
            continue;
        had[turns++ % 64] = n;
        if (n != 0)
            turns_spin(v);
    }
}

static int start(void **state)
{
    (void)state;
    fake_cpu_start("skylake-2018", "none");
    turns = 0;
    fake_cpu.asleep = others;
    fake_cpu.tsc_per_64 = 64 * 8;
    for (unsigned n = 0; n < FAKE_CPU_PROCESSORS; n++)
        *fake_cpu_vcpu(n) = (struct vcpu){
            .model = fake_cpu_vcpu(n)->model,
            .vmcb = fake_cpu_vcpu(n)->vmcb,
            .has_work = 1,
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
    fake_cpu.tsc_per_64 = 64 * 8 + 1;
    assert_false(turns_start(true));
}

static void the_turn_goes_round(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(0);

    (void)state;
    turns_yield(v);
    assert_int_equal(had[0], 1);
    assert_int_equal(v->awake, 1);
    assert_int_equal(fake_cpu_vcpu(1)->awake, 0);
    /* Both start at an agreed tick, some instructions of 8 ticks later. */
    assert_int_equal(fake_cpu.instruction_tsc, 8);
    assert_true(fake_cpu.waited_until >= 100 * 8);
}

static void who_has_no_work_has_no_turn(void **state)
{
    (void)state;
    fake_cpu_vcpu(1)->has_work = 0;
    turns_yield(fake_cpu_vcpu(0));
    assert_int_equal(fake_cpu.sleeps, 0);
}

static void who_only_waits_has_few_turns(void **state)
{
    unsigned of_other = 0;

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        fake_cpu_vcpu(0)->spins = 0;
        turns_yield(fake_cpu_vcpu(0));
    }
    for (unsigned n = 0; n < turns; n++)
        of_other += had[n] == 1;
    assert_in_range(of_other, 4, 8);
}

/* It waits between two pieces of work. */
static void who_moves_does_not_only_wait(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(0);

    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        v->gprs.rcx++;
        turns_spin(v);
        assert_int_equal(v->spins, 0);
    }
    turns_spin(v);
    assert_int_equal(v->spins, 1);
}

static void when_all_wait_all_have_turns(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(0);
    unsigned before;

    (void)state;
    for (unsigned n = 0; n < 8; n++)
        turns_spin(v);
    before = turns;
    for (unsigned n = 0; n < 8; n++)
        turns_spin(v);
    assert_in_range(turns - before, 6, 8); /* one goes on by itself at times */
}

static void steps_end_a_turn(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(0);
    unsigned n;

    (void)state;
    for (n = 0; n < 1000 && fake_cpu.sleeps == 0; n++)
        turns_round(v, true);
    assert_in_range(n, 2, 256);
    fake_cpu.sleeps = 0;
    for (n = 0; n < 1000; n++)
        turns_round(v, false);
    assert_int_equal(fake_cpu.sleeps, 0);
}

static void who_falls_asleep_passes_it_on(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(1);

    (void)state;
    fake_cpu_vcpu(0)->awake = 0;
    v->awake = 1;
    fake_cpu.asleep = NULL;
    turns_sleep(v);
    assert_int_equal(v->has_work, 0);
    assert_int_equal(fake_cpu_vcpu(0)->awake, 1);
}

static void work_wakes_without_turns(void **state)
{
    struct vcpu *v = fake_cpu_vcpu(1);

    (void)state;
    turns_start(false);
    v->awake = 0;
    turns_wake();
    assert_int_equal(v->awake, 1);
    assert_int_equal(v->nmi, 1);
    v->nmi = 0;
    turns_wake();
    assert_int_equal(v->nmi, 0);
    v->reset = true;
    turns_wake();
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
        TEST(work_wakes_without_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
