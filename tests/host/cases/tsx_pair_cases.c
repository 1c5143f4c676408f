/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_pair_cases.c - the cases of what two processors see of each other's
 * transactions, count of them, and do under one elided lock. */
#include "asm/elision_try.h"
#include "src/tsx/elided_lock.h"
#include "tests/host/cases/ring3_fixture.h"
#include "tests/host/cases/tsx_pair_fixture.h"

extern const struct test test_tsx_commit_atomic, test_tsx_conflict_events,
    test_tsx_lock_elision;

#define LATER UINT32_MAX

/* At the end of one window: a counter's value, in percent, and more. */
static struct {
    unsigned windows, of, counter;
    uint64_t percent, more;
    bool open;
} change;

static int access(uint32_t number, const uint64_t *written)
{
    if (written != NULL && number >= IA32_A_PMC(0) && number < IA32_A_PMC(4))
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *written;
    if (number != IA32_PERF_GLOBAL_CTRL || written == NULL || fake_current != 0)
        return HW_NO_FAULT;
    if (*written == 0 && change.open && change.windows++ == change.of)
        *msr(IA32_PMC(change.counter)) =
            *msr(IA32_PMC(change.counter)) * change.percent / 100 + change.more;
    change.open = *written != 0;
    return HW_NO_FAULT;
}

/* --- Events of conflicts -----------------------------------------------------
 */

static struct {
    bool never; /* a conflict at ring 3 aborts nothing, */
    bool idle;  /* and none comes */
    uint32_t status;
    int64_t vector;
    unsigned tries, steps;
    bool uncounted, as_os; /* by TX_MEM, with USR alone; with OS alone */
    bool as_event;         /* by RTM_RETIRED.ABORTED_EVENTS, not _MEM */
    unsigned beside;       /* 1 + the counter of the other that counts it */
    uint64_t kept;         /* bits of R15 */
} ring3_wrong;

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *state = (void *)(uintptr_t)ring3->data;
    volatile uint64_t *held = state->held;
    const uint64_t before = *held;

    assert_int_equal(enable, 3);
    /* USR, EN; OS, EN; by turns with two of USR */
    const bool causes = ring3_wrong.tries % 2 == 0;
    assert_int_equal(*msr(IA32_PERFEVTSEL(0)), causes ? 0x410154 : 0x4108c9);
    assert_int_equal(*msr(IA32_PERFEVTSEL(1)), causes ? 0x420154 : 0x4180c9);
    assert_int_equal(ring3->level, 3);
    assert_int_equal(ring3->body, (uint32_t)(ring3_state_hold - ring3_body));
    assert_true(loaded.cr3 != firmware.cr3);
    ring3_wrong.tries++;
    other.still |= ring3_wrong.steps == 0;
    for (unsigned i = 0; i < ring3_wrong.steps; i++)
        step();
    ring3->vector = ring3_wrong.vector;
    ring3->status = *held != before && !ring3_wrong.never
                        ? ring3_wrong.status
                        : RTM_STATUS_XABORT | 0x44000000;
    ring3_restored(ring3, state);
    state->found[15] ^= ring3_wrong.kept;
    if ((ring3->status & RTM_STATUS_CONFLICT) != 0) {
        *msr(IA32_PMC(0)) +=
            causes ? !ring3_wrong.uncounted : !ring3_wrong.as_event;
        *msr(IA32_PMC(1)) += causes ? ring3_wrong.as_os : ring3_wrong.as_event;
        if (ring3_wrong.beside != 0) {
            fake_current = 1;
            ++*msr(IA32_PMC(ring3_wrong.beside - 1));
            fake_current = 0;
        }
    }
    return 0;
}

static void begin(const struct test *test)
{
    pair_begin(test);
    memset(&change, 0, sizeof(change));
    memset(&ring3_wrong, 0, sizeof(ring3_wrong));
    change.percent = 100;
    ring3_wrong.status = CONFLICT;
    ring3_wrong.vector = HW_NO_FAULT;
    ring3_wrong.steps = 4;
    ring3_firmware();
    fake_device = access;
}

static void events(void **state)
{
    const struct test *test = &test_tsx_conflict_events;
    static const struct {
        unsigned window, counter;
        uint64_t percent, more;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {0, 0, 100, 1, VERDICT_FAIL, ".ABORTED (04H) 6, .COMMIT (02H) 0; "},
        {0, 0, 50, 0, VERDICT_FAIL, ".ABORTED (04H) 2, .COMMIT (02H) 0; "},
        {0, 1, 100, 1, VERDICT_FAIL, ".ABORTED (04H) 5, .COMMIT (02H) 1; "},
        {1, 0, 60, 0, VERDICT_PASS, ""},
        {1, 0, 40, 0, VERDICT_FAIL, ".ABORTED_MEM (08H) 2, .ABORTED_EVENTS"},
        {1, 1, 100, 2, VERDICT_PASS, ""},
        {1, 1, 100, 3, VERDICT_FAIL, ".ABORTED_EVENTS (80H) 3, of 5 aborts"},
        {2, 0, 60, 0, VERDICT_PASS, ""},
        {2, 0, 40, 0, VERDICT_FAIL, ".ABORT_CONFLICT (01H) 2, .ABORT_CAPACITY"},
        {2, 1, 100, 2, VERDICT_PASS, ""},
        {2, 1, 100, 3, VERDICT_FAIL, ".ABORT_CAPACITY (02H) 3, of 5 aborts"},
        {3, 0, 100, 1, VERDICT_FAIL, ".START (01H) 6, .COMMIT (02H) 0; "},
        {3, 1, 100, 1, VERDICT_FAIL, ".START (01H) 5, .COMMIT (02H) 1; "},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "a store to a line of the read set: 5 of 5 set EAX[2]");
    assert_int_equal(change.windows, 8);
    assert_int_equal(ring3_wrong.tries, 6);
    ring3_expect_firmware();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(test);
        change.of = rows[i].window;
        change.counter = rows[i].counter;
        change.percent = rows[i].percent;
        change.more = rows[i].more;
        expect_case(case_end(), rows[i].verdict, rows[i].line);
    }
    for (unsigned n = 0; n < 2; n++) {
        begin(test);
        ring3_wrong.beside = 1 + n;
        expect_case(case_end(), VERDICT_FAIL,
                    "on the processor that stores, and runs no transaction");
    }
    for (unsigned more = 4; more < 6; more++) {
        begin(test); /* some abort for another reason */
        other.body = tsx_body_hold_load;
        other.status = CONFLICT;
        other.rarely = 2;
        change.of = 1;
        change.counter = 1;
        change.more = more;
        expect_case(case_end(), more < 5 ? VERDICT_PASS : VERDICT_FAIL,
                    more < 5 ? "" : "of 2 aborts with EAX[2] (conflict) and 3");
    }
    begin(test); /* events that are not of this generation */
    t->cpu.model = 0x3a;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(change.windows, 6);
    begin(test);
    other.body = tsx_body_hold_load;
    other.status = RTM_STATUS_CONFLICT;
    expect_case(case_end(), VERDICT_FAIL, "set EAX[2] (conflict); ");
    begin(test);
    fake_beside = NULL;
    expect_case(case_end(), VERDICT_SKIP, "needs two processors at the");
}

static void counted_at_ring3(void **state)
{
    (void)state;
    begin(&test_tsx_conflict_events);
    ring3_wrong.uncounted = true;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3: TX_MEM (54H) .ABORT_CONFLICT (01H) with USR alone "
                "0, with OS alone 0, of 3");
    begin(&test_tsx_conflict_events);
    ring3_wrong.as_os = true;
    expect_case(case_end(), VERDICT_FAIL, "with OS alone 3, of 3 aborts");
    begin(&test_tsx_conflict_events);
    ring3_wrong.as_event = true;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3: RTM_RETIRED (C9H) .ABORTED_MEM (08H) 0, "
                ".ABORTED_EVENTS (80H) 3, of 3");
}

static void at_ring3(void **state)
{
    const struct test *test = &test_tsx_conflict_events;
    static const uint32_t statuses[] = {
        RTM_STATUS_CONFLICT | RTM_STATUS_CAPACITY, RTM_STATUS_RETRY,
        RTM_STATUS_CONFLICT | RTM_STATUS_NESTED, 0x44000001};

    (void)state;
    begin(test);
    ring3_wrong.status = RTM_STATUS_CONFLICT;
    expect_case(case_end(), VERDICT_PASS, "");
    for (unsigned i = 0; i < 4; i++) {
        begin(test);
        fake_ms_step = 1;
        ring3_wrong.status = statuses[i];
        expect_case(case_end(), VERDICT_FAIL,
                    "at ring 3: none of 64 transactions left EAX[2] (conflict)"
                    " and no other bit but EAX[1]");
        assert_non_null(strstr(t->text, "though another processor stored "));
    }
    begin(test);
    ring3_wrong.never = true;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_FAIL, "the last EAX is 0x44000001");
    begin(test);
    ring3_wrong.vector = HW_UD;
    expect_case(case_end(), VERDICT_FAIL, "#UD, the last EAX is");
    assert_int_equal(ring3_wrong.tries, 1);
    begin(test);
    ring3_wrong.kept = 1;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3, held for a conflict: 1 of 15 registers");
    begin(test); /* for so long: a sixteenth of the time */
    ring3_wrong.steps = 0;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_ERROR, " times, too few to tell");
    assert_in_range(ring3_wrong.tries, 65, 6400 / 16);
    begin(test); /* between transactions alone: these are enough */
    ring3_wrong.status = RTM_STATUS_RETRY;
    ring3_wrong.steps = 1;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_FAIL, "none of 64 transactions");
}

/* --- A commit is seen as a whole
 * ---------------------------------------------- */

static struct {
    const uint8_t *body;
    bool torn;   /* it is seen in part, once */
    bool left;   /* an abort leaves a line */
    unsigned at; /* which transaction */
    unsigned tries;
    struct end end; /* outcome 0: as it has to be */
} publish;

#define LINES TSX_PUBLISHED
#define LOOKS 17 /* one in 16 rounds */

static bool publish_end(const struct tsx_block *b, struct end *end)
{
    volatile uint64_t *lines = (volatile uint64_t *)(uintptr_t)b->argument;
    const bool down = b->body == tsx_body_publish_down;

    if (!down && b->body != tsx_body_publish_up)
        return false;
    const bool is = publish.tries++ == publish.at;
    *end = is && publish.end.outcome != 0 ? publish.end : committed();
    assert_int_equal(down, publish.tries % 2 == 0);
    assert_int_equal(b->count, publish.tries);
    for (unsigned i = 0; i < LINES && end->outcome == TSX_COMMITTED; i++) {
        lines[(down ? LINES - 1 - i : i) * QUADS] = b->count;
        for (unsigned n = 0; is && publish.torn && i == 3 && n < LOOKS; n++)
            step();
    }
    if (is && publish.left)
        lines[down ? (LINES - 1) * QUADS : 0] = b->count;
    for (unsigned n = 0; n < LOOKS; n++)
        step();
    return true;
}

static void begin_publish(unsigned at)
{
    begin(&test_tsx_commit_atomic);
    memset(&publish, 0, sizeof(publish));
    publish.at = at;
    own_end = publish_end;
}

static void commits(void **state)
{
    char line[100];

    (void)state;
    begin_publish(0);
    expect_case(case_end(), VERDICT_PASS,
                "stores to 8 lines: 25 of 25 transactions committed");
    assert_non_null(strstr(t->text, "and saw 25 numbers"));
    for (unsigned at = 1; at < 3; at++) { /* the second, and the third */
        begin_publish(at);
        publish.torn = true;
        text_format(line, sizeof(line),
                    "saw a commit in part, %u times; the first time number %u "
                    "in one line and then %u, older",
                    at == 1 ? 2 : 3, at + 1, at);
        expect_case(case_end(), VERDICT_FAIL, line);
        begin_publish(at);
        publish.end = aborted(RTM_STATUS_CONFLICT);
        expect_case(case_end(), VERDICT_PASS,
                    "stores to 8 lines: 24 of 25 transactions committed");
        begin_publish(at);
        publish.end = aborted(RTM_STATUS_CONFLICT);
        publish.left = true;
        expect_case(case_end(), VERDICT_FAIL, "saw a commit in part");
        begin_publish(at);
        publish.end.outcome = HW_UD;
        expect_case(case_end(), VERDICT_FAIL,
                    "stores to 8 lines: #UD was delivered");
    }
    begin_publish(0);
    fake_beside = NULL;
    expect_case(case_end(), VERDICT_SKIP, "needs two processors at the");
    begin_publish(0);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(publish.tries, 0);
}

/* --- An elided lock
 * ------------------------------------------------------------ */

/* The begin of what both share. */
static struct shared {
    struct elide_lock lock;
    struct elision_counted counted;
    char padding[112];
    const struct elision_rule *rule;
    unsigned sections;
    volatile unsigned here;
} *const shared = (void *)buffers[0];

static struct {
    uint32_t status; /* of the first tries of each section */
    unsigned aborts;
    unsigned lost_at, twice_at; /* 1 + the section whose count is wrong */
    unsigned taken_at;          /* the lock is taken then, and stays so */
    bool absent;                /* the other does not begin */
    unsigned tries, sections, locked;
} elision;

static void arrive(void)
{
    if (elision.absent || elision.taken_at != 0)
        fake_tsc += UINT64_C(1) << 31;
    if (!elision.absent && shared->here == 1)
        shared->here = 2;
}

void elision_count(void *argument)
{
    struct elision_counted *counted = argument;

    assert_ptr_equal(counted, &shared->counted);
    assert_true(counted->turns != 0);
    elision.sections++;
    elision.locked += shared->lock.taken != 0;
    counted->count += elision.sections == elision.lost_at    ? 0
                      : elision.sections == elision.twice_at ? 2
                                                             : 1;
    if (elision.sections == elision.taken_at)
        shared->lock.taken = 1;
}

uint32_t elision_try(volatile uint32_t *lock, void (*critical)(void *),
                     void *argument)
{
    assert_ptr_equal(lock, &shared->lock.taken);
    assert_int_equal(*lock, 0);
    if (elision.tries++ < elision.aborts)
        return elision.status;
    critical(argument);
    elision.tries = 0;
    return RTM_STATUS_STARTED;
}

static void begin_elision(uint32_t status, unsigned aborts)
{
    begin(&test_tsx_lock_elision);
    memset(&elision, 0, sizeof(elision));
    elision.status = status;
    elision.aborts = aborts;
    fake_beside = arrive;
}

#define PAPER     "rule of white paper 1.3: "
#define BIT_ALONE "rule of the retry bit alone: "

static void lock_elision(void **state)
{
    (void)state;
    begin_elision(0, 0);
    expect_case(case_end(), VERDICT_PASS,
                PAPER "50 of 50 critical sections committed, the others took "
                      "the lock; 0 aborts, 0 conflicts, 0 of these without");
    assert_non_null(strstr(t->text, BIT_ALONE "50 of 50 critical sections"));
    assert_int_equal(elision.sections, 100);
    assert_int_equal(elision.locked, 0);
    begin_elision(CONFLICT, 1);
    expect_case(case_end(), VERDICT_PASS,
                PAPER "50 of 50 critical sections committed, the others took "
                      "the lock; 50 aborts, 50 conflicts, 0 of these without");
    begin_elision(RTM_STATUS_CONFLICT, 1); /* where the two differ */
    expect_case(case_end(), VERDICT_PASS,
                PAPER "50 of 50 critical sections committed, the others took "
                      "the lock; 50 aborts, 50 conflicts, 50 of these without");
    assert_non_null(strstr(t->text, BIT_ALONE
                           "25 of 50 critical sections committed, the others "
                           "took the lock; 25 aborts, 25 conflicts, 25 of"));
    assert_int_equal(elision.locked, 25);
    for (unsigned rule = 0; rule < 2; rule++)
        for (unsigned at = 1; at <= 50; at += 49) {
            begin_elision(0, 0);
            elision.lost_at = 50 * rule + at;
            expect_case(case_end(), VERDICT_FAIL,
                        rule == 0 ? PAPER "the counter is 49 after 50 critical"
                                  : BIT_ALONE "the counter is 49 after 50");
            begin_elision(0, 0);
            elision.twice_at = 50 * rule + at;
            expect_case(case_end(), VERDICT_FAIL,
                        rule == 0 ? PAPER "the counter is 51 after 50 critical"
                                  : BIT_ALONE "the counter is 51 after 50");
        }
    begin_elision(0, 0);
    elision.taken_at = 50;
    expect_case(case_end(), VERDICT_FAIL, PAPER "the lock is 0x1; wanted 0");
    begin_elision(0, 0);
    elision.taken_at = 7;
    expect_case(case_end(), VERDICT_ERROR, "the lock did not become free");
    begin_elision(0, 0);
    elision.absent = true;
    expect_case(case_end(), VERDICT_ERROR, "the other processor does not");
    begin_elision(0, 0);
    fake_beside = NULL;
    expect_case(case_end(), VERDICT_SKIP, "needs two processors at the same");
    begin_elision(0, 0);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(elision.sections, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),           cmocka_unit_test(at_ring3),
        cmocka_unit_test(counted_at_ring3), cmocka_unit_test(commits),
        cmocka_unit_test(lock_elision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
