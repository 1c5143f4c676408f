/* SPDX-License-Identifier: BSD-2-Clause */
/* Records tell what is inside of a transaction, and an abort has a record of
 * its own: from where it came, to the fallback. */
#include "src/base/mem.h"
#include "src/lbr/stack.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

static const struct row {
    const char *what;
    const uint8_t *body;
    const struct lbr_row *rows;
    uint32_t status; /* the causes that EAX names */
    bool exact;      /* the instruction by which it aborts is known */
    bool loop;       /* so many turns, the row before the abort */
} aborts[] = {
    {"XABORT", lbr_body_xabort, lbr_body_xabort_rows, RTM_STATUS_XABORT, true,
     false},
    {"XABORT in a nested transaction", lbr_body_xabort_nested,
     lbr_body_xabort_nested_rows, RTM_STATUS_XABORT, true, false},
    {"UD2", lbr_body_ud2, lbr_body_ud2_rows, 0, true, false},
    {"DIV by 0", lbr_body_divide, lbr_body_divide_rows, 0, true, false},
    {"CPUID", lbr_body_cpuid, lbr_body_cpuid_rows, 0, false, false},
    {"PAUSE", lbr_body_pause, lbr_body_pause_rows, 0, false, false},
    {"INT3", lbr_body_int3, lbr_body_int3_rows, RTM_STATUS_BREAKPOINT, false,
     false},
    {"more lines than can be written", lbr_body_writes, lbr_body_writes_rows,
     RTM_STATUS_CAPACITY, false, true},
};

struct counts {
    unsigned aborts, in_tx; /* their records; with IN_TSX */
    unsigned loose, at_it;  /* without a place that is promised */
    unsigned timed, cycles; /* with cycles, and these */
};

static bool run(struct lbr *l, const uint8_t *body, struct trace_window *code)
{
    uint64_t *lock = test_buffer(l->t);

    memset(lock, 0, 64);
    *code = (struct trace_window){.body = body,
                                  .argument = (uint64_t)(uintptr_t)lock};
    return lbr_window(l, code);
}

/* Commits. True where one did, and was judged. */
static bool try_commit(struct lbr *l, const char *what, const uint8_t *body,
                       const struct lbr_row *rows)
{
    struct lbr_branches want;
    struct trace_window code;

    lbr_branches_of(&want, body, rows);
    lbr_branches_select(&want, l->select, l->model.arch);
    for (unsigned i = 0; i < PROBE_TRIES; i++) {
        if (!run(l, body, &code))
            return false;
        if (code.cells[0] != 1)
            continue;
        lbr_judge(l, what, &want);
        return true;
    }
    return false;
}

/* With EN_CALLSTACK returns take calls back there, too. */
static void try_calls(struct lbr *l)
{
    struct lbr_branches want;
    struct trace_window code;

    if ((l->model.select & MSR_LBR_SELECT_EN_CALLSTACK) == 0)
        return;
    lbr_branches_clear(&want, lbr_body_calls_tx);
    want.taken_back = true;
    for (const struct lbr_row *row = lbr_body_calls_tx_rows;
         row->kind != LBR_END; row++)
        lbr_branches_row(&want, row, 0);
    l->select = LBR_CALL_STACK;
    for (unsigned i = 0; i < PROBE_TRIES; i++) {
        if (!run(l, lbr_body_calls_tx, &code))
            return;
        if (code.cells[0] != 1)
            continue;
        lbr_judge(l, "calls of a transaction, EN_CALLSTACK [9]", &want);
        break;
    }
    l->select = 0;
}

/* Its own cause, as far as EAX tells. */
static bool is_its_own(const struct row *row, uint64_t eax)
{
    return (eax & RTM_STATUS_CAUSES & ~RTM_STATUS_NESTED) == row->status &&
           (row->status != RTM_STATUS_XABORT || eax >> 24 == LBR_XABORT);
}

/* Errata HSD083, HSD101 and BDM064 are of aborts by string instructions, by
 * fetches, and right behind a branch: there is none of these. On the 4th
 * generation a second record of an abort may follow, without the flag (Linux,
 * arch/x86/events/intel/lbr.c, lbr_double_abort). */
static void branches_of_abort(const struct lbr *l, const struct row *row,
                              struct lbr_branches *want)
{
    struct lbr_branches all;

    lbr_branches_of(&all, row->body, row->rows);
    lbr_branches_clear(want, row->body);
    want->many = row->loop;
    for (unsigned i = 0; row->loop && i < LBR_DEPTH_MAX; i++)
        lbr_branches_add(want, all.at[1].kind, all.at[1].from, all.at[1].to);
    for (unsigned i = row->loop ? 1 : 0; i < all.count; i++) {
        const struct lbr_branch *b = &all.at[i];
        const bool abort = (b->kind & LBR_ABORT) != 0;

        lbr_branches_add(want,
                         b->kind | (abort && !row->exact ? LBR_INSIDE : 0),
                         b->from, b->to);
        if (abort && l->model.generation == HASWELL)
            lbr_branches_add(want, LBR_FAR | LBR_MAY | LBR_INSIDE, b->from,
                             b->to);
    }
}

/* The abort's own record, which has been found to be there. */
static void count_abort(const struct lbr *l, const struct row *row,
                        const struct lbr_branches *want, struct counts *counts)
{
    const struct lbr_record *record = lbr_newest_abort(l);

    counts->aborts++;
    counts->in_tx += record->in_tx;
    if (l->model.cycles && !record->untimed) {
        counts->timed++;
        counts->cycles += record->cycles;
    }
    if (row->exact || row->loop || row->status != 0)
        return;
    counts->loose++;
    for (unsigned i = 0; i < want->count; i++)
        counts->at_it += (want->at[i].kind & LBR_ABORT) != 0 &&
                         want->at[i].from == record->from;
}

/* An abort whose EAX does not tell its cause may have had another, elsewhere:
 * as many are passed over as are judged. */
static void try_abort(struct lbr *l, const struct row *row,
                      struct counts *counts)
{
    const unsigned tries = probe_row_tries(l->t);
    unsigned judged = 0, others = row->status != 0 ? 0 : tries, count;
    struct lbr_branches want;
    struct trace_window code;

    branches_of_abort(l, row, &want);
    for (unsigned i = 0; i < PROBE_TRIES && judged < tries; i++) {
        if (!run(l, row->body, &code))
            return;
        if (!is_its_own(row, code.cells[1]))
            continue;
        if (others != 0 &&
            lbr_compare(&want, &l->model, l->records, &count).wrong != NULL) {
            others--;
            continue;
        }
        judged++;
        if (!lbr_judge(l, "branches, then an abort", &want))
            return;
        count_abort(l, row, &want, counts);
    }
    check(l->t, judged != 0,
          "none of %u transactions aborted by this, by EAX: the last is 0x%lx",
          PROBE_TRIES, code.cells[1]);
}

/* The rows after the abort, which are all where it was not elided. One of
 * another cause may be elsewhere, as in try_abort. */
static void try_elision_abort(struct lbr *l)
{
    struct lbr_branches elided, plain;
    struct trace_window code;
    unsigned seen = 0, others = probe_row_tries(l->t), count;

    lbr_branches_of(&elided, lbr_body_elision_aborts,
                    lbr_body_elision_aborts_rows);
    plain = elided;
    plain.count = 0;
    for (unsigned i = 0; i < elided.count; i++) {
        struct lbr_branch *b = &elided.at[i];

        if ((b->kind & LBR_ABORT) != 0)
            b->kind |= LBR_INSIDE;
        if ((b->kind & (LBR_ABORT | LBR_IN_TX)) == 0)
            plain.at[plain.count++] = *b;
    }
    for (unsigned i = 0; i < PROBE_TRIES && seen == 0; i++) {
        if (!run(l, lbr_body_elision_aborts, &code))
            return;
        if (lbr_compare(&plain, &l->model, l->records, &count).wrong == NULL)
            continue;
        if (others != 0 &&
            lbr_compare(&elided, &l->model, l->records, &count).wrong != NULL) {
            others--;
            continue;
        }
        seen++;
        lbr_judge(l, "an elision that aborts, and is executed again", &elided);
    }
    check(l->t, seen != 0,
          "none of %u elisions left a record of its abort by CPUID",
          PROBE_TRIES);
}

/* Branches in no regular order are mispredicted there as elsewhere. */
static void try_bits(struct lbr *l)
{
    struct lbr_random random;

    (void)lbr_check_random(l, "a transaction's branches in no regular order",
                           lbr_body_bits_tx, lbr_body_bits_tx_rows, true,
                           &random);
}

/* A kind that MSR_LBR_SELECT keeps out stays out of a transaction's records. */
static void try_kinds(struct lbr *l)
{
    static const struct {
        const char *what;
        uint64_t select;
    } kinds[] = {
        {"a transaction, JCC [2]", MSR_LBR_SELECT_KIND(LBR_JCC)},
        {"a transaction, NEAR_REL_CALL [3]", MSR_LBR_SELECT_KIND(LBR_REL_CALL)},
        {"a transaction, NEAR_RET [5]", MSR_LBR_SELECT_KIND(LBR_RET)},
    };

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        l->select = kinds[i].select;
        (void)try_commit(l, kinds[i].what, lbr_body_commit,
                         lbr_body_commit_rows);
    }
    l->select = 0;
}

TEST(lbr_transactions,
     .asks = "Do records tell what a transaction contains, and from where to "
             "where it aborts?",
     .cite = "SDM 3B, tables \"MSR_LASTBRANCH_x_FROM_IP with TSX "
             "Information\", \"MSR_LBR_INFO_x\"",
     .needs = {.features = NEED_INTEL | NEED_LBR | NEED_RTM})
{
    struct counts counts = {0};
    struct lbr l;

    /* Set-up. */
    if (!probe_set_up(t) || !lbr_claim(&l, t))
        return;

    /* Measured and checked. */
    check(t,
          try_commit(&l, "a transaction that commits", lbr_body_commit,
                     lbr_body_commit_rows),
          "none of %u transactions committed", PROBE_TRIES);
    try_kinds(&l);
    try_calls(&l);
    try_bits(&l);
    FOR_EACH_ROW (t, i, aborts)
        WITH_PREFIX (t, "%s", aborts[i].what)
            try_abort(&l, &aborts[i], &counts);
    check(t, counts.timed == 0 || counts.cycles != 0,
          "the records of %u aborts say 0 cycles together; wanted some: each "
          "came instructions after the branch before it",
          counts.timed);
    observe(t, "the record of an abort has IN_TSX = 1", counts.in_tx,
            counts.aborts);
    observe(t, "an abort by CPUID or PAUSE is recorded from that instruction",
            counts.at_it, counts.loose);
    /* White paper 604224, section 1: with EDX[13] = 1 no lock is elided. */
    if (test_cpu(t)->hle && !test_cpu(t)->tsx_force_abort &&
        try_commit(&l, "an elided lock", lbr_body_elided, lbr_body_elided_rows))
        try_elision_abort(&l);
}
