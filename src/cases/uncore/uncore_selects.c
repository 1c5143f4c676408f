/* SPDX-License-Identifier: BSD-2-Clause */
/* What a select of a C-Box and of the ARB unit has: each unit counts by its own
 * enable alone; umasks choose; CMASK, INV and E filter; every counter has all
 * its bits. */
#include "src/harness/case.h"
#include "asm/line_access.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/uncore.h"

#define TRIES        5           /* others, graphics too, only add */
#define STRAY        (LINES / 4) /* of theirs, in the quietest window */
#define QUIET        2           /* the same, of one box */
#define LATE         64          /* cycles between the units' beginnings */
#define STORES_APART 128         /* bytes: no line is the next of another */

/* A register pair: a C-Box's or the ARB unit's. */
struct unit {
    uint32_t select, counter;
    char name[40];
};
#define UNITS_MAX (2 * UNCORE_BOXES_MAX + 2)

struct selects {
    struct uncore_counters u;
    struct lines lines;
    struct unit units[UNITS_MAX];
    unsigned count; /* the last two are the ARB unit's */
    uint64_t clock; /* of the last window */
    uint64_t got[UNITS_MAX];
};

static void list_units(struct selects *s)
{
    s->count = 0;
    for (unsigned i = 0; i < 2 * s->u.boxes; i++) {
        struct unit *unit = &s->units[s->count++];
        unit->select = uncore_box_select(i / 2, i % 2);
        unit->counter = uncore_box_counter(i / 2, i % 2);
        text_format(unit->name, sizeof(unit->name), "C-Box %u, counter %u",
                    i / 2, i % 2);
    }
    for (unsigned n = 0; n < 2; n++) {
        struct unit *unit = &s->units[s->count++];
        unit->select = MSR_UNC_ARB_PERFEVTSEL(n);
        unit->counter = MSR_UNC_ARB_PERFCTR(n);
        text_format(unit->name, sizeof(unit->name), "ARB unit, counter %u", n);
    }
}

/* Each unit's select as given; counters and clock from 0. */
static bool run_window(struct selects *s, const uint64_t selects[UNITS_MAX],
                       void (*work)(const struct lines *lines))
{
    struct test_context *t = s->u.t;
    bool ok = set_msr_again(t, MSR_UNC_PERF_FIXED_CTR, 0) &&
              set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN);

    for (unsigned i = 0; ok && i < s->count; i++)
        ok = set_msr_again(t, s->units[i].select, selects[i]) &&
             set_msr_again(t, s->units[i].counter, 0);
    if (!ok || !uncore_start(&s->u))
        return false;
    work(&s->lines);
    if (!uncore_stop(&s->u))
        return false;
    for (unsigned i = 0; i < s->count; i++)
        s->got[i] = msr_value(t, s->units[i].counter);
    s->clock = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    return true;
}

static uint64_t event_of(const struct selects *s, unsigned unit)
{
    return unit < s->count - 2 ? UNC_CBO_CACHE_LOOKUP_READ
                               : UNC_ARB_TRK_REQUESTS;
}

/* Every bit that is defined and every bit of the counter, there and back. */
static void check_registers(struct selects *s, unsigned unit)
{
    static const uint64_t patterns[] = {0, UINT64_C(0x5a5a5a5a5a5),
                                        UINT64_C(0xa5a5a5a5a5a),
                                        BITS(UNCORE_COUNTER_BITS - 1, 0)};
    const struct unit *at = &s->units[unit];
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
static bool check_alone(struct selects *s, unsigned unit,
                        const uint64_t together[])
{
    uint64_t selects[UNITS_MAX], least = UINT64_MAX, most = 0;
    struct test_context *t = s->u.t;

    for (unsigned i = 0; i < s->count; i++)
        selects[i] = event_of(s, i) | (i == unit ? UNCORE_EN : 0);
    for (unsigned i = 0; i < TRIES; i++) {
        if (!run_window(s, selects, lines_miss))
            return false;
        for (unsigned other = 0; other < s->count; other++)
            check(t, other == unit || s->got[other] == 0,
                  "%s (%XH) counted %lu while EN [22] of its select was 0, and "
                  "that of %s was 1",
                  s->units[other].name, s->units[other].counter, s->got[other],
                  s->units[unit].name);
        least = s->got[unit] < least ? s->got[unit] : least;
        most = s->got[unit] > most ? s->got[unit] : most;
        if (least <= together[unit] + STRAY)
            break;
    }
    check(t, least <= together[unit] + STRAY && most + STRAY >= together[unit],
          "%s (%XH) alone counted %lu to %lu of reads of which it counted %lu "
          "when all units did; wanted as many",
          s->units[unit].name, s->units[unit].counter, least, most,
          together[unit]);
    return true;
}

/* What each counts when all do, in the quietest of some windows; the first
 * brings page tables and the stack. */
static bool count_together(struct selects *s, uint64_t together[])
{
    uint64_t selects[UNITS_MAX];

    for (unsigned i = 0; i < s->count; i++)
        selects[i] = event_of(s, i) | UNCORE_EN;
    if (!run_window(s, selects, lines_miss))
        return false;
    for (unsigned k = 0; k < TRIES; k++) {
        if (!run_window(s, selects, lines_miss))
            return false;
        for (unsigned i = 0; i < s->count; i++)
            together[i] =
                k == 0 || s->got[i] < together[i] ? s->got[i] : together[i];
    }
    return true;
}

static bool check_units(struct selects *s)
{
    uint64_t together[UNITS_MAX];

    if (!count_together(s, together))
        return false;
    for (unsigned i = 0; i < s->count; i++) {
        check_registers(s, i);
        if (!check_alone(s, i, together))
            return false;
    }
    return true;
}

/* Lookups of all C-Boxes on counter 0, by a select; UINT64_MAX: it failed. */
static uint64_t count_lookups(struct selects *s, uint64_t select,
                              void (*work)(const struct lines *lines))
{
    uint64_t selects[UNITS_MAX] = {0}, least = UINT64_MAX;

    for (unsigned i = 0; i + 2 < s->count; i += 2)
        selects[i] = select | UNCORE_EN;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t all = 0;
        if (!run_window(s, selects, work))
            return UINT64_MAX;
        for (unsigned unit = 0; unit < s->count; unit++)
            all += s->got[unit];
        least = all < least ? all : least;
        if (least <= LINES + STRAY)
            break;
    }
    return least;
}

/* Reads of lines that are in no cache are found in I, by the filter of reads; a
 * filter without a state, or a state without a filter, is not a request. */
static void check_umasks(struct selects *s)
{
    static const struct {
        unsigned umask;
        bool counts;
        const char *what;
    } rows[] = {
        {0x1f, true, "reads, in any state"},
        {0x18, true, "reads, in I"},
        {0x88, true, "any request, in I"},
        {0x17, false, "reads, in M, E or S"},
        {0x2f, false, "writes, in any state"},
        {0x4f, false, "external snoops, in any state"},
    };

    FOR_EACH_ROW (s->u.t, i, rows) {
        uint64_t got =
            count_lookups(s, UNCORE_EVENT(0x34, rows[i].umask), lines_miss);
        check(s->u.t, rows[i].counts ? got >= LINES : got <= STRAY,
              "UNC_CBO_CACHE_LOOKUP (34H/%02XH), %s: got %lu for %u reads "
              "flushed out; wanted %s %u",
              rows[i].umask, rows[i].what, got, LINES,
              rows[i].counts ? "at least" : "at most",
              rows[i].counts ? LINES : STRAY);
    }
}

/* On counter 0 of the ARB unit: cycles weighted by the requests that wait. */
static uint64_t count_occupancy(struct selects *s, uint64_t filter)
{
    uint64_t selects[UNITS_MAX] = {0};
    const unsigned arb = s->count - 2;

    selects[arb] = UNC_ARB_TRK_OCCUPANCY | UNCORE_EN | filter;
    return run_window(s, selects, lines_miss) ? s->got[arb] : UINT64_MAX;
}

/* One read waits for the other: with CMASK = 1 the cycles with a request, about
 * as many as there is occupancy; their beginnings are the reads; INV has the
 * other cycles; there are never 31 at once. */
static void check_filters(struct selects *s)
{
    struct test_context *t = s->u.t;
    uint64_t all = count_occupancy(s, 0);
    uint64_t some = count_occupancy(s, UNCORE_CMASK(1));
    uint64_t edges = count_occupancy(s, UNCORE_CMASK(1) | UNCORE_E);
    uint64_t none = count_occupancy(s, UNCORE_CMASK(1) | UNCORE_INV);
    uint64_t clock = s->clock;
    uint64_t never = count_occupancy(s, UNCORE_CMASK(31));

    check(t, some != 0 && some <= all + all / 4,
          "UNC_ARB_TRK_OCCUPANCY (80H/01H): %lu with CMASK [28:24] = 1, %lu "
          "without, for %u reads flushed out; wanted no more, and not 0",
          some, all, LINES);
    check(t, edges >= LINES / 2 && edges <= some / 2,
          "UNC_ARB_TRK_OCCUPANCY (80H/01H), CMASK = 1: %lu with E [18] = 1, "
          "%lu without, for %u reads flushed out one after the other; wanted "
          "about as many as reads",
          edges, some, LINES);
    check(t, none != 0 && none <= clock,
          "UNC_ARB_TRK_OCCUPANCY (80H/01H), CMASK = 1: %lu with INV [23] = 1, "
          "in %lu cycles of the uncore's clock; wanted those without a request",
          none, clock);
    check(
        t, never == 0,
        "UNC_ARB_TRK_OCCUPANCY (80H/01H): %lu with CMASK [28:24] = 31; wanted "
        "0, there never are so many requests",
        never);
    note(t,
         "occupancy of %u reads: %lu; cycles with a request %lu, without %lu, "
         "beginnings %lu",
         LINES, all, some, none, edges);
}

/* Every unit at once, by a threshold that is never reached: nothing counts, but
 * with INV all cycles do, of which with E few are the first. */
static bool check_each_filter(struct selects *s)
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
    uint64_t selects[UNITS_MAX];

    FOR_EACH_ROW (s->u.t, k, rows) {
        for (unsigned i = 0; i < s->count; i++)
            selects[i] = event_of(s, i) | UNCORE_EN | rows[k].filter;
        if (!run_window(s, selects, lines_miss))
            return false;
        for (unsigned i = 0; i < s->count; i++) {
            uint64_t least = rows[k].least != 0 ? s->clock / rows[k].least : 0;
            uint64_t most =
                rows[k].most != 0 ? s->clock / rows[k].most * 9 / 8 + LATE : 0;
            check(s->u.t, s->got[i] >= least && s->got[i] <= most,
                  "%s (%XH), %s: counted %lu in %lu cycles of the uncore's "
                  "clock; wanted %lu to %lu",
                  s->units[i].name, s->units[i].counter, rows[k].what,
                  s->got[i], s->clock, least, most);
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
static void check_stores(struct selects *s)
{
    const uint8_t *buffer = test_buffer(s->u.t);

    for (unsigned i = 0; i < LINES; i++)
        s->lines.at[i] = buffer + i * STORES_APART;
    uint64_t got = count_lookups(s, UNCORE_EVENT(0x34, 0x8f), stores_miss);
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
static void check_splits(struct selects *s)
{
    const unsigned reads = lines_miss_both(&s->lines);
    uint64_t got = count_lookups(s, UNC_CBO_CACHE_LOOKUP_READ, splits_miss);
    check(s->u.t, 2 * got >= 3 * reads,
          "UNC_CBO_CACHE_LOOKUP (34H/1FH): got %lu for %u reads of two lines "
          "each, flushed out; wanted at least %u",
          got, reads, 3 * reads / 2);
}

/* One counter of each box has an event that does not happen. */
static bool check_pairs(struct selects *s)
{
    uint64_t selects[UNITS_MAX] = {0}, worst = UINT64_MAX;

    for (unsigned silent = 0; silent < 2; silent++, worst = UINT64_MAX) {
        for (unsigned i = 0; i + 2 < s->count; i++)
            selects[i] =
                UNCORE_EN | (i % 2 == silent ? UNCORE_EVENT(0x34, 0x17)
                                             : UNC_CBO_CACHE_LOOKUP_READ);
        for (unsigned k = 0; k < TRIES && worst != 0; k++) {
            uint64_t wrong = 0; /* boxes, a bit each */
            if (!run_window(s, selects, lines_miss))
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
    struct selects s;

    /* Set-up. */
    if (!uncore_claim(&s.u, t))
        return;
    lines_choose(t, &s.lines);
    list_units(&s);

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
