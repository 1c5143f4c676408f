/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_conflict_line_cases.c - which line conflicts, how long a transaction
 * waits for that, and what registers hold afterwards, as the manual says, and
 * with one thing otherwise. */
#include "tests/host/cases/tsx/tsx_conflict_fixture.h"

extern const struct test test_tsx_conflict_read, test_tsx_conflict_retry,
    test_tsx_conflict_write, test_tsx_load_tracking;

/* --- Which line it is, and how long a transaction lasts --------------------
 */

static struct {
    const uint8_t *body;
    unsigned lines[8]; /* that were stored to meanwhile, in this order */
    unsigned count;
    unsigned longest;
} noted;

/* All transactions commit, and note what was stored to. */
static bool note_lines(const struct tsx_block *b, struct end *end)
{
    if (b->body == tsx_body_nothing)
        return false;
    if (b->count > noted.longest)
        noted.longest = (unsigned)b->count;
    const bool ends = hold_end(b, end);
    const struct conflict *c = conflict_now();
    if (b->body == noted.body && end->outcome == TSX_ABORTED &&
        (noted.count == 0 || noted.lines[noted.count - 1] != c->line) &&
        noted.count < 8)
        noted.lines[noted.count++] = c->line;
    return ends;
}

static void which_lines(void **state)
{
    (void)state;
    memset(&noted, 0, sizeof(noted));
    begin(&test_tsx_conflict_write);
    own_end = note_lines;
    noted.body = tsx_body_hold_loads;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(noted.count, 3);
    assert_int_equal(noted.lines[0], 19);
    assert_int_equal(noted.lines[1], 63);
    assert_int_equal(noted.lines[2], TSX_HELD_LINES - 1);
    memset(&noted, 0, sizeof(noted));
    begin(&test_tsx_conflict_read);
    own_end = note_lines;
    noted.body = tsx_body_hold_stores;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(noted.count, 1);
    assert_int_equal(noted.lines[0], TSX_STORED_LINES - 1);
}

/* Transactions are made longer until the other comes: for a 64th of the job's
 * time, and for twice that where it has hardly come beside one. */
static void until_it_comes(void **state)
{
    static const struct {
        bool idle;
        enum verdict verdict;
        unsigned turns, lengths;
        const char *line;
    } rows[] = {
        {false, VERDICT_PASS, 64, 1,
         "a write to a line of the read set: 25 of 25"},
        {true, VERDICT_ERROR, CONFLICT_TURNS_MAX, 3 + 200,
         "beside 0 of 5075 transactions only, too few to tell"},
        {false, VERDICT_FAIL, CONFLICT_TURNS_MAX, 3 + 100,
         "none of 2575 transactions, of up to 65536 turns, set EAX[2]"},
    };

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        memset(&noted, 0, sizeof(noted));
        begin(&test_tsx_conflict_retry);
        own_end = note_lines;
        fake_ms_step = 1; /* of 6400 */
        other.idle = rows[n].idle;
        if (n == 2) {
            other.body = tsx_body_hold_load;
            other.ignores = other.unnoticed = true;
        }
        expect_case(case_end(), rows[n].verdict, rows[n].line);
        assert_int_equal(noted.longest, rows[n].turns);
        assert_int_equal(other.transactions, TRIALS * rows[n].lengths);
    }
}

static void one_after_another(void **state)
{
    static const struct test *const tests[] = {
        &test_tsx_conflict_read, &test_tsx_conflict_retry,
        &test_tsx_conflict_write, &test_tsx_load_tracking};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        begin(tests[i]);
        fake_beside = NULL;
        expect_case(case_end(), VERDICT_SKIP, "needs two processors at the");
        assert_int_equal(other.transactions, 0);
        begin(tests[i]);
        tsx_wrong(tsx_body_nothing, aborted(0), 0);
        device.to = UINT32_MAX;
        expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
        assert_int_equal(other.transactions, 0);
    }
}

/* --- Registers --------------------------------------------------------------
 */

static void states(void **state)
{
    static const uint8_t *const changes[] = {tsx_change_general, tsx_change_xmm,
                                             tsx_change_ymm};
    static const char *const names[] = {"general registers and status flags",
                                        "XMM0 to XMM15 and MXCSR",
                                        "YMM0 to YMM15"};

    (void)state;
    passes(&test_tsx_conflict_write, "");
    assert_int_equal(registers.tries, 6 * 8); /* without AVX */
    for (unsigned i = 0; i < 3; i++) {
        begin(&test_tsx_conflict_write);
        state_enumerate(7);
        registers.change = changes[i];
        registers.wrong = true;
        expect_case(case_end(), VERDICT_FAIL, names[i]);
        begin(&test_tsx_conflict_write);
        state_enumerate(7);
        registers.change = changes[i];
        registers.commits = true;
        fake_ms_step = 1;
        expect_case(case_end(), VERDICT_FAIL,
                    "to a line of the read set; wanted fewer");
        assert_non_null(strstr(t->text, names[i]));
        begin(&test_tsx_conflict_write);
        state_enumerate(7);
        registers.change = changes[i];
        registers.slow = true;
        expect_case(case_end(), VERDICT_ERROR, "the other processor stored");
        /* A sixteenth of the time; the first ends the test. */
        assert_int_equal(registers.tries, 8 * (40 + i + (i != 0)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_lines),
        cmocka_unit_test(until_it_comes),
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
