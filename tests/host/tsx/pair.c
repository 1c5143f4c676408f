/* SPDX-License-Identifier: BSD-2-Clause */
/* pair.c - two processors at once, of which one may not come, or not end. */
#include "src/tsx/pair.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSORS 3
#define TIMEOUT_MS 1000
#define SECONDS    (UINT64_C(1) << 33) /* of the TSC */
#define LOOKS      256                 /* rounds between two at the clock */

static struct test_context all[PROCESSORS];
static struct test_context *const t = &all[0];
static struct hw_result results[PROCESSORS];
static const struct test whole = {.name = "whole", .scope = WHOLE_MACHINE};
static struct pair pair;

static struct {
    unsigned every; /* a round each so many calls; 0: none */
    uint64_t tsc;   /* that each takes */
    unsigned calls, works, repeats;
    uint64_t rounds_at_work;
    bool raises;
    const struct test_context *peer;
} plan;

static void beside(void)
{
    fake_tsc += plan.tsc;
    if (plan.every != 0 && ++plan.calls % plan.every == 0)
        pair.rounds++;
}

static void work(struct test_context *who, void *argument)
{
    assert_ptr_equal(who, t);
    assert_ptr_equal(argument, &plan);
    assert_false(pair.stop);
    plan.works++;
    plan.rounds_at_work = pair.rounds;
    if (plan.raises)
        fake_raise(HW_UD, 0x1234);
}

static void repeat(struct test_context *peer, void *argument)
{
    assert_ptr_equal(argument, &plan);
    plan.peer = peer;
    plan.repeats++;
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(PROCESSORS);
    memset(all, 0, sizeof(all));
    memset(&plan, 0, sizeof(plan));
    memset(&pair, 0x55, sizeof(pair));
    plan.every = 1;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].all = all;
        all[p].results = results;
        all[p].processors = PROCESSORS;
        all[p].processor = p;
        all[p].timeout_ms = TIMEOUT_MS;
        context_begin(&all[p], &whole, 1);
    }
    fake_beside = beside;
    return 0;
}

static void expect_said(unsigned p, enum verdict verdict, const char *line)
{
    all[p].text[all[p].text_bytes] = '\0';
    assert_int_equal(all[p].verdict, verdict);
    assert_non_null(strstr(all[p].text, line));
}

/* It works once the other has begun and ended once more. */
static void it_waits_for_the_other(void **state)
{
    for (unsigned every = 1; every < 6; every++) {
        set_up(state);
        plan.every = every;
        assert_true(pair_run(t, &pair, work, repeat, &plan));
        assert_int_equal(plan.works, 1);
        assert_in_range(plan.rounds_at_work, 2, 3);
        assert_int_equal(pair.other, 1);
        assert_true(pair.stop);
        expect_said(0, VERDICT_NONE, "");
    }
}

/* For seconds, and not for ever. */
static void one_that_makes_no_progress(void **state)
{
    for (unsigned other = 1; other < PROCESSORS; other++) {
        set_up(state);
        plan.every = 0;
        plan.tsc = SECONDS / 64;
        const uint64_t start = fake_tsc;
        assert_false(pair_run_beside(t, &pair, other, work, repeat, &plan));
        assert_int_equal(plan.works, 0);
        assert_in_range(fake_tsc - start, SECONDS, SECONDS + SECONDS / 16);
        expect_said(0, VERDICT_ERROR,
                    other == 1 ? "processor 1 makes no progress"
                               : "processor 2 makes no progress");
    }
}

static void one_round_is_not_enough(void **state)
{
    (void)state;
    plan.every = 10;
    plan.tsc = SECONDS / 15;
    assert_false(pair_run(t, &pair, work, repeat, &plan));
    assert_int_equal(plan.works, 0);
    assert_int_equal(pair.rounds, 1);
}

/* Where the boot processor's part does not end, the other stops by itself after
 * half of the job's time. */
static void one_that_is_not_stopped(void **state)
{
    (void)state;
    plan.raises = true;
    fake_ms_step = 1;
    assert_false(pair_run_beside(t, &pair, 2, work, repeat, &plan));
    assert_int_equal(plan.works, 1);
    assert_ptr_equal(plan.peer, &all[2]);
    assert_int_equal(plan.rounds_at_work + plan.repeats,
                     LOOKS * (TIMEOUT_MS / 2 + 1));
    expect_said(2, VERDICT_ERROR, "the boot processor did not end its part");
    assert_int_equal(all[1].text_bytes, 0);
}

static void one_after_another(void **state)
{
    (void)state;
    fake_beside = NULL;
    assert_false(pair_run(t, &pair, work, repeat, &plan));
    assert_int_equal(plan.works + plan.repeats, 0);
    expect_said(0, VERDICT_SKIP, "needs two processors at the same time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_waits_for_the_other, set_up),
        cmocka_unit_test_setup(one_that_makes_no_progress, set_up),
        cmocka_unit_test_setup(one_round_is_not_enough, set_up),
        cmocka_unit_test_setup(one_that_is_not_stopped, set_up),
        cmocka_unit_test_setup(one_after_another, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
