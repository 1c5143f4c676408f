/* SPDX-License-Identifier: BSD-2-Clause */
/* selected.c - which tests tests= selects: names, patterns, subjects. */
#include "tests/host/session/session_fixture.h"

static void lists_of_patterns(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    struct ktap_totals totals = run(three, "*alone,nonsense,counter3_o*", 0);
    assert_sound(totals);
    assert_has("\n1..2\n");
    assert_has("\n# warning: no test fits tests=nonsense\n");
    assert_int_equal(totals.error, 0);
}

/* Subjects are folders; counter3 has what its advice rests on as well. */
static void subjects(void **state)
{
    static const struct test in_pt = {.name = "transactions",
                                      .asks = "a trace?",
                                      .cite = "a book",
                                      .body = alone_body,
                                      .file = "src/cases/pt/transactions.c"};
    static const struct test golden = {.name = "pt_decode_golden",
                                       .asks = "decoded?",
                                       .cite = "a book",
                                       .body = alone_body,
                                       .file =
                                           "src/cases/pt/pt_decode_golden.c"};
    static const struct test ground = {
        .name = "force_abort_aborts_all",
        .asks = "aborts?",
        .cite = "a book",
        .body = alone_body,
        .file = "src/cases/tsx/force_abort_aborts_all.c"};
    static const struct test *const list[] = {&in_pt, &golden, &ground,
                                              &overflow, NULL};

    (void)state;
    fake_reset();
    inject = NULL;
    run(list, "pt", 0);
    assert_has("\n1..2\n");
    assert_has("ok 1 - pt_decode_golden");
    assert_has("ok 2 - transactions");
    fake_reset();
    run(list, "parsers", 0);
    assert_has("\n1..1\n");
    assert_has("ok 1 - pt_decode_golden");
    fake_reset();
    run(list, "counter3", 0);
    assert_has("\n1..2\n");
    assert_has("ok 1 - counter3_overflow");
    assert_has("ok 2 - force_abort_aborts_all");
    fake_reset();
    run(list, "pebs", 0);
    assert_has("\nnot ok 1 - selection # ERROR no test fits tests=\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_patterns),
        cmocka_unit_test(subjects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
