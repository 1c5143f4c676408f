/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_breakpoint_cases.c - breakpoints in transactions without advanced
 * debugging. */
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_debug_device.h"

extern const struct test test_tsx_debug_breakpoint;

static const struct {
    const uint8_t *body;
    unsigned before; /* tries of that body before it */
    const char *what;
} points[] = {
    {tsx_body_store, 0, "data breakpoint inside"},
    {tsx_body_store, 1, "data breakpoint of DR1 inside"},
    {tsx_body_store, 2, "data breakpoint of DR2 inside"},
    {tsx_body_store, 3, "data breakpoint of DR3 inside"},
    {tsx_body_load, 0, "data breakpoint on a load inside"},
    {tsx_body_store, 4, "instruction breakpoint inside"},
    {tsx_body_store, 5, "instruction breakpoint of DR3 inside"},
    {tsx_body_nest_store, 0, "data breakpoint in an inner transaction inside"},
    {tsx_body_nest_store, 1, "instruction breakpoint in an inner transaction"},
    {tsx_body_store_1, 0, "data breakpoint on a store of 1 byte inside"},
    {tsx_body_store_2, 0, "data breakpoint on a store of 2 bytes inside"},
    {tsx_body_store_4, 0, "data breakpoint on a store of 4 bytes inside"},
    {tsx_body_store_16, 0, "data breakpoint on a store of 16 bytes inside"},
    {tsx_body_int3, 0, "INT3 inside"},
};
#define POINTS (sizeof(points) / sizeof(points[0]))

static struct {
    bool commits, unrestored;
    unsigned tries;
} registers;

/* While a load of its argument is watched. */
int tsx_state(struct tsx_state *s)
{
    assert_true(watching && watch_at == s->argument);
    registers.tries++;
    const int outcome = state_end(s, registers.commits);
    if (registers.unrestored && s->change == tsx_change_direction)
        s->flags_after ^= 0x400;
    return outcome;
}

static void each_state(void **state)
{
    (void)state;
    memset(&registers, 0, sizeof(registers));
    begin(&test_tsx_debug_breakpoint);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(registers.tries, 4 * 2); /* without AVX */
    begin(&test_tsx_debug_breakpoint);
    registers.unrestored = true;
    expect_case(case_end(), VERDICT_FAIL,
                "DF changed, then a load with a breakpoint, after the abort: "
                "RFLAGS");
    memset(&registers, 0, sizeof(registers));
    begin(&test_tsx_debug_breakpoint);
    registers.commits = true;
    expect_case(case_end(), VERDICT_FAIL, "breakpoint: 2 of 2 committed");
    memset(&registers, 0, sizeof(registers));
}

static void each_point(void **state)
{
    const struct test *test = &test_tsx_debug_breakpoint;
    char line[100];

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "INT3 inside a transaction: EAX = "
                "0x00000010 (breakpoint)");
    assert_true(wrong.points > POINTS);
    assert_int_equal(t->rows, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        /* Not hit: it commits, which no abort with EAX[4] ends. */
        begin(test);
        wrong.point = i;
        wrong.deaf = true;
        expect_case(case_end(), VERDICT_FAIL, points[i].what);
        assert_non_null(strstr(t->text, "100 of 100 committed; wanted 0"));
        assert_non_null(strstr(t->text, "none of 0 aborts set EAX[4]"));
        /* It commits once, and is hit then. */
        begin(test);
        tsx_wrong(points[i].body, committed(), points[i].before);
        expect_case(case_end(), VERDICT_FAIL, "1 of 2 committed; wanted 0");
        assert_non_null(strstr(t->text, points[i].what));
        /* It says nothing of a breakpoint; at last it does. */
        begin(test);
        tsx_wrong(points[i].body, aborted(RTM_STATUS_RETRY), points[i].before);
        device.to = points[i].before + PROBES - 2;
        expect_case(case_end(), VERDICT_PASS, "");
        begin(test);
        tsx_wrong(points[i].body, aborted(RTM_STATUS_RETRY), points[i].before);
        device.to = points[i].before + PROBES - 1;
        expect_case(case_end(), VERDICT_FAIL, points[i].what);
        assert_non_null(strstr(t->text, "none of 100 aborts set EAX[4]; EAX = "
                                        "0x00000002 (retry)"));
        /* It is delivered. */
        begin(test);
        tsx_wrong(points[i].body,
                  (struct end){.outcome = i == POINTS - 1 ? BP : DB},
                  points[i].before);
        expect_case(case_end(), VERDICT_FAIL, "was delivered, 1 of 2");
        /* It is not hit outside, where an inner one is not tried. */
        if (points[i].body == tsx_body_nest_store || is_sized(points[i].body))
            continue;
        begin(test);
        wrong.point = i;
        wrong.wrong_vector = true;
        text_format(line, sizeof(line), "wanted #%s",
                    i == POINTS - 1 ? "BP" : "DB");
        expect_case(case_end(), VERDICT_ERROR, line);
        assert_int_equal(t->rows_tried, POINTS - 1);
    }
    begin(test);
    wrong.leaks = true;
    expect_case(case_end(), VERDICT_FAIL, "INT3");
    /* Of what is watched, the first byte alone. */
    begin(test);
    wrong.first_byte = true;
    expect_case(case_end(), VERDICT_FAIL, "data breakpoint of DR");
}

static void elided_sections(void **state)
{
    (void)state;
    begin(&test_tsx_debug_breakpoint);
    wrong.at_begin = true;
    expect_case(case_end(), VERDICT_FAIL,
                "1 of 8 tries ended with #DB, the lock 0; wanted #DB");
    assert_int_equal(wrong.sections, 8);
    begin(&test_tsx_debug_breakpoint);
    wrong.lost = true;
    expect_case(case_end(), VERDICT_FAIL,
                "8 of 8 tries ended with no exception, the lock 0");
    begin(&test_tsx_debug_breakpoint);
    wrong.lost = true;
    t->cpu.hle = false;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.sections, 0);
}

static void none_commits(void **state)
{
    (void)state;
    begin(&test_tsx_debug_breakpoint);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.points + wrong.windows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point),
        cmocka_unit_test(each_state),
        cmocka_unit_test(elided_sections),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
