/* SPDX-License-Identifier: BSD-2-Clause */
/* context.c - what a body says becomes verdicts and lines. */
#include "tests/host/harness/fixture.h"

static void checks(void **state)
{
    (void)state;
    assert_int_equal(t->verdict, VERDICT_NONE);
    assert_true(check(t, true, "not said"));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_true(check_equal(t, "IA32_PMC3 (C4H)", 1, 1));
    assert_false(check_equal(t, "IA32_PMC3 (C4H)", 0x1f, 2));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    check(t, true, "not said");
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(lines(),
                        "FAIL: IA32_PMC3 (C4H): got 0x1f, wanted 0x2\n");
    assert_true(check_msr_is(t, 0x38d, 2, 2, " after it"));
    assert_false(check_msr_is(t, 0x38d, 0x812, 0x832, " after it"));
    assert_non_null(strstr(lines(),
                           "FAIL: IA32_FIXED_CTR_CTRL (38DH) after it: got "
                           "0x812, wanted 0x832: [5] cleared\n"));
}

/* Each kind of line has it, and only what is said inside. */
static void lines_have_a_prefix(void **state)
{
    (void)state;
    WITH_PREFIX (t, "row %u", 3u) {
        check_equal(t, "IA32_PMC3 (C4H)", 1, 2);
        prefix_push(t, "%s", "PAUSE");
        note(t, "inner");
        prefix_pop(t);
        observe(t, "seen", 1, 2);
    }
    assert_string_equal(t->reason, "row 3: IA32_PMC3 (C4H): got 0x1, wanted "
                                   "0x2");
    broken(t, "outside");
    assert_string_equal(lines(),
                        "FAIL: row 3: IA32_PMC3 (C4H): got 0x1, wanted 0x2\n"
                        "row 3: PAUSE: inner\n"
                        "OBSERVED row 3: seen: 1 of 2\n"
                        "ERROR: outside\n");
}

static void prefix_of_what_is_known(void **state)
{
    const struct identity skylake = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    const enum erratum erratum = ERRATUM_EVENTING_IP_BEFORE_JCC;

    (void)state;
    t->cpu = skylake;
    WITH_PREFIX (t, "row") {
        check_known(t, false, erratum, false, "other %u", 1u);
        check_known(t, true, erratum, false, "not said");
        check_known(t, false, erratum, true, "%u", 2u);
    }
    assert_string_equal(lines(), "FAIL: row: other 1\nKNOWN SKL018: row: 2\n");
}

/* It is the whole test's then: which is no PASS, but may be another verdict. */
static void prefix_that_is_left(void **state)
{
    (void)state;
    t->end = HW_DONE;
    check(t, true, "not said");
    prefix_push(t, "row");
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    context_begin(t, &each, 1);
    t->end = HW_DONE;
    note(t, "of the next");
    check(t, false, "wrong");
    prefix_push(t, "row");
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(lines(), "of the next\nFAIL: wrong\n");
}

static void prefixes_are_bounded(void **state)
{
    char longest[CONTEXT_PREFIX_BYTES + 1];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    for (unsigned i = 0; i < CONTEXT_PREFIXES; i++)
        assert_true(prefix_push(t, "%s", longest));
    assert_false(prefix_push(t, "one more"));
    assert_int_equal(t->verdict, VERDICT_ERROR);
    for (unsigned i = 0; i < CONTEXT_PREFIXES + 1; i++)
        assert_false(prefix_pop(t));
    assert_string_equal(t->prefix, "");
}

/* Another deviation than the erratum's, or another processor, is FAIL. */
static void errata(void **state)
{
    const struct identity skylake = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    const uint64_t met = UINT64_C(1) << ERRATUM_EVENTING_IP_BEFORE_JCC;

    (void)state;
    t->cpu = skylake;
    assert_true(
        check_known(t, true, ERRATUM_EVENTING_IP_BEFORE_JCC, true, "not said"));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_false(check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, true,
                             "EventingIP: %u", 1U));
    assert_int_equal(t->verdict, VERDICT_KNOWN);
    assert_true(t->known == met);
    assert_string_equal(lines(), "KNOWN SKL018: EventingIP: 1\n");
    assert_false(
        check_known(t, false, ERRATUM_RECORD_OF_LATER, true, "not Skylake's"));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_true(t->known == met);
    set_up(state);
    t->cpu = skylake;
    assert_false(check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, false,
                             "another deviation"));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_true(t->known == 0);
}

/* Said twice, then counted: the FAIL after it has its line. */
static void an_erratum_met_often(void **state)
{
    (void)state;
    t->cpu = (struct identity){
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    for (unsigned i = 1; i <= 100; i++)
        check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, true, "%u", i);
    check(t, false, "another");
    context_close(t);
    assert_int_equal(t->checks, 101);
    assert_string_equal(lines(), "KNOWN SKL018: 1\nKNOWN SKL018: 2\n"
                                 "FAIL: another\n"
                                 "KNOWN SKL018: 98 more checks failed so\n");
}

static void none_of_so_many(void **state)
{
    (void)state;
    assert_true(check_none(t, "not said", 0, 9));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_false(check_none(t, "it remained", 2, 9));
    assert_string_equal(lines(), "FAIL: it remained, 2 of 9; wanted 0\n");
}

static void the_worst_wins_and_gives_the_reason(void **state)
{
    (void)state;
    (skip)(t, "needs %s", "this");
    assert_int_equal(t->verdict, VERDICT_SKIP);
    broken(t, "first");
    broken(t, "second");
    (skip)(t, "needs that");
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "first");
    assert_string_equal(lines(), "SKIP: needs this\nERROR: first\n"
                                 "ERROR: second\nSKIP: needs that\n");
}

static void observations_never_fail(void **state)
{
    (void)state;
    observe(t, "it", 0, 0); /* nothing was tried: no check */
    assert_int_equal(t->verdict, VERDICT_NONE);
    observe(t, "it", 0, 10);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->observed, 0);
    observe(t, "it", 10, 10);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->observed, 10);
    observe(t, "more of it", 11, 12);
    assert_int_equal(t->observed, 10);
    assert_int_equal(t->observed_of, 10); /* the greatest part stays */
    assert_string_equal(lines(), "NOT OBSERVED it: 0 of 0\n"
                                 "NOT OBSERVED it: 0 of 10\n"
                                 "OBSERVED it: 10 of 10\n"
                                 "OBSERVED more of it: 11 of 12\n");
}

static void notes_are_no_checks(void **state)
{
    (void)state;
    note(t, "so");
    t->end = HW_DONE;
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "made no check");
}

static const struct {
    bool check;
} three[] = {{true}, {false}, {true}};

/* As a body goes through it, but for its end. */
static void go_through(unsigned rows)
{
    FOR_EACH_ROW (t, i, three) {
        if (i == rows)
            break;
        if (three[i].check)
            check(t, true, "it");
        else
            observe(t, "it", 0, 1);
    }
    t->end = HW_DONE;
    context_close(t);
}

static void each_row_is_tried(void **state)
{
    (void)state;
    go_through(3);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->rows, 3);
}

static void two_tables_add_up(void **state)
{
    (void)state;
    go_through(3);
    go_through(3);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->rows, 6);
    assert_int_equal(t->rows_tried, 6);
}

static void a_lost_row_is_an_error(void **state)
{
    (void)state;
    go_through(2);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "tried 2 of 3 rows of its tables");
}

static void a_row_without_a_check_is_not_tried(void **state)
{
    (void)state;
    check(t, true, "before the rows");
    FOR_EACH_ROW (t, i, three)
        if (i != 1)
            check(t, true, "it");
        else
            observe(t, "it", 0, 0);
    t->end = HW_DONE;
    context_close(t);
    assert_string_equal(t->reason, "tried 2 of 3 rows of its tables");
}

/* The processor's failure is what counts. */
static void rows_do_not_hide_a_fail(void **state)
{
    (void)state;
    check(t, false, "it");
    go_through(1);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

static void lines_are_bounded(void **state)
{
    char wide[400];

    (void)state;
    memset(wide, 'w', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    for (unsigned i = 0; i < 100; i++)
        check(t, false, "%s", wide);
    note(t, "short"); /* would fit, but lines stay in order */
    assert_true(t->text_bytes <= sizeof(t->text));
    unsigned kept = 101 - t->left_out;
    context_close(t);
    assert_true(t->text_bytes < sizeof(t->text));
    assert_int_equal(kept,
                     (CONTEXT_TEXT_BYTES - 40) / (CONTEXT_LINE_BYTES + 6));
    assert_non_null(strstr(lines(), "w\n89 more lines left out\n"));
}

static void trials(void **state)
{
    (void)state;
    assert_int_equal(test_trials(t, 1000, 100), 1000);
    t->trials = 100;
    assert_int_equal(test_trials(t, 1000, 100), 100);
    assert_int_equal(t->text_bytes, 0);
    t->trials = 5;
    assert_int_equal(test_trials(t, 1000, 100), 5);
    assert_int_equal(test_trials(t, 1000, 100), 5);
    assert_string_equal(
        lines(), "trials=5 is fewer than the 100 that this test asks for\n");
    assert_int_equal(t->verdict, VERDICT_NONE); /* no check */
}

static void random_numbers_repeat(void **state)
{
    uint64_t first[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        first[i] = test_random(t);
    assert_true(first[0] != first[1] && first[1] != first[2]);
    assert_true(test_random(&all[1]) != first[0]);
    context_begin(t, &each, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_true(test_random(t) == first[i]);
    context_begin(t, &each, 2);
    assert_true(test_random(t) != first[0]);
    t->random = 0; /* the published sequence of seed 0 */
    assert_true(test_random(t) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(test_random(t) == UINT64_C(0x6e789e6aa1b965f4));
}

static void do_nothing(struct test_context *peer, void *argument)
{
    (void)peer;
    (void)argument;
}

static void each_processor_calls_no_other(void **state)
{
    (void)state;
    assert_false(on_processor(t, 1, do_nothing, NULL));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(checks, set_up),
        cmocka_unit_test_setup(lines_have_a_prefix, set_up),
        cmocka_unit_test_setup(prefix_of_what_is_known, set_up),
        cmocka_unit_test_setup(prefix_that_is_left, set_up),
        cmocka_unit_test_setup(prefixes_are_bounded, set_up),
        cmocka_unit_test_setup(errata, set_up),
        cmocka_unit_test_setup(an_erratum_met_often, set_up),
        cmocka_unit_test_setup(none_of_so_many, set_up),
        cmocka_unit_test_setup(the_worst_wins_and_gives_the_reason, set_up),
        cmocka_unit_test_setup(observations_never_fail, set_up),
        cmocka_unit_test_setup(notes_are_no_checks, set_up),
        cmocka_unit_test_setup(each_row_is_tried, set_up),
        cmocka_unit_test_setup(two_tables_add_up, set_up),
        cmocka_unit_test_setup(a_lost_row_is_an_error, set_up),
        cmocka_unit_test_setup(a_row_without_a_check_is_not_tried, set_up),
        cmocka_unit_test_setup(rows_do_not_hide_a_fail, set_up),
        cmocka_unit_test_setup(lines_are_bounded, set_up),
        cmocka_unit_test_setup(trials, set_up),
        cmocka_unit_test_setup(random_numbers_repeat, set_up),
        cmocka_unit_test_setup(each_processor_calls_no_other, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
