/* SPDX-License-Identifier: BSD-2-Clause */
/* Each bit of MSR_LBR_SELECT keeps its kind of branch out of the records, and
 * no other. */
#include "src/counting/ring3.h"
#include "src/lbr/stack.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

/* "EN_CALLSTACK": what has to be set with it. */
#define CALL_STACK                                                         \
    (MSR_LBR_SELECT_EN_CALLSTACK | MSR_LBR_SELECT_KIND(LBR_JCC) |          \
     MSR_LBR_SELECT_KIND(LBR_IND_JMP) | MSR_LBR_SELECT_KIND(LBR_REL_JMP) | \
     MSR_LBR_SELECT_KIND(LBR_FAR))

static const struct row {
    const char *what;
    uint64_t select;
} kinds[] = {
    {"MSR_LBR_SELECT (1C8H) = 0", 0},
    {"CPL_EQ_0 [0] alone", MSR_LBR_SELECT_CPL_EQ_0},
    {"CPL_NEQ_0 [1] alone", MSR_LBR_SELECT_CPL_NEQ_0},
    {"JCC [2] alone", MSR_LBR_SELECT_KIND(LBR_JCC)},
    {"NEAR_REL_CALL [3] alone", MSR_LBR_SELECT_KIND(LBR_REL_CALL)},
    {"NEAR_IND_CALL [4] alone", MSR_LBR_SELECT_KIND(LBR_IND_CALL)},
    {"NEAR_RET [5] alone", MSR_LBR_SELECT_KIND(LBR_RET)},
    {"NEAR_IND_JMP [6] alone", MSR_LBR_SELECT_KIND(LBR_IND_JMP)},
    {"NEAR_REL_JMP [7] alone", MSR_LBR_SELECT_KIND(LBR_REL_JMP)},
    {"FAR_BRANCH [8] alone", MSR_LBR_SELECT_KIND(LBR_FAR)},
    {"all kinds", MSR_LBR_SELECT_KINDS},
    {"all kinds but NEAR_RET [5]",
     MSR_LBR_SELECT_KINDS & ~MSR_LBR_SELECT_KIND(LBR_RET)},
};

static const struct row levels[] = {
    {"rings 0 and 3", 0},
    {"rings 0 and 3, CPL_EQ_0 [0]", MSR_LBR_SELECT_CPL_EQ_0},
    {"rings 0 and 3, CPL_NEQ_0 [1]", MSR_LBR_SELECT_CPL_NEQ_0},
    {"rings 0 and 3, CPL_EQ_0 [0] and JCC [2]",
     MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_KIND(LBR_JCC)},
    {"rings 0 and 3, FAR_BRANCH [8]", MSR_LBR_SELECT_KIND(LBR_FAR)},
    {"rings 0 and 3, CPL_EQ_0 [0] and CPL_NEQ_0 [1]",
     MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_CPL_NEQ_0},
};

/* Nehalem's table does not except calls and returns from indirect jumps, nor
 * calls from relative ones. */
static uint64_t also(const struct lbr *l, uint64_t select)
{
    if (l->model.generation != NEHALEM)
        return 0;
    return ((select & MSR_LBR_SELECT_KIND(LBR_IND_JMP)) != 0
                ? MSR_LBR_SELECT_KIND(LBR_IND_CALL) |
                      MSR_LBR_SELECT_KIND(LBR_RET)
                : 0) |
           ((select & MSR_LBR_SELECT_KIND(LBR_REL_JMP)) != 0
                ? MSR_LBR_SELECT_KIND(LBR_REL_CALL)
                : 0);
}

/* Of architectural ones the row's bits are those of IA32_LBR_CTL, where 1
 * captures. */
static bool say(struct lbr *l, const struct row *row,
                const struct lbr_branches *want)
{
    bool ok = true;

    if (!l->model.arch)
        return lbr_judge(l, row->what, want);
    WITH_PREFIX (l->t, "IA32_LBR_CTL (14CEH) is 0x%lx", lbr_on(l))
        ok = lbr_judge(l, "each kind of branch", want);
    return ok;
}

static bool try_kind(struct lbr *l, const struct row *row)
{
    struct lbr_branches want;

    l->select = row->select;
    lbr_branches_of(&want, lbr_body_kinds, lbr_body_kinds_rows);
    lbr_branches_select(&want, row->select, l->model.arch);
    for (unsigned i = 0; i < want.count; i++)
        if ((also(l, row->select) &
             MSR_LBR_SELECT_KIND(want.at[i].kind & LBR_KIND)) != 0)
            want.at[i].kind |= LBR_MAY;
    if (!lbr_body(l, lbr_body_kinds))
        return false;
    say(l, row, &want);
    return true;
}

/* Of two kinds at once each is kept out as it is alone. */
static bool try_pairs(struct lbr *l)
{
    char what[32];

    for (uint32_t a = LBR_JCC; a < LBR_KINDS; a++)
        for (uint32_t b = a + 1; b < LBR_KINDS; b++) {
            const struct row row = {what, MSR_LBR_SELECT_KIND(a) |
                                              MSR_LBR_SELECT_KIND(b)};
            text_format(what, sizeof(what), "MSR_LBR_SELECT (1C8H) = 0x%lx",
                        row.select);
            if (!try_kind(l, &row))
                return false;
        }
    return true;
}

struct crossing {
    struct ring3_session s;
    uint64_t (*window)(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
    const struct lbr_row *rows;
};

static bool cross(struct lbr *l, void *argument)
{
    const struct crossing *c = argument;
    const struct ring3_session *s = &c->s;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    ring3_begin(s);
    c->window(lbr_on(l), cells);
    ring3_end(s);
    if (s->ring3->vector != HW_NO_FAULT)
        broken(l->t, "vector %ld at ring 3", s->ring3->vector);
    return s->ring3->vector == HW_NO_FAULT;
}

static void branches_of_ring3(struct lbr_branches *b, const struct crossing *c)
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

/* Far branches between the rings, be they of the ring that they leave or of
 * that which they reach: as many lead to ring 3 as to ring 0. */
static void check_transfers(struct lbr *l, const struct row *row,
                            const struct ring3_session *s)
{
    const uint64_t asked =
        row->select & (MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_CPL_NEQ_0);
    const uint64_t user = s->ring3->user_code;
    const uint64_t bytes = RING3_CODE_PAGES * 4096;
    unsigned transfers = 0, all = 0, want;

    for (const struct lbr_row *r = window_ring3_rows; r->kind != LBR_END; r++)
        all += ((r->kind & LBR_FROM_USR) != 0) != ((r->kind & LBR_TO_USR) != 0);
    want = asked == 0 ? all : all / 2;
    if (asked == (MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_CPL_NEQ_0) ||
        (row->select & MSR_LBR_SELECT_KIND(LBR_FAR)) != 0)
        want = 0;
    for (unsigned n = 0; n < l->model.depth; n++)
        transfers += l->records[n].from == LBR_FROM_OTHER ||
                     (l->records[n].from - user < bytes) !=
                         (l->records[n].to - user < bytes);
    check(l->t, transfers == want,
          "%s: %u of %u branches between the rings are recorded; wanted %u",
          row->what, transfers, all, want);
}

/* Of all branches of a loop at ring 3: one may take no cycle. */
static void check_cycles(struct lbr *l, const struct crossing *c)
{
    const uint64_t user = c->s.ring3->user_code;
    unsigned cycles = 0, records = 0;

    for (unsigned n = 0; n < l->model.depth; n++)
        if (l->records[n].from - user < RING3_CODE_PAGES * 4096) {
            cycles += l->records[n].cycles;
            records++;
        }
    check(l->t, records == 0 || cycles != 0 || !l->model.cycles,
          "rings 0 and 3: %u records of ring 3 say 0 cycles together; wanted "
          "some",
          records);
}

/* A transaction at ring 3 that XABORT ends: the record of the abort, from there
 * to the fallback. */
static void try_abort(struct lbr *l, struct crossing *c)
{
    const uint64_t user = c->s.ring3->user_code - (uintptr_t)ring3_code;
    const uint64_t from = user + (uintptr_t)ring3_tx_abort;
    const uint64_t to = user + (uintptr_t)ring3_tx_fallback;
    bool aborted = false;
    unsigned n = 0;

    c->s.ring3->aborts = 1;
    for (unsigned i = 0; i < PROBE_TRIES && !aborted; i++) {
        if (!lbr_around(l, cross, c))
            return;
        aborted = (c->s.ring3->status & RTM_STATUS_XABORT) != 0;
    }
    if (!check(l->t, aborted, "none of %u XABORTs at ring 3 came to its status",
               PROBE_TRIES))
        return;
    while (n + 1 < l->model.depth && !l->records[n].abort)
        n++;
    check(l->t,
          l->records[n].abort && l->records[n].from == from &&
              l->records[n].to == to,
          "an XABORT at ring 3: the newest record with TSX_ABORT, if any, is "
          "from 0x%lx to 0x%lx; wanted one from 0x%lx to 0x%lx",
          l->records[n].from, l->records[n].to, from, to);
}

/* A transaction at ring 3: IN_TSX of its records. */
static void try_transaction(struct lbr *l, struct crossing *c)
{
    struct lbr_branches want;
    bool committed = false;

    c->window = window_ring3_tx;
    c->rows = window_ring3_tx_rows;
    c->s.ring3->aborts = 0;
    l->select = 0;
    branches_of_ring3(&want, c);
    lbr_branches_select(&want, l->select, l->model.arch);
    for (unsigned i = 0; i < PROBE_TRIES && !committed; i++) {
        if (!lbr_around(l, cross, c))
            return;
        committed = c->s.ring3->status == RTM_STATUS_STARTED;
    }
    if (check(l->t, committed, "none of %u transactions at ring 3 committed",
              PROBE_TRIES))
        lbr_judge(l, "a transaction at ring 3", &want);
    try_abort(l, c);
}

/* Near branches at ring 3, a call and a return among them. */
static void try_ring3(struct lbr *l, struct crossing *c)
{
    struct lbr_branches want;

    c->window = window_ring3_body;
    c->rows = ring3_body_changes_rows;
    c->s.ring3->level = 3;
    c->s.ring3->body = (uint32_t)(ring3_body_changes - ring3_body);
    l->select = 0;
    branches_of_ring3(&want, c);
    if (lbr_around(l, cross, c))
        lbr_judge(l, "a call and a return at ring 3", &want);
}

static bool try_level(struct lbr *l, struct crossing *c, const struct row *row)
{
    struct lbr_branches want;

    l->select = row->select;
    branches_of_ring3(&want, c);
    lbr_branches_select(&want, l->select, l->model.arch);
    if (!lbr_around(l, cross, c))
        return false;
    if (say(l, row, &want))
        check_transfers(l, row, &c->s);
    if (row->select == 0)
        check_cycles(l, c);
    return true;
}

static void try_levels(struct lbr *l)
{
    char what[64];
    struct crossing c = {.window = window_ring3, .rows = window_ring3_rows};
    const bool transactions = probe_state_if_any(l->t);

    if (!ring3_prepare(&c.s, l->t))
        return;
    c.s.ring3->msr = l->msr;
    FOR_EACH_ROW (l->t, i, levels)
        if (!try_level(l, &c, &levels[i]))
            return;
    for (uint32_t kind = LBR_JCC; kind < LBR_KINDS; kind++)
        for (unsigned i = 0; i < 2; i++) {
            const struct row row = {what,
                                    MSR_LBR_SELECT_KIND(kind) |
                                        (i == 0 ? MSR_LBR_SELECT_CPL_EQ_0
                                                : MSR_LBR_SELECT_CPL_NEQ_0)};
            text_format(what, sizeof(what),
                        "rings 0 and 3, MSR_LBR_SELECT = 0x%lx", row.select);
            if (!try_level(l, &c, &row))
                return;
        }
    try_ring3(l, &c);
    if (transactions)
        try_transaction(l, &c);
}

/* `may`: calls of no length among them, which leave none, or by an erratum do.
 */
static bool judge_calls(struct lbr *l, const char *what,
                        const struct lbr_branches *want, unsigned may)
{
    unsigned count;

    if (!lbr_judge(l, what, want))
        return false;
    (void)lbr_compare(want, &l->model, l->records, &count);
    check_known(l->t, count + may == want->count, ERRATUM_LBR_CALL_OF_NO_LENGTH,
                true, "%s: a call of no length left a record; wanted none",
                what);
    return true;
}

/* "LIFO filtering": a return takes the newest record away. */
static void try_call_stack(struct lbr *l)
{
    struct erratum_found erratum;
    struct lbr_branches want;
    const bool records =
        errata_find(test_cpu(l->t), ERRATUM_LBR_CALL_OF_NO_LENGTH, &erratum);
    unsigned may = 0;

    l->select = CALL_STACK;
    lbr_branches_clear(&want, lbr_body_calls);
    want.taken_back = true;
    for (const struct lbr_row *row = lbr_body_calls_rows; row->kind != LBR_END;
         row++)
        if ((row->kind & LBR_MAY) == 0 || records) {
            lbr_branches_row(&want, row, 0);
            may += (row->kind & LBR_MAY) != 0;
        }
    /* From where it is, and where there is a TOS so that the first record is
     * entry 0, which the first return takes away. */
    if (!lbr_body(l, lbr_body_calls) ||
        !judge_calls(l, "calls that have not returned, EN_CALLSTACK [9]", &want,
                     may) ||
        l->model.arch || !lbr_put(l, MSR_LASTBRANCH_TOS, l->model.depth - 1) ||
        !lbr_body(l, lbr_body_calls))
        return;
    judge_calls(l, "the same from the last entry on", &want, may);
}

/* More calls than there are records, the last of which return: what is left is
 * of the newest of the others. Of the oldest nothing is. */
static void try_deep(struct lbr *l)
{
    const unsigned calls = l->model.depth + LBR_RETURNED;
    const struct lbr_row *first = &lbr_body_deep_rows[LBR_CALLS - calls];
    struct trace_window code = {.body = lbr_body_deep + first->from,
                                .argument = calls - LBR_RETURNED};
    struct lbr_branches want;

    l->select = CALL_STACK;
    lbr_branches_clear(&want, lbr_body_deep);
    want.many = want.taken_back = true;
    for (unsigned n = 0; n < calls - LBR_RETURNED; n++)
        lbr_branches_row(&want, &first[n], n < LBR_RETURNED ? LBR_MAY : 0);
    if (lbr_window(l, &code))
        lbr_judge(l, "more calls than records, EN_CALLSTACK [9]", &want);
}

TEST(lbr_filter,
     .asks = "Does each bit of MSR_LBR_SELECT keep out its kind of branch, and "
             "no other?",
     .cite = "SDM 3B, \"Filtering of Last Branch Records\", tables "
             "\"MSR_LBR_SELECT\" of the 1st, the 2nd and the 4th generation; "
             "\"Last Branch, Call Stack, Interrupt, and Exception Recording\"",
     .scope = THREADS_IN_TURN, .needs = {.features = NEED_INTEL | NEED_LBR})
{
    struct lbr l;

    if (!lbr_claim(&l, t))
        return;
    FOR_EACH_ROW (t, i, kinds)
        if (!try_kind(&l, &kinds[i]))
            return;
    if (!try_pairs(&l))
        return;
    if ((l.model.select & MSR_LBR_SELECT_EN_CALLSTACK) != 0) {
        try_call_stack(&l);
        try_deep(&l);
    }
    try_levels(&l);
}
