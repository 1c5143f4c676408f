/* SPDX-License-Identifier: BSD-2-Clause */
/* With FREEZE_LBRS_ON_PMI the overflow that interrupts stops the recording of
 * branches, not the counters. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/lbr/crossing.h"

#define BRANCHES        0xc4
#define ROUNDS          4
#define WORKS           8 /* the half of them outlasts two writes of MSRs */
#define INSTRUCTION_MAX 15
#define NEAR            UINT64_C(1024) /* bytes that the work has, at most */
/* Fewer than counting_work() has in so many calls, more than in a write of an
 * MSR and one. */
#define WORK_INSTRUCTIONS 200

static bool same(const struct lbr_record *a, const struct lbr_record *b)
{
    return a->from == b->from && a->to == b->to &&
           a->mispredicted == b->mispredicted && a->in_tx == b->in_tx &&
           a->abort == b->abort && a->cycles == b->cycles;
}

static bool same_stack(const struct lbr *a, const struct lbr *b)
{
    bool is = a->tos == b->tos;

    for (unsigned n = 0; n < a->model.depth; n++)
        is &= same(&a->records[n], &b->records[n]);
    return is;
}

/* Architectural records are in the order of their age: what ran last has to
 * differ for them to change. */
static void another_work(void)
{
    for (volatile unsigned n = 0; n < 2 * LBR_DEPTH_MAX; n++)
        ;
}

/* How often records or the TOS changed while branches retired, with recording
 * on or off and these bits of IA32_DEBUGCTL; they are read while it is off, as
 * it is before and after. False where they cannot be read. */
static bool stack_moves(struct lbr *l, uint64_t debugctl, bool on,
                        unsigned *moves)
{
    struct lbr before;

    *moves = 0;
    if (!lbr_hold(l) || !lbr_read(l))
        return false;
    for (unsigned i = 0; i < ROUNDS; i++) {
        before = *l;
        if (!lbr_turn(l, debugctl, on))
            return false;
        /* Another number of branches each time: they may just go round. */
        for (unsigned times = 0; times <= i; times++)
            counting_work(NULL);
        if (i % 2 != 0)
            another_work();
        if (!lbr_turn_held(l, debugctl, false) || !lbr_read(l))
            return false;
        *moves += !same_stack(&before, l);
    }
    return true;
}

/* Without INT an overflow asks for no interrupt, and freezes nothing. */
static const struct row {
    const char *what;
    bool freeze, interrupt;
    unsigned place; /* of the counter that overflows */
    bool counters;  /* FREEZE_PERFMON_ON_PMI too */
} rows[] = {
    {"FREEZE_LBRS_ON_PMI = 0", false, true, 0, false},
    {"FREEZE_LBRS_ON_PMI = 1", true, true, 0, false},
    {"FREEZE_LBRS_ON_PMI = 1, IA32_PMC1", true, true, 1, false},
    {"FREEZE_LBRS_ON_PMI = 1, a fixed counter", true, true, PLACE_FIXED0,
     false},
    {"FREEZE_LBRS_ON_PMI = 1, an overflow without INT", true, false, 0, false},
    {"both FREEZE bits = 1, IA32_PMC1", true, true, 1, true},
    {"both FREEZE bits = 1, a fixed counter", true, true, PLACE_FIXED0, true},
};

struct work {
    struct lbr *l;
    uint64_t freeze;   /* of IA32_DEBUGCTL */
    uint64_t debugctl; /* afterwards */
    bool on;           /* still recorded */
    bool nmi;          /* how the interrupt is delivered */
};

/* Branches before the overflow, and after it. They are recorded meanwhile
 * alone: what the harness does around a window is long. */
static void recorded_work(void *argument)
{
    struct work *work = argument;

    lbr_turn_held(work->l, work->freeze, true);
    for (unsigned n = 0; n < WORKS; n++)
        counting_work(NULL);
    work->on = lbr_is_on(work->l);
    get_msr(work->l->t, IA32_DEBUGCTL, &work->debugctl);
    lbr_turn_held(work->l, work->freeze, false);
}

/* The row's counter overflows in it. */
static bool overflow(struct work *work, const struct row *row, uint64_t places,
                     struct bank *after)
{
    struct test_context *t = work->l->t;
    struct bank before = bank_of(places, BRANCHES);

    before.pmi = work->nmi ? BANK_PMI_AS_NMI : BANK_PMI;
    *bank_value(&before, row->place) =
        bank_mask(test_cpu(t), row->place) - (row->place == PLACE_FIXED0
                                                  ? WORK_INSTRUCTIONS
                                                  : WORKS / 2 * WORK_BRANCHES);
    if (row->place == PLACE_FIXED0)
        before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(0);
    else if (row->interrupt)
        before.select[row->place] |= IA32_PERFEVTSEL_INT;
    return lbr_turn(work->l, work->freeze, false) && lbr_hold(work->l) &&
           bank_work(t, &before, recorded_work, work, after);
}

static void judge(const struct work *work, const struct row *row,
                  const struct bank *after)
{
    struct test_context *t = work->l->t;
    const bool streamlined = test_cpu(t)->perfmon_version >= 4;
    const bool freeze = row->freeze && row->interrupt;
    const bool frozen = (after->status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0;
    char name[MSR_NAME_BYTES];

    check(
        t, (after->interrupts != 0) == row->interrupt,
        "overflow of %s: %u performance-monitoring interrupts came; wanted %s",
        msr_name(bank_msr(row->place), name), after->interrupts,
        row->interrupt ? "one" : "none");
    check(t, frozen == (freeze && streamlined),
          "LBR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d after it; wanted "
          "%d",
          frozen, freeze && streamlined);
    check(t, work->on == (!freeze || streamlined),
          "%s, is %d after it; wanted %d", lbr_enable_name(work->l), work->on,
          !freeze || streamlined);
    check(t,
          (work->debugctl & IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI) ==
              (row->freeze ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0),
          "IA32_DEBUGCTL (1D9H) is 0x%lx after it; wanted [11], "
          "FREEZE_LBRS_ON_PMI, as it was, %d",
          work->debugctl, row->freeze);
    const unsigned other = row->place == 1 ? 0 : 1;
    check(t, (after->pmc[other] >= WORKS * WORK_BRANCHES) != row->counters,
          "%s counted %lu of %u branches or more, with the overflow among "
          "them; wanted %s",
          msr_name(IA32_PMC(other), name), after->pmc[other],
          WORKS * WORK_BRANCHES,
          row->counters ? "it to stop before the last" : "all");
}

/* Is the interrupt itself among the records but the newest? From there to code
 * that is far away. */
static bool has_interrupt(const struct lbr *l, uint64_t rip)
{
    for (unsigned n = 1; n < l->model.depth; n++)
        if (l->records[n].from == rip &&
            l->records[n].to - rip + NEAR >= 2 * NEAR)
            return true;
    return false;
}

/* Version 4: LBR_Frz is cleared, and where recording is on that is all that it
 * takes ("Streamlined Freeze_LBRs_On_PMI": the handler writes 390H alone),
 * which clears CTR_Frz by the same write: Linux, intel_pmu_ack_status(). */
static void judge_resumed(struct lbr *l, uint64_t debugctl)
{
    struct test_context *t = l->t;
    struct lbr before;

    if (!lbr_turn(l, debugctl, true) || !lbr_read(l))
        return;
    before = *l;
    counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ |
                                 IA32_PERF_GLOBAL_STATUS_CTR_FRZ);
    counting_work(NULL);
    if (lbr_turn(l, debugctl, false) && lbr_read(l))
        check(t, !same_stack(&before, l),
              "LBR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[58], was cleared with "
              "%s, = 1, and no branch was recorded until that was written; "
              "wanted some",
              lbr_enable_name(l));
}

/* With the stack and IA32_DEBUGCTL as the interrupt left them, and, where it
 * stopped that, as it is once that is undone. */
static void judge_stack(const struct work *work, const struct row *row,
                        uint64_t rip)
{
    const bool freeze = row->freeze && row->interrupt;
    struct lbr *l = work->l;
    struct test_context *t = l->t;
    unsigned moves;

    if (!stack_moves(l, work->freeze, work->on, &moves))
        return;
    check(t, (moves == 0) == freeze,
          "records or MSR_LASTBRANCH_TOS (1C9H) changed in %u of %u pieces of "
          "work after it; wanted %s",
          moves, ROUNDS, freeze ? "none" : "some");
    if (!freeze)
        return;
    check_known(
        t, l->records[0].from != 0 && l->records[0].from != rip,
        ERRATUM_LBR_FROM_AT_FREEZE, true,
        "the newest record is from 0x%lx, and the interrupt was at 0x%lx; "
        "wanted a branch before the interrupt",
        l->records[0].from, rip);
    check(t, !has_interrupt(l, rip),
          "a record is from 0x%lx, where the interrupt was, to its handler; "
          "wanted none after the overflow",
          rip);
    if (test_cpu(t)->perfmon_version >= 4)
        judge_resumed(l, work->freeze);
    if (stack_moves(l, work->freeze, true, &moves))
        check(t, moves != 0,
              "after the freeze was undone records changed in 0 of %u pieces "
              "of work",
              ROUNDS);
}

/* Where nothing is frozen the interrupt is recorded, and its IRETQ: of far
 * branches alone, for those of the handler are many. */
static bool try_interrupt(struct lbr *l, uint64_t places, bool nmi)
{
    struct test_context *t = l->t;
    struct work work = {.l = l, .nmi = nmi};
    bool came = false, went = false;
    struct bank after;

    l->select = MSR_LBR_SELECT_FAR_ALONE;
    if (!lbr_filter(l) || !lbr_empty(l) ||
        !overflow(&work, &rows[0], places, &after) || !lbr_read(l))
        return false;
    l->select = 0;
    for (unsigned n = 0; n < l->model.depth; n++) {
        const struct lbr_record *r = &l->records[n];

        came |= after.rip - r->from <= INSTRUCTION_MAX &&
                r->to - after.rip + NEAR >= 2 * NEAR;
        went |= r->to == after.rip && r->from != 0;
    }
    /* Of one that is repeated the place is another's. */
    check_known(
        t, after.interrupts == 0 || (came && went), ERRATUM_PMI_REPEATED,
        after.interrupts > 1,
        "far branches alone are captured, FREEZE_LBRS_ON_PMI = 0: a PMI%s came "
        "at 0x%lx; %s record is from there to its handler, %s from the "
        "handler's IRETQ back; wanted one of each",
        nmi ? ", as NMI," : "", after.rip, came ? "a" : "no",
        went ? "one" : "none");
    return lbr_filter(l) && set_msr(t, IA32_DEBUGCTL, l->off);
}

/* Version 4: software can set LBR_Frz too, and what clears it is no reset. */
static void try_by_software(struct lbr *l)
{
    struct test_context *t = l->t;
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_LBR_FRZ;
    unsigned frozen, free;

    if (!set_msr(t, IA32_PERF_GLOBAL_STATUS_SET, bit))
        return;
    bool there = stack_moves(l, 0, true, &frozen);
    const struct lbr before = *l;
    if (!counters_clear_status(t, bit) || !there || !lbr_read(l))
        return;
    check(t, same_stack(&before, l),
          "LBR_Frz was cleared through 390H: records or MSR_LASTBRANCH_TOS "
          "(1C9H) changed while recording was off; wanted no change");
    if (!stack_moves(l, 0, true, &free))
        return;
    check(t, frozen == 0 && free != 0,
          "LBR_Frz set through IA32_PERF_GLOBAL_STATUS_SET (391H), with %s, = "
          "1: records changed in %u of %u pieces of work, and in %u after it "
          "was cleared through 390H; wanted none, and some",
          lbr_enable_name(l), frozen, ROUNDS, free);
}

TEST(lbr_freeze_on_pmi,
     .asks = "Does FREEZE_LBRS_ON_PMI stop the records of branches, and them "
             "alone?",
     .cite = "SDM 3B, \"Freezing LBR and Performance Counters on PMI\", "
             "\"Enhancement in IA32_PERF_GLOBAL_STATUS\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_LBR, .counters = 2})
{
    struct lbr l;
    uint64_t places = bank_claim(t) & (BITS(1, 0) | BIT(PLACE_FIXED0));

    if (places == 0 || !lbr_claim(&l, t))
        return;
    FOR_EACH_ROW (t, i, rows) {
        if ((places >> rows[i].place & 1) == 0)
            continue;
        struct work work = {
            .l = &l,
            .freeze =
                (rows[i].freeze ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0) |
                (rows[i].counters ? IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0)};
        struct bank after;

        if (!lbr_empty(&l) || !overflow(&work, &rows[i], places, &after))
            return;
        WITH_PREFIX (t, "%s", rows[i].what) {
            judge(&work, &rows[i], &after);
            judge_stack(&work, &rows[i], after.rip);
        }
        lbr_turn(&l, 0, false);
    }
    /* On the 1st generation two threads share MSR_LBR_SELECT, which this is to
     * change. */
    if (l.model.generation == NEHALEM && test_sibling(t) != test_processor(t))
        return;
    if (!try_interrupt(&l, places, false) || !try_interrupt(&l, places, true) ||
        !lbr_transaction_freeze(&l, places))
        return;
    if (test_cpu(t)->perfmon_version >= 4)
        try_by_software(&l);
    WITH_PREFIX (t, "FREEZE_LBRS_ON_PMI = 1, an overflow at ring 3")
        (void)lbr_crossing_freeze(&l);
}
