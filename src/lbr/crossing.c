/* SPDX-License-Identifier: BSD-2-Clause */
/* crossing.c - takes last branch records of ring 3. */
#include "src/lbr/crossing.h"

#include "src/tsx/probe.h"
#include "src/tsx/status.h"

bool lbr_crossing_prepare(struct lbr_crossing *c, struct lbr *l)
{
    c->window = window_ring3;
    c->rows = window_ring3_rows;
    if (!ring3_prepare(&c->s, l->t))
        return false;
    c->s.ring3->msr = l->msr;
    return true;
}

void lbr_crossing_body(struct lbr_crossing *c, const uint8_t *body,
                       const struct lbr_row *rows)
{
    c->window = window_ring3_body;
    c->rows = rows;
    c->s.ring3->level = 3;
    c->s.ring3->body = (uint32_t)(body - ring3_body);
}

static bool cross(struct lbr *l, void *argument)
{
    const struct lbr_crossing *c = argument;
    const struct ring3_session *s = &c->s;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    ring3_begin(s);
    c->window(lbr_on(l), cells);
    ring3_end(s);
    if (s->ring3->vector != HW_NO_FAULT)
        broken(l->t, "vector %ld at ring 3", s->ring3->vector);
    return s->ring3->vector == HW_NO_FAULT;
}

bool lbr_crossing_window(struct lbr *l, struct lbr_crossing *c)
{
    return lbr_around(l, cross, c);
}

void lbr_crossing_branches(struct lbr_branches *b, const struct lbr_crossing *c)
{
    const uint64_t here = (uintptr_t)ring3_code, there = c->s.ring3->user_code;

    lbr_branches_clear(b, ring3_code);
    for (const struct lbr_row *row = c->rows; row->kind != LBR_END; row++)
        lbr_branches_add(b, row->kind,
                         ((row->kind & LBR_FROM_USR) != 0 ? there : here) +
                             (uint64_t)(int64_t)row->from,
                         ((row->kind & LBR_TO_USR) != 0 ? there : here) +
                             (uint64_t)(int64_t)row->to);
}

/* A transaction at ring 3 that XABORT ends: the record of the abort, from there
 * to the fallback, also where ring 3 alone is captured. */
static void try_abort(struct lbr *l, struct lbr_crossing *c, uint64_t select)
{
    const uint64_t user = c->s.ring3->user_code - (uintptr_t)ring3_code;
    const uint64_t from = user + (uintptr_t)ring3_tx_abort;
    const uint64_t to = user + (uintptr_t)ring3_tx_fallback;
    bool aborted = false;

    c->s.ring3->aborts = 1;
    l->select = select;
    for (unsigned i = 0; i < PROBE_TRIES && !aborted; i++) {
        if (!lbr_crossing_window(l, c))
            return;
        aborted = (c->s.ring3->status & RTM_STATUS_XABORT) != 0;
    }
    if (!check(l->t, aborted, "none of %u XABORTs at ring 3 came to its status",
               PROBE_TRIES))
        return;
    const struct lbr_record *record = lbr_newest_abort(l);
    check(l->t, record->abort && record->from == from && record->to == to,
          "an XABORT at ring 3%s: the newest record with TSX_ABORT, if any, is "
          "from 0x%lx to 0x%lx; wanted one from 0x%lx to 0x%lx",
          select == 0 ? "" : ", which alone is captured", record->from,
          record->to, from, to);
}

/* Others, by what is no XABORT, of RING3_ABORTS transactions each. */
static const struct cause {
    const char *what;
    const uint8_t *body, *at, *resume;
    bool exact; /* the instruction by which it aborts is known */
} causes[] = {
    {"UD2", ring3_aborts_ud2, ring3_aborts_ud2_at, ring3_aborts_ud2_resume,
     true},
    {"CPUID", ring3_aborts_cpuid, ring3_aborts_cpuid_at,
     ring3_aborts_cpuid_resume, false},
    {"CPUID in an inner transaction", ring3_aborts_inner, ring3_aborts_inner_at,
     ring3_aborts_inner_resume, false},
    {"too many stores", ring3_aborts_writes, ring3_aborts_writes_at,
     ring3_aborts_writes_resume, false},
};

/* Another abort may come before it: one window is to have its record. */
static void try_cause(struct lbr *l, struct lbr_crossing *c,
                      const struct cause *cause)
{
    const uint64_t user = c->s.ring3->user_code - (uintptr_t)ring3_code;
    const uint64_t last = user + (uintptr_t)cause->at;
    const uint64_t first = cause->exact ? last : user + (uintptr_t)cause->body;
    const uint64_t to = user + (uintptr_t)cause->resume;
    const struct lbr_record *record = l->records;
    bool found = false;

    lbr_crossing_body(c, cause->body, NULL);
    for (unsigned i = 0; i < PROBE_TRIES && !found; i++) {
        if (!lbr_crossing_window(l, c))
            return;
        record = lbr_newest_abort(l);
        found = record->abort && record->from >= first &&
                record->from <= last && record->to == to;
    }
    check(l->t, found,
          "transactions at ring 3 that %s ends: the newest record with "
          "TSX_ABORT, if any, is from 0x%lx to 0x%lx in each of %u windows; "
          "wanted one from 0x%lx to 0x%lx",
          cause->what, record->from, record->to, PROBE_TRIES, last, to);
}

/* A transaction at ring 3: IN_TSX of its records. */
void lbr_crossing_transaction(struct lbr *l, struct lbr_crossing *c)
{
    struct lbr_branches want;
    bool committed = false;

    c->window = window_ring3_tx;
    c->rows = window_ring3_tx_rows;
    c->s.ring3->aborts = 0;
    l->select = 0;
    lbr_crossing_branches(&want, c);
    lbr_branches_select(&want, l->select, l->model.arch);
    for (unsigned i = 0; i < PROBE_TRIES && !committed; i++) {
        if (!lbr_crossing_window(l, c))
            return;
        committed = c->s.ring3->status == RTM_STATUS_STARTED;
    }
    if (check(l->t, committed, "none of %u transactions at ring 3 committed",
              PROBE_TRIES))
        lbr_judge(l, "a transaction at ring 3", &want);
    try_abort(l, c, 0);
    try_abort(l, c, MSR_LBR_SELECT_CPL_EQ_0);
    l->select = 0;
    for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        try_cause(l, c, &causes[i]);
}

/* Near branches at ring 3, a call and a return among them. */
void lbr_crossing_returns(struct lbr *l, struct lbr_crossing *c)
{
    struct lbr_branches want;

    lbr_crossing_body(c, ring3_body_changes, ring3_body_changes_rows);
    l->select = 0;
    lbr_crossing_branches(&want, c);
    if (lbr_crossing_window(l, c))
        lbr_judge(l, "a call and a return at ring 3", &want);
}

/* The record of branch n of so many. */
static const struct lbr_record *
record_of(const struct lbr *l, const struct lbr_branches *want, unsigned n)
{
    return &l->records[want->count - 1 - n];
}

/* "Elapsed core clocks since last update to the LBR stack": of a jump right
 * after another, and of that one, after a long wait. */
struct elapsed {
    unsigned tried, fewer; /* windows; those where the first are fewer */
};

static void add_cycles(const struct lbr *l, const struct lbr_branches *want,
                       struct elapsed *sum)
{
    if (want->count - (RING3_BITS_FAST - 1) > l->model.depth ||
        !l->model.cycles)
        return;
    sum->tried++;
    sum->fewer += record_of(l, want, RING3_BITS_FAST)->cycles <
                  record_of(l, want, RING3_BITS_FAST - 1)->cycles;
}

void lbr_crossing_random(struct lbr *l, struct lbr_crossing *c)
{
    const unsigned trials = test_trials(l->t, 32, 8);
    uint32_t *data = (uint32_t *)(uintptr_t)c->s.ring3->data;
    unsigned mispredicted = 0, records = 0;
    struct elapsed elapsed = {0, 0};
    struct lbr_branches all;

    lbr_crossing_body(c, ring3_body_bits, ring3_body_bits_rows);
    lbr_crossing_branches(&all, c);
    l->select = 0;
    for (unsigned i = 0; i < trials; i++) {
        const uint64_t bits = test_random(l->t) & BITS(LBR_BITS - 1, 0);
        struct lbr_branches want;

        data[0] = (uint32_t)bits;
        lbr_branches_bits(&want, &all, RING3_BITS_FAST + 1, bits);
        if (!lbr_crossing_window(l, c) ||
            !lbr_judge(l, "branches at ring 3 in no regular order", &want))
            return;
        add_cycles(l, &want, &elapsed);
        for (unsigned n = RING3_BITS_FAST + 1;
             (want.at[n].kind & LBR_KIND) == LBR_JCC; n++, records++)
            mispredicted += record_of(l, &want, n)->mispredicted;
    }
    if (elapsed.tried != 0)
        check(l->t, 4 * elapsed.fewer >= 3 * elapsed.tried,
              "ring 3: the record of a jump right after another says fewer "
              "cycles than that one's, which is after a long wait, in %u of %u "
              "windows; wanted most",
              elapsed.fewer, elapsed.tried);
    check(l->t, mispredicted != 0 || !l->model.mispredicts,
          "MISPRED is 0 in the records of all of %u branches that are taken at "
          "random at ring 3; wanted 1 in some",
          records);
}
