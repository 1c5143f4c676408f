/* SPDX-License-Identifier: BSD-2-Clause */
/* IN_TX counts inside transactions, IN_TXCP leaves the aborted ones out: what
 * is counted outside, committed and aborted adds up to all. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/in_tx_events.h"
#include "src/counting/selects.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define BRANCHES    0xc4
#define CORE_CYCLES 0x3c
#define WIDE        16  /* instructions in a cycle: no processor has as many */
#define CLEAN_MAX   100 /* windows tried for one without any other abort */
/* Whether XBEGIN, and what ends a transaction, are inside it no manual says. */
#define EDGES         2
#define TSX_LONG_MOST (TSX_LONG + TSX_LONG_MORE)
#define ABORTS        3 /* transactions, or commits */
#define OVERFLOWS     3 /* in the second of two transactions, which aborts */
#define LEVELS        4 /* of transactions inside another */
#define FEW_STORES    8 /* less than a cache has ways */

/* One transaction that commits, and one that aborts by XABORT. */
static void run_two_transactions(void *argument)
{
    struct tsx_block commits = {.body = tsx_body_long};
    struct tsx_block aborts = {.body = tsx_body_long_xabort};
    bool *clean = argument;

    *clean = tsx_inside(&commits) == TSX_COMMITTED;
    *clean &= tsx_inside(&aborts) == TSX_ABORTED &&
              (aborts.status & RTM_STATUS_XABORT) != 0;
}

/* Windows whose counter 2 held what no window can count. */
#define IMPOSSIBLE (UINT64_C(1) << 32)
struct invalid {
    unsigned windows, of;
    uint64_t last;
};

/* Instructions in all, inside, and by a third select on counter 2, summed over
 * so many windows in which no other abort falls, and which counter 2 can have
 * counted: beside aborts it may be invalid on some processors. */
static bool count_clean_windows(struct test_context *t, unsigned windows,
                                uint64_t third, struct selects *sum,
                                struct invalid *invalid)
{
    *sum =
        (struct selects){.select = {EVENT_INST_RETIRED,
                                    EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                                    EVENT_INST_RETIRED | third}};
    for (unsigned n = 0; n < windows; n++) {
        struct selects s = *sum;
        bool clean = false;
        for (unsigned i = 0; i < CLEAN_MAX && !clean; i++) {
            if (!selects_count(t, &s, run_two_transactions, &clean))
                return false;
            invalid->of++;
            if (s.got[2] > s.got[0] + IMPOSSIBLE) {
                invalid->windows++;
                invalid->last = s.got[2];
                clean = false;
            }
        }
        if (!clean) {
            if (invalid->windows == 0)
                skip(t,
                     "needs transactions that abort only by XABORT; in none of "
                     "%u windows did they",
                     CLEAN_MAX);
            return false;
        }
        for (unsigned i = 0; i < 3; i++)
            sum->got[i] += s.got[i];
    }
    return true;
}

/* What the two runs come to. */
struct shares {
    uint64_t all, inside, outside, aborted, committed, sum;
};

static bool count_shares(struct test_context *t, unsigned windows,
                         struct shares *out, struct invalid *invalid)
{
    struct selects without, inside;

    /* The same work twice; counter 2 leaves out what aborted, then counts what
     * committed alone. */
    if (!count_clean_windows(t, windows, IA32_PERFEVTSEL_IN_TXCP, &without,
                             invalid) ||
        !count_clean_windows(t, windows,
                             IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_IN_TXCP,
                             &inside, invalid))
        return false;
    out->all = without.got[0];
    out->inside = without.got[1];
    out->outside = out->all - out->inside;
    out->aborted = out->all - without.got[2];
    out->committed = inside.got[2];
    out->sum = out->outside + out->committed + out->aborted;
    return true;
}

/* So many instructions in each transaction. */
static void check_share(struct test_context *t, const char *what, uint64_t got,
                        unsigned transactions)
{
    check(t,
          got >= (uint64_t)TSX_LONG * transactions &&
              got <= (uint64_t)TSX_LONG_MOST * transactions,
          "instructions %s: got %lu, wanted %u to %u", what, got,
          TSX_LONG * transactions, TSX_LONG_MOST * transactions);
}

static void judge(struct test_context *t, const struct shares *s,
                  unsigned windows)
{
    const uint64_t slack = (uint64_t)EDGES * 2 * windows;

    check_share(t, "inside (IN_TX = 1)", s->inside, 2 * windows);
    check_share(t, "committed (IN_TX = IN_TXCP = 1)", s->committed, windows);
    check_share(t, "aborted (all - IN_TXCP = 1)", s->aborted, windows);
    check(t, s->sum + slack >= s->all && s->sum <= s->all + slack,
          "instructions: outside %lu + committed %lu + aborted %lu = %lu; "
          "wanted %lu, +- %lu",
          s->outside, s->committed, s->aborted, s->sum, s->all, slack);
    note(t,
         "instructions: %lu = outside %lu + committed %lu + aborted %lu%s, in "
         "%u transactions",
         s->all, s->outside, s->committed, s->aborted,
         s->sum == s->all ? "" : " (nearly)", 2 * windows);
}

/* A fixed counter has no IN_TXCP: what aborted stays in it. Errata of it are of
 * fewer instructions than one transaction's. */
static void check_fixed(struct test_context *t)
{
    const uint64_t both = BIT(0) | BIT(PLACE_FIXED0);
    struct bank before = bank_of(both, EVENT_INST_RETIRED), after;
    bool clean = false;

    if ((bank_promised(t) & both) != both)
        return;
    for (unsigned i = 0; i < CLEAN_MAX && !clean; i++)
        if (!bank_work(t, &before, run_two_transactions, &clean, &after))
            return;
    if (clean)
        check(t, after.fixed[0] + TSX_LONG / 2 >= after.pmc[0],
              "IA32_FIXED_CTR0 (309H) counted %lu instructions of a window "
              "with a transaction that commits and one that aborts, IA32_PMC0 "
              "(C1H) %lu; wanted as many",
              after.fixed[0], after.pmc[0]);
}

/* An overflow inside stays in 38EH, where the transaction aborts: bank_work()
 * compares. */
static void check_overflow(struct test_context *t)
{
    struct bank before = bank_of(BIT(0), EVENT_INST_RETIRED), after;
    bool clean;

    before.select[0] |= IA32_PERFEVTSEL_IN_TX;
    before.pmc[0] = bank_mask(test_cpu(t), 0) - (TSX_LONG + TSX_LONG / 2);
    for (unsigned i = 0; i < OVERFLOWS; i++)
        if (!bank_work(t, &before, run_two_transactions, &clean, &after))
            return;
}

/* Without a transaction: as many instructions and branches. */
static void run_outside(void *argument)
{
    struct tsx_block block = {.body = tsx_body_spin, .count = TSX_LONG};
    bool *clean = argument;

    *clean = tsx_outside(&block) == TSX_RAN;
}

/* IN_TX is of every general-purpose counter, and of every event. */
static const struct kind {
    const char *what;
    uint64_t select;
    void (*run)(void *clean);
    uint64_t least, most;
} kinds[] = {
    {"instructions of two transactions", EVENT_INST_RETIRED,
     run_two_transactions, 2 * TSX_LONG, 2 * TSX_LONG_MOST},
    {"core cycles of two transactions", CORE_CYCLES, run_two_transactions,
     2 * TSX_LONG / WIDE, UINT64_MAX >> 1},
    {"branches of two transactions", BRANCHES, run_two_transactions, 3,
     2 * TSX_LONG_MOST},
    {"instructions outside of them", EVENT_INST_RETIRED, run_outside, 0, 0},
    {"core cycles outside of them", CORE_CYCLES, run_outside, 0, 0},
    {"branches outside of them", BRANCHES, run_outside, 0, 0},
};

static void check_kind(struct test_context *t, const struct kind *kind)
{
    const uint64_t places = bank_promised(t) & BITS(COUNTERS_MAX - 1, 0);
    struct bank before = bank_of(places, kind->select | IA32_PERFEVTSEL_IN_TX);
    struct bank after;
    bool clean = false;

    before.live = true;
    for (unsigned i = 0; i < CLEAN_MAX && !clean; i++)
        if (places == 0 || !bank_work(t, &before, kind->run, &clean, &after))
            return;
    for (unsigned n = 0; clean && n < COUNTERS_MAX; n++) {
        const uint64_t got = after.pmc[n];
        if ((places >> n & 1) != 0)
            check_known(t, got >= kind->least && got <= kind->most,
                        ERRATUM_PMC2_OVER_ABORTS, n == 2 && got > IMPOSSIBLE,
                        "IA32_PMC%u (%XH), IN_TX = 1: %s: got %lu, wanted %lu "
                        "to %lu",
                        n, IA32_PMC(n), kind->what, got, kind->least,
                        kind->most);
    }
}

/* Transactions of many instructions that abort for other reasons. */
struct aborts {
    struct tsx_block block;
    unsigned committed;
};

static void run_aborts(void *argument)
{
    struct aborts *a = argument;

    a->committed = 0;
    for (unsigned i = 0; i < ABORTS; i++) {
        struct tsx_block block = a->block;
        a->committed += tsx_inside(&block) == TSX_COMMITTED;
    }
}

static void check_aborts(struct test_context *t, const char *what,
                         const uint8_t *body, uint64_t count, uint64_t least)
{
    struct aborts a = {
        .block = {.body = body,
                  .argument = (uint64_t)(uintptr_t)test_buffer(t),
                  .count = count}};
    struct selects s = {.select = {EVENT_INST_RETIRED,
                                   EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX,
                                   EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX |
                                       IA32_PERFEVTSEL_IN_TXCP}};

    if (!selects_count(t, &s, run_aborts, &a) || a.committed != 0)
        return;
    check_known(t, s.got[2] <= EDGES * ABORTS, ERRATUM_PMC2_OVER_ABORTS,
                s.got[2] > s.got[0] + IMPOSSIBLE,
                "%s: instructions of %u aborted transactions with IN_TX = "
                "IN_TXCP = 1: %lu; wanted %u at most",
                what, ABORTS, s.got[2], EDGES * ABORTS);
    /* At least one of them has come so far. */
    check(t, s.got[1] >= least && s.got[0] >= s.got[1],
          "%s: instructions of %u aborted transactions with IN_TX = 1: %lu, "
          "of %lu in all; wanted %lu at least: an abort takes back IN_TXCP's "
          "alone",
          what, ABORTS, s.got[1], s.got[0], least);
}

/* Each level more has so many instructions: at least once in some windows. */
static void check_nested(struct test_context *t)
{
    const uint64_t more = (uint64_t)TSX_NEST_LEVEL * LEVELS * ABORTS;
    struct aborts a = {.block = {.body = tsx_body_nest}};
    uint64_t got[2] = {0, 0};

    for (unsigned n = 0; n < 2 * CLEAN_MAX && got[1] != got[0] + more; n++) {
        struct selects s = {
            .select = {EVENT_INST_RETIRED | IA32_PERFEVTSEL_IN_TX}};
        a.block.count = 1 + n % 2 * LEVELS;
        if (!selects_count(t, &s, run_aborts, &a))
            return;
        got[n % 2] = a.committed == ABORTS ? s.got[0] : got[n % 2];
    }
    check(t, got[0] == 0 || got[1] == 0 || got[1] == got[0] + more,
          "instructions with IN_TX = 1 of %u transactions with one inside: "
          "%lu, with %u in one another inside: %lu; wanted %lu more",
          ABORTS, got[0], 1 + LEVELS, got[1], more);
}

/* EDGE counts each run of cycles that have an event, and no more are inside
 * than there are events. */
static void check_edges(struct test_context *t)
{
    struct aborts a = {.block = {.body = tsx_body_nothing}};
    struct selects s = {
        .select = {BRANCHES | IA32_PERFEVTSEL_IN_TX,
                   BRANCHES | IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_E, 0}};

    if (selects_count(t, &s, run_aborts, &a))
        check(t, s.got[1] <= s.got[0],
              "branches of %u transactions with IN_TX = 1: %lu; with EDGE = 1 "
              "too IA32_PMC1 (C2H) counted %lu; wanted as many at most",
              ABORTS, s.got[0], s.got[1]);
}

/* RDPMC is no instruction that aborts; where it does, nothing is said. */
struct reads {
    uint32_t index;
    unsigned committed, wrong;
    uint32_t got; /* the last wrong one */
};

static void run_reads(void *argument)
{
    struct reads *r = argument;

    for (unsigned i = 0; i < ABORTS; i++) {
        struct tsx_block block = {.body = tsx_body_rdpmc, .argument = r->index};
        if (tsx_inside(&block) != TSX_COMMITTED)
            continue;
        r->committed++;
        if (block.status - (TSX_RDPMC_AMID - 1) > 2) {
            r->wrong++;
            r->got = block.status;
        }
    }
}

static void check_reads(struct test_context *t, unsigned place, uint32_t index)
{
    struct bank before = bank_of(BIT(place), EVENT_INST_RETIRED), after;
    struct reads r = {.index = index};
    char name[MSR_NAME_BYTES];

    before.live = true;
    if (!bank_work(t, &before, run_reads, &r, &after))
        return;
    check(t, r.wrong == 0,
          "%s, read twice by RDPMC in a transaction, %u instructions apart: "
          "counted %u, in %u of %u; wanted as many, or one more or less",
          msr_name(bank_msr(place), name), TSX_RDPMC_AMID, r.got, r.wrong,
          r.committed);
    if (place == 0)
        observe(t, "a transaction with RDPMC commits", r.committed != 0, 1);
}

TEST(tsx_in_tx_counts,
     .asks = "Is all = outside + committed + aborted, by IN_TX and IN_TXCP?",
     .cite = "SDM 3B, \"Performance Monitoring and Intel TSX\"",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 3})
{
    const unsigned windows = probe_row_tries(t);
    struct invalid invalid = {0, 0, 0};
    struct shares s;

    /* Set-up. */
    if (!probe_set_up(t) || !counters_claim(t))
        return;

    /* Measured, and checked. */
    if (count_shares(t, windows, &s, &invalid))
        judge(t, &s, windows);
    check_fixed(t);
    check_overflow(t);
    FOR_EACH_ROW (t, i, kinds)
        check_kind(t, &kinds[i]);
    check_aborts(t, "stores to many lines", tsx_body_write_lines,
                 TEST_BUFFER_BYTES / 64, FEW_STORES);
    check_aborts(t, "XABORT in the innermost", tsx_body_nest_deep, LEVELS,
                 2 * LEVELS);
    check_aborts(t, "XABORT after an inner one", tsx_body_nest_xend_xabort, 0,
                 2);
    check_nested(t);
    check_edges(t);
    in_tx_events_check(t);
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((bank_promised(t) >> n & 1) != 0)
            check_reads(t, n, n);
    if (bank_fixed(test_cpu(t)) != 0)
        check_reads(t, PLACE_FIXED0, RDPMC_FIXED);
    if (invalid.windows != 0)
        check_known(t, false, ERRATUM_PMC2_OVER_ABORTS, true,
                    "IA32_PMC2 (C3H) holds what no window counts, 0x%lx, in %u "
                    "of %u windows with aborts",
                    invalid.last, invalid.windows, invalid.of);
}
