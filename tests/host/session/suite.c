/* SPDX-License-Identifier: BSD-2-Clause */
/* suite.c - the results of a run in their order: rounds, an update between two
 * passes, and what of several rounds comes to a slot. */
#include "src/session/outcomes.h"
#include "tests/host/session/session_fixture.h"

#define TESTS 3

static const struct test a = {.name = "a"}, b = {.name = "b"},
                         c = {.name = "c"}, update = {.name = "update"};
static struct suite suite;
static struct options options;

static void make(unsigned rounds, bool updates, uint32_t revision)
{
    suite = (struct suite){.tests = {&a, &b, &c},
                           .count = TESTS,
                           .rounds = rounds,
                           .update = updates ? &update : NULL,
                           .revision = revision};
}

static void is(unsigned n, const struct test *test, unsigned slot,
               unsigned round, const char *name)
{
    char out[SUITE_NAME_BYTES];

    assert_ptr_equal(suite_test(&suite, n), test);
    assert_int_equal(suite_slot(&suite, n), slot);
    assert_ptr_equal(suite_slot_test(&suite, slot), test);
    assert_int_equal(suite_round(&suite, n), round);
    assert_string_equal(suite_name(&suite, n, out), name);
    assert_int_equal(suite_is_update(&suite, n), test == &update);
    options.seed = 1000;
    assert_int_equal(suite_seed(&suite, n, &options), 1000 + round);
}

static void one_round(void **state)
{
    (void)state;
    make(1, false, 0);
    assert_int_equal(suite_results(&suite), 3);
    assert_int_equal(suite_slots(&suite), 3);
    is(0, &a, 0, 0, "a");
    is(1, &b, 1, 0, "b");
    is(2, &c, 2, 0, "c");
    assert_true(suite_begins_round(&suite, 0));
    assert_false(suite_begins_round(&suite, 1));
    assert_false(suite_begins_round(&suite, 2));
}

static void two_rounds(void **state)
{
    static const char *const names[] = {"a/1", "b/1", "c/1",
                                        "a/2", "b/2", "c/2"};

    (void)state;
    make(2, false, 0);
    assert_int_equal(suite_results(&suite), 6);
    assert_int_equal(suite_slots(&suite), 3);
    for (unsigned n = 0; n < 6; n++) {
        is(n, suite.tests[n % 3], n % 3, n / 3, names[n]);
        assert_int_equal(suite_begins_round(&suite, n), n % 3 == 0);
        assert_false(suite_is_second(&suite, n));
    }
}

/* A pass before it, and one after it, whose slots are others. */
static void an_update_between(void **state)
{
    static const char *const names[] = {"a/1@C6H", "b/1@C6H", "c/1@C6H",
                                        "a/2@C6H", "b/2@C6H", "c/2@C6H"};

    (void)state;
    make(2, true, 0xc6);
    assert_int_equal(suite_results(&suite), 13);
    assert_int_equal(suite_slots(&suite), 7);
    is(5, &c, 2, 1, "c/2");
    is(6, &update, 3, 0, "update");
    assert_false(suite_is_second(&suite, 6));
    for (unsigned n = 0; n < 6; n++) {
        is(7 + n, suite.tests[n % 3], 4 + n % 3, n / 3, names[n]);
        assert_true(suite_is_second(&suite, 7 + n));
        assert_int_equal(suite_begins_round(&suite, 7 + n), n % 3 == 0);
    }
    make(1, true, 0); /* refused: nothing is run again */
    assert_int_equal(suite_results(&suite), 4);
    is(3, &update, 3, 0, "update");
}

static const enum verdict said[3][2] = {{VERDICT_PASS, VERDICT_FAIL},
                                        {VERDICT_SKIP, VERDICT_SKIP},
                                        {VERDICT_FAIL, VERDICT_PASS}};

static void enter(struct outcomes *o, unsigned test, unsigned round,
                  bool observed)
{
    struct finding found = {.test = suite.tests[test]->name,
                            .verdict = said[test][round],
                            .observed = observed};

    for (unsigned beside = 0; beside < PROVOKED_BESIDES; beside++)
        found.windows[beside] = (struct provoked_windows){
            beside + 1 + 10 * round, 100 * (beside + 1)};
    outcomes_enter(o, &suite, round * TESTS + test, &found);
}

/* The worst of all rounds; what varied; what any has observed; windows
 * together. */
static void rounds_of_a_slot(void **state)
{
    static struct outcomes o;

    (void)state;
    for (unsigned seen = 0; seen < 4; seen++) {
        make(2, false, 0);
        memset(&o, 0xff, sizeof(o)); /* the first round clears */
        memset(o.vary, 0, sizeof(o.vary));
        for (unsigned round = 0; round < 2; round++)
            for (unsigned test = 0; test < TESTS; test++)
                enter(&o, test, round, seen >> round & 1);
        for (unsigned test = 0; test < TESTS; test++) {
            assert_string_equal(o.findings[test].test, suite.tests[test]->name);
            assert_int_equal(o.findings[test].verdict,
                             test == 1 ? VERDICT_SKIP : VERDICT_FAIL);
            assert_int_equal(o.vary[test], test != 1);
            assert_int_equal(o.findings[test].observed, seen != 0);
            for (unsigned beside = 0; beside < PROVOKED_BESIDES; beside++) {
                assert_int_equal(o.findings[test].windows[beside].wrong,
                                 2 * beside + 12);
                assert_int_equal(o.findings[test].windows[beside].of,
                                 200 * (beside + 1));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round),
        cmocka_unit_test(two_rounds),
        cmocka_unit_test(an_update_between),
        cmocka_unit_test(rounds_of_a_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
