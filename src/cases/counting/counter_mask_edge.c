/* SPDX-License-Identifier: BSD-2-Clause */
/* CMASK, INV and E of every select. The window has 8 branches so far apart that
 * each retires in a cycle of its own: a threshold of one is reached in 8 cycles
 * and 8 times, one of two never, and the inverse in all other cycles. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define TRIES    3
#define BRANCHES 0xc4u
#define CYCLES   0x3cu
#define CMASK(n) ((uint64_t)(n) << 24)
#define INV      IA32_PERFEVTSEL_INV
#define EDGE     IA32_PERFEVTSEL_E

#define BOTH_LEVELS (IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS)

/* What must come of a select. */
enum counts { EVENTS, NOTHING, OTHER_CYCLES, ALL_CYCLES, EDGES_BETWEEN, ONCE };

static const struct row {
    const char *what;
    uint64_t select;
    enum counts counts;
} rows[] = {
    {"branches, CMASK = 0", BRANCHES, EVENTS},
    {"branches, CMASK = 0 and INV, which is ignored", BRANCHES | INV, EVENTS},
    {"branches, CMASK = 1", BRANCHES | CMASK(1), EVENTS},
    {"branches, CMASK = 1 and E", BRANCHES | CMASK(1) | EDGE, EVENTS},
    {"branches, CMASK = 1 and INV", BRANCHES | CMASK(1) | INV, OTHER_CYCLES},
    {"branches, CMASK = 1, INV and E", BRANCHES | CMASK(1) | INV | EDGE,
     EDGES_BETWEEN},
    {"branches, CMASK = 2", BRANCHES | CMASK(2), NOTHING},
    {"branches, CMASK = 4", BRANCHES | CMASK(4), NOTHING},
    {"branches, CMASK = 8", BRANCHES | CMASK(8), NOTHING},
    {"branches, CMASK = 16", BRANCHES | CMASK(16), NOTHING},
    {"branches, CMASK = 32", BRANCHES | CMASK(32), NOTHING},
    {"branches, CMASK = 64", BRANCHES | CMASK(64), NOTHING},
    {"branches, CMASK = 128", BRANCHES | CMASK(128), NOTHING},
    {"branches, CMASK = 2 and E", BRANCHES | CMASK(2) | EDGE, NOTHING},
    {"branches, CMASK = 2 and INV", BRANCHES | CMASK(2) | INV, ALL_CYCLES},
    {"branches, CMASK = 255 and INV", BRANCHES | CMASK(255) | INV, ALL_CYCLES},
    {"core cycles, CMASK = 1", CYCLES | CMASK(1), ALL_CYCLES},
    {"core cycles, CMASK = 2", CYCLES | CMASK(2), NOTHING},
    {"core cycles, CMASK = 1 and E", CYCLES | CMASK(1) | EDGE, ONCE},
    {"core cycles, CMASK = 1 and INV", CYCLES | CMASK(1) | INV, NOTHING},
    {"core cycles, CMASK = 1, INV and E", CYCLES | CMASK(1) | INV | EDGE,
     NOTHING},
    {"core cycles, CMASK = 2, INV and E", CYCLES | CMASK(2) | INV | EDGE, ONCE},
};

/* The counters do not start in one cycle: count_margin(). */
static struct count_bounds bounds_of(enum counts counts, uint64_t cycles)
{
    const uint64_t events = window_long_shape.branches;
    const uint64_t margin = count_margin(COUNTS_TIME, cycles);

    switch (counts) {
    case EVENTS:
        return (struct count_bounds){events, events};
    case OTHER_CYCLES:
        return (struct count_bounds){cycles - events - margin,
                                     cycles - events + margin};
    case ALL_CYCLES:
        return (struct count_bounds){cycles - margin, cycles + margin};
    case EDGES_BETWEEN: /* with or without that before the first event */
        return (struct count_bounds){events, events + 1};
    case ONCE: /* or never, where it was running before it was looked at */
        return (struct count_bounds){0, 1};
    case NOTHING:
        break;
    }
    return (struct count_bounds){0, 0};
}

/* A change of the clock's ratio may stop it amid a window: an edge of its own,
 * and by INV a cycle without one. */
static bool sees_the_clock_stop(const struct row *row)
{
    return (row->select & 0xff) == CYCLES && (row->select & (INV | EDGE)) != 0;
}

static bool has_more(const struct test_context *t, uint64_t places,
                     const struct bank *after, uint64_t most)
{
    bool more = false;

    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        more = more || ((places >> n & 1) != 0 && after->pmc[n] > most);
    return more;
}

/* At these levels; the window is at ring 0 and does not leave it, so that OS
 * alone counts what both do. */
static bool try_row(struct test_context *t, uint64_t places,
                    const struct row *row, uint64_t levels)
{
    struct bank before = bank_of(places, row->select), after;
    struct count_bounds want;
    char name[MSR_NAME_BYTES];
    unsigned tries = 0;

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        before.select[n] &= ~BOTH_LEVELS | levels;

    /* Measured. */
    do {
        if (!bank_window(t, &before, window_long, &after))
            return false;
        want = bounds_of(row->counts, after.fixed[1]);
    } while (sees_the_clock_stop(row) && ++tries < TRIES &&
             has_more(t, places, &after, want.most));

    /* Check. */
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if ((places >> n & 1) != 0)
            check(t, after.pmc[n] >= want.least && after.pmc[n] <= want.most,
                  "%s, IA32_PERFEVTSEL%u = 0x%lx: %s counted %lu, in %lu "
                  "cycles with 8 branches; wanted %lu to %lu",
                  row->what, n, before.select[n], msr_name(IA32_PMC(n), name),
                  after.pmc[n], after.fixed[1], want.least, want.most);
    return true;
}

/* SDM 3B, tables of events of 06_2AH and later: loads that retire. */
#define LOADS UINT64_C(0x81d0)

/* Of loads that may be several in a cycle, CMASK = 0 counts each, n counts the
 * cycles with n or more: one each. So the first is at least the sum of others.
 */
static bool try_several(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places & BITS(2, 0), LOADS), after;

    before.select[1] |= CMASK(1);
    before.select[2] |= CMASK(2);
    if (!bank_window(t, &before, window_compare, &after))
        return false;
    check(t, after.pmc[0] != 0 && after.pmc[0] >= after.pmc[1] + after.pmc[2],
          "loads (D0H/81H) of 8 instructions that load twice: %lu with CMASK "
          "= 0, %lu with CMASK = 1, %lu with CMASK = 2; wanted the first not "
          "below the sum of the others, which add 1 a cycle",
          after.pmc[0], after.pmc[1], after.pmc[2]);
    return true;
}

/* With more loads than cycles that have any, some cycle has two: a counter with
 * CMASK = 2 is not to stay 0. Some more, for the counters do not start in one
 * cycle. On each counter, beside two that tell. */
#define SURPLUS 4

static bool try_two(struct test_context *t, uint64_t places, unsigned n,
                    unsigned of)
{
    const unsigned any = (n + 1) % of, all = (n + 2) % of;
    struct bank before =
                    bank_of(places & (BIT(n) | BIT(any) | BIT(all)), LOADS),
                after;
    unsigned tries = 0;
    bool silent;

    before.select[n] |= CMASK(2);
    before.select[any] |= CMASK(1);
    do {
        if (!bank_window(t, &before, window_compare, &after))
            return false;
        silent = after.pmc[n] == 0 && after.pmc[any] != 0 &&
                 after.pmc[all] >= after.pmc[any] + SURPLUS;
    } while (silent && ++tries < TRIES);
    check(t, !silent,
          "loads (D0H/81H), IA32_PERFEVTSEL%u with CMASK = 2: 0 in each of %u "
          "windows; IA32_PMC%u has %lu loads, in %lu cycles by IA32_PMC%u with "
          "CMASK = 1; wanted 1 or more, some cycle having two",
          n, TRIES, all, after.pmc[all], after.pmc[any], any);
    return true;
}

TEST(counter_mask_edge,
     .asks = "Do CMASK, INV and E of every select count cycles and edges as "
             "documented?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\": E, INV, CMASK",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    if ((places >> (PLACE_FIXED0 + 1) & 1) == 0) {
        skip(t, "needs IA32_FIXED_CTR1 for the number of cycles");
        return;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!try_row(t, places, &rows[i], BOTH_LEVELS) ||
            !try_row(t, places, &rows[i], IA32_PERFEVTSEL_OS))
            return;
    if ((identity_generation(test_cpu(t)) &
         (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE |
          SINCE_ICE_LAKE)) != 0 &&
        counters_available(test_cpu(t)) >= 3) {
        const unsigned of = (places & BIT(3)) != 0 ? 4 : 3;
        bool measured = try_several(t, places);

        for (unsigned n = 0; measured && n < of; n++)
            measured = try_two(t, places, n, of);
    }
}
