/* SPDX-License-Identifier: BSD-2-Clause */
/* Each taken branch leaves its record, in order; what is not taken leaves
 * none. */
#include "src/counting/running.h"
#include "src/lbr/stack.h"

#define BRANCHES      0xc4
#define CORE_CYCLES   0x3c
#define SAME_BRANCHES 16

static const struct row {
    const char *what;
    const uint8_t *body;
    const struct lbr_row *rows;
} bodies[] = {
    {"nothing but the window", lbr_body_nothing, lbr_body_nothing_rows},
    {"each kind of branch", lbr_body_kinds, lbr_body_kinds_rows},
    {"conditions, taken and not", lbr_body_flags, lbr_body_flags_rows},
    {"conditions, taken and not", lbr_body_signs, lbr_body_signs_rows},
};

static const struct row targets[] = {
    {"jumps to either of two places", lbr_body_targets, lbr_body_targets_rows},
    {"calls of either of two places", lbr_body_callees, lbr_body_callees_rows},
};

/* The last `jumps` of the chain, from its jump into them on. */
static bool try_chain(struct lbr *l, unsigned jumps)
{
    const struct lbr_row *first = &lbr_body_chain_rows[LBR_CHAIN - jumps];
    struct lbr_branches want;

    lbr_branches_of(&want, lbr_body_chain, first);
    want.at[0].to = want.body + (uint64_t)(int64_t)first->from;
    if (!lbr_body(l, lbr_body_chain + first->from))
        return false;
    WITH_PREFIX (l->t, "%u branches", want.count)
        lbr_judge(l, "a chain of jumps", &want);
    return true;
}

/* Numbers of records about the depth, and about twice that. */
static void try_depth(struct lbr *l)
{
    const unsigned depth = l->model.depth;

    for (unsigned jumps = 1; jumps <= 4; jumps++)
        if (!try_chain(l, jumps) || !try_chain(l, depth - 4 + jumps) ||
            !try_chain(l, 2 * depth - 4 + jumps))
            return;
}

/* Architectural ones, at each depth: before each window it is written. */
static void try_depths(struct lbr *l)
{
    const unsigned full = l->model.depth;

    for (unsigned depth = 8; depth <= full; depth += 8) {
        if ((l->model.depths >> (depth / 8 - 1) & 1) == 0)
            continue;
        l->model.depth = depth;
        WITH_PREFIX (l->t, "IA32_LBR_DEPTH (14CFH) is %u", depth)
            try_depth(l);
    }
    l->model.depth = full;
    lbr_empty(l);
}

/* Branches in no regular order. */
static void try_bits(struct lbr *l)
{
    struct lbr_random random;

    if (lbr_check_random(l, "branches in no regular order", lbr_body_bits,
                         lbr_body_bits_rows, false, &random) &&
        l->model.mispredicts)
        observe(l->t, "a taken branch is recorded as mispredicted",
                random.mispredicted, random.records);
}

/* The branches of the row, where these bits choose; the first leads to it. */
static void targets_of(struct lbr_branches *want, const struct row *row,
                       uint32_t kind, uint64_t bits)
{
    lbr_branches_of(want, row->body, row->rows);
    for (unsigned n = 1, i = 0; n < want->count; n++)
        if (want->at[n].kind == kind)
            want->at[n].to -= LBR_TARGETS_APART * (~bits >> i++ & 1);
}

/* "Either the target of the branch was mispredicted and/or the direction": an
 * indirect branch of this kind that goes to either of two places, in no regular
 * order. Those between them go where they always do, returns to elsewhere than
 * where their call is. */
static void try_targets(struct lbr *l, const struct row *row, uint32_t kind)
{
    const unsigned trials = test_trials(l->t, 32, 8);
    unsigned mispredicted[LBR_KINDS] = {0}, records = 0;

    for (unsigned i = 0; i < trials; i++) {
        const uint64_t bits = test_random(l->t) & BITS(LBR_TARGETS - 1, 0);
        struct trace_window code = {.body = row->body, .argument = bits};
        struct lbr_branches want;

        targets_of(&want, row, kind, bits);
        if (!lbr_window(l, &code) || !lbr_judge(l, row->what, &want))
            return;
        /* Not the first, which the way into the body is before. */
        for (unsigned n = 0; n + 2 < want.count; n++) {
            const struct lbr_branch *b = &want.at[want.count - 1 - n];

            mispredicted[b->kind & LBR_KIND] += l->records[n].mispredicted;
            records += b->kind == kind;
        }
    }
    check(l->t, mispredicted[kind] != 0 || !l->model.mispredicts,
          "%s: MISPRED is 0 in all of %u records of %s to one of two places at "
          "random; wanted 1 in some",
          row->what, records, lbr_kind_name(kind));
    check(l->t,
          kind != LBR_IND_CALL || mispredicted[LBR_RET] != 0 ||
              !l->model.mispredicts,
          "%s: MISPRED is 0 in the records of all of %u returns that do not go "
          "back to their call; wanted 1 in some",
          row->what, records);
}

/* The same branches again and again, by kind; indirect ones together. */
struct predictions {
    unsigned records, predicted;
};

static bool run_same(struct lbr *l, const struct row *row,
                     struct predictions of[LBR_KINDS])
{
    struct lbr_branches want;

    lbr_branches_of(&want, row->body, row->rows);
    for (unsigned i = 0; i < SAME_BRANCHES; i++) {
        if (!lbr_body(l, row->body) || !lbr_judge(l, row->what, &want))
            return false;
        for (unsigned n = 1; n + 1 < want.count; n++) {
            const uint32_t kind = want.at[want.count - 1 - n].kind & LBR_KIND;
            struct predictions *p =
                &of[kind == LBR_IND_CALL ? LBR_IND_JMP : kind];

            p->records++;
            p->predicted += !l->records[n].mispredicted;
        }
    }
    return true;
}

/* Far branches are not predicted. */
static void try_predicted(struct lbr *l)
{
    struct predictions of[LBR_KINDS] = {{0, 0}};

    for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        if (!run_same(l, &bodies[i], of))
            return;
    for (uint32_t kind = LBR_JCC; kind < LBR_FAR; kind++)
        check(l->t, 4 * of[kind].predicted >= of[kind].records,
              "MISPRED is 0 in %u of %u records of branches of the kind %s, "
              "which go where they went before; wanted a quarter or more",
              of[kind].predicted, of[kind].records, lbr_kind_name(kind));
}

/* Into entries that hold these flags before: code->argument. */
static bool run_planted(struct lbr *l, void *argument)
{
    struct trace_window *code = argument;

    for (unsigned entry = 0; entry < l->model.depth; entry++)
        if (!lbr_put(l,
                     lbr_entry_msr(&l->model, lbr_flags_in(&l->model), entry),
                     code->argument))
            return false;
    return trace_window(code) == HW_NO_FAULT;
}

/* A record is written whole: nothing is left of what its entry held. How many
 * of these jumps are predicted is said by those into entries without flags. */
static void try_planted(struct lbr *l)
{
    const struct lbr_row *first =
        &lbr_body_chain_rows[LBR_CHAIN - 2 * l->model.depth];
    unsigned predicted[2] = {0, 0};
    struct lbr_branches want;

    l->select = 0;
    lbr_branches_of(&want, lbr_body_chain, first);
    want.at[0].to = want.body + (uint64_t)(int64_t)first->from;
    for (unsigned i = 0; i < SAME_BRANCHES; i++) {
        struct trace_window code = {.control = lbr_on(l),
                                    .argument =
                                        i / 2 % 2 == 0 ? 0 : lbr_flags(l),
                                    .body = lbr_body_chain + first->from,
                                    .msr = l->msr};

        if (!lbr_around(l, run_planted, &code) ||
            !lbr_judge(l, "a chain of jumps into entries with flags", &want))
            return;
        for (unsigned n = 0; n < l->model.depth; n++)
            predicted[i / 2 % 2] += !l->records[n].mispredicted;
    }
    check(l->t, 2 * predicted[1] >= predicted[0] || !l->model.mispredicts,
          "MISPRED is 0 in %u records of jumps in entries where it was 1, and "
          "in %u in entries where it was 0; wanted about as many",
          predicted[1], predicted[0]);
}

static bool run_disabled(struct lbr *l, void *argument)
{
    struct trace_window code = {
        .control = lbr_on(l) & ~BIT(0), .body = lbr_body_kinds, .msr = l->msr};

    (void)argument;
    return trace_window(&code) == HW_NO_FAULT;
}

static void try_disabled(struct lbr *l)
{
    struct lbr_branches none;

    lbr_branches_clear(&none, lbr_body_kinds);
    if (lbr_around(l, run_disabled, NULL))
        WITH_PREFIX (l->t, "%s, is 0", lbr_enable_name(l))
            lbr_judge(l, "each kind of branch", &none);
}

/* INFO[15:0] of the second jump, against the cycles that IA32_PMC0 counted at
 * least and at most between the two; a reading is late by some. */
static void judge_cycles(struct lbr *l, const struct trace_window *code)
{
    const uint64_t least = code->cells[2] - code->cells[1],
                   most = code->cells[3] - code->cells[0],
                   slack = most / 8 + 64, full = UINT16_MAX,
                   got = l->records[1].cycles,
                   low = least > slack ? least - slack : 1;

    check(l->t, got >= (low < full ? low : full) && got <= most + slack,
          "%s [15:0] is %lu cycles since the branch before; IA32_PMC0 (C1H) "
          "counted %lu to %lu; wanted as many, at most %lu",
          l->model.arch ? "IA32_LBR_x_INFO" : "MSR_LBR_INFO_x", got, least,
          most, full);
    check(l->t, !l->records[1].untimed,
          "IA32_LBR_x_INFO [60], CYC_CNT_VALID, is 0; wanted 1, CPUID.1CH:ECX"
          "[1] being 1");
}

static void try_cycles(struct lbr *l)
{
    static const struct timed {
        struct row row;
        uint64_t select; /* of MSR_LBR_SELECT */
    } timed[] = {
        {{"a short time", lbr_body_short, lbr_body_short_rows}, 0},
        {{"a long time", lbr_body_long, lbr_body_long_rows}, 0},
        /* "Elapsed core clocks since last update to the LBR stack." */
        {{"branches between that are left out", lbr_body_between,
          lbr_body_between_rows},
         MSR_LBR_SELECT_KIND(LBR_JCC)},
    };
    struct test_context *t = l->t;

    if (!counters_claim(t) || !set_msr(t, IA32_PMC(0), 0) ||
        !set_msr(t, IA32_PERFEVTSEL(0),
                 CORE_CYCLES | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR |
                     IA32_PERFEVTSEL_EN) ||
        !set_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return;
    FOR_EACH_ROW (t, i, timed) {
        const struct row *row = &timed[i].row;
        struct trace_window code = {.body = row->body};
        struct lbr_branches want;

        l->select = timed[i].select;
        lbr_branches_of(&want, row->body, row->rows);
        lbr_branches_select(&want, l->select, l->model.arch);
        if (!lbr_window(l, &code))
            return;
        WITH_PREFIX (t, "%s", row->what)
            if (lbr_judge(l, "two jumps", &want))
                judge_cycles(l, &code);
    }
}

/* INFO[15:0] of each kind of branch. */
static void try_waits(struct lbr *l)
{
    struct lbr_branches want;
    struct trace_window code = {.body = lbr_body_waits};

    l->select = 0;
    lbr_branches_of(&want, lbr_body_waits, lbr_body_waits_rows);
    if (!lbr_window(l, &code) ||
        !lbr_judge(l, "branches after a wait each", &want))
        return;
    /* Not of those into the body and out of it; the newest comes first. */
    for (unsigned n = 1; n + 1 < want.count; n++) {
        const struct lbr_record *record = &l->records[want.count - 1 - n];

        check(l->t, record->cycles >= LBR_WAIT || record->untimed,
              "INFO [15:0] of %s is %u cycles since the branch before; wanted "
              "%u or more",
              lbr_kind_name(want.at[n].kind), record->cycles, LBR_WAIT);
    }
}

struct recorded {
    struct lbr *l;
    uint64_t places;
    struct running r;
    bool ok;
};

static void recorded_work(void *argument)
{
    struct recorded *w = argument;

    w->ok = lbr_turn_held(w->l, 0, true);
    running_work(w->places, &w->r);
    w->ok = lbr_turn_held(w->l, 0, false) && w->ok;
}

/* Each counter goes on beside them. False where it could not be tried. */
static bool try_counters(struct lbr *l)
{
    struct test_context *t = l->t;
    struct recorded w = {.l = l, .places = bank_promised(t)};
    const struct bank before = bank_of(w.places, BRANCHES);
    struct bank after;

    if (!counters_claim(t) || !lbr_turn(l, 0, false) || !lbr_hold(l) ||
        !bank_work(t, &before, recorded_work, &w, &after) || !w.ok ||
        !lbr_empty(l))
        return false;
    WITH_PREFIX (t, "%s, is 1", lbr_enable_name(l))
        running_check(t, w.places, &w.r);
    return true;
}

TEST(lbr_stack,
     .asks = "Does each taken branch leave a record, and nothing else?",
     .cite = "SDM 3B, \"Monitoring Branches, Exceptions, and Interrupts\", "
             "\"LBR Stack\", \"MSR_LBR_INFO_x MSR\"; of later editions "
             "\"IA32_LBR_x_INFO\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_LBR, .counters = 1})
{
    struct lbr l;

    /* Set-up. */
    if (!lbr_claim(&l, t) || !try_counters(&l))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, bodies)
        if (!lbr_check(&l, bodies[i].what, bodies[i].body, bodies[i].rows))
            return;
    if (l.model.arch)
        try_depths(&l);
    else
        try_depth(&l);
    try_bits(&l);
    try_targets(&l, &targets[0], LBR_IND_JMP);
    try_targets(&l, &targets[1], LBR_IND_CALL);
    try_predicted(&l);
    try_planted(&l);
    try_disabled(&l);
    for (unsigned i = 0; i < 2; i++) /* from two entries: the first may be 0 */
        lbr_check(&l, "what enables it written as it is", lbr_body_again,
                  lbr_body_again_rows);
    if (l.model.cycles) {
        try_waits(&l);
        try_cycles(&l);
    }
}
