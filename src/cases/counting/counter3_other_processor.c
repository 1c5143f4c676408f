/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside another processor, the sibling on its core where there is
 * one: that one alone runs transactions; or it makes this one's abort, by
 * conflicts, and by writing so much that a cache that both share is full. In
 * turn with each window the same without an XBEGIN, as control. Then with
 * RTM_FORCE_ABORT = 1 here alone, which promises counter 3 whatever the other
 * one runs. */
#include "src/harness/case.h"
#include "asm/tsx_bodies.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/provoke.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/pair.h"
#include "src/tsx/rtm.h"

#define TURNS     64     /* of a loop in a transaction, for a conflict */
#define TURNS_MAX 100000 /* of the loop that waits for the other's */
#define LINES     100    /* that a transaction writes */
#define MORE      512 /* and the other processor: a first-level cache of 32 KB */
#define PAGE      4096
#define BUDGET_MS 60
#define FORCED_MS 10

enum kind { ALONE, CONFLICTS, EVICTIONS, KINDS };

static const struct {
    const char *what;
    unsigned every; /* rounds for one that takes so long */
} kinds[KINDS] = {
    [ALONE] = {"transactions of another processor alone", 1},
    [CONFLICTS] = {"conflicts with another processor", 1},
    [EVICTIONS] = {"transactions while another processor fills the cache", 8},
};

/* What a soak carries from one repetition to the next. */
struct carried {
    struct provoked kinds[KINDS], control;
    struct provoked
        forced; /* ALONE and its control, RTM_FORCE_ABORT = 1 here */
    struct provoked_histogram histogram;
    uint64_t transactions; /* of the other processor */
};
_Static_assert(sizeof(struct carried) <= TEST_CARRIED_BYTES, "fits");

/* At the start of the boot processor's buffer. */
struct shared {
    struct pair pair;
    enum kind kind;
    volatile bool transaction; /* now, or the control */
    unsigned rounds, times;
    bool failed, forced;
    struct carried *carried;
    struct tsx_block mine, theirs; /* of the boot processor; of the other */
    _Alignas(PAGE) volatile uint64_t line[8];
    _Alignas(PAGE) uint8_t lines[64 * LINES];
};
_Static_assert(sizeof(struct shared) <= TEST_BUFFER_BYTES, "fits");

/* The window's work. */
static void run_mine(void *argument)
{
    struct shared *s = argument;
    const uint64_t from = s->pair.rounds;

    /* Until the other has run so many from their beginning to their end. */
    for (unsigned turns = 0; s->kind == ALONE && turns < TURNS_MAX &&
                             s->pair.rounds - from <= s->times;
         turns++)
        ;
    for (unsigned i = 0; s->kind != ALONE && i < s->times; i++)
        if (s->transaction)
            tsx_inside(&s->mine);
        else
            tsx_outside(&s->mine);
}

static void run_theirs(struct test_context *peer, void *argument)
{
    struct shared *s = argument;

    (void)peer;
    if (s->kind == CONFLICTS) {
        s->line[0] = s->pair.rounds;
    } else if (s->kind == ALONE && s->transaction) {
        tsx_inside(&s->theirs);
        s->carried->transactions++;
    } else {
        tsx_outside(&s->theirs);
    }
}

/* A window with transactions, then the same without. */
static bool try_both(struct test_context *t, struct shared *s, unsigned turn)
{
    struct carried *c = s->carried;
    struct provoked *with = s->forced ? &c->forced : &c->kinds[s->kind];
    struct provoked *without = s->forced ? &c->forced : &c->control;

    hw_poll();
    s->transaction = true;
    if (!pair_wait(t, &s->pair) || !provoke(t, turn, FROM_0, run_mine, s, with,
                                            s->forced ? NULL : &c->histogram))
        return false;
    s->transaction = false;
    return pair_wait(t, &s->pair) &&
           provoke(t, turn, FROM_0, run_mine, s, without, NULL);
}

static void run_windows(struct test_context *t, void *argument)
{
    struct shared *s = argument;
    const uint64_t ms = s->forced ? FORCED_MS : BUDGET_MS;
    uint64_t start = hw_ms();
    unsigned turn = 0;

    s->times = PROVOKE_FEW;
    for (; turn < s->rounds && !s->failed; turn += kinds[s->kind].every)
        s->failed = !try_both(t, s, turn);
    for (; hw_ms() - start < ms && !s->failed; turn++) {
        s->times = provoke_more(s->times);
        s->failed = !try_both(t, s, turn);
    }
}

/* Which processor that is. */
static unsigned other_of(const struct test_context *t)
{
    return test_sibling(t) != 0 ? test_sibling(t) : 1;
}

/* The state of a driver that knows nothing of the bit; on either processor. */
static bool clear_force_abort(struct test_context *t)
{
    uint64_t value;

    return test_regime(t) != REGIME_B ||
           force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0, &value);
}

static void clear_of_other(struct test_context *peer, void *unused)
{
    (void)unused;
    (void)clear_force_abort(peer);
}

static bool run_kind(struct test_context *t, struct shared *s, enum kind kind)
{
    static const uint8_t *const mine[] = {tsx_body_nothing, tsx_body_hold_load,
                                          tsx_body_write_lines};
    static const uint8_t *const theirs[] = {tsx_body_long, tsx_body_nothing,
                                            tsx_body_write_lines};
    unsigned other = other_of(t);

    s->kind = kind;
    s->mine = (struct tsx_block){
        .body = mine[kind],
        .argument = (uint64_t)(uintptr_t)(kind == CONFLICTS ? (void *)s->line
                                                            : s->lines),
        .count = kind == CONFLICTS ? TURNS : LINES};
    s->theirs = (struct tsx_block){
        .body = theirs[kind],
        .argument = (uint64_t)(uintptr_t)test_buffer_of(t, other),
        .count = MORE};
    return pair_run_beside(t, &s->pair, other, run_windows, run_theirs, s) &&
           !s->failed;
}

static bool run_forced(struct test_context *t, struct shared *s)
{
    uint64_t value;

    if (test_regime(t) != REGIME_B)
        return true;
    s->forced = true;
    return force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT, &value) &&
           run_kind(t, s, ALONE);
}

TEST(counter3_other_processor,
     .asks = "Does counter 3 count while another processor runs transactions, "
             "or makes this one's abort?",
     .cite = "White paper 604224, section 1.2 and appendix A",
     .scope = WHOLE_MACHINE, .bound_ms = 750,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM |
                           NEED_TWO_PROCESSORS,
               .counters = 4})
{
    struct shared *s = test_buffer(t);
    struct carried *c = test_carried(t);
    uint64_t wrong = 0, windows = 0, dropped = 0;

    /* Set-up. */
    if (!clear_force_abort(t) ||
        !on_processor(t, other_of(t), clear_of_other, NULL) || !rtm_usable(t) ||
        !counters_claim(t))
        return;
    *s = (struct shared){.rounds = (test_trials(t, 80, 20) + 4) / 5,
                         .carried = c};
    bool promised = counter3_is_reliable(t);

    /* Measured. */
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (!run_kind(t, s, kind))
            return;
    if (!run_forced(t, s))
        return;

    /* Check. */
    for (enum kind kind = 0; kind < KINDS; kind++) {
        provoke_report(t, promised, kinds[kind].what, &c->kinds[kind]);
        wrong += c->kinds[kind].wrong;
        windows += c->kinds[kind].rounds;
        dropped += c->kinds[kind].dropped;
    }
    provoke_report(t, promised, "no transactions", &c->control);
    if (s->forced)
        provoke_report(t, true,
                       "transactions of another processor alone, "
                       "RTM_FORCE_ABORT = 1 here",
                       &c->forced);
    if (!promised)
        observe(t, "counter 3 wrong beside another processor", wrong, windows);
    provoke_report_values(t, &c->histogram, windows);
    windows_provoked(t, BESIDE_TRANSACTIONS, wrong, windows);
    windows_provoked(t, BESIDE_NOTHING, c->control.wrong, c->control.rounds);
    note(t,
         "processor %u, %s, ran %lu transactions alone; %lu windows dropped "
         "for an SMI",
         other_of(t),
         test_sibling(t) != 0 ? "on the same core" : "on another core",
         c->transactions, dropped + c->control.dropped);
}
