/* SPDX-License-Identifier: BSD-2-Clause */
/* test_elided_lock.c - an elided lock over transactions that end as wanted:
 * who runs the critical section, how often, and what is counted. */
#include "asm/elision_try.h"
#include "src/tsx/elided_lock.h"
#include "src/tsx/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Abort statuses of the next transactions; then all commit. */
static uint32_t plan[16];
static unsigned planned, tried;
static struct elide_lock lock;
static struct elide_figures figures;
static unsigned runs, runs_locked;

uint32_t elision_try(volatile uint32_t *taken, void (*critical)(void *),
                     void *argument)
{
    assert_ptr_equal(taken, &lock.taken);
    if (tried < planned)
        return plan[tried++];
    tried++;
    critical(argument);
    return RTM_STATUS_STARTED;
}

static void critical(void *argument)
{
    assert_ptr_equal(argument, plan);
    runs++;
    runs_locked += lock.taken;
}

static int set_up(void **state)
{
    (void)state;
    planned = tried = runs = runs_locked = 0;
    memset(&lock, 0, sizeof(lock));
    memset(&figures, 0, sizeof(figures));
    return 0;
}

static void run(const struct elision_rule rule, unsigned aborts,
                uint32_t status)
{
    planned = aborts;
    for (unsigned i = 0; i < aborts; i++)
        plan[i] = status;
    assert_true(elide(&lock, &rule, critical, plan, &figures));
    assert_int_equal(runs, 1);
    assert_int_equal(lock.taken, 0);
    assert_int_equal(figures.sections, 1);
    assert_int_equal(figures.committed + figures.locked, 1);
    assert_int_equal(figures.locked, runs_locked);
    assert_int_equal(figures.aborted, figures.locked ? tried : aborts);
}

static void commits_at_once(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_PAPER, 0, 0);
    assert_int_equal(figures.committed, 1);
}

static void a_lone_conflict_is_tried_again(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_PAPER, 2, RTM_STATUS_CONFLICT);
    assert_int_equal(figures.committed, 1);
    assert_int_equal(figures.conflicts, 2);
    assert_int_equal(figures.without_retry, 2);
}

static void the_older_rule_gives_up(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_RETRY_BIT_ONLY, 2, RTM_STATUS_CONFLICT);
    assert_int_equal(figures.locked, 1);
    assert_int_equal(tried, 1);
}

static void a_conflict_to_retry_is_not_lone(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_RETRY_BIT_ONLY, 1,
        RTM_STATUS_CONFLICT | RTM_STATUS_RETRY);
    assert_int_equal(figures.conflicts, 1);
    assert_int_equal(figures.without_retry, 0);
    assert_int_equal(figures.committed, 1);
}

static void other_aborts_take_the_lock(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_PAPER, 1, RTM_STATUS_CAPACITY);
    assert_int_equal(figures.locked, 1);
    assert_int_equal(figures.conflicts, 0);
}

static void retries_end(void **state)
{
    (void)state;
    run((struct elision_rule)ELISION_PAPER, 16, RTM_STATUS_RETRY);
    assert_int_equal(figures.locked, 1);
    assert_int_equal(tried, 8);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        ROW(commits_at_once),
        ROW(a_lone_conflict_is_tried_again),
        ROW(the_older_rule_gives_up),
        ROW(a_conflict_to_retry_is_not_lone),
        ROW(other_aborts_take_the_lock),
        ROW(retries_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
