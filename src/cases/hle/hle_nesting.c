/* SPDX-License-Identifier: BSD-2-Clause */
/* Critical sections in one another, in RTM transactions and around them:
 * whatever is elided, memory is as without the prefixes, and nothing commits
 * before the outermost ends. */
#include "asm/hle_nested.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define INNER 16 /* quadwords from the outer lock: a line of its own */

static const struct row {
    const char *what;
    hle_nest_region *region;
    uint32_t seen[2]; /* the locks as read inside */
    uint64_t status;
    bool elided; /* XTEST has to say so between the releases if inside */
    bool rtm, in_rtm;
    bool aborts; /* inside it is not left: it aborts after the inner one */
} rows[] = {
    {"one lock in another", hle_nested, {1, 1}, 0, true, false, false, false},
    {"one lock in another, and PAUSE between their releases",
     hle_released,
     {1, 1},
     0,
     false,
     false,
     false,
     true},
    {"one lock in another, and PAUSE inside of both",
     hle_paused,
     {1, 1},
     1,
     false,
     false,
     false,
     true},
    {"one lock in another, the outer released first",
     hle_crossed,
     {1, 1},
     0,
     false,
     false,
     false,
     false},
    {"the same lock twice",
     hle_recursive,
     {1, 0},
     1,
     false,
     false,
     false,
     false},
    {"a lock written without XRELEASE",
     hle_written,
     {5, 0},
     0,
     false,
     false,
     false,
     false},
    {"an RTM transaction in a critical section",
     hle_around_rtm,
     {1, 0},
     0,
     true,
     true,
     false,
     false},
    {"a critical section in an RTM transaction",
     hle_in_rtm,
     {1, 0},
     RTM_STATUS_STARTED,
     true,
     true,
     true,
     false},
};

/* Of the tries of one row. */
struct found {
    unsigned tried, inside, locks, seen, data, between, outside, status;
    unsigned old;     /* of the seen: only as free */
    unsigned aborted; /* in_rtm: nothing is to be left of those */
    struct hle_nest last;
    uint64_t outer, inner; /* locks afterwards, of the last wrong one */
};

static void try_once(struct test_context *t, const struct row *row,
                     struct found *f)
{
    volatile uint64_t *lock = test_buffer(t);
    struct hle_nest nest = {
        .outer = &lock[0], .inner = &lock[INNER], .ask = hle_can_ask(t)};

    lock[0] = lock[INNER] = 0;
    row->region(&nest);
    f->tried++;
    f->last = nest;
    if (lock[0] != 0 || lock[INNER] != 0) {
        f->locks++;
        f->outer = lock[0];
        f->inner = lock[INNER];
    }
    f->outside += nest.outside != 0;
    if (row->in_rtm && nest.status != RTM_STATUS_STARTED) {
        f->aborted++;
        f->data += nest.data != 0;
        return;
    }
    f->data += nest.data != 1;
    for (unsigned i = 0; i < 2; i++)
        f->seen += nest.seen[i] != row->seen[i];
    for (unsigned i = 0; i < 2; i++)
        f->old += nest.seen[i] != row->seen[i] && nest.seen[i] == 0;
    f->inside += nest.inside != 0;
    f->between += row->elided && nest.inside != 0 && nest.between == 0;
    f->status += nest.status != row->status;
}

static void judge(struct test_context *t, const struct row *row,
                  const struct found *f)
{
    check(t, f->locks == 0,
          "locks not free afterwards, %u of %u; the last left 0x%lx and "
          "0x%lx",
          f->locks, f->tried, f->outer, f->inner);
    check_known(t, f->seen == 0, ERRATUM_HLE_OLD_VALUE, f->old == f->seen,
                "locks that read wrong inside, %u in %u sections; at last "
                "0x%lx and 0x%lx, "
                "wanted 0x%x and 0x%x",
                f->seen, f->tried, f->last.seen[0], f->last.seen[1],
                row->seen[0], row->seen[1]);
    check_none(t, "the store was not made exactly once, or an abort left it",
               f->data, f->tried);
    check_none(t,
               "XTEST says that no transaction runs before the outermost has "
               "ended",
               f->between, f->tried);
    if (row->aborts)
        check_none(t,
                   "XTEST says in the outer one that a transaction runs, and "
                   "the PAUSE did not abort it",
                   f->inside, f->tried);
    check_none(t, "XTEST at the end says that a transaction runs", f->outside,
               f->tried);
    check_none(t, "the value left by the second XCHG, or EAX", f->status,
               f->tried);
    note(t, "%u of %u ran in a transaction, %u aborted", f->inside, f->tried,
         f->aborted);
}

struct counted {
    struct test_context *t;
    unsigned tried, elided;
};

static void run_counted(void *argument)
{
    struct counted *c = argument;
    volatile uint64_t *lock = test_buffer(c->t);
    const unsigned tries = probe_row_tries(c->t);

    for (c->tried = c->elided = 0; c->tried < tries; c->tried++) {
        struct hle_nest nest = {
            .outer = &lock[0], .inner = &lock[INNER], .ask = 1};
        lock[0] = lock[INNER] = 0;
        hle_nested(&nest);
        c->elided += nest.inside != 0;
    }
}

/* The inner one is no start of its own. Where the outer one is not elided, or
 * any more, it may be. */
static void check_starts(struct test_context *t)
{
    struct counted c = {.t = t};
    struct selects s = {.select = {EVENT_HLE_RETIRED | UMASK_START}};

    if (counters_claim(t) && selects_count(t, &s, run_counted, &c))
        check(t, s.got[0] <= 2 * c.tried - c.elided,
              "%u critical sections with another inside, of which %u were "
              "elided: HLE_RETIRED (C8H) .START (01H) %lu; wanted one of each "
              "that was elided",
              c.tried, c.elided, s.got[0]);
}

TEST(hle_nesting,
     .asks = "Are critical sections in one another, in RTM and around it, as "
             "without the prefixes?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Transactional Nesting\" and \"Requirements for "
             "HLE Locks\"",
     .needs = {.features = NEED_INTEL | NEED_HLE})
{
    unsigned tries = probe_row_tries(t);

    if (!hle_hints(t))
        return;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct found f = {0};
        if (rows[i].rtm && !test_cpu(t)->rtm) {
            note(t, "%s: not tried: needs RTM", rows[i].what);
            continue;
        }
        for (unsigned n = 0; n < tries; n++) {
            hw_poll();
            try_once(t, &rows[i], &f);
        }
        WITH_PREFIX (t, "%s", rows[i].what)
            judge(t, &rows[i], &f);
    }
    if (test_cpu(t)->perfmon_version >= 2 && test_cpu(t)->counters >= 3 &&
        hle_can_ask(t))
        check_starts(t);
}
