/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_pair_fixture.h - transactions that stay for a while, and another
 * processor's accesses in between: one to a line of the write set, and a store
 * to a line of the read set, aborts them (SDM 1, "Intel TSX Overview"). */
#ifndef TESTS_HOST_CASES_TSX_TSX_PAIR_FIXTURE_H
#define TESTS_HOST_CASES_TSX_TSX_PAIR_FIXTURE_H

#include "src/tsx/conflict.h"
#include "src/tsx/pair.h"
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

#define BODY(name) const uint8_t tsx_body_##name[8] = {0};
BODY(hold_both)
BODY(hold_deep)
BODY(hold_ended)
BODY(hold_kinds)
BODY(hold_loads)
BODY(hold_locked)
BODY(hold_nested)
BODY(hold_split)
BODY(hold_store_ended)
BODY(hold_store_kinds)
BODY(hold_store_nested)
BODY(hold_stores)
BODY(hold_string)
BODY(hold_unstored)
BODY(hold_vector)
#undef BODY

#define TRIALS     25
#define TRIES      5
#define QUADS      8  /* of a line */
#define STEPS_MOST 48 /* beside a transaction */
#define CONFLICT   (RTM_STATUS_RETRY | RTM_STATUS_CONFLICT)

/* Lines from the argument on that a body has read, and written. */
static const struct holding {
    const uint8_t *body;
    unsigned reads, writes;
    uint32_t nested;
} holdings[] = {
    {tsx_body_hold_load, 1, 0, 0},
    {tsx_body_hold_store, 0, 1, 0},
    {tsx_body_hold_written, 0, 1, 0},
    {tsx_body_hold_both, 1, 1, 0},
    {tsx_body_hold_nested, 1, 0, RTM_STATUS_NESTED},
    {tsx_body_hold_deep, 1, 0, RTM_STATUS_NESTED},
    {tsx_body_hold_ended, 1, 0, 0},
    {tsx_body_hold_store_ended, 0, 1, 0},
    {tsx_body_hold_store_nested, 0, 1, RTM_STATUS_NESTED},
    {tsx_body_hold_string, 1, 0, 0},
    {tsx_body_hold_loads, TSX_HELD_LINES, 0, 0},
    {tsx_body_hold_kinds, 24, 0, 0},
    {tsx_body_hold_store_kinds, 0, 15, 0},
    {tsx_body_hold_stores, 0, TSX_STORED_LINES, 0},
    {tsx_body_hold_split, 2, 0, 0},
    {tsx_body_hold_locked, 1, 1, 0},
    {tsx_body_hold_vector, 1, 0, 0},
    {tsx_body_hold_unstored, 1, 0, 0},
    {tsx_body_hold_untracked, 0, 0, 0},
    {tsx_body_hold_resumed, 1, 0, 0},
    {tsx_body_hold_before, 1, 0, 0},
    {tsx_body_hold_suspended_store, 0, 1, 0},
};

/* What is otherwise, of transactions with this body while the other accesses so
 * and there. */
static struct {
    const uint8_t *body; /* NULL: none */
    int access, place;   /* -1: any */
    bool ignores;        /* no abort, */
    bool unnoticed;      /* and what is read does not change */
    bool shows;          /* the store is seen before the commit */
    bool aborts;         /* where there is no conflict, too */
    uint32_t status;     /* XORed to EAX of a conflict, */
    unsigned rarely;     /* in all but each so many */
    unsigned conflicts;  /* so far */
    unsigned steps;      /* of the other in 256 turns */
    bool idle;           /* in transactions it does nothing, */
    bool still;          /* nor elsewhere */
    unsigned seldom;     /* it comes only in each so many */
    bool tracks;         /* loads after XSUSLDTRK are in the read set */
    bool outlives[2];    /* XSUSLDTRK outside, one in what has aborted, holds */
    bool suspended;      /* so it is */
    unsigned transactions;
} other;

/* Where the pair is in the boot processor's buffer: in its second half, or on
 * the page after the lines. */
static struct pair *pair_now(void)
{
    struct pair *const upper = (void *)(buffers[0] + TEST_BUFFER_BYTES / 2);

    return upper->repeat != NULL && !upper->stop
               ? upper
               : (struct pair *)(void *)(buffers[0] + 4096);
}

static const struct conflict *conflict_now(void)
{
    return *(struct conflict **)(void *)(pair_now() + 1);
}

static void step(void)
{
    struct pair *const pair = pair_now();

    const unsigned current = fake_current;

    if (pair->repeat == NULL || pair->stop || other.still)
        return;
    fake_current = 1;
    pair->repeat(&all[1], pair->argument);
    fake_current = current;
    pair->rounds++;
}

static bool is_wrong_body(const struct tsx_block *b)
{
    const struct conflict *c = conflict_now();

    return other.body == b->body &&
           (other.access < 0 || other.access == (int)c->access) &&
           (other.place < 0 || other.place == (int)c->place);
}

/* Whether a load by the other is of a line that is written. */
static bool is_loaded(const struct holding *h, uint64_t round)
{
    const struct conflict *c = conflict_now();
    const unsigned line = c->place == CONFLICT_MANY     ? c->line
                          : c->place == CONFLICT_BESIDE ? 1
                                                        : 0;

    return (c->access == CONFLICT_LOAD || c->access >= CONFLICT_LOAD_BYTE) &&
           line < h->writes && (c->every == 0 || round % c->every == 0);
}

/* The other's part: does it come to a conflict? */
static bool is_disturbed(const struct tsx_block *b, const struct holding *h)
{
    /* Of an access on two lines, the second. */
    volatile uint64_t *lines =
        (volatile uint64_t *)(uintptr_t)((b->argument + 63) & ~UINT64_C(63));
    const unsigned reads =
        h->reads + (other.tracks && h->body == tsx_body_hold_untracked);
    const unsigned quads = QUADS * (reads > h->writes ? reads : h->writes);
    const bool shows = other.shows && is_wrong_body(b);
    uint64_t steps = (b->count * other.steps + 255) / 256;
    bool disturbed = false;

    if (steps > STEPS_MOST)
        steps = STEPS_MOST;
    if (other.seldom != 0 && (other.transactions + 1) % other.seldom != 0)
        steps = 0;

    while (steps-- != 0 && !other.idle) {
        uint64_t before[TSX_HELD_LINES * QUADS];
        const uint64_t round = pair_now()->rounds;
        for (unsigned i = 0; i < quads; i++)
            before[i] = lines[i];
        for (unsigned i = 0; shows && i < h->writes; i++)
            lines[i * QUADS] = TSX_HELD;
        step();
        for (unsigned i = 0; shows && i < h->writes; i++)
            if (lines[i * QUADS] == TSX_HELD)
                lines[i * QUADS] = before[i * QUADS];
        disturbed |= is_loaded(h, round);
        for (unsigned i = 0; i < quads; i++)
            disturbed |= lines[i] != before[i];
    }
    return disturbed;
}

static void suspend(const struct tsx_block *b)
{
    other.suspended |= other.outlives[0] && b->body == tsx_body_suspended_end;
}

static bool hold_end(const struct tsx_block *b, struct end *end)
{
    const struct holding *h = holdings;

    other.suspended |= other.outlives[1] && b->body == tsx_body_suspended_end;
    for (; h < holdings + sizeof(holdings) / sizeof(holdings[0]); h++)
        if (h->body == b->body) {
            const bool wrong = is_wrong_body(b);
            const bool met = is_disturbed(b, h);
            other.transactions++;
            *end = committed();
            if (met && other.suspended)
                end->flags = 1;
            else if (met && wrong && other.ignores)
                end->flags = !other.unnoticed;
            else if (met || (wrong && other.aborts))
                *end = aborted(CONFLICT | h->nested);
            if (end->outcome == TSX_ABORTED && wrong &&
                (other.rarely == 0 || other.conflicts++ % other.rarely != 0))
                end->status ^= other.status;
            other.suspended = false;
            return true;
        }
    if (b->body != tsx_body_suspended_once)
        return false;
    *end = committed();
    end->flags = 1; /* its store */
    return true;
}

static void pair_begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    memset(buffers[0], 0, sizeof(buffers[0]));
    memset(&other, 0, sizeof(other));
    other.access = other.place = -1;
    other.steps = 64;
    own_end = hold_end;
    own_outside = suspend;
    fake_beside = step;
    fake_ms_step = 10;
    for (unsigned p = 0; p < PROCESSORS; p++)
        all[p].timeout_ms = 6400;
    t->cpu.model = 0x3c;
}

#endif
