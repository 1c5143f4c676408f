/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_conflict_cases.c - the cases of conflicts between two processors, over
 * transactions that abort as the manual says, and over the same with those of
 * one body otherwise. */
#include "tests/host/cases/tsx_pair_fixture.h"

extern const struct test test_tsx_conflict_read, test_tsx_conflict_retry,
    test_tsx_conflict_write, test_tsx_load_tracking;

const uint8_t tsx_end_hold[1] = {0}, tsx_end_hold_inner[1] = {0};

/* Registers that a conflict leaves; what is otherwise. */
static struct {
    const uint8_t *change; /* of this one: */
    bool commits, wrong, slow;
    unsigned tries;
} registers;

int tsx_state(struct tsx_state *s)
{
    volatile uint64_t *line = (volatile uint64_t *)(uintptr_t)s->argument;
    const uint64_t before = *line;
    const bool is = registers.change == s->change;

    assert_true(s->end == tsx_end_hold || s->end == tsx_end_hold_inner);
    registers.tries++;
    if (!is || !registers.slow)
        step();
    const int outcome =
        state_end(s, *line == before || (is && registers.commits));
    if (is && registers.wrong)
        s->x_after[STATE_XMM + 7] ^= 1;
    return outcome;
}

static void begin(const struct test *test)
{
    memset(&registers, 0, sizeof(registers));
    pair_begin(test);
    t->cpu.perfmon_version = 0; /* no stores at ring 3 */
}

static void passes(const struct test *test, const char *line)
{
    begin(test);
    expect_case(case_end(), VERDICT_PASS, line);
}

/* --- Each kind of conflict ------------------------------------------------ */

static const struct kind {
    const struct test *test;
    const uint8_t *body;
    enum conflict_access access;
    enum conflict_place place;
    const char *what;
} kinds[] = {
#define WRITE &test_tsx_conflict_write
#define READ  &test_tsx_conflict_read
    {WRITE, tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_LOCKED, CONFLICT_SAME,
     "a locked write to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_STORE, CONFLICT_LINE,
     "a store to other bytes of a line of the read set: "},
    {WRITE, tsx_body_hold_loads, CONFLICT_STORE, CONFLICT_MANY,
     "a store to the 20th of 192 lines of the read set: "},
    {WRITE, tsx_body_hold_split, CONFLICT_STORE, CONFLICT_SECOND,
     "a store to the second line of a load on two: "},
    {WRITE, tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SECOND,
     "a store to the second line of a load on two, of one byte there: "},
    {WRITE, tsx_body_hold_load, CONFLICT_STORE, CONFLICT_PAGE,
     "a store to the second page of a load on two, of one byte there: "},
    {WRITE, tsx_body_hold_locked, CONFLICT_STORE, CONFLICT_LINE,
     "a store to other bytes of a line of a locked addition: "},
    {WRITE, tsx_body_hold_unstored, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line that a transaction without stores reads: "},
    {WRITE, tsx_body_hold_nested, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line that an inner transaction reads: "},
    {WRITE, tsx_body_hold_deep, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line that one at the third level reads: "},
    {WRITE, tsx_body_hold_ended, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line that an inner transaction has read, which has ended"},
    {WRITE, tsx_body_hold_string, CONFLICT_STORE, CONFLICT_LINE,
     "a store to a line of a load by REP LODS: "},
    {WRITE, tsx_body_hold_vector, CONFLICT_STORE, CONFLICT_LINE,
     "a store to other bytes of a line of a load of 16 bytes: "},
    {WRITE, tsx_body_hold_load, CONFLICT_BYTE, CONFLICT_SAME,
     "a store of a byte to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_WORD, CONFLICT_SAME,
     "a store of 2 bytes to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_DOUBLE, CONFLICT_SAME,
     "a store of 4 bytes to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_WIDE, CONFLICT_SAME,
     "a store of 16 bytes to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_STRING, CONFLICT_SAME,
     "a store by REP STOS to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_NONTEMPORAL, CONFLICT_SAME,
     "a store by MOVNTI to a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_XCHG, CONFLICT_SAME,
     "an XCHG with a line of the read set: "},
    {WRITE, tsx_body_hold_load, CONFLICT_SPLIT, CONFLICT_SAME,
     "a store on two lines, the second of the read set: "},
    {WRITE, tsx_body_hold_store, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line of the write set: "},
    {WRITE, tsx_body_hold_store, CONFLICT_LOCKED, CONFLICT_SAME,
     "a locked write to a line of the write set: "},
    {WRITE, tsx_body_hold_store, CONFLICT_STORE, CONFLICT_LINE,
     "a store to other bytes of a line of the write set: "},
    {WRITE, tsx_body_hold_written, CONFLICT_STORE, CONFLICT_SAME,
     "a store to a line that is only written: "},
    {WRITE, tsx_body_hold_written, CONFLICT_LOCKED, CONFLICT_LINE,
     "a locked write to a line that is only written: "},
    {READ, tsx_body_hold_store, CONFLICT_LOAD, CONFLICT_SAME,
     "a read of a line of the write set: "},
    {READ, tsx_body_hold_store, CONFLICT_LOAD, CONFLICT_LINE,
     "a read of other bytes of a line of the write set: "},
    {READ, tsx_body_hold_both, CONFLICT_LOAD, CONFLICT_SAME,
     "a read of a line of the read set and the write set: "},
    {READ, tsx_body_hold_store, CONFLICT_LOAD, CONFLICT_SECOND,
     "a read of the second line of a store on two: "},
    {READ, tsx_body_hold_store, CONFLICT_LOAD, CONFLICT_PAGE,
     "a read of the second page of a store on two: "},
    {READ, tsx_body_hold_stores, CONFLICT_LOAD, CONFLICT_MANY,
     "a read of the last of 128 lines of the write set: "},
    {READ, tsx_body_hold_store_ended, CONFLICT_LOAD, CONFLICT_SAME,
     "a read of a line that an inner transaction has written, which has"},
    {READ, tsx_body_hold_store_nested, CONFLICT_LOAD, CONFLICT_SAME,
     "a read of a line that an inner transaction writes: "},
    {&test_tsx_conflict_retry, tsx_body_hold_load, CONFLICT_STORE,
     CONFLICT_SAME, "a write to a line of the read set: "},
    {&test_tsx_load_tracking, tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SAME,
     "a write to a line that is loaded: "},
    {&test_tsx_load_tracking, tsx_body_hold_resumed, CONFLICT_STORE,
     CONFLICT_SAME, "a write to a line loaded after XRESLDTRK: "},
    {&test_tsx_load_tracking, tsx_body_hold_before, CONFLICT_STORE,
     CONFLICT_SAME, "a write to a line loaded before XSUSLDTRK too: "},
    {&test_tsx_load_tracking, tsx_body_hold_suspended_store, CONFLICT_LOAD,
     CONFLICT_SAME, "a read of a line stored to after XSUSLDTRK: "},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void begin_kind(const struct kind *kind)
{
    begin(kind->test);
    other.body = kind->body;
    other.access = (int)kind->access;
    other.place = (int)kind->place;
}

static void fails(const struct kind *kind, const char *line)
{
    expect_case(case_end(), VERDICT_FAIL, kind->what);
    assert_non_null(strstr(t->text, line));
}

static void each_conflict(void **state)
{
    (void)state;
    passes(&test_tsx_conflict_write,
           "a store to a line of the read set: 5 of 5 set EAX[2]; EAX = 0x6");
    passes(&test_tsx_conflict_read,
           "a read of a line of the write set: 5 of 5 set EAX[2]");
    passes(&test_tsx_load_tracking, "a write to a line that is loaded: 5 of 5");
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &kinds[i];

        begin_kind(kind); /* it commits, and has read another value */
        other.ignores = true;
        fails(kind, "committed although it came between; wanted 0");
        begin_kind(kind); /* or not */
        other.ignores = other.unnoticed = true;
        fails(kind, "set EAX[2] (conflict); 0 aborted");
        begin_kind(kind); /* an abort that names no conflict, */
        other.status = RTM_STATUS_CONFLICT;
        fails(kind, "set EAX[2] (conflict); ");
        begin_kind(kind); /* or another cause, once */
        other.status = RTM_STATUS_BREAKPOINT;
        other.rarely = 2;
        fails(kind, "EAX names another cause, at least once in");
        begin_kind(kind); /* or capacity, each time */
        other.status = RTM_STATUS_CAPACITY;
        fails(kind, "EAX names another cause, in each of");
        begin_kind(kind);
        other.status = RTM_STATUS_XABORT | RTM_STATUS_RETRY;
        fails(kind, "EAX names another cause, at least once");
        begin_kind(kind);
        other.status = 1u << 6;
        fails(kind, "a status that cannot be");
        begin_kind(kind); /* The retry bit is a hint. */
        other.status = RTM_STATUS_RETRY;
        expect_case(case_end(), VERDICT_PASS, "");
    }
}

/* EAX[5]: where the transaction is an inner one most have it; where it has
 * ended either will do; else none has. */
static void nested(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &kinds[i];
        const bool inner = kind->body == tsx_body_hold_nested ||
                           kind->body == tsx_body_hold_deep ||
                           kind->body == tsx_body_hold_store_nested;
        const bool either = kind->body == tsx_body_hold_ended ||
                            kind->body == tsx_body_hold_store_ended;

        begin_kind(kind);
        other.status = RTM_STATUS_NESTED;
        if (either)
            expect_case(case_end(), VERDICT_PASS, "");
        else
            fails(kind, inner ? "EAX[5] (nested) is 1 in 0 of 10 aborts"
                              : "EAX names another cause");
        if (!inner)
            continue;
        /* 3 of 5; 2 of 5, and 5 of 10, by the end of the inner one; 3 of 10. */
        for (unsigned row = 0; row < 3; row++) {
            begin_kind(kind);
            other.status = RTM_STATUS_NESTED;
            other.rarely = row < 2 ? 2 : 3;
            other.conflicts = row != 0;
            if (row < 2)
                expect_case(case_end(), VERDICT_PASS, "");
            else
                fails(kind, "EAX[5] (nested) is 1 in 3 of 10 aborts");
        }
    }
}

/* Whichever the transaction's end is, and each processor's view of it. */
static void shown(void **state)
{
    static const uint8_t *const stores[] = {
        tsx_body_hold_store, tsx_body_hold_stores, tsx_body_hold_store_ended,
        tsx_body_hold_store_nested};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        begin(&test_tsx_conflict_read);
        other.body = stores[i];
        other.shows = true;
        expect_case(case_end(), VERDICT_FAIL,
                    "saw a store that was not committed; wanted 0");
    }
    begin(&test_tsx_conflict_write);
    other.body = tsx_body_hold_store;
    other.access = CONFLICT_LOCKED;
    other.shows = true;
    expect_case(case_end(), VERDICT_FAIL,
                "saw a store that was not committed; wanted 0");
}

/* What holds for any transaction. */
static void any_transaction(void **state)
{
    static const struct {
        struct end wrong;
        const char *line;
    } rows[] = {
        {{.outcome = TSX_ABORTED, .status = CONFLICT, .leaks = true},
         "the store of an aborted"},
        {{.outcome = TSX_ABORTED, .status = CONFLICT, .unrestored = true},
         "a register change of an aborted"},
        {{.outcome = TSX_COMMITTED, .leaks = true}, "the store of a committed"},
        {{.outcome = TSX_INNER}, "at the fallback of an inner transaction"},
        {{.outcome = HW_UD}, "#UD was delivered"},
    };

    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
            begin(kinds[i].test);
            tsx_wrong(kinds[i].body, rows[n].wrong, 0);
            device.to = UINT32_MAX;
            expect_case(case_end(), VERDICT_FAIL, rows[n].line);
        }
}

/* A line beside is no conflict; what is observed is not FAIL. */
static void beside(void **state)
{
    static const struct {
        const struct test *test;
        const uint8_t *body;
        int place;
        const char *line, *none;
    } rows[] = {
        {&test_tsx_conflict_write, tsx_body_hold_load, CONFLICT_BESIDE,
         "OBSERVED a write to the line next to the read set sets EAX[2]: 5 of "
         "5",
         "OBSERVED a write to the line next to the read set sets EAX[2]: 0 of "
         "5"},
        {&test_tsx_conflict_write, tsx_body_hold_store, CONFLICT_BESIDE,
         "OBSERVED a write to the line next to the write set sets EAX[2]: 5 "
         "of 5",
         "OBSERVED a write to the line next to the write set sets EAX[2]: 0 "
         "of 5"},
        {&test_tsx_conflict_read, tsx_body_hold_store, CONFLICT_BESIDE,
         "OBSERVED a read of the line next to the write set sets EAX[2]: 5 of",
         "OBSERVED a read of the line next to the write set sets EAX[2]: 0 of"},
        {&test_tsx_conflict_read, tsx_body_hold_load, CONFLICT_SAME,
         "OBSERVED a read of a line that the transaction only reads sets "
         "EAX[2]: 5 of 5",
         "OBSERVED a read of a line that the transaction only reads sets "
         "EAX[2]: 0 of 5"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        passes(rows[i].test, rows[i].none);
        begin(rows[i].test);
        other.body = rows[i].body;
        other.place = rows[i].place;
        other.aborts = true;
        expect_case(case_end(), VERDICT_PASS, rows[i].line);
    }
}

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

/* --- The retry bit ---------------------------------------------------------
 */

static void retry(void **state)
{
    static const struct {
        bool force_abort;
        uint32_t status;
        unsigned rarely;
        const char *line;
    } rows[] = {
        {true, 0, 0,
         "NOT OBSERVED EAX[2] (conflict) without EAX[1] (retry): "
         "0 of 25"},
        {true, RTM_STATUS_RETRY, 0,
         "\nOBSERVED EAX[2] (conflict) without EAX[1] (retry): 25 of 25"},
        {true, RTM_STATUS_RETRY, 2,
         "\nOBSERVED EAX[2] (conflict) without EAX[1] (retry): 12 of 25"},
        {false, 0, 0, "NOT OBSERVED no conflict abort sets EAX[1] (retry)"},
        {false, RTM_STATUS_RETRY, 2,
         "NOT OBSERVED no conflict abort sets EAX[1] (retry)"},
        {false, RTM_STATUS_RETRY, 2, "without EAX[1] (retry): 12 of 25"},
        {false, RTM_STATUS_RETRY, 0,
         "\nOBSERVED no conflict abort sets EAX[1] (retry), with EDX[13] = 0: "
         "1 of 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_conflict_retry);
        t->cpu.tsx_force_abort = rows[i].force_abort;
        other.body = tsx_body_hold_load;
        other.status = rows[i].status;
        other.rarely = rows[i].rarely;
        expect_case(case_end(), VERDICT_PASS, rows[i].line);
        assert_int_equal(strstr(t->text, "EDX[13] = 0") == NULL,
                         rows[i].force_abort);
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

/* --- XSUSLDTRK --------------------------------------------------------------
 */

static void load_tracking(void **state)
{
    static const uint8_t *const aborting[] = {tsx_body_suspended_end,
                                              tsx_body_suspended_begin,
                                              tsx_body_suspended_twice};
    static const char *const names[] = {"XEND after", "XBEGIN after",
                                        "XSUSLDTRK after"};
    const struct test *test = &test_tsx_load_tracking;
    struct end kept = aborted(0);

    (void)state;
    kept.flags = 1;
    for (unsigned i = 0; i < 3; i++) {
        begin(test); /* the store between is not undone, in the last try */
        tsx_wrong(aborting[i], kept, TRIES - 1);
        expect_case(case_end(), VERDICT_FAIL, "a store in between, and ");
        assert_non_null(
            strstr(t->text, "the store of an aborted transaction remained"));
        begin(test);
        tsx_wrong(aborting[i], committed(), TRIES - 1);
        expect_case(case_end(), VERDICT_FAIL, names[i]);
        assert_non_null(strstr(t->text, "1 of 5 transactions committed; "));
    }
    begin(test);
    tsx_wrong(tsx_body_suspended_once, aborted(0), 0);
    device.to = TRIES - 2;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(test);
    tsx_wrong(tsx_body_suspended_once, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_FAIL,
                "XSUSLDTRK and XRESLDTRK: none of 5 transactions committed");
    begin(test); /* what is stored there is lost, once */
    tsx_wrong(tsx_body_suspended_once, committed(), TRIES - 1);
    expect_case(case_end(), VERDICT_FAIL,
                "a store between XSUSLDTRK and XRESLDTRK: there after 4 of 5 "
                "commits; wanted each");
    for (unsigned i = 0; i < 2; i++) { /* it holds for the next one */
        begin(test);
        other.outlives[i] = true;
        expect_case(case_end(), VERDICT_FAIL,
                    i == 0 ? "XSUSLDTRK was outside of a transaction: "
                           : "has aborted after XSUSLDTRK: ");
    }
    begin(test); /* XSUSLDTRK does nothing */
    other.tracks = true;
    expect_case(case_end(), VERDICT_FAIL,
                "5 of 5 transactions set EAX[2] (conflict), and 5 of 5 with a "
                "load that is tracked; wanted half of that at most");
    /* Untracked: half of those with a tracked load at most, and one commits. */
    for (unsigned n = 0; n < 4; n++) {
        begin(test);
        tsx_wrong(tsx_body_hold_untracked,
                  aborted(n < 2 ? CONFLICT : RTM_STATUS_RETRY), 0);
        device.to = n == 0   ? TRIES / 2 - 1
                    : n == 1 ? TRIES / 2
                    : n == 2 ? TRIES - 2
                             : TRIES - 1;
        expect_case(case_end(), n % 2 == 0 ? VERDICT_PASS : VERDICT_FAIL,
                    n == 1   ? "3 of 5 transactions set EAX[2] (conflict), "
                               "and 5 of 5 with a load that is tracked"
                    : n == 3 ? "and before XRESLDTRK: none of 5 transactions"
                             : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_conflict),  cmocka_unit_test(nested),
        cmocka_unit_test(shown),          cmocka_unit_test(any_transaction),
        cmocka_unit_test(beside),         cmocka_unit_test(which_lines),
        cmocka_unit_test(until_it_comes), cmocka_unit_test(one_after_another),
        cmocka_unit_test(retry),          cmocka_unit_test(states),
        cmocka_unit_test(load_tracking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
