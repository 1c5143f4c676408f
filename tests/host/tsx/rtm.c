/* SPDX-License-Identifier: BSD-2-Clause */
/* rtm.c - XBEGIN tried, over a processor that the test programs, and what holds
 * for any transaction. */
#include "src/tsx/rtm.h"

#include "asm/rtm_store.h"
#include "src/tsx/status.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The n-th try, and each `every`-th after it, has this outcome; the others
 * commit. */
static struct {
    int outcome;
    uint32_t status;
    unsigned from, every, calls;
    bool changes_eax, stays, loses;
} plan;

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    const unsigned n = plan.calls++;
    const bool is = n >= plan.from &&
                    (plan.every == 0 || (n - plan.from) % plan.every == 0);

    if (!is || plan.outcome == RTM_COMMITTED) {
        if (!is || !plan.loses)
            *cell = value;
        if (is && plan.changes_eax)
            *eax = 0;
        return RTM_COMMITTED;
    }
    if (plan.outcome == RTM_ABORTED || plan.outcome == RTM_UNRESTORED)
        *eax = plan.status;
    if (plan.stays)
        *cell = value;
    return plan.outcome;
}

static struct rtm_tally tally;

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(&plan, 0, sizeof(plan));
    plan.outcome = RTM_ABORTED;
    begin_context(REGIME_A, NULL);
    return 0;
}

static void each_outcome(void **state)
{
    (void)state;
    plan.every = 4;
    plan.status = RTM_STATUS_CONFLICT;
    rtm_try(16, &tally);
    assert_int_equal(tally.tried, 16);
    assert_int_equal(tally.committed, 12);
    assert_int_equal(tally.aborted, 4);
    assert_int_equal(tally.forced, 0);
    assert_int_equal(tally.other_status, RTM_STATUS_CONFLICT);
    assert_int_equal(tally.ever, RTM_STATUS_CONFLICT);
    assert_int_equal(tally.always, RTM_STATUS_CONFLICT);
    assert_int_equal(tally.lost | tally.eax_changed | tally.faulted |
                         tally.leaked | tally.unrestored | tally.malformed,
                     0);
    assert_int_equal(tally.vector, HW_NO_FAULT);
    set_up(state);
    rtm_try(5, &tally);
    assert_int_equal(tally.forced, 5);
    assert_int_equal(tally.other_status, 0);
    set_up(state);
    plan.outcome = RTM_UNRESTORED;
    rtm_try(5, &tally);
    assert_int_equal(tally.aborted, 5);
    assert_int_equal(tally.unrestored, 5);
}

/* An exception in each of 16 in a row is enough; one in between is not. */
static void exceptions(void **state)
{
    (void)state;
    plan.outcome = HW_UD;
    rtm_try(100, &tally);
    assert_int_equal(tally.tried, 16);
    assert_int_equal(tally.faulted, 16);
    assert_int_equal(tally.vector, HW_UD);
    set_up(state);
    plan.outcome = HW_UD;
    plan.every = 2;
    rtm_try(100, &tally);
    assert_int_equal(tally.tried, 100);
    assert_int_equal(tally.faulted, 50);
    set_up(state);
    plan.outcome = HW_UD;
    plan.from = 10;
    rtm_try(100, &tally);
    assert_int_equal(tally.tried, 26);
}

static void usable(void **state)
{
    (void)state;
    assert_true(rtm_usable(t)); /* whether it commits is another question */
    assert_int_equal(t->verdict, VERDICT_NONE);
    plan.outcome = HW_UD;
    assert_false(rtm_usable(t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_string_equal(t->reason, "needs transactions, and XBEGIN raises #UD");
}

static enum verdict atomic(void)
{
    rtm_try(4, &tally);
    t->verdict = VERDICT_NONE;
    rtm_check_atomic(t, &tally);
    return t->verdict;
}

/* SDM 1, "RTM Memory Ordering": all of it, or nothing. */
static void what_holds_for_any(void **state)
{
    (void)state;
    assert_int_equal(atomic(), VERDICT_PASS);
    plan.outcome = RTM_COMMITTED;
    assert_int_equal(atomic(), VERDICT_PASS);
    plan.loses = true;
    assert_int_equal(atomic(), VERDICT_FAIL);
    assert_int_equal(tally.lost, 4);
    plan.loses = false;
    plan.changes_eax = true;
    assert_int_equal(atomic(), VERDICT_FAIL);
    assert_int_equal(tally.eax_changed, 4);
    plan.changes_eax = false;
    plan.outcome = RTM_ABORTED;
    plan.stays = true;
    assert_int_equal(atomic(), VERDICT_FAIL);
    assert_int_equal(tally.leaked, 4);
    plan.stays = false;
    plan.outcome = RTM_UNRESTORED;
    assert_int_equal(atomic(), VERDICT_FAIL);
    plan.outcome = RTM_ABORTED;
    plan.status = RTM_STATUS_STARTED; /* no status there can be */
    assert_int_equal(atomic(), VERDICT_FAIL);
    assert_int_equal(tally.malformed, 4);
    assert_int_equal(tally.malformed_status, RTM_STATUS_STARTED);
}

/* White paper 604224, table A-1: EAX = 0. One in a thousand may be a conflict
 * before it, or a retry. */
static void forced(void **state)
{
    static const struct {
        int outcome;
        uint32_t status;
        unsigned from, every;
        bool others; /* the others are forced too, else they commit */
        bool pass;
    } rows[] = {
        {RTM_ABORTED, 0, 0, 0, true, true},
        {RTM_ABORTED, 0, 0, 2, false, false},
        {HW_UD, 0, 1999, 0, true, false},
        {RTM_ABORTED, RTM_STATUS_CONFLICT, 0, 1000, true, true},
        {RTM_ABORTED, RTM_STATUS_CONFLICT, 0, 667, true, true},
        {RTM_ABORTED, RTM_STATUS_CONFLICT, 0, 600, true, false},
        {RTM_ABORTED, RTM_STATUS_RETRY, 0, 1000, true, true},
        {RTM_ABORTED, RTM_STATUS_CAPACITY, 0, 1000, true, false},
        {RTM_ABORTED, RTM_STATUS_XABORT, 1999, 0, true, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_up(state);
        plan.outcome = rows[i].outcome;
        plan.status = rows[i].status;
        plan.from = rows[i].from;
        plan.every = rows[i].every;
        rtm_try(2000, &tally);
        if (rows[i].others) { /* what has committed was forced instead */
            tally.aborted += tally.committed;
            tally.forced += tally.committed;
            tally.committed = 0;
        }
        rtm_check_forced(t, &tally);
        if ((t->verdict == VERDICT_PASS) != rows[i].pass)
            fail_msg("row %zu", i);
        assert_int_equal(t->observed != 0,
                         rows[i].outcome == RTM_ABORTED && rows[i].status != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_outcome, set_up),
        cmocka_unit_test_setup(exceptions, set_up),
        cmocka_unit_test_setup(usable, set_up),
        cmocka_unit_test_setup(what_holds_for_any, set_up),
        cmocka_unit_test_setup(forced, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
