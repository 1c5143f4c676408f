/* SPDX-License-Identifier: BSD-2-Clause */
/* soak.c - tests that run again and again, and threads of a core in turn. */
#include "tests/host/session/session_fixture.h"

/* Notes how many run at the same time, where they could. */
static unsigned together;

static void sharing_body(struct test_context *t)
{
    note(t, "run %u", together++);
    check(t, true, "never");
}

static const struct test sharing_each = {
    "sharing", ASKS("who else"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, sharing_body,     NULL, 0};
static const struct test sharing_turn = {
    "sharing", ASKS("who else"), CITE, THREADS_IN_TURN,
    {0, 0, 0}, sharing_body,     NULL, 0};

/* The order of four processors of two cores, as they are run one after another:
 * "0123" at the same time, "0213" in turn. */
static void check_order(const struct test *test, const char *option, bool turn)
{
    const struct test *const only[] = {test, NULL};

    fake_reset();
    fake_processors(4);
    inject = NULL;
    together = 0;
    words = option;
    struct ktap_totals totals = run(only, "*", 0);
    words = "";
    assert_int_equal(totals.pass, 1);
    assert_has("\n# processor 0: run 0\n");
    assert_has(turn ? "\n# processor 2: run 1\n" : "\n# processor 1: run 1\n");
    assert_has(turn ? "\n# processor 1: run 2\n" : "\n# processor 2: run 2\n");
    assert_has("\n# processor 3: run 3\n");
}

static void threads_of_a_core_in_turn(void **state)
{
    (void)state;
    check_order(&sharing_each, "verbosity=verbose", false);
    check_order(&sharing_each, "verbosity=verbose ht=one", true);
    check_order(&sharing_turn, "verbosity=verbose", true);
}

/* Carries how often it ran, and fails where more than so often. */
static unsigned well;

static void carrying_body(struct test_context *t)
{
    unsigned *runs = test_carried(t);

    ++*runs;
    windows_provoked(t, BESIDE_TRANSACTIONS, *runs, 2 * *runs);
    windows_provoked(t, BESIDE_NOTHING, 0, 2 * *runs);
    note(t, "run %u, random: %lx", *runs, (unsigned long)test_random(t));
    check(t, *runs <= well, "once too often");
}

static const struct test carrying = {
    "carrying", ASKS("how often"), CITE, EACH_PROCESSOR,
    {0, 0, 0},  carrying_body,     NULL, 0};
static const struct test *const soaked[] = {&carrying, &overflow, NULL};

static void soak_runs_a_test_for_its_share(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    words = "soak=3s seed=40";
    fake_ms_step = 100;
    well = 1000000;
    struct ktap_totals totals = run(soaked, "carry*,*overflow", 0);
    assert_sound(totals);
    assert_int_equal(totals.pass, 2);
    assert_has("\n1..2\n");
    const char *at =
        strstr(fake_report, "# soak: carrying: counter 3 wrong in ");
    unsigned wrong, of, control, runs, seconds, seed;
    assert_non_null(at);
    assert_int_equal(sscanf(at,
                            "# soak: carrying: counter 3 wrong in %u of %u "
                            "windows beside transactions, in 0 of %u "
                            "without; %u runs in %u s, the last with "
                            "seed=%u, FAIL or ERROR in 0 of",
                            &wrong, &of, &control, &runs, &seconds, &seed),
                     6);
    assert_true(runs > 1);
    assert_int_equal(wrong, runs); /* it began at 0, and was carried */
    assert_int_equal(of, 2 * runs);
    assert_int_equal(control, of);
    assert_int_equal(seconds, 1); /* half of 3 s */
    assert_int_equal(seed, 40 + runs - 1);
    assert_has("\n# soak: counter3_overflow: OBSERVED in 0 of ");
    assert_has("\n# options: tests=carry*,*overflow seed=40 soak=3s");

    /* Up to the first failure, whose lines are the ones that are there. */
    fake_reset();
    fake_ms_step = 100;
    well = 2;
    totals = run(soaked, "carry*", 0);
    assert_int_equal(totals.fail, 1);
    assert_has("# run 3, random: ");
    assert_lacks("# run 2, random: ");
    assert_has("wrong in 3 of 6 windows beside transactions, in 0 of 6 "
               "without; 3 runs in ");
    assert_has(" the last with seed=42, FAIL or ERROR in 1 of 3\n");
    words = "";
}

/* Without a word about tests, those that provoke counter 3. */
static void soak_of_nothing_else(void **state)
{
    static const struct test provoked = {
        "counter3_provoked", ASKS("how"),   CITE, EACH_PROCESSOR,
        {0, 0, 0},           carrying_body, NULL, 0};
    static const struct test *const some[] = {&provoked, &carrying, NULL};

    (void)state;
    fake_reset();
    inject = NULL;
    words = "soak=1s";
    fake_ms_step = 100;
    well = 1000000;
    struct ktap_totals totals = run(some, "*", 0);
    words = "";
    assert_int_equal(totals.pass, 1);
    assert_has("\nok 1 - counter3_provoked\n# soak: counter3_provoked: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_core_in_turn),
        cmocka_unit_test(soak_runs_a_test_for_its_share),
        cmocka_unit_test(soak_of_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
