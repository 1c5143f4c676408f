/* SPDX-License-Identifier: BSD-2-Clause */
/* Regime B: RTM_FORCE_ABORT aborts every transaction, and nothing but that. */
#include "asm/tsx_bodies.h"
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/abort_reach.h"
#include "src/counting/counters.h"
#include "src/counting/ring3_forced.h"
#include "src/counting/selects.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"
#include "src/tsx/state.h"

#define BIT0          TSX_FORCE_ABORT_RTM_FORCE_ABORT
#define COMMIT_TRIES  1000
#define COUNTED_TRIES 32
#define OUTSIDE_TRIES 32
#define FIRST_TRIES   32

/* With the bit clear transactions work. No transaction is promised to commit
 * (SDM 1, "RTM"), but of a thousand with one store each some must. */
static void check_commits(struct test_context *t)
{
    struct rtm_tally tally;

    rtm_try(COMMIT_TRIES, &tally);
    check(t, tally.committed != 0,
          "%u of %u transactions committed; wanted some", tally.committed,
          tally.tried);
    rtm_check_atomic(t, &tally);
    note(t, "%u of %u transactions committed", tally.committed, tally.tried);
}

/* The bit makes transactions abort, and leaves none that XEND could end: before
 * any, and after one that was aborted (SDM 2, "XEND"). */
static void check_outside(struct test_context *t)
{
    unsigned other = 0;
    int last = HW_GP;

    for (unsigned i = 0; i < OUTSIDE_TRIES; i++) {
        struct tsx_block block = {.body = tsx_body_nothing};
        if (i % 2 != 0)
            (void)tsx_inside(&block);
        block = (struct tsx_block){.body = tsx_body_xend};
        int outcome = tsx_outside(&block);
        if (outcome == HW_GP)
            continue;
        other++;
        last = outcome;
    }
    check(t, other == 0,
          "XEND outside a transaction: %u of %u raised something else, at last "
          "%s; wanted #GP",
          other, OUTSIDE_TRIES,
          last == TSX_RAN ? "no exception" : fault_name(last));
}

/* From its clearing on, and not only from the second transaction on. */
static void check_first(struct test_context *t, uint64_t value)
{
    unsigned committed = 0;

    for (unsigned i = 0; i < FIRST_TRIES; i++) {
        struct tsx_block block = {.body = tsx_body_nothing};
        if (!set_msr_again(t, TSX_FORCE_ABORT, value | BIT0) ||
            !set_msr_again(t, TSX_FORCE_ABORT, value & ~BIT0))
            return;
        committed += tsx_inside(&block) == TSX_COMMITTED;
    }
    check(t, committed != 0,
          "the first transaction after TSX_FORCE_ABORT (10FH)[0] was cleared: "
          "none of %u committed; wanted some",
          FIRST_TRIES);
}

/* A write while counters count, as a driver makes it that adds counter 3 to
 * those in use. */
struct counted {
    struct test_context *t;
    uint64_t value;
    unsigned forced, free; /* transactions that committed */
};

static unsigned count_commits(void)
{
    unsigned committed = 0;

    for (unsigned i = 0; i < COUNTED_TRIES; i++) {
        struct tsx_block block = {.body = tsx_body_nothing};
        committed += tsx_inside(&block) == TSX_COMMITTED;
    }
    return committed;
}

static void write_counted(void *argument)
{
    struct counted *c = argument;

    set_held_msr(c->t, TSX_FORCE_ABORT, c->value | BIT0);
    c->forced = count_commits();
    set_held_msr(c->t, TSX_FORCE_ABORT, c->value & ~BIT0);
    c->free = count_commits();
}

static void check_counted(struct test_context *t, uint64_t value)
{
    struct counted c = {.t = t, .value = value};
    struct selects s = {{EVENT_INST_RETIRED, 0, 0}, {0}, 0};

    if (test_cpu(t)->perfmon_version < 2 || test_cpu(t)->counters < SELECTS ||
        !counters_claim(t) || !hold_msr(t, TSX_FORCE_ABORT) ||
        !selects_count(t, &s, write_counted, &c))
        return;
    check(t, c.forced == 0 && c.free != 0,
          "TSX_FORCE_ABORT (10FH) written while IA32_PMC0 (C1H) counts: with "
          "[0] = 1 %u of %u transactions committed, then with [0] = 0 %u; "
          "wanted none, and some",
          c.forced, COUNTED_TRIES, c.free);
}

TEST(force_abort_aborts_all,
     .asks = "Does RTM_FORCE_ABORT = 1 abort every transaction with EAX = 0?",
     .cite = "White paper 604224, appendix A and table A-1",
     .needs = {.regimes = REGIME_B, .features = NEED_INTEL | NEED_RTM})
{
    struct enumeration before, after;
    struct rtm_tally forced;
    uint64_t value;

    /* Set-up: as an ordinary system has it. */
    if (!force_abort_change(t, BIT0, 0, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[0] cleared", value & BIT0, 0);
    enumeration_read(test_cpu(t), &before);
    WITH_PREFIX (t, "RTM_FORCE_ABORT = 0")
        check_commits(t);

    /* Measured: the bit set. */
    if (!force_abort_change(t, 0, BIT0, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[0] set", value & BIT0, BIT0);
    rtm_try(test_trials(t, 10000, 10000), &forced);
    WITH_PREFIX (t, "RTM_FORCE_ABORT = 1") {
        rtm_check_forced(t, &forced);
        note(t, "%u of %u transactions aborted", forced.aborted, forced.tried);
        check_outside(t);
    }
    WITH_PREFIX (t, "RTM_FORCE_ABORT = 1") {
        state_check_forced(t, (test_trials(t, 500, 100) + 4) / 5);
        ring3_check_forced(t);
    }
    enumeration_read(test_cpu(t), &after);
    enumeration_check(t, "with RTM_FORCE_ABORT = 1", &after, &before);
    abort_reach_observe(t);

    /* Check: cleared again, all is as it was. */
    if (!force_abort_change(t, BIT0, 0, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[0] cleared again", value & BIT0, 0);
    WITH_PREFIX (t, "RTM_FORCE_ABORT = 0 again")
        check_commits(t);
    enumeration_read(test_cpu(t), &after);
    enumeration_check(t, "with RTM_FORCE_ABORT = 0 again", &after, &before);
    check_first(t, value);
    check_counted(t, value);
}
