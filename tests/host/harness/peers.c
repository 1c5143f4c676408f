/* SPDX-License-Identifier: BSD-2-Clause */
/* peers.c - a test of the whole machine calls the processors that it names, and
 * no other, and says where one did not come back. */
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSORS 4

static struct test_context all[PROCESSORS];
static struct hw_result results[PROCESSORS];
static struct test_context *const t = &all[0];
static const struct test whole = {.name = "whole", .scope = WHOLE_MACHINE};
static unsigned called[PROCESSORS], order[16], calls;
static unsigned raises; /* this processor; PROCESSORS: none */

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(PROCESSORS);
    memset(all, 0, sizeof(all));
    memset(called, 0, sizeof(called));
    calls = 0;
    raises = PROCESSORS;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].processor = p;
        all[p].all = all;
        all[p].results = results;
        all[p].processors = PROCESSORS;
        context_begin(&all[p], &whole, 1);
    }
    return 0;
}

static void job(struct test_context *peer, void *argument)
{
    const unsigned p = test_processor(peer);

    assert_int_equal(p, fake_current);
    assert_ptr_equal(peer, &all[p]);
    if (argument != NULL)
        ++*(unsigned *)argument;
    called[p]++;
    order[calls++] = p;
    if (p == raises)
        fake_raise(6, 0x1234);
    check(peer, true, "it ran");
}

static void assert_called(unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned want[PROCESSORS] = {a, b, c, d};

    for (unsigned p = 0; p < PROCESSORS; p++)
        assert_int_equal(called[p], want[p]);
}

static void one(void **state)
{
    unsigned argument = 0;

    (void)state;
    assert_true(on_processor(t, 2, job, &argument));
    assert_called(0, 0, 1, 0);
    assert_int_equal(argument, 1);
    assert_true(on_processor(t, 3, job, NULL));
    assert_called(0, 0, 1, 1);
    assert_int_equal(all[3].verdict, VERDICT_PASS);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void one_that_there_is_not(void **state)
{
    (void)state;
    assert_false(on_processor(t, PROCESSORS, job, NULL));
    assert_called(0, 0, 0, 0);
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

static void all_but_one(void **state)
{
    (void)state;
    assert_true(on_all_but(t, 1, job, NULL));
    assert_called(1, 0, 1, 1);
    assert_true(on_all_but(t, 0, job, NULL));
    assert_called(1, 1, 2, 2);
    assert_true(on_all_but(t, HW_PROCESSORS_MAX, job, NULL));
    assert_called(2, 2, 3, 3);
}

static void those_of_a_set(void **state)
{
    const bool set[HW_PROCESSORS_MAX] = {false, true, false, true};

    (void)state;
    assert_true(on_processors(t, set, job, NULL));
    assert_called(0, 1, 0, 1);
}

static void in_turn(void **state)
{
    (void)state;
    on_all_in_turn(t, job);
    assert_called(1, 1, 1, 1);
    for (unsigned p = 0; p < PROCESSORS; p++)
        assert_int_equal(order[p], p);
    assert_int_equal(t->verdict, VERDICT_PASS);
}

/* Those after it are not called; the test FAILs beside the ERROR of the one. */
static void in_turn_until_one_is_broken(void **state)
{
    (void)state;
    raises = 2;
    on_all_in_turn(t, job);
    assert_called(1, 1, 1, 0);
    assert_int_equal(all[2].verdict, VERDICT_ERROR);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(t->reason,
                        "processors tested in turn: got 2, wanted 4");
}

static void one_of_many_is_broken(void **state)
{
    (void)state;
    raises = 3;
    assert_false(on_all_but(t, 0, job, NULL));
    assert_called(0, 1, 1, 1);
    assert_int_equal(all[3].verdict, VERDICT_ERROR);
    assert_int_equal(all[3].end, HW_EXCEPTION);
    assert_non_null(strstr(all[3].reason, "unexpected exception #UD"));
    assert_int_equal(all[1].verdict, VERDICT_PASS);
    assert_int_equal(all[1].end, HW_DONE);
    assert_int_equal(all[0].end, HW_NOT_SELECTED);
}

/* Its own job goes on: only what went wrong there is known already. */
static void the_caller_itself(void **state)
{
    (void)state;
    assert_true(on_processor(t, 0, job, NULL));
    assert_called(1, 0, 0, 0);
    assert_int_equal(t->end, HW_NOT_SELECTED);
    raises = 0;
    assert_false(on_processor(t, 0, job, NULL));
    assert_int_equal(t->end, HW_EXCEPTION);
}

static void only_the_boot_processor_calls(void **state)
{
    (void)state;
    assert_false(on_processor(&all[1], 2, job, NULL));
    assert_called(0, 0, 0, 0);
    assert_int_equal(all[1].verdict, VERDICT_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one, set_up),
        cmocka_unit_test_setup(one_that_there_is_not, set_up),
        cmocka_unit_test_setup(all_but_one, set_up),
        cmocka_unit_test_setup(those_of_a_set, set_up),
        cmocka_unit_test_setup(in_turn, set_up),
        cmocka_unit_test_setup(in_turn_until_one_is_broken, set_up),
        cmocka_unit_test_setup(one_of_many_is_broken, set_up),
        cmocka_unit_test_setup(the_caller_itself, set_up),
        cmocka_unit_test_setup(only_the_boot_processor_calls, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
