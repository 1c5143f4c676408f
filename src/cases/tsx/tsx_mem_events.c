/* SPDX-License-Identifier: BSD-2-Clause */
/* TX_MEM and TX_EXEC, which profilers divide aborts by: each kind is provoked,
 * and counted by the event that names it, and not by another. An abort of RTM
 * is none of HLE, whatever was inside. */
#include "asm/hle_nested.h"
#include "src/counting/counters.h"
#include "src/counting/events.h"
#include "src/counting/selects.h"
#include "src/cpu/generation.h"
#include "src/harness/case.h"
#include "src/tsx/causes.h"
#include "src/tsx/hle.h"

#define BEFORE        (HASWELL | BROADWELL | SKYLAKE)
#define TIMES         8
#define ROUNDS        12 /* where aborts of other causes came in between */
#define DEEP          64 /* more than any processor nests; tsx_nesting */
#define FIT_LINES     32 /* that a transaction can write */
#define LINE_BYTES    64
#define SECTION_LINES 896 /* more than a cache of 48 KB has */
#define INNER         16  /* quadwords from the outer lock: a line of its own */

/* A piece of work; the event that counts it, one that does not, and one of all
 * that there were. */
struct row {
    const char *what;
    void (*run)(void *work);
    uint64_t named, other, all;
    const char *names[3];
    hle_nest_region *region;
    unsigned generations; /* whose tables have the event */
    bool hle;
};

struct work {
    struct test_context *t;
    const struct row *row;
};

static void run_writes(void *argument)
{
    const struct work *w = argument;
    uint32_t eax;

    for (unsigned i = 0; i < 2; i++)
        (void)cause_provoke(w->t, CAUSE_WRITES, false, &eax);
}

static void run_inner_writes(void *argument)
{
    const struct work *w = argument;

    for (unsigned i = 0; i < 2; i++) {
        struct tsx_block block = {.body = tsx_body_nest_write_lines,
                                  .argument =
                                      (uint64_t)(uintptr_t)test_buffer(w->t),
                                  .count = TEST_BUFFER_BYTES / LINE_BYTES};
        (void)tsx_inside(&block);
    }
}

static void run_deep(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < TIMES; i++) {
        struct tsx_block block = {.body = tsx_body_nest, .count = DEEP};
        (void)tsx_inside(&block);
    }
}

static void run_hints(void *argument)
{
    const struct work *w = argument;
    volatile uint64_t *lock = test_buffer(w->t);

    for (unsigned i = 0; i < TIMES; i++) {
        struct tsx_block block = {.body = tsx_body_hint_xabort,
                                  .argument = (uint64_t)(uintptr_t)lock};
        *lock = 0;
        (void)tsx_inside(&block);
    }
}

static void run_mismatches(void *argument)
{
    const struct work *w = argument;

    hle_mismatch(w->t, TIMES);
}

/* Sections that a CPUID ends, and one that stores to more lines than fit. */
static void run_cpuids(void *argument)
{
    const struct work *w = argument;

    for (unsigned i = 0; i < TIMES; i++) {
        struct hle_block block = {.lock = test_buffer(w->t)};
        *(volatile uint64_t *)block.lock = 0;
        hle_stays_cpuid(&block);
    }
}

static void run_stores(void *argument)
{
    const struct work *w = argument;

    struct hle_block block = {.lock = test_buffer(w->t),
                              .turns = SECTION_LINES};

    *(volatile uint64_t *)block.lock = 0;
    hle_stores(&block);
}

static void run_region(void *argument)
{
    const struct work *w = argument;
    volatile uint64_t *lock = test_buffer(w->t);

    for (unsigned i = 0; i < TIMES; i++) {
        struct hle_nest nest = {.outer = &lock[0], .inner = &lock[INNER]};
        lock[0] = lock[INNER] = 0;
        w->row->region(&nest);
    }
}

#define RTM_STARTED (EVENT_RTM_RETIRED | UMASK_START)
#define RTM_ABORTED (EVENT_RTM_RETIRED | UMASK_ABORTED)
#define HLE_STARTED (EVENT_HLE_RETIRED | UMASK_START)

/* "HLE-unfriendly instructions", "various memory events", none of the other
 * four: a category each. */
#define SECTIONS_THAT(what, run, umask, name)         \
    {                                                 \
        what, run, EVENT_HLE_RETIRED | umask,         \
            EVENT_HLE_RETIRED | UMASK_ABORTED_EVENTS, \
            EVENT_HLE_RETIRED | UMASK_ABORTED,        \
            {name, ".ABORTED_EVENTS (80H)",           \
             "HLE_RETIRED (C8H) .ABORTED (04H)"},     \
            NULL, BEFORE, true                        \
    }

#define TOO_MANY_LINES(what, run)                                           \
    {                                                                       \
        what, run, EVENT_TX_MEM | UMASK_ABORT_CAPACITY,                     \
            EVENT_TX_MEM | UMASK_ABORT_CONFLICT, RTM_ABORTED,               \
            {"TX_MEM (54H) .ABORT_CAPACITY (02H)", ".ABORT_CONFLICT (01H)", \
             "RTM_RETIRED (C9H) .ABORTED (04H)"},                           \
            NULL, TX_MEM_LISTED, false                                      \
    }

static const struct row rows[] = {
    TOO_MANY_LINES("transactions that write too many lines", run_writes),
    TOO_MANY_LINES("inner transactions that write too many lines",
                   run_inner_writes),
    {"transactions nested too deep",
     run_deep,
     EVENT_TX_EXEC | UMASK_MISC3,
     EVENT_TX_MEM | UMASK_ABORT_CAPACITY,
     RTM_ABORTED,
     {"TX_EXEC (5DH) .MISC3 (04H)", "TX_MEM (54H) .ABORT_CAPACITY (02H)",
      "RTM_RETIRED (C9H) .ABORTED (04H)"},
     NULL,
     BEFORE | ICE_LAKE, /* TX_EXEC is not in Intel's lists SPR and GNR */
     false},
    {"critical sections in RTM transactions",
     run_region,
     EVENT_TX_EXEC | UMASK_MISC5,
     EVENT_TX_EXEC | UMASK_MISC4,
     RTM_STARTED,
     {"TX_EXEC (5DH) .MISC5 (10H)", ".MISC4 (08H)",
      "RTM_RETIRED (C9H) .START (01H)"},
     hle_in_rtm,
     BEFORE,
     true},
    {"transactions that XABORT ends after a critical section",
     run_hints,
     RTM_ABORTED,
     EVENT_HLE_RETIRED | UMASK_ABORTED,
     RTM_STARTED,
     {"RTM_RETIRED (C9H) .ABORTED (04H)", "HLE_RETIRED (C8H) .ABORTED (04H)",
      "RTM_RETIRED (C9H) .START (01H)"},
     NULL,
     BEFORE,
     true},
    {"RTM transactions in critical sections",
     run_region,
     EVENT_TX_EXEC | UMASK_MISC4,
     EVENT_TX_EXEC | UMASK_MISC5,
     HLE_STARTED,
     {"TX_EXEC (5DH) .MISC4 (08H)", ".MISC5 (10H)",
      "HLE_RETIRED (C8H) .START (01H)"},
     hle_around_rtm,
     BEFORE,
     true},
    {"elided locks that are written without XRELEASE",
     run_region,
     EVENT_TX_MEM | UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK,
     EVENT_TX_MEM | UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH,
     HLE_STARTED,
     {"TX_MEM (54H) .ABORT_HLE_STORE_TO_ELIDED_LOCK (04H)",
      ".ABORT_HLE_ELISION_BUFFER_MISMATCH (10H)",
      "HLE_RETIRED (C8H) .START (01H)"},
     hle_written,
     BEFORE,
     true},
    {"elided locks whose XRELEASE has another value",
     run_mismatches,
     EVENT_TX_MEM | UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH,
     EVENT_TX_MEM | UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK,
     HLE_STARTED,
     {"TX_MEM (54H) .ABORT_HLE_ELISION_BUFFER_MISMATCH (10H)",
      ".ABORT_HLE_STORE_TO_ELIDED_LOCK (04H)",
      "HLE_RETIRED (C8H) .START (01H)"},
     NULL,
     BEFORE,
     true},
    SECTIONS_THAT("critical sections that CPUID aborts", run_cpuids,
                  UMASK_ABORTED_UNFRIENDLY,
                  "HLE_RETIRED (C8H) .ABORTED_UNFRIENDLY (20H)"),
    SECTIONS_THAT("a critical section that stores to too many lines",
                  run_stores, UMASK_ABORTED_MEM,
                  "HLE_RETIRED (C8H) .ABORTED_MEM (08H)"),
};

/* One event and that of all, on counters 0 and 1: IA32_PMC2 may be invalid
 * beside aborts (erratum SKL194 and its siblings). */
static bool count(struct work *w, uint64_t event, uint64_t got[2])
{
    struct selects s = {{event, w->row->all, 0}, {0}, 0};

    if (!selects_count(w->t, &s, w->row->run, w))
        return false;
    got[0] = s.got[0];
    got[1] = s.got[1];
    return true;
}

/* Aborts may have another cause, and are tried again then. */
static void try_row(struct test_context *t, const struct row *row)
{
    struct work w = {t, row};
    uint64_t named[2], other[2];
    unsigned rounds = 0;
    bool most;

    do {
        /* Measured. */
        if (!count(&w, row->named, named) || !count(&w, row->other, other))
            return;
        most = 2 * named[0] >= named[1] && 2 * other[0] <= other[1];
    } while (!most && ++rounds < ROUNDS);

    /* Check. */
    check(t, most,
          "%s: %s counted %lu of %lu, %s %lu of %lu; wanted most of them in "
          "the first, and few in the second (all: %s)",
          row->what, row->names[0], named[0], named[1], row->names[1], other[0],
          other[1], row->names[2]);
    if (named[1] == 0)
        note(t, "%s: %s is 0, and nothing was shown", row->what, row->names[2]);
}

struct commits {
    uint8_t *lines;
    bool all;
};

static void run_commits(void *argument)
{
    struct commits *c = argument;

    c->all = true;
    for (unsigned i = 0; i < TIMES; i++) {
        struct tsx_block block = {.body = tsx_body_write_lines,
                                  .argument = (uint64_t)(uintptr_t)c->lines,
                                  .count = FIT_LINES};
        c->all &= tsx_inside(&block) == TSX_COMMITTED;
    }
}

/* "Number of times a transactional abort was signaled": of commits none was. */
static void check_commits(struct test_context *t)
{
    const struct selects both = {
        .select = {EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
                   EVENT_TX_MEM | UMASK_ABORT_CAPACITY}};
    struct commits commits = {.lines = test_buffer(t)};
    struct selects s;

    for (unsigned i = 0; i < ROUNDS && !commits.all; i++) {
        s = both;
        if (!selects_count(t, &s, run_commits, &commits))
            return;
    }
    if (commits.all)
        check(t, s.got[0] == 0 && s.got[1] == 0,
              "%u transactions that commit stores to %u lines: TX_MEM (54H) "
              ".ABORT_CONFLICT (01H) %lu, .ABORT_CAPACITY (02H) %lu; wanted 0",
              TIMES, FIT_LINES, s.got[0], s.got[1]);
}

TEST(tsx_mem_events,
     .asks = "Do TX_MEM and TX_EXEC count the aborts whose cause they name?",
     .cite = "SDM 3B, tables of events of the 4th to 6th generation, TX_MEM, "
             "TX_EXEC, HLE_RETIRED; of 06_6AH, Intel's list",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 2})
{
    const struct identity *id = test_cpu(t);
    const unsigned here = identity_generation(id);

    /* Set-up. */
    if ((here & TX_MEM_LISTED) == 0) {
        skip(t, "needs a processor whose events TX_MEM and TX_EXEC are known");
        return;
    }
    if (!probe_set_up(t) || !counters_claim(t))
        return;
    const bool hle = hle_elides(t);

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((rows[i].generations & here) != 0 && (!rows[i].hle || hle))
            try_row(t, &rows[i]);
    check_commits(t);
}
