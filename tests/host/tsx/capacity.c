/* SPDX-License-Identifier: BSD-2-Clause */
/* capacity.c - the search for a limit, over a processor whose limit is
 * known. */
#include "src/tsx/capacity.h"
#include "src/tsx/status.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t limit;  /* units that commit */
static uint32_t status; /* of the others' aborts */
static bool leaks;      /* an abort leaves a store */
static unsigned hidden; /* so many aborts without a cause before each outcome */
static unsigned asked;

int tsx_inside(struct tsx_block *block)
{
    uint64_t *lines = (uint64_t *)(uintptr_t)block->argument;
    bool for_nothing = ++asked % (hidden + 1) != 0;
    bool commits = block->count <= limit && !for_nothing;

    for (uint64_t n = 0; lines != NULL && n < block->count; n++)
        if (commits || (leaks && n == 0))
            lines[n * 8] = (n + 1) * 64;
    block->status = commits       ? RTM_STATUS_STARTED
                    : for_nothing ? RTM_STATUS_RETRY
                                  : status;
    block->unrestored = 0;
    if (commits)
        block->cell = ~block->cell;
    return commits ? TSX_COMMITTED : TSX_ABORTED;
}

static uint64_t memory[8 * 512];

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    begin_context(REGIME_A, NULL);
    status = RTM_STATUS_CAPACITY;
    leaks = false;
    hidden = asked = 0;
    return 0;
}

static struct capacity stores(void)
{
    return (struct capacity){.what = "stores to",
                             .argument = (uint64_t)(uintptr_t)memory,
                             .stores = true,
                             .unit = 1,
                             .units_max = 512};
}

static void every_limit_is_found(void **state)
{
    (void)state;
    for (limit = 0; limit < 512; limit++) {
        struct capacity c = stores();
        capacity_find(t, &c);
        assert_int_equal(c.good, limit);
        assert_int_equal(c.bad, limit + 1);
        assert_int_equal(c.wrong, 0);
        capacity_judge(t, &c, false);
        assert_int_equal(t->verdict, VERDICT_PASS);
    }
}

static void aborts_without_a_cause_hide_no_limit(void **state)
{
    struct capacity c = stores();

    (void)state;
    hidden = 7;
    limit = 100;
    capacity_find(t, &c);
    assert_int_equal(c.good, 100);
    assert_int_equal(c.bad, 101);
    capacity_judge(t, &c, false);
    assert_int_equal(t->verdict, VERDICT_PASS);
}

static void no_limit(void **state)
{
    struct capacity c = stores();

    (void)state;
    limit = 512;
    capacity_find(t, &c);
    assert_int_equal(c.good, 512);
    assert_int_equal(c.bad, 0);
    capacity_judge(t, &c, false);
    assert_int_equal(t->verdict, VERDICT_PASS);
}

static void near_enough(void **state)
{
    struct capacity c = {
        .what = "loads from", .unit = 8, .units_max = 1u << 14, .fraction = 8};

    (void)state;
    limit = 1000;
    capacity_find(t, &c);
    assert_true(c.good <= 1000 && c.bad > 1000);
    assert_true(c.bad - c.good <= c.bad / 8);
    assert_true(asked < 30);
}

static void a_silent_abort_fails(void **state)
{
    struct capacity c = stores();

    (void)state;
    limit = 100;
    status = 0;
    capacity_find(t, &c);
    capacity_judge(t, &c, true);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

static void a_conflict_passes_where_others_share_the_cache(void **state)
{
    struct capacity c = stores();

    (void)state;
    limit = 100;
    status = RTM_STATUS_CONFLICT;
    capacity_find(t, &c);
    capacity_judge(t, &c, true);
    assert_int_equal(t->verdict, VERDICT_PASS);
    capacity_judge(t, &c, false);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

static void what_an_abort_leaves_fails(void **state)
{
    struct capacity c = stores();

    (void)state;
    limit = 100;
    leaks = true;
    capacity_find(t, &c);
    capacity_judge(t, &c, false);
    assert_true(c.wrong != 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        ROW(every_limit_is_found),
        ROW(no_limit),
        ROW(near_enough),
        ROW(aborts_without_a_cause_hide_no_limit),
        ROW(a_silent_abort_fails),
        ROW(a_conflict_passes_where_others_share_the_cache),
        ROW(what_an_abort_leaves_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
