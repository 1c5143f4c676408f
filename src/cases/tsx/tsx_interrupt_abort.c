/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction that an interrupt aborts: that of a counter which overflows in
 * it. EAX has no bit that names another cause, the abort is counted, and all
 * registers are as at XBEGIN. */
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/counting/events.h"
#include "src/counting/selects.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define BRANCHES 0xc4
#define TURNS    4000 /* two branches each: the interrupt comes amid them */
#define AMID     1000
#define FEW      8 /* transactions */
#define INNER    3 /* interrupts in inner ones */
/* Whether XBEGIN and what ends it are inside no manual says. */
#define EDGES      2
#define IMPOSSIBLE (UINT64_C(1) << 32) /* to count so many */
/* What else aborts may come first, again and again. */
#define TRIES_MAX 100

/* What an interrupt is not, beside what never is set. */
#define OTHERS (RTM_STATUS_CAUSES | RTM_STATUS_RESERVED | RTM_STATUS_CODE)

struct interrupted {
    struct rtm_tally tally;
    unsigned interrupts;
    uint64_t counted; /* RTM_RETIRED.ABORTED */
    /* Of every second transaction instead: RTM_RETIRED.ABORTED_MEM. */
    unsigned other_aborted;
    uint64_t other_counted;
    unsigned named;  /* EAX has bits of another cause */
    uint32_t status; /* the last such */
    uint64_t kept;   /* of IN_TXCP, the most beside an abort */
};

static void run_jumps(void *argument)
{
    const struct tsx_block block = {.body = tsx_body_jumps, .count = TURNS};

    probe_run(&block, 1, 0, false, argument);
}

/* False where it could not be tried. */
static bool try_once(struct test_context *t, struct interrupted *all,
                     bool other)
{
    struct bank before = bank_of(BITS(2, 0), BRANCHES), after;
    struct rtm_tally tally;

    before.pmi = BANK_PMI;
    before.select[0] |= IA32_PERFEVTSEL_INT;
    before.pmc[0] = bank_mask(test_cpu(t), 0) - AMID;
    before.select[1] =
        bank_of(BIT(1),
                EVENT_RTM_RETIRED | (other ? UMASK_ABORTED_MEM : UMASK_ABORTED))
            .select[1];
    before.select[2] |= IA32_PERFEVTSEL_IN_TXCP;
    if (!bank_work(t, &before, run_jumps, &tally, &after))
        return false;
    probe_add(&all->tally, &tally);
    if (other) {
        all->other_counted += after.pmc[1];
        all->other_aborted += tally.aborted;
    } else {
        all->counted += after.pmc[1];
    }
    if (tally.aborted != 0 && after.pmc[2] > all->kept)
        all->kept = after.pmc[2];
    if (after.interrupts == 0 || tally.aborted == 0)
        return true;
    all->interrupts++;
    if ((tally.status & OTHERS) != 0) {
        all->named++;
        all->status = tally.status;
    }
    return true;
}

/* SDM 1, "Instruction Based Considerations": SSE amid AVX, the x87, and STD and
 * CLD that change DF may abort by themselves, before an interrupt can come. */
static const struct changed {
    struct state_row row;
    bool may_abort;
} changes[] = {
    {{"general registers and status flags changed, then an interrupt",
      tsx_change_general, tsx_end_hold, 0},
     false},
    {{"general registers and status flags changed, then an interrupt in an "
      "inner transaction",
      tsx_change_general, tsx_end_hold_inner, 0},
     false},
    {{"XMM0 to XMM15 and MXCSR changed, then an interrupt", tsx_change_xmm,
      tsx_end_hold, 0},
     true},
    {{"YMM0 to YMM15 changed, then an interrupt", tsx_change_ymm, tsx_end_hold,
      XCR0_AVX},
     false},
    {{"DF changed, then an interrupt", tsx_change_direction, tsx_end_hold, 0},
     true},
    {{"the x87 changed, then an interrupt", tsx_change_x87, tsx_end_hold, 0},
     true},
    {{"memory changed, then an interrupt", tsx_change_memory, tsx_end_hold, 0},
     false},
};

/* The same of an elided section, which is executed again. */
static const struct changed elided[] = {
    {{"HLE: general registers and status flags changed, then an interrupt",
      tsx_change_general, tsx_end_hold, 0},
     false},
    {{"HLE: XMM0 to XMM15 and MXCSR changed, then an interrupt", tsx_change_xmm,
      tsx_end_hold, 0},
     true},
    {{"HLE: YMM0 to YMM15 changed, then an interrupt", tsx_change_ymm,
      tsx_end_hold, XCR0_AVX},
     false},
    {{"HLE: DF changed, then an interrupt", tsx_change_direction, tsx_end_hold,
      0},
     true},
    {{"HLE: the x87 changed, then an interrupt", tsx_change_x87, tsx_end_hold,
      0},
     true},
    {{"HLE: memory changed, then an interrupt", tsx_change_stored, tsx_end_hold,
      0},
     false},
};

struct state_work {
    struct test_context *t;
    const struct state_row *row;
    uint64_t components;
    bool hle;
};

static void run_state(void *argument)
{
    const struct state_work *w = argument;

    (w->hle ? state_try_hle : state_try)(w->t, w->row, w->components, 1);
}

/* Until one has come, or some in an inner transaction; it counts what is inside
 * alone. */
static bool try_state(struct test_context *t, const struct changed *changed,
                      bool hle)
{
    const struct state_row *row = &changed->row;
    const bool inner = row->end == tsx_end_hold_inner;
    const struct tsx_state *state = test_buffer(t);
    struct bank before = bank_of(BIT(0), BRANCHES), after;
    struct state_work work = {t, row, state_components(test_cpu(t)), hle};
    unsigned came = 0, nested = 0;

    if ((work.components & row->components) != row->components)
        return true;
    before.pmi = BANK_PMI;
    before.select[0] |= IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_IN_TX;
    before.pmc[0] = bank_mask(test_cpu(t), 0) - AMID;
    for (unsigned i = 0; i < TRIES_MAX && came < (inner ? INNER : 1); i++) {
        if (!bank_work(t, &before, run_state, &work, &after))
            return false;
        came += after.interrupts != 0;
        nested += after.interrupts != 0 &&
                  (state->after[0] & RTM_STATUS_NESTED) != 0; /* of RAX */
    }
    check(t, came != 0 || changed->may_abort,
          "%s: IA32_PMC0 (C1H), with IN_TX = 1, was %u branches before its "
          "overflow in %u transactions, and no interrupt came; wanted one",
          row->what, AMID, TRIES_MAX);
    if (came == 0 && changed->may_abort)
        note(t,
             "%s: no interrupt came in %u transactions, which may abort "
             "before it",
             row->what, TRIES_MAX);
    check(t, !inner || came == 0 || nested != 0,
          "%s: EAX[5] (nested) is 0 after %u aborts; wanted 1 after some",
          row->what, came);
    return true;
}

/* Events of TSX overflow a counter as others do. */
static const struct event {
    const char *name;
    uint64_t umask;
    const uint8_t *body;
} events[] = {
    {".START (01H)", UMASK_START, tsx_body_nothing},
    {".COMMIT (02H)", UMASK_COMMIT, tsx_body_nothing},
    {".ABORTED (04H)", UMASK_ABORTED, tsx_bodies_xabort},
};

static void run_few(void *argument)
{
    const struct event *event = argument;

    for (unsigned i = 0; i < FEW; i++) {
        struct tsx_block block = {.body = event->body};
        (void)tsx_inside(&block);
    }
}

/* Where it has overflowed: none is promised to commit. */
static bool try_event(struct test_context *t, const struct event *event)
{
    struct bank before = bank_of(BIT(0), EVENT_RTM_RETIRED | event->umask),
                after;
    struct event run = *event;

    before.pmi = BANK_PMI;
    before.select[0] |= IA32_PERFEVTSEL_INT;
    before.pmc[0] = bank_mask(test_cpu(t), 0);
    if (!bank_work(t, &before, run_few, &run, &after))
        return false;
    check(t, after.interrupts != 0 || (after.status & BIT(0)) == 0,
          "IA32_PMC0 (C1H), with RTM_RETIRED (C9H) %s and INT = 1, overflowed "
          "in %u transactions, and no interrupt came; wanted one",
          event->name, FEW);
    return true;
}

/* IN_TXCP, over aborts in a row: each takes back what was inside, and nothing
 * of what came before. */
static void check_in_a_row(struct test_context *t)
{
    struct event run = {.body = tsx_bodies_xabort};
    struct selects s = {
        .select = {EVENT_INST_RETIRED,
                   EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                   EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TXCP}};

    if (!selects_count(t, &s, run_few, &run))
        return;
    const uint64_t sum = s.got[1] + s.got[2];
    check_known(t,
                sum + EDGES * FEW >= s.got[0] && sum <= s.got[0] + EDGES * FEW,
                ERRATUM_PMC2_OVER_ABORTS, s.got[2] > s.got[0] + IMPOSSIBLE,
                "instructions of %u transactions that XABORT ends: with IN_TX "
                "%lu, with IN_TXCP %lu; wanted %lu, which is all, together",
                FEW, s.got[1], s.got[2], s.got[0]);
}

TEST(tsx_interrupt_abort,
     .asks = "Does an interrupt abort a transaction, with no bit in EAX that "
             "names another cause, and all registers as at XBEGIN?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"Runtime "
             "Considerations\"; SDM 3B, table \"Intel TSX Performance "
             "Events\"",
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_PMU, .counters = 3})
{
    const unsigned tries = probe_row_tries(t);
    struct interrupted all = {.interrupts = 0};
    char text[RTM_STATUS_TEXT];

    /* Set-up. */
    rtm_clear(&all.tally);
    if (!probe_set_up(t) || !counters_claim(t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < tries || (all.interrupts == 0 && i < TRIES_MAX);
         i++)
        if (!try_once(t, &all, i % 2 != 0))
            return;

    /* Check. One in two may have been aborted by something else before. */
    probe_check(t, &all.tally);
    check(t, all.interrupts != 0,
          "IA32_PMC0 (C1H) was %u branches before its overflow, with INT = 1, "
          "in %u transactions of %u jumps: %u aborted, none with an "
          "interrupt; wanted some",
          AMID, all.tally.tried, TURNS, all.tally.aborted);
    const unsigned aborted = all.tally.aborted - all.other_aborted;
    check(t, all.counted == aborted,
          "%u transactions aborted, by an interrupt or before it, and "
          "IA32_PMC1 (C2H) counted RTM_RETIRED.ABORTED (C9H/04H) %lu times",
          aborted, all.counted);
    check(t, 2 * all.other_counted <= all.other_aborted + 1,
          "%u transactions aborted, by an interrupt or before it, and "
          "IA32_PMC1 (C2H) counted RTM_RETIRED.ABORTED_MEM (C9H/08H) %lu "
          "times; wanted few",
          all.other_aborted, all.other_counted);
    check_known(
        t, all.kept<AMID, ERRATUM_PMC2_OVER_ABORTS, all.kept> 2 * TURNS + AMID,
        "IA32_PMC2 (C3H), with IN_TXCP, counted %lu branches beside a "
        "transaction that aborted after %u in it, or before; wanted "
        "fewer than %u: an abort takes them back",
        all.kept, AMID, AMID);
    check(t, 2 * all.named <= all.interrupts,
          "EAX = 0x%08x (%s) after %u of %u aborts with an interrupt; wanted "
          "none of [0], [2] to [31]",
          all.status, rtm_status_text(all.status, text), all.named,
          all.interrupts);
    note(t,
         "%u of %u transactions aborted with an interrupt, %u of them with "
         "EAX[1] or others",
         all.interrupts, all.tally.tried, all.named);
    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if (!try_state(t, &changes[i], false))
            return;
    const bool elides = hle_elides(t);
    for (unsigned i = 0; elides && i < sizeof(elided) / sizeof(elided[0]); i++)
        if (!try_state(t, &elided[i], true))
            return;
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (!try_event(t, &events[i]))
            return;
    check_in_a_row(t);
}
