/* SPDX-License-Identifier: BSD-2-Clause */
/* One body, at ring 0 and 3, in and out of transactions, counted from 0, from
 * below bit 32 and from below the end: what it counts is the same each time. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/context_rows.h"
#include "src/counting/ring3.h"
#include "src/memory/memory_errata.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"
#include "src/uncore/offcore.h"

#define TRIES 20 /* where transactions may abort for no reason of their own */
/* Instructions and branches at the ends of a ring, or of a transaction; where
 * IRETQ, SYSCALL, the outermost XBEGIN and XEND count no manual says. */
#define RINGS    2
#define OUTER    2
#define ENDS     (RINGS + OUTER)
#define CYCLES   64 /* that two counters may be apart; and a 64th */
#define TOGETHER 16 /* the same, of counters that start at a change of ring */
#define EDGES    8  /* of what is always true, at most */
#define CLOCKS   16 /* by so many times the core's may change meanwhile */
#define PAGE     4096
#define LINE     64
#define PLACES   (BITS(2, 0) | BITS(PLACES_END - 1, PLACE_FIXED0))

_Static_assert(ENDS < RING3_BODY_TURNS, "what is lost is more");

/* The ways to the body; instructions more than on the plain one. */
static const struct way {
    const char *what;
    const uint8_t *at;
    uint64_t more, inner; /* of inner transactions: not of the outermost */
    bool tx, aborts;
    bool common; /* tried with each event, at ring 3 */
} ways[] = {
    {"outside of transactions", ring3_body_plain, 0, 0, false, false, true},
    {"in a transaction", ring3_body_committed, 2, 0, true, false, true},
    {"in an inner transaction", ring3_body_nested, 4, 2, true, false, false},
    {"after an inner XEND", ring3_body_after_inner, 4, 2, true, false, false},
    {"after an XEND", ring3_body_after_commit, 4, 0, true, false, false},
    {"in a transaction that aborts", ring3_body_aborted, 3, 0, true, true,
     true},
    {"in an inner transaction that aborts", ring3_body_nested_aborted, 4, 1,
     true, true, false},
};

struct contexts {
    struct test_context *t;
    struct ring3_session ring3;
    uint64_t plain; /* what the row counted at ring 0, no transaction */
    uint64_t core, clock, slots; /* and the fixed counters 1 to 3 */
    bool transactions;           /* they can commit */
    bool closing;    /* the WRMSR that ends a window counts, at ring 0 */
    uint64_t levels; /* of the selects, in the last window */
    unsigned windows;
    bool cold; /* the body's data, at its begin */
};

static uint64_t from(const struct test_context *t, unsigned place,
                     unsigned start)
{
    const uint64_t mask = bank_mask(test_cpu(t), place);
    const uint64_t less = place < PLACE_FIXED0 ? 4 : 64;
    const uint64_t value =
        start == 0 ? 0 : (start == 1 ? BIT(32) : mask + 1) - less;

    return bank_can_hold(test_cpu(t), place, value) ? value : 0;
}

/* IA32_PMC0 counts all of it, IA32_PMC1 what is inside, IA32_PMC2 what has not
 * aborted: at ring 3 of that alone, as the fixed counters. */
static struct bank bank_for(const struct contexts *c,
                            const struct context_row *row, unsigned level,
                            unsigned start)
{
    const struct identity *id = test_cpu(c->t);
    struct bank bank = bank_of(bank_places(id) & PLACES, row->select);

    for (unsigned n = 0; n < 3 && level != 0; n++)
        bank.select[n] &= ~IA32_PERFEVTSEL_OS;
    if (id->rtm) {
        bank.select[1] |= IA32_PERFEVTSEL_IN_TX;
        bank.select[2] |= IA32_PERFEVTSEL_IN_TXCP;
    }
    for (unsigned n = 0; n < bank_fixed(id) && level != 0; n++)
        bank.fixed_ctrl &= ~IA32_FIXED_CTR_CTRL_OS(n);
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((bank.ctrl >> p & 1) != 0)
            *bank_value(&bank, p) = from(c->t, p, start);
    bank.cell = (uintptr_t)c->ring3.ring3;
    return bank;
}

static uint64_t counted(const struct contexts *c, const struct bank *before,
                        const struct bank *after, unsigned place)
{
    return (bank_count(after, place) - bank_count(before, place)) &
           bank_mask(test_cpu(c->t), place);
}

static bool is_near(uint64_t a, uint64_t b, uint64_t by)
{
    return a <= b + by && b <= a + by;
}

static void check_count(const struct contexts *c, const struct context_row *row,
                        unsigned place, uint64_t got, uint64_t want,
                        uint64_t by)
{
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum = event_erratum(c->t, place, row->select | c->levels,
                                         got, want, &signature);

    check_known(c->t, is_near(got, want, by), erratum, signature,
                "%s counted %lu; wanted %lu, or %lu more or less",
                msr_name(bank_msr(place), name), got, want, by);
}

static void check_some(const struct contexts *c, const char *what, uint64_t got,
                       uint64_t core, uint64_t plain, unsigned times)
{
    check(c->t,
          plain < RING3_BODY_TURNS || (got * c->core * times >= plain * core &&
                                       got * c->core <= plain * core * times),
          "%s counted %lu in %lu cycles; wanted about as many as at ring 0, "
          "%lu in %lu",
          what, got, core, plain, c->core);
}

/* See bank_for(). What counter 2 leaves out is added where an erratum loses. */
static void judge_inside(struct contexts *c, const struct context_row *row,
                         const struct way *way, const uint64_t got[3])
{
    const bool cycles = row->kind == CORE, events = row->kind == EVENTS;
    const uint64_t by =
        cycles ? CYCLES + got[0] / 64 : (events && row->ends == 0 ? 0 : OUTER);
    const struct window_shape *s = &ring3_body_shape;
    const uint64_t body = events ? c->plain - row->ends
                          : row->kind == BRANCHES
                              ? s->branches + 1
                              : s->instructions + 1 + way->inner;
    const uint64_t outer = (way->more - way->inner) / 2;
    const uint64_t inside = way->tx ? body + (events ? 0 : outer) : 0;
    const uint64_t all = way->tx ? got[0] : 0, event = row->select | c->levels;
    const uint64_t in_tx = got[1] < got[0] ? got[1] : got[0]; /* by errata */
    const uint64_t out = way->aborts ? in_tx : 0, kept = got[0] - out;
    bool known;
    enum erratum erratum =
        event_erratum(c->t, 1, event, got[1], inside, &known);

    check_known(
        c->t,
        cycles ? got[1] <= all && got[1] >= all / 16
               : is_near(got[1], inside, way->tx ? (events ? ENDS : outer) : 0),
        erratum, known,
        "IA32_PMC1 (C2H), with IN_TX, counted %lu of %lu; wanted %lu", got[1],
        got[0], cycles ? all : inside);
    const bool invalid = way->aborts && got[2] > BIT(32);
    erratum = event_erratum(c->t, 2, event, got[2] + out, got[0], &known);
    check_known(c->t,
                way->aborts && cycles ? got[2] <= got[0] - in_tx / 2
                                      : is_near(got[2], kept, by),
                invalid ? ERRATUM_PMC2_OVER_ABORTS : erratum,
                invalid || (!cycles && known),
                "IA32_PMC2 (C3H), with IN_TXCP, counted %lu of %lu; wanted %lu",
                got[2], got[0], kept);
}

static void judge(struct contexts *c, const struct context_row *row,
                  const struct way *way, unsigned level,
                  const struct bank *before, const struct bank *after)
{
    const uint64_t more =
        way->more + (level == 0 ? RING3_BODY_AROUND + c->closing : 0);
    const unsigned fixed = bank_fixed(test_cpu(c->t));
    const uint64_t by = level / 3 * RINGS + way->aborts;
    const uint64_t most =
        row->kind == PAIRS
            ? (context_written(&context_rows[BRANCHES]) + ENDS) / 2
            : EDGES;
    const uint64_t got = counted(c, before, after, 0);
    const uint64_t core =
        fixed > 1 ? counted(c, before, after, PLACE_FIXED0 + 1) : 0;

    if (fixed > 0)
        check_count(c, row, PLACE_FIXED0,
                    counted(c, before, after, PLACE_FIXED0),
                    context_written(&context_rows[INSTRUCTIONS]) + more, by);
    for (unsigned n = 2; n < fixed && n < 4 && c->core != 0; n++)
        check_some(c,
                   n == 2 ? "IA32_FIXED_CTR2 (30BH)" : "IA32_FIXED_CTR3 (30CH)",
                   counted(c, before, after, PLACE_FIXED0 + n), core,
                   n == 2 ? c->clock : c->slots, n == 2 ? CLOCKS : 4);
    switch (row->kind) {
    case CORE:
        check_known(
            c->t, fixed < 2 || is_near(got, core, CYCLES + core / 64),
            ERRATUM_INV_COUNTS_OTHER_CPL,
            (row->select & IA32_PERFEVTSEL_INV) != 0 && level != 0 &&
                got > core,
            "IA32_PMC0 (C1H) counted %lu, IA32_FIXED_CTR1 (30AH) %lu; wanted "
            "as many",
            got, core);
        break;
    case PAIRS:
    case ONCE:
        check(c->t, got <= most,
              "IA32_PMC0 (C1H) counted %lu; wanted %lu at most", got, most);
        break;
    case CLOCK:
        if (c->core != 0)
            check_some(c, "IA32_PMC0 (C1H)", got, core, c->plain, CLOCKS);
        break;
    case SOME:
        check(c->t, c->plain == 0 || got != 0,
              "IA32_PMC0 (C1H) counted 0, and outside at ring 0 %lu", c->plain);
        break;
    default:
        check_count(
            c, row, 0, got,
            (context_written(row) != 0 ? context_written(row) : c->plain) +
                (row->kind == INSTRUCTIONS ? more : 0),
            row->kind == INSTRUCTIONS ? by : ENDS);
    }
    if (test_cpu(c->t)->rtm && row->kind <= CORE)
        judge_inside(c, row, way,
                     (uint64_t[3]){got, counted(c, before, after, 1),
                                   counted(c, before, after, 2)});
}

/* Every second line of the data page is in no cache then. */
static void flush_data(const struct contexts *c)
{
    const struct memory_walk pairs = {
        .base = c->ring3.ring3->data,
        .step = 2 * LINE,
        .mask = PAGE - 1,
        .count = PAGE / (2 * LINE),
    };

    memory_load_turns(BIT(0), &pairs);
}

/* A window whose transactions ended as they are meant to. False where it could
 * not be tried; *done: it was. */
static bool run(struct contexts *c, const struct way *way, unsigned level,
                const struct bank *before, struct bank *after, bool *done)
{
    const uint32_t xabort = (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT;
    struct ring3 *ring3 = c->ring3.ring3;

    *done = false;
    c->levels = before->select[0] & (IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR);
    ring3->body = (uint32_t)(way->at - ring3_body);
    ring3->level = level;
    for (unsigned k = 0; k < TRIES && !*done; k++) {
        hw_poll();
        if (c->cold)
            flush_data(c);
        if (!ring3_count(&c->ring3, before, window_ring3_body, after))
            return false;
        check(c->t, ring3->status != RING3_BODY_INNER,
              "%s: an abort went to the fallback of the inner XBEGIN",
              way->what);
        *done = way->aborts ? (ring3->status & xabort) == xabort
                            : ring3->status == RTM_STATUS_STARTED;
        *done &= !c->cold || after->pmc[0] != before->pmc[0] || k + 1 == TRIES;
        c->windows++;
    }
    return true;
}

/* Where the listing does not say it, and time by the first row; the second
 * time, when all is in the caches. */
static bool measure_plain(struct contexts *c, const struct context_row *row)
{
    const struct bank before = bank_for(c, row, 0, 0);
    struct bank after;
    bool done, signature;

    for (unsigned i = 0; i < 2; i++)
        if (!run(c, &ways[0], 0, &before, &after, &done))
            return false;
    c->plain = after.pmc[0];
    enum erratum e = memory_erratum(c->t, before.select[0], c->plain,
                                    context_accesses(row), &signature);
    check_known(c->t, c->plain >= context_accesses(row), e, signature,
                "%s: IA32_PMC0 (C1H) counted %lu; wanted %lu or more",
                row->what, c->plain, context_accesses(row));
    if (row == context_rows)
        c->closing = c->plain == context_written(row) + RING3_BODY_AROUND + 1;
    c->core = after.fixed[1];
    c->clock = after.fixed[2];
    c->slots = after.fixed[3];
    return true;
}

/* Of ring 3 alone each counter counts what the others do. On which of them an
 * event of a table counts from IA32_PMC4 on is not looked up. */
static bool try_each(struct contexts *c, const struct context_row *row)
{
    const uint64_t places =
        bank_user_places(test_cpu(c->t), bank_promised(c->t)) &
        (row->tables == 0 ? BITS(31, 0) : BITS(3, 0));
    struct bank before = bank_of(places, row->select), after;
    struct erratum_found found;
    uint64_t most = 0;
    bool done;

    if ((row->select & IA32_PERFEVTSEL_INV) != 0 &&
        errata_find(test_cpu(c->t), ERRATUM_INV_COUNTS_OTHER_CPL, &found))
        return true;
    before.cell = (uintptr_t)c->ring3.ring3;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        before.select[n] &= ~IA32_PERFEVTSEL_OS;
    if (!run(c, &ways[0], 3, &before, &after, &done))
        return false;
    /* None counts too many; which ones do too few is for errata. */
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0 && after.pmc[n] > most)
            most = after.pmc[n];
    const uint64_t by = row->kind == CORE || row->kind == CLOCK
                            ? TOGETHER + most / 64
                        : row->kind == SOME ? ENDS + most / 4
                                            : ENDS;
    WITH_PREFIX (c->t, "%s at ring 3, on each counter", row->what)
        for (unsigned n = 0; n < COUNTERS_MAX; n++)
            if ((places >> n & 1) != 0)
                check_count(c, row, n, after.pmc[n], most, by);
    return true;
}

static bool try_row(struct contexts *c, const struct context_row *row)
{
    unsigned start = (unsigned)(row - context_rows);
    struct bank after;
    bool done;

    c->cold = row->requests != 0;
    if (c->cold && !offcore_write(c->t, offcore_of(test_cpu(c->t)), 0,
                                  OFFCORE_ANY | row->requests))
        return false;
    if (row->kind != BRANCHES && row->kind != PAIRS && row->kind != ONCE &&
        !measure_plain(c, row))
        return false;
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (unsigned level = 0; level <= 3; level += 3) {
            const struct bank before = bank_for(c, row, level, start++ % 3);

            if ((ways[i].tx && !c->transactions) ||
                (!row->all && (level == 0 || !ways[i].common)))
                continue;
            if (!run(c, &ways[i], level, &before, &after, &done))
                return false;
            if (done)
                WITH_PREFIX (c->t, "%s, %s at ring %u", row->what, ways[i].what,
                             level)
                    judge(c, row, &ways[i], level, &before, &after);
        }
    return try_each(c, row);
}

TEST(events_in_contexts,
     .asks = "Do events count the same at ring 3 and in transactions as "
             "elsewhere?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\": USR, OS, INV, CMASK; \"Pre-defined Architectural "
             "Performance Events\"; \"Intel TSX support\": IN_TX, IN_TXCP",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 3})
{
    const struct identity *id = test_cpu(t);
    const struct offcore_table *offcore = offcore_of(id);
    const unsigned here = identity_generation(id);
    struct contexts c = {.t = t, .transactions = probe_state_if_any(t)};

    /* Set-up. */
    if (!counters_claim(t) || !ring3_prepare(&c.ring3, t) ||
        (offcore != NULL &&
         !offcore_write(t, offcore, 0,
                        OFFCORE_ANY | OFFCORE_DMND_DATA_RD | OFFCORE_DMND_RFO)))
        return;

    /* Measured and checked. */
    for (unsigned i = 0; i < context_row_count; i++)
        if ((context_rows[i].tables == 0 ||
             (context_rows[i].tables & here) != 0) &&
            (context_rows[i].requests == 0 || offcore != NULL) &&
            !try_row(&c, &context_rows[i]))
            return;
    note(t, "%u windows", c.windows);
}
