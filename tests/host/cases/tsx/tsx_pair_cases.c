/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_pair_cases.c - what two processors see of each other's commits, and do
 * under one elided lock. */
#include "asm/elision_try.h"
#include "src/tsx/elided_lock.h"
#include "tests/host/cases/tsx/tsx_pair_fixture.h"

extern const struct test test_tsx_commit_atomic, test_tsx_lock_elision;

#define LATER UINT32_MAX

/* --- A commit is seen as a whole ------------------------------------------ */

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
    pair_begin(&test_tsx_commit_atomic);
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
    pair_begin(&test_tsx_lock_elision);
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
        cmocka_unit_test(commits),
        cmocka_unit_test(lock_elision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
