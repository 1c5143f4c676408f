/* SPDX-License-Identifier: BSD-2-Clause */
/* Each bit of MSR_LBR_SELECT keeps its kind of branch out of the records, and
 * no other. */
#include "src/lbr/crossing.h"
#include "src/tsx/probe.h"

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

/* What the row leaves of these. */
static void leave(struct lbr *l, const struct row *row,
                  struct lbr_branches *want)
{
    l->select = row->select;
    lbr_branches_select(want, row->select, l->model.arch);
    for (unsigned i = 0; i < want->count; i++)
        if ((also(l, row->select) &
             MSR_LBR_SELECT_KIND(want->at[i].kind & LBR_KIND)) != 0)
            want->at[i].kind |= LBR_MAY;
}

static bool try_kind(struct lbr *l, const struct row *row)
{
    struct lbr_branches want;

    lbr_branches_of(&want, lbr_body_kinds, lbr_body_kinds_rows);
    leave(l, row, &want);
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

/* Far branches between the rings, be they of the ring that they leave or of
 * that which they reach: as many lead to ring 3 as to ring 0. */
static void check_transfers(struct lbr *l, const struct row *row,
                            const struct lbr_crossing *c)
{
    const uint64_t asked =
        row->select & (MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_CPL_NEQ_0);
    unsigned transfers = 0, all = 0, want;

    for (const struct lbr_row *r = c->rows; r->kind != LBR_END; r++)
        all += ((r->kind & LBR_FROM_USR) != 0) != ((r->kind & LBR_TO_USR) != 0);
    want = asked == 0 ? all : all / 2;
    if (asked == (MSR_LBR_SELECT_CPL_EQ_0 | MSR_LBR_SELECT_CPL_NEQ_0) ||
        (row->select & MSR_LBR_SELECT_KIND(LBR_FAR)) != 0)
        want = 0;
    for (unsigned n = 0; n < l->model.depth; n++)
        transfers += l->records[n].from == LBR_FROM_OTHER ||
                     ring3_executes(&c->s, l->records[n].from) !=
                         ring3_executes(&c->s, l->records[n].to);
    check(l->t, transfers == want,
          "%s: %u of %u branches between the rings are recorded; wanted %u",
          row->what, transfers, all, want);
}

static bool try_level(struct lbr *l, struct lbr_crossing *c,
                      const struct row *row)
{
    struct lbr_branches want;

    lbr_crossing_branches(&want, c);
    leave(l, row, &want);
    if (!lbr_crossing_window(l, c))
        return false;
    if (say(l, row, &want))
        check_transfers(l, row, c);
    return true;
}

/* "IA32_LBR_x_INFO": CYC_CNT_VALID of those between two others. */
static void check_timed(struct lbr *l, const struct lbr_crossing *c)
{
    unsigned untimed = 0, of = 0;

    for (unsigned n = 0; n + 1 < l->model.depth; n++)
        if (l->records[n + 1].from != 0 &&
            ring3_executes(&c->s, l->records[n].from)) {
            of++;
            untimed += l->records[n].untimed;
        }
    check(l->t, !l->model.arch || !l->model.cycles || 2 * untimed <= of,
          "IA32_LBR_x_INFO [60], CYC_CNT_VALID, is 0 in %u of %u records of "
          "ring 3; wanted 1 in most, CPUID.1CH:ECX[1] being 1",
          untimed, of);
}

/* Each kind of branch at ring 3; and of its calls the one that does not return.
 */
static bool try_kinds_of_ring3(struct lbr *l, struct lbr_crossing *c)
{
    const struct row calls = {"calls at ring 3, EN_CALLSTACK [9]",
                              LBR_CALL_STACK};
    struct lbr_branches all, want;

    lbr_crossing_body(c, ring3_body_kinds, ring3_body_kinds_rows);
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        WITH_PREFIX (l->t, "ring 3")
            if (!try_level(l, c, &kinds[i]))
                return false;
    l->select = 0;
    if (!lbr_crossing_window(l, c))
        return false;
    check_timed(l, c);
    if ((l->model.select & MSR_LBR_SELECT_EN_CALLSTACK) == 0)
        return true;
    lbr_crossing_branches(&all, c);
    const struct lbr_branch *b = &all.at[RING3_KINDS_CALL];
    lbr_branches_clear(&want, ring3_code);
    lbr_branches_add(&want, b->kind, b->from, b->to);
    want.taken_back = true;
    l->select = calls.select;
    if (!lbr_crossing_window(l, c))
        return false;
    say(l, &calls, &want);
    return true;
}

/* "Ring >0" are rings 1 and 2, too. */
static void try_inner_rings(struct lbr *l, struct lbr_crossing *c)
{
    static const struct row inner[] = {
        {"CPL_EQ_0 [0]", MSR_LBR_SELECT_CPL_EQ_0},
        {"CPL_NEQ_0 [1]", MSR_LBR_SELECT_CPL_NEQ_0},
    };

    lbr_crossing_body(c, ring3_body_changes, ring3_body_changes_rows);
    for (unsigned ring = 2; ring > 0; ring--) {
        ring3_be_ring(&c->s, ring);
        for (unsigned i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
            WITH_PREFIX (l->t, "rings 0 and %u", ring) {
                struct lbr_branches want;

                lbr_crossing_branches(&want, c);
                leave(l, &inner[i], &want);
                if (!lbr_crossing_window(l, c))
                    return;
                say(l, &inner[i], &want);
            }
    }
}

static void try_levels(struct lbr *l)
{
    char what[64];
    struct lbr_crossing c;
    const bool transactions = probe_state_if_any(l->t);

    if (!lbr_crossing_prepare(&c, l))
        return;
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
    if (!try_kinds_of_ring3(l, &c))
        return;
    lbr_crossing_returns(l, &c);
    lbr_crossing_random(l, &c);
    if (transactions)
        lbr_crossing_transaction(l, &c);
    try_inner_rings(l, &c);
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

    l->select = LBR_CALL_STACK;
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

    l->select = LBR_CALL_STACK;
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
