/* SPDX-License-Identifier: BSD-2-Clause */
/* What a select of a C-Box and of the ARB unit has: each unit counts by its own
 * enable alone; umasks choose; CMASK, INV and E filter; every counter has all
 * its bits. */
#include "src/harness/case.h"
#include "asm/line_access.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/units.h"

#define TRIES        5           /* others, graphics too, only add */
#define STRAY        (LINES / 4) /* of theirs, in the quietest window */
#define QUIET        2           /* the same, of one box */
#define LATE         64          /* cycles between the units' beginnings */
#define STORES_APART 128         /* bytes: no line is the next of another */

static uint64_t event_of(const struct units *s, unsigned unit)
{
    return unit < s->count - 2 ? UNC_CBO_CACHE_LOOKUP_READ
                               : UNC_ARB_TRK_REQUESTS;
}

/* Every bit that is defined and every bit of the counter, there and back. */
static void check_registers(struct units *s, unsigned unit)
{
    static const uint64_t patterns[] = {0, UINT64_C(0x5a5a5a5a5a5),
                                        UINT64_C(0xa5a5a5a5a5a),
                                        BITS(UNCORE_COUNTER_BITS - 1, 0)};
    const struct uncore_unit *at = &s->unit[unit];
    struct test_context *t = s->u.t;

    for (unsigned bit = 0; bit < 29; bit++) {
        if ((UNCORE_DEFINED >> bit & 1) == 0)
            continue;
        if (!set_msr_again(t, at->select, BIT(bit)))
            return;
        uint64_t got = msr_value(t, at->select);
        check(t, got == BIT(bit),
              "%s: its select (%XH) written with 0x%lx reads as 0x%lx",
              at->name, at->select, BIT(bit), got);
    }
    for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        if (!set_msr_again(t, at->counter, patterns[i]))
            return;
        uint64_t got = msr_value(t, at->counter);
        check(t, got == patterns[i],
              "%s (%XH) written with 0x%lx, of %u bits, reads as 0x%lx",
              at->name, at->counter, patterns[i], UNCORE_COUNTER_BITS, got);
    }
    set_msr_again(t, at->select, 0);
    set_msr_again(t, at->counter, 0);
}

/* One unit alone has EN, all have the event: it counts what it counts when all
 * do, and no other counts at all. */
static bool check_alone(struct units *s, unsigned unit,
                        const uint64_t together[])
{
    uint64_t selects[UNCORE_UNITS_MAX], least = UINT64_MAX, most = 0;
    struct test_context *t = s->u.t;

    for (unsigned i = 0; i < s->count; i++)
        selects[i] = event_of(s, i) | (i == unit ? UNCORE_EN : 0);
    for (unsigned i = 0; i < TRIES; i++) {
        if (!units_run(s, selects, lines_miss))
            return false;
        for (unsigned other = 0; other < s->count; other++)
            check(t, other == unit || s->got[other] == 0,
                  "%s (%XH) counted %lu while EN [22] of its select was 0, and "
                  "that of %s was 1",
                  s->unit[other].name, s->unit[other].counter, s->got[other],
                  s->unit[unit].name);
        least = s->got[unit] < least ? s->got[unit] : least;
        most = s->got[unit] > most ? s->got[unit] : most;
        if (least <= together[unit] + STRAY)
            break;
    }
    check(t, least <= together[unit] + STRAY && most + STRAY >= together[unit],
          "%s (%XH) alone counted %lu to %lu of reads of which it counted %lu "
          "when all units did; wanted as many",
          s->unit[unit].name, s->unit[unit].counter, least, most,
          together[unit]);
    return true;
}

/* What each counts when all do, in the quietest of some windows; the first
 * brings page tables and the stack. */
static bool count_together(struct units *s, uint64_t together[])
{
    uint64_t selects[UNCORE_UNITS_MAX];

    for (unsigned i = 0; i < s->count; i++)
        selects[i] = event_of(s, i) | UNCORE_EN;
    if (!units_run(s, selects, lines_miss))
        return false;
    for (unsigned k = 0; k < TRIES; k++) {
        if (!units_run(s, selects, lines_miss))
            return false;
        for (unsigned i = 0; i < s->count; i++)
            together[i] =
                k == 0 || s->got[i] < together[i] ? s->got[i] : together[i];
    }
    return true;
}

static bool check_units(struct units *s)
{
    uint64_t together[UNCORE_UNITS_MAX];

    if (!count_together(s, together))
        return false;
    for (unsigned i = 0; i < s->count; i++) {
        check_registers(s, i);
        if (!check_alone(s, i, together))
            return false;
    }
    return true;
}

/* Lookups of all C-Boxes on counter 0, by a select: the least of TRIES windows,
 * or the first that is `enough`; UINT64_MAX: it failed. */
static uint64_t count_lookups(struct units *s, uint64_t select,
                              void (*work)(const struct lines *lines),
                              uint64_t enough)
{
    uint64_t selects[UNCORE_UNITS_MAX] = {0}, least = UINT64_MAX;

    for (unsigned i = 0; i + 2 < s->count; i += 2)
        selects[i] = select | UNCORE_EN;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t all = 0;
        if (!units_run(s, selects, work))
            return UINT64_MAX;
        for (unsigned unit = 0; unit < s->count; unit++)
            all += s->got[unit];
        least = all < least ? all : least;
        if (least <= enough)
            break;
    }
    return least;
}

/* Reads of lines that are in no cache are found in I, by the filter of reads; a
 * filter without a state, or a state without a filter, is not a request. */
static void check_umasks(struct units *s)
{
    static const struct {
        unsigned umask;
        uint64_t filter;
        bool counts;
        const char *what;
    } rows[] = {
        {0x1f, 0, true, "reads, in any state"},
        {0x18, 0, true, "reads, in I"},
        {0x88, 0, true, "any request, in I"},
        {0x17, 0, false, "reads, in M, E or S"},
        {0x2f, 0, false, "writes, in any state"},
        {0x4f, 0, false, "external snoops, in any state"},
        /* "Equal or greater": a box has one in a cycle. */
        {0x1f, UNCORE_CMASK(1), true, "reads, CMASK [28:24] = 1"},
    };

    FOR_EACH_ROW (s->u.t, i, rows) {
        uint64_t got =
            count_lookups(s, UNCORE_EVENT(0x34, rows[i].umask) | rows[i].filter,
                          lines_miss, rows[i].counts ? LINES + STRAY : STRAY);
        check(s->u.t, rows[i].counts ? got >= LINES : got <= STRAY,
              "UNC_CBO_CACHE_LOOKUP (34H/%02XH), %s: got %lu for %u reads "
              "flushed out; wanted %s %u",
              rows[i].umask, rows[i].what, got, LINES,
              rows[i].counts ? "at least" : "at most",
              rows[i].counts ? LINES : STRAY);
    }
}

/* On counter 0 of the ARB unit: cycles weighted by the requests that wait. */
static uint64_t count_occupancy(struct units *s, uint64_t filter)
{
    uint64_t selects[UNCORE_UNITS_MAX] = {0};
    const unsigned arb = s->count - 2;

    selects[arb] = UNC_ARB_TRK_OCCUPANCY | UNCORE_EN | filter;
    return units_run(s, selects, lines_miss) ? s->got[arb] : UINT64_MAX;
}

/* Occupancy: of all, and as CMASK = 1, with E, and with INV leave it, of which
 * window the uncore's clock is too. */
struct filtered {
    uint64_t all, some, edges, none, clock;
};

static bool some_fit(const struct filtered *f)
{
    return f->some != 0 && f->some <= f->all + f->all / 4;
}

static bool edges_fit(const struct filtered *f)
{
    return f->edges >= LINES / 2 && f->edges <= f->some / 2;
}

/* Until nothing of others is in one of the windows. */
static struct filtered count_filtered(struct units *s)
{
    struct filtered f;

    for (unsigned i = 0; i < TRIES; i++) {
        f.all = count_occupancy(s, 0);
        f.some = count_occupancy(s, UNCORE_CMASK(1));
        f.edges = count_occupancy(s, UNCORE_CMASK(1) | UNCORE_E);
        f.none = count_occupancy(s, UNCORE_CMASK(1) | UNCORE_INV);
        f.clock = s->clock;
        if (some_fit(&f) && edges_fit(&f))
            break;
    }
    return f;
}

/* One read waits for the other: with CMASK = 1 the cycles with a request, about
 * as many as there is occupancy; their beginnings are the reads; INV has the
 * other cycles; there are never 31 at once. */
static void check_filters(struct units *s)
{
    struct test_context *t = s->u.t;
    const struct filtered f = count_filtered(s);
    const uint64_t never = count_occupancy(s, UNCORE_CMASK(31));

    check(t, some_fit(&f),
          "UNC_ARB_TRK_OCCUPANCY (80H/01H): %lu with CMASK [28:24] = 1, %lu "
          "without, for %u reads flushed out; wanted no more, and not 0",
          f.some, f.all, LINES);
    check(t, edges_fit(&f),
          "UNC_ARB_TRK_OCCUPANCY (80H/01H), CMASK = 1: %lu with E [18] = 1, "
          "%lu without, for %u reads flushed out one after the other; wanted "
          "about as many as reads",
          f.edges, f.some, LINES);
    check(t, f.none != 0,
          "UNC_ARB_TRK_OCCUPANCY (80H/01H), CMASK = 1: 0 with INV [23] = 1, in "
          "%lu cycles of the uncore's clock; wanted those without a request",
          f.clock);
    check(
        t, never == 0,
        "UNC_ARB_TRK_OCCUPANCY (80H/01H): %lu with CMASK [28:24] = 31; wanted "
        "0, there never are so many requests",
        never);
    note(t,
         "occupancy of %u reads: %lu; cycles with a request %lu, without %lu, "
         "beginnings %lu",
         LINES, f.all, f.some, f.none, f.edges);
}

/* Every unit at once, by a threshold that is never reached: nothing counts, but
 * with INV all cycles do, of which with E few are the first. Which clock the
 * ARB unit's are of no manual says. */
static bool check_each_filter(struct units *s)
{
    static const struct {
        const char *what;
        uint64_t filter;
        unsigned least, most; /* of the window's cycles, one in so many */
    } rows[] = {
        {"CMASK [28:24] = 31", UNCORE_CMASK(31), 0, 0},
        {"CMASK [28:24] = 31, INV [23]", UNCORE_CMASK(31) | UNCORE_INV, 2, 1},
        {"CMASK [28:24] = 31, INV [23], E [18]",
         UNCORE_CMASK(31) | UNCORE_INV | UNCORE_E, 0, 16},
    };
    uint64_t selects[UNCORE_UNITS_MAX];

    FOR_EACH_ROW (s->u.t, k, rows) {
        for (unsigned i = 0; i < s->count; i++)
            selects[i] = event_of(s, i) | UNCORE_EN | rows[k].filter;
        if (!units_run(s, selects, lines_miss))
            return false;
        for (unsigned i = 0; i < s->count; i++) {
            const bool arb = i + 2 >= s->count && rows[k].least != 0;
            uint64_t least = arb                  ? 1
                             : rows[k].least != 0 ? s->clock / rows[k].least
                                                  : 0;
            uint64_t most = arb ? UINT64_MAX
                            : rows[k].most != 0
                                ? s->clock / rows[k].most * 9 / 8 + LATE
                                : 0;
            check(s->u.t, s->got[i] >= least && s->got[i] <= most,
                  "%s (%XH), %s: counted %lu in %lu cycles of the uncore's "
                  "clock; wanted %lu to %lu",
                  s->unit[i].name, s->unit[i].counter, rows[k].what, s->got[i],
                  s->clock, least, most);
        }
    }
    return true;
}

static void stores_miss(const struct lines *lines)
{
    lines_flush(lines->at, LINES);
    for (unsigned i = 0; i < LINES; i++)
        *(volatile uint8_t *)(uintptr_t)lines->at[i] = 0;
}

/* Stores to lines that are in no cache are requests, whatever else they are. */
static void check_stores(struct units *s)
{
    const uint8_t *buffer = test_buffer(s->u.t);

    for (unsigned i = 0; i < LINES; i++)
        s->lines->at[i] = buffer + i * STORES_APART;
    uint64_t got =
        count_lookups(s, UNCORE_EVENT(0x34, 0x8f), stores_miss, LINES + STRAY);
    check(s->u.t, got >= LINES,
          "UNC_CBO_CACHE_LOOKUP (34H/8FH), any request, in any state: got %lu "
          "for stores to %u lines flushed out; wanted at least %u",
          got, LINES, LINES);
}

static void splits_miss(const struct lines *lines)
{
    (void)lines_miss_both(lines);
}

/* Reads of two lines each: the second may be on its way already. */
static void check_splits(struct units *s)
{
    const unsigned reads = lines_miss_both(s->lines);
    uint64_t got =
        count_lookups(s, UNC_CBO_CACHE_LOOKUP_READ, splits_miss, LINES + STRAY);
    check(s->u.t, 2 * got >= 3 * reads,
          "UNC_CBO_CACHE_LOOKUP (34H/1FH): got %lu for %u reads of two lines "
          "each, flushed out; wanted at least %u",
          got, reads, 3 * reads / 2);
}

/* One counter of each box has an event that does not happen. */
static bool check_pairs(struct units *s)
{
    uint64_t selects[UNCORE_UNITS_MAX] = {0}, worst = UINT64_MAX;

    for (unsigned silent = 0; silent < 2; silent++, worst = UINT64_MAX) {
        for (unsigned i = 0; i + 2 < s->count; i++)
            selects[i] =
                UNCORE_EN | (i % 2 == silent ? UNCORE_EVENT(0x34, 0x17)
                                             : UNC_CBO_CACHE_LOOKUP_READ);
        for (unsigned k = 0; k < TRIES && worst != 0; k++) {
            uint64_t wrong = 0; /* boxes, a bit each */
            if (!units_run(s, selects, lines_miss))
                return false;
            for (unsigned i = silent; i + 2 < s->count; i += 2)
                wrong |= s->got[i] > s->got[i ^ 1] / 2 + QUIET ? BIT(i / 2) : 0;
            worst &= wrong;
        }
        check(s->u.t, worst == 0,
              "C-Boxes of the set 0x%lx: counter %u with reads found in M, E "
              "or S (34H/17H) counted as counter %u did with reads in any "
              "state (34H/1FH), of %u reads flushed out; wanted few",
              worst, silent, 1 - silent, LINES);
    }
    return true;
}

TEST(uncore_selects,
     .asks = "Does each unit of the uncore count by its own select, and by all "
             "of its fields?",
     .cite =
         "SDM 3B, \"Layout of Uncore PERFEVTSEL MSR for a C-Box Unit or the "
         "ARB Unit\", \"Non-Architectural Uncore Performance Events in the "
         "4th Generation Intel Core Processors\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct lines lines;
    struct units s = {.lines = &lines};

    /* Set-up. */
    if (!uncore_claim(&s.u, t))
        return;
    lines_choose(t, &lines);
    units_list(&s);

    /* Measured, and checked one by one. */
    if (!check_units(&s))
        return;
    check_umasks(&s);
    check_filters(&s);
    if (!check_each_filter(&s) || !check_pairs(&s))
        return;
    check_splits(&s);
    check_stores(&s);
}
