/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of retired loads, stores, locked loads and of those of two lines,
 * and of the instructions and branches that make them: of walks of known
 * length, on every counter. What else a window loads and stores is the same in
 * a walk of twice the length. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/constraints.h"
#include "src/cpu/generation.h"
#include "src/memory/memory_errata.h"
#include "src/memory/memory_sampling.h"

#define ACCESSES 16
#define GENERAL  BITS(COUNTERS_MAX - 1, 0) /* counters */
#define LINE     64
#define PAGE     4096 /* below it what interrupts a push may store */

/* MEM_UOPS_RETIRED of the 2nd to 5th generation, MEM_INST_RETIRED of the 6th
 * (SDM 3B, tables of events) and of Ice Lake server (Intel's list of events). A
 * locked access may be of several operations, and is one instruction. */
enum { LOADS, STORES, LOCKED_LOADS, INSTRUCTIONS, BRANCHES, EVENTS };
static const struct {
    const char *name;
    uint64_t select;
} events[EVENTS] = {
    [LOADS] = {"retired loads (D0H/81H)", 0x81d0},
    [STORES] = {"retired stores (D0H/82H)", 0x82d0},
    [LOCKED_LOADS] = {"retired locked loads (D0H/21H)", 0x21d0},
    [INSTRUCTIONS] = {"retired instructions (C0H)", 0xc0},
    [BRANCHES] = {"retired branches (C4H)", 0xc4},
};

static const struct row {
    const char *what;
    memory_window *window;
    unsigned least[EVENTS]; /* in each access */
    bool more;              /* operations may be */
} rows[] = {
    {"loads", memory_load, {1, 0, 0, 7, 1}, false},
    {"stores", memory_store, {0, 1, 0, 7, 1}, false},
    {"locked additions", memory_locked, {1, 1, 1, 7, 1}, true},
    {"loads of a byte", memory_load_byte, {1, 0, 0, 7, 1}, false},
    {"loads by x87 instructions (FILD)",
     memory_load_x87,
     {1, 0, 0, 8, 1},
     false},
    {"string stores (STOS)", memory_store_string, {0, 1, 0, 7, 1}, false},
    {"stores past the caches (MOVNTI)",
     memory_store_direct,
     {0, 1, 0, 7, 1},
     false},
    {"pushes", memory_store_push, {0, 1, 0, 10, 1}, false},
    {"loads with an index", memory_load_indexed, {1, 0, 0, 11, 1}, false},
    {"stores with an index", memory_store_indexed, {0, 1, 0, 11, 1}, false},
    {"pops", memory_load_pop, {1, 0, 0, 10, 1}, false},
    {"additions to memory", memory_updated, {1, 1, 0, 7, 1}, false},
    {"locked additions of a byte", memory_locked_byte, {1, 1, 1, 7, 1}, true},
    {"returns", memory_load_return, {1, 1, 0, 12, 2}, false},
    {"jumps through memory", memory_load_jump, {1, 1, 0, 9, 2}, false},
    {"LEAVE", memory_load_leave, {1, 0, 0, 12, 1}, false},
    {"conditional loads (CMOV)",
     memory_load_conditional,
     {1, 0, 0, 7, 1},
     false},
    {"string copies (MOVS)", memory_load_string, {1, 1, 0, 11, 1}, false},
    {"calls", memory_store_call, {0, 1, 0, 10, 2}, false},
    {"pushes of memory", memory_pushed, {1, 1, 0, 10, 1}, false},
    {"locked comparisons (CMPXCHG)", memory_compared, {1, 1, 1, 9, 1}, true},
    {"string loads (LODS)", memory_load_lods, {1, 0, 0, 10, 1}, false},
    {"pops to memory", memory_store_pop, {1, 1, 0, 10, 1}, false},
    {"locked exchanging additions (XADD)", memory_added, {1, 1, 1, 8, 1}, true},
};

#define LOCKED_ADDITIONS 2 /* of rows */

/* With BMI1 alone. */
static const struct row row_vex = {
    "loads with a VEX prefix (ANDN)", memory_load_vex, {1, 0, 0, 7, 1}, false};

/* SPLIT_LOADS and SPLIT_STORES: those that reach into the next line, were it by
 * one byte; not those that end with their line. */
static const struct split {
    const char *what;
    memory_window *window;
    unsigned offset; /* in the line, or in the last one of each page */
    unsigned least[2];
} splits[] = {
    {"loads of a line's last 8 bytes", memory_load, 56, {0, 0}},
    {"loads of a line's last byte", memory_load_byte, 63, {0, 0}},
    {"loads one byte into the next line", memory_load, 57, {1, 0}},
    {"loads of a line's last byte and the next line", memory_load, 63, {1, 0}},
    {"stores to a line's last 8 bytes", memory_store, 56, {0, 0}},
    {"stores one byte into the next line", memory_store, 57, {0, 1}},
    {"stores to a line's last byte and the next line",
     memory_store,
     63,
     {0, 1}},
    {"loads of 16 bytes over a line's end", memory_load_wide, 56, {1, 0}},
    {"stores of 16 bytes over a line's end", memory_store_wide, 56, {0, 1}},
    {"loads over a page's end", memory_load, PAGE - 4, {1, 0}},
    {"stores over a page's end", memory_store, PAGE - 4, {0, 1}},
};

static const struct {
    const char *name;
    uint64_t select;
} split_events[2] = {
    {"retired loads of two lines (D0H/41H)", 0x41d0},
    {"retired stores of two lines (D0H/42H)", 0x42d0},
};

struct walked {
    struct test_context *t;
    memory_window *window;
    uint64_t count;
    unsigned offset;
};

/* What a walk counts. */
struct counted {
    const char *event, *what;
    memory_window *window;
    unsigned offset; /* of each access in its line */
    uint64_t select;
    uint64_t want;
    bool exact; /* or more */
    bool user;  /* OS = 0, at ring 0 */
};

static void walk(void *argument)
{
    const struct walked *w = argument;
    const struct memory_walk memory = {
        .base = (uint64_t)(uintptr_t)test_buffer(w->t) + PAGE + w->offset,
        .step = w->offset < LINE ? LINE : PAGE,
        .mask = TEST_BUFFER_BYTES / 2 - 1,
        .count = w->count};

    w->window(msr_value(w->t, IA32_PERF_GLOBAL_CTRL), &memory);
}

/* False where it could not be tried. */
static bool try_counted(struct test_context *t, uint64_t places,
                        const struct counted *c)
{
    struct bank before = bank_of(places & GENERAL, c->select);
    struct walked once = {t, c->window, ACCESSES, c->offset},
                  twice = {t, c->window, 2 * ACCESSES, c->offset};
    struct bank short_one, long_one;
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX && c->user; n++)
        before.select[n] &= ~IA32_PERFEVTSEL_OS;

    /* Measured; the first brings what is not there yet. */
    if (!bank_work(t, &before, walk, &once, &short_one) ||
        !bank_work(t, &before, walk, &once, &short_one) ||
        !bank_work(t, &before, walk, &twice, &long_one))
        return false;

    /* Check. */
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if ((places >> n & 1) == 0)
            continue;
        int64_t more = (int64_t)(long_one.pmc[n] - short_one.pmc[n]);
        bool signature;
        enum erratum erratum = event_erratum(
            t, n, before.select[n], (uint64_t)more, c->want, &signature);
        check_known(t,
                    more == (int64_t)c->want ||
                        (!c->exact && more > (int64_t)c->want),
                    erratum, signature,
                    "%s%s: %s counted %ld more of %u %s than of %u; wanted %lu",
                    c->event, c->user ? ", OS = 0, at ring 0" : "",
                    msr_name(IA32_PMC(n), name), more, 2 * ACCESSES, c->what,
                    ACCESSES, c->want);
    }
    return true;
}

/* Gracemont's events count operations, by their names. */
static bool counts_instructions(struct test_context *t)
{
    return (identity_generation(test_cpu(t)) & (SKYLAKE | SINCE_ICE_LAKE)) != 0;
}

static bool try_event(struct test_context *t, uint64_t places,
                      const struct row *row, unsigned e, bool user)
{
    const bool more =
        row->more || identity_generation(test_cpu(t)) == GRACEMONT;
    const uint64_t want = user ? 0 : (uint64_t)ACCESSES * row->least[e];

    return try_counted(t, places,
                       &(struct counted){.event = events[e].name,
                                         .select = events[e].select,
                                         .what = row->what,
                                         .window = row->window,
                                         .want = want,
                                         .exact = want == 0 ||
                                                  e >= INSTRUCTIONS || !more ||
                                                  counts_instructions(t),
                                         .user = user});
}

static bool try_split(struct test_context *t, uint64_t places,
                      const struct split *row)
{
    bool ok = true;

    for (unsigned e = 0; ok && e < 2; e++)
        ok = try_counted(
            t, places,
            &(struct counted){
                .event = split_events[e].name,
                .select = split_events[e].select,
                .what = row->what,
                .window = row->window,
                .offset = row->offset,
                .want = (uint64_t)ACCESSES * row->least[e],
                .exact = row->least[e] == 0 ||
                         (row->offset < LINE && counts_instructions(t))});
    return ok;
}

/* Those of these counters that have the events. */
static uint64_t with_events(struct test_context *t, uint64_t places)
{
    const struct constraints_cpu cpu = constraints_cpu_of(
        test_cpu(t), test_regime(t), TSX_FORCE_ABORT_RTM_FORCE_ABORT);
    const struct event_wanted event = {.select = events[LOADS].select};
    char why[CONSTRAINTS_WHY_BYTES];
    struct placement placement;

    return constraints_find(&cpu, &event, &placement, why)
               ? places & ~(GENERAL & ~(uint64_t)placement.counters)
               : 0;
}

TEST(memory_counts,
     .asks = "Do the events of retired loads and stores count each of them, "
             "and nothing else?",
     .cite = "SDM 3B, tables of events of the 2nd to 6th generation, "
             "MEM_UOPS_RETIRED, MEM_INST_RETIRED",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned listed = SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL |
                            SKYLAKE | SINCE_ICE_LAKE | GRACEMONT;
    const struct identity *id = test_cpu(t);
    uint64_t places;

    if ((identity_generation(id) & listed) == 0) {
        skip(t, "needs a processor whose events of memory are known");
        return;
    }
    places = bank_claim(t);
    if (places == 0)
        return;
    places = with_events(t, places);
    FOR_EACH_ROW (t, i, rows)
        for (unsigned e = 0; e < EVENTS; e++)
            if (!try_event(t, places, &rows[i], e, false))
                return;
    FOR_EACH_ROW (t, i, splits)
        if (!try_split(t, places, &splits[i]))
            return;
    for (unsigned e = 0; e < EVENTS && memory_has_vex_loads(id); e++)
        if (!try_event(t, places, &row_vex, e, false))
            return;
    for (unsigned e = 0; e < INSTRUCTIONS; e++)
        if (!try_event(t, places, &rows[LOCKED_ADDITIONS], e, true))
            return;
}
