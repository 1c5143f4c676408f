/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - outcomes of transactions, counted and judged, over a
 * processor that the test programs. */
#include "src/base/msr.h"
#include "src/options/options.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "asm/rtm_store.h"

/* What the next transaction does, and whether what it stored remains. */
static struct {
    int outcome;
    uint32_t status, unrestored;
    bool cell_stays, flags_stay;
    unsigned calls, matches_from; /* status 0 before this call */
    int store_outcome;            /* of rtm_store() */
} plan;

int tsx_inside(struct tsx_block *block)
{
    plan.calls++;
    block->status = plan.calls < plan.matches_from ? 0 : plan.status;
    block->unrestored = plan.unrestored;
    if (plan.cell_stays)
        block->cell = ~block->cell;
    if (plan.flags_stay)
        block->flags = ~block->flags;
    return plan.outcome;
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    if (plan.store_outcome == RTM_COMMITTED)
        *cell = value;
    else
        *eax = 0;
    return plan.store_outcome;
}

static const struct tsx_block block;
static struct rtm_tally probe;

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(&plan, 0, sizeof(plan));
    plan.outcome = TSX_ABORTED;
    plan.store_outcome = RTM_COMMITTED;
    begin_context(REGIME_B, NULL);
    rtm_clear(&probe);
    return 0;
}

static enum verdict judged(void)
{
    t->verdict = VERDICT_NONE;
    probe_check(t, &probe);
    return t->verdict;
}

static void a_clean_abort_passes(void **state)
{
    (void)state;
    plan.status = RTM_STATUS_CAPACITY;
    assert_int_equal(probe_once(&block, RTM_STATUS_CAPACITY, &probe),
                     TSX_ABORTED);
    assert_int_equal(probe.tried, 1);
    assert_int_equal(probe.aborted, 1);
    assert_int_equal(probe.matched, 1);
    assert_int_equal(probe.status, RTM_STATUS_CAPACITY);
    assert_int_equal(judged(), VERDICT_PASS);
}

static void a_commit_keeps_its_store(void **state)
{
    (void)state;
    plan.outcome = TSX_COMMITTED;
    plan.cell_stays = true;
    probe_once(&block, 0, &probe);
    assert_int_equal(probe.committed, 1);
    assert_int_equal(judged(), VERDICT_PASS);
    plan.cell_stays = false;
    probe_once(&block, 0, &probe);
    assert_int_equal(probe.lost, 1);
    assert_int_equal(judged(), VERDICT_FAIL);
}

/* That the body was told of something is no fault of the commit. */
static void flags_of_a_commit(void **state)
{
    (void)state;
    for (unsigned stay = 0; stay < 2; stay++) {
        set_up(state);
        plan.outcome = TSX_COMMITTED;
        plan.cell_stays = true;
        plan.flags_stay = stay != 0;
        for (unsigned i = 0; i < 3; i++)
            probe_once(&block, 0, &probe);
        assert_int_equal(probe.committed, 3);
        assert_int_equal(probe.flagged, stay != 0 ? 3 : 0);
        assert_int_equal(probe.leaked | probe.lost | probe.aborted, 0);
        assert_int_equal(judged(), VERDICT_PASS);
    }
}

static void nothing_tried(void **state)
{
    (void)state;
    assert_int_equal(judged(), VERDICT_ERROR);
}

/* A fifth of what is asked for. */
static void tries_of_a_row(void **state)
{
    (void)state;
    assert_int_equal(probe_row_tries(t), 20);
    t->trials = 1000;
    assert_int_equal(probe_row_tries(t), 200);
    t->trials = 6;
    assert_int_equal(probe_row_tries(t), 2);
    assert_int_equal(t->text_bytes, 0);
    t->trials = 4; /* too few, and one at least */
    assert_int_equal(probe_row_tries(t), 1);
    assert_true(t->text_bytes != 0);
}

/* By the causes that EAX names: what must be there came once at least, another
 * one never, but for those from outside, which did not come each time. */
static void causes(void **state)
{
    enum { X = 1, R = 2, C = 4, M = 8, B = 16, N = 32 };
    static const struct {
        uint32_t must, may, ever, always;
        unsigned aborted;
        bool pass;
    } rows[] = {
        {X, 0, X, X, 9, true},          {X, 0, 0, 0, 9, false},
        {X | N, 0, X, X, 9, false},     {X | N, 0, X | N, 0, 9, true},
        {X, 0, X | R, 0, 9, true}, /* retry is a guess */
        {X, 0, X | B, X, 9, false},     {X, B, X | B, X, 9, true},
        {X, 0, X | N, X, 9, false},     {B, 0, B | X, B, 9, false},
        {X, 0, X | C | M, X, 9, true},  {X, 0, X | C, X | C, 9, false},
        {X, 0, X | M, X | M, 9, false}, {X, M, X | M, X | M, 9, true},
        {X, 0, X | C, X | C, 2, true}, /* too few to tell */
        {X, 0, X | C, X | C, 3, false}, {C, 0, C, C, 9, true},
        {0, 0, 0, 0, 9, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        probe.ever = rows[i].ever;
        probe.always = rows[i].always;
        probe.aborted = rows[i].aborted;
        t->verdict = VERDICT_NONE;
        probe_check_status(t, rows[i].must, rows[i].may, &probe);
        if ((t->verdict == VERDICT_PASS) != rows[i].pass)
            fail_msg("row %zu", i);
    }
}

static void what_an_abort_leaves_behind_fails(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 3; which++) {
        set_up(state);
        plan.cell_stays = which == 0;
        plan.flags_stay = which == 1;
        plan.unrestored = which == 2 ? 3 : 0;
        probe_once(&block, 0, &probe);
        assert_int_equal(probe.leaked, which < 2);
        assert_int_equal(probe.unrestored, which == 2);
        assert_int_equal(judged(), VERDICT_FAIL);
    }
}

static void the_wrong_way_out_fails(void **state)
{
    (void)state;
    plan.outcome = TSX_INNER;
    probe_once(&block, 0, &probe);
    assert_int_equal(probe.inner, 1);
    assert_int_equal(judged(), VERDICT_FAIL);

    rtm_clear(&probe);
    assert_int_equal(probe.vector, HW_NO_FAULT);
    plan.outcome = HW_UD;
    probe_once(&block, 0, &probe);
    assert_int_equal(probe.faulted, 1);
    assert_int_equal(probe.vector, HW_UD);
    assert_int_equal(judged(), VERDICT_FAIL);
    assert_non_null(strstr(t->reason, "#UD was delivered, 1 of 1"));
}

static void tries_end_at_a_match(void **state)
{
    (void)state;
    plan.status = RTM_STATUS_XABORT | 0x12000000;
    plan.matches_from = 5;
    probe_run(&block, 9, RTM_STATUS_XABORT, true, &probe);
    assert_int_equal(probe.tried, 5);
    assert_int_equal(probe.matched, 1);
    assert_int_equal(probe.status, plan.status);

    plan.calls = 0;
    probe_run(&block, 9, RTM_STATUS_XABORT, false, &probe);
    assert_int_equal(probe.tried, 9);
    assert_int_equal(probe.matched, 5);

    plan.status = RTM_STATUS_XABORT | RTM_STATUS_RETRY;
    probe_run(&block, 9, RTM_STATUS_XABORT | RTM_STATUS_NESTED, true, &probe);
    assert_int_equal(probe.tried, 9);
    assert_int_equal(probe.matched, 0);
    assert_int_equal(probe.status, plan.status);
}

/* A later abort for another reason does not hide the one asked for. */
static void the_match_is_kept(void **state)
{
    (void)state;
    plan.status = RTM_STATUS_XABORT;
    probe_once(&block, RTM_STATUS_XABORT, &probe);
    plan.status = RTM_STATUS_RETRY;
    probe_once(&block, RTM_STATUS_XABORT, &probe);
    assert_int_equal(probe.status, RTM_STATUS_XABORT);
    assert_int_equal(probe.matched, 1);
}

static void sums(void **state)
{
    struct rtm_tally sum = {.tried = 1,
                            .committed = 2,
                            .aborted = 3,
                            .inner = 4,
                            .faulted = 5,
                            .leaked = 6,
                            .lost = 8,
                            .unrestored = 7,
                            .matched = 9,
                            .status = 10,
                            .vector = HW_UD};

    (void)state;
    probe_add(&sum, &(struct rtm_tally){.tried = 1,
                                        .committed = 1,
                                        .aborted = 1,
                                        .inner = 1,
                                        .faulted = 1,
                                        .leaked = 1,
                                        .unrestored = 1,
                                        .lost = 1,
                                        .matched = 1,
                                        .status = 11,
                                        .vector = HW_GP});
    assert_int_equal(sum.tried, 2);
    assert_int_equal(sum.committed, 3);
    assert_int_equal(sum.aborted, 4);
    assert_int_equal(sum.inner, 5);
    assert_int_equal(sum.faulted, 6);
    assert_int_equal(sum.leaked, 7);
    assert_int_equal(sum.unrestored, 8);
    assert_int_equal(sum.lost, 9);
    assert_int_equal(sum.matched, 10);
    assert_int_equal(sum.status, 11);
    assert_int_equal(sum.vector, HW_GP);
    probe_add(&sum, &(struct rtm_tally){.vector = HW_NO_FAULT});
    assert_int_equal(sum.status, 11);
    assert_int_equal(sum.vector, HW_GP);
    rtm_clear(&sum);
    probe_add(&sum, &(struct rtm_tally){.ever = 3,
                                        .always = 0x16,
                                        .malformed = 1,
                                        .malformed_status = 0x40});
    probe_add(&sum, &(struct rtm_tally){
                        .ever = 9, .always = 6, .malformed_status = 0x80});
    assert_int_equal(sum.ever, 11);
    assert_int_equal(sum.always, 6);
    assert_int_equal(sum.malformed, 1);
    assert_int_equal(sum.malformed_status, 0x40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_clean_abort_passes, set_up),
        cmocka_unit_test_setup(a_commit_keeps_its_store, set_up),
        cmocka_unit_test_setup(flags_of_a_commit, set_up),
        cmocka_unit_test_setup(nothing_tried, set_up),
        cmocka_unit_test_setup(tries_of_a_row, set_up),
        cmocka_unit_test_setup(causes, set_up),
        cmocka_unit_test_setup(what_an_abort_leaves_behind_fails, set_up),
        cmocka_unit_test_setup(the_wrong_way_out_fails, set_up),
        cmocka_unit_test_setup(tries_end_at_a_match, set_up),
        cmocka_unit_test_setup(the_match_is_kept, set_up),
        cmocka_unit_test_setup(sums, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
