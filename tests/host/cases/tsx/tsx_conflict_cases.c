/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_conflict_cases.c - each kind of conflict between two processors, over
 * transactions that abort as the manual says, and over the same with those of
 * one body otherwise. */
#include "tests/host/cases/tsx/tsx_conflict_fixture.h"

extern const struct test test_tsx_conflict_read, test_tsx_conflict_retry,
    test_tsx_conflict_write, test_tsx_load_tracking;

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

/* Each form of a load or a store, which is tried less often. */
static void each_form(void **state)
{
    static const struct kind forms[] = {
        {READ, tsx_body_hold_store, CONFLICT_LOAD_BYTE, CONFLICT_SAME,
         "a read of a byte of the write set: "},
        {READ, tsx_body_hold_store, CONFLICT_LOAD_SPLIT, CONFLICT_SAME,
         "a read on two lines, the second of the write set: "},
        {READ, tsx_body_hold_store_kinds, CONFLICT_LOAD, CONFLICT_MANY,
         "a read of a line that MOV of a byte writes: "},
        {WRITE, tsx_body_hold_kinds, CONFLICT_STORE, CONFLICT_MANY,
         "a store to a line that POP reads: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        begin_kind(&forms[i]);
        other.ignores = true;
        fails(&forms[i], "committed although it came between; wanted 0");
        begin_kind(&forms[i]);
        other.ignores = other.unnoticed = true;
        fails(&forms[i], "set EAX[2] (conflict); 0 aborted");
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

/* A line beside is no conflict; what is observed is not FAIL, but that all
 * reads of what is only read are. */
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
        expect_case(case_end(),
                    rows[i].test == &test_tsx_conflict_read &&
                            rows[i].place == CONFLICT_SAME
                        ? VERDICT_FAIL
                        : VERDICT_PASS,
                    rows[i].line);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_conflict),   cmocka_unit_test(each_form),
        cmocka_unit_test(nested),          cmocka_unit_test(shown),
        cmocka_unit_test(any_transaction), cmocka_unit_test(beside),
        cmocka_unit_test(retry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
