/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of retired loads, stores and locked loads, and of the instructions
 * and branches that make them: of walks of known length, on every counter. What
 * else a window loads and stores is the same in a walk of twice the length. */
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

struct walked {
    struct test_context *t;
    memory_window *window;
    uint64_t count;
};

static void walk(void *argument)
{
    const struct walked *w = argument;
    const struct memory_walk memory = {
        .base = (uint64_t)(uintptr_t)test_buffer(w->t) + PAGE,
        .step = 64,
        .mask = TEST_BUFFER_BYTES / 2 - 1,
        .count = w->count};

    w->window(msr_value(w->t, IA32_PERF_GLOBAL_CTRL), &memory);
}

/* False where it could not be tried. */
static bool try_event(struct test_context *t, uint64_t places,
                      const struct row *row, unsigned e, bool user)
{
    struct bank before = bank_of(places & GENERAL, events[e].select);
    struct walked once = {t, row->window, ACCESSES},
                  twice = {t, row->window, 2 * ACCESSES};
    const uint64_t want = user ? 0 : (uint64_t)ACCESSES * row->least[e];
    struct bank short_one, long_one;
    const bool of_instructions =
        (identity_generation(test_cpu(t)) & (SKYLAKE | SINCE_ICE_LAKE)) != 0;
    /* Gracemont's events count operations, by their names. */
    const bool exact =
        want == 0 || of_instructions || e >= INSTRUCTIONS ||
        !(row->more || identity_generation(test_cpu(t)) == GRACEMONT);
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX && user; n++)
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
        enum erratum erratum = event_erratum(t, n, before.select[n],
                                             (uint64_t)more, want, &signature);
        check_known(t,
                    more == (int64_t)want || (!exact && more > (int64_t)want),
                    erratum, signature,
                    "%s%s: %s counted %ld more of %u %s than of %u; wanted "
                    "%lu",
                    events[e].name, user ? ", OS = 0, at ring 0" : "",
                    msr_name(IA32_PMC(n), name), more, 2 * ACCESSES, row->what,
                    ACCESSES, want);
    }
    return true;
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
    for (unsigned e = 0; e < EVENTS && memory_has_vex_loads(id); e++)
        if (!try_event(t, places, &row_vex, e, false))
            return;
    for (unsigned e = 0; e < INSTRUCTIONS; e++)
        if (!try_event(t, places, &rows[LOCKED_ADDITIONS], e, true))
            return;
}
