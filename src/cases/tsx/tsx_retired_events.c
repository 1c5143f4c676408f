/* SPDX-License-Identifier: BSD-2-Clause */
/* RTM_RETIRED and HLE_RETIRED count what was executed. */
#include "src/harness/case.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/base/msr.h"
#include "src/tsx/causes.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/hle.h"

#define WRITES 2   /* transactions that write more than they can */
#define FEW    4   /* aborts: one of them may have another cause */
#define MANY   210 /* that may commit: none is lost now and then */
#define LOST   52  /* aborts: nor one of these */
#define ROUNDS 12  /* of few, where other aborts came in between */
#define DEEP   2   /* transactions in one another inside, before XABORT */

/* A piece of work, and what came of it. */
struct work {
    struct test_context *t;
    unsigned times;
    const enum cause_id *cause; /* NULL: transactions that may commit, */
    const char *what;           /* of this; NULL: empty ones */
    const uint8_t *body;
    uint64_t argument, count; /* of the body */
    bool inner;               /* the cause is met in an inner one */
    struct hle_tally hle;
    uint64_t committed, aborted;
};

static void run_transactions(void *argument)
{
    struct work *w = argument;
    uint32_t eax;

    w->committed = w->aborted = 0;
    for (unsigned i = 0; i < w->times; i++) {
        struct tsx_block block = {.body = w->body != NULL ? w->body
                                                          : tsx_body_nothing,
                                  .argument = w->argument,
                                  .count = w->count};
        int outcome = w->cause == NULL
                          ? tsx_inside(&block)
                          : cause_provoke(w->t, *w->cause, w->inner, &eax);
        w->committed += outcome == TSX_COMMITTED;
        w->aborted += outcome == TSX_ABORTED;
    }
}

static void run_sections(void *argument)
{
    struct work *w = argument;

    w->hle = (struct hle_tally){0};
    hle_try(w->t, &hle_forms[0], w->times, &w->hle);
}

/* Two events on counters 0 and 1: IA32_PMC2 may be invalid beside aborts
 * (erratum SKL194 and its siblings). */
static bool count_two(struct work *w, void (*run)(void *argument),
                      uint64_t first, uint64_t second, uint64_t got[2])
{
    struct selects s = {{first, second, 0}, {0}, 0};

    if (!selects_count(w->t, &s, run, w))
        return false;
    got[0] = s.got[0];
    got[1] = s.got[1];
    return true;
}

static const char *name_of(const struct work *w)
{
    return w->cause != NULL  ? causes[*w->cause].name
           : w->what != NULL ? w->what
                             : "transactions";
}

static bool check_commits(struct work *w)
{
    uint64_t got[2];

    return count_two(w, run_transactions, EVENT_RTM_RETIRED | UMASK_START,
                     EVENT_RTM_RETIRED | UMASK_COMMIT, got) &&
           check(w->t,
                 got[0] == w->committed + w->aborted && got[1] == w->committed,
                 "%s: RTM_RETIRED (C9H) .START (01H) %lu, .COMMIT (02H) %lu; "
                 "wanted %lu, %lu",
                 name_of(w), got[0], got[1], w->committed + w->aborted,
                 w->committed);
}

static void check_rtm(struct work w)
{
    uint64_t got[2];

    if (!check_commits(&w) ||
        !count_two(&w, run_transactions, EVENT_RTM_RETIRED | UMASK_ABORTED,
                   EVENT_RTM_RETIRED | UMASK_START, got))
        return;
    check(w.t, got[0] == w.aborted && got[1] == w.committed + w.aborted,
          "%s: RTM_RETIRED (C9H) .ABORTED (04H) %lu, .START (01H) %lu; wanted "
          "%lu, %lu",
          name_of(&w), got[0], got[1], w.aborted, w.committed + w.aborted);
}

/* "Due to incompatible memory type": where a load of uncacheable memory aborts,
 * which it may. */
static void check_memory_type(struct test_context *t, unsigned times)
{
    struct work w = {.t = t,
                     .times = times,
                     .body = tsx_body_load,
                     .argument = cause_uncacheable(t)};
    unsigned rounds = 0;
    uint64_t got[2];

    if (w.argument == 0)
        return;
    do {
        if (!count_two(&w, run_transactions,
                       EVENT_RTM_RETIRED | UMASK_ABORTED_MEMTYPE,
                       EVENT_RTM_RETIRED | UMASK_ABORTED, got))
            return;
    } while (2 * got[0] < got[1] && ++rounds < ROUNDS);
    check(t, 2 * got[0] >= got[1],
          "%lu of %u transactions that load from uncacheable memory abort: "
          "RTM_RETIRED (C9H) .ABORTED_MEMTYPE (40H) %lu; wanted most",
          got[1], times, got[0]);
}

/* "ABORTED_EVENTS: none of the previous four categories": an abort is counted
 * in the one that names its cause, and not there. */
static void check_category(struct test_context *t, enum cause_id cause,
                           uint64_t umask, const char *name, unsigned times)
{
    struct work w = {.t = t, .times = times, .cause = &cause};
    struct selects s;
    unsigned rounds = 0;
    bool most;

    do {
        s = (struct selects){{EVENT_RTM_RETIRED | umask,
                              EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS, 0},
                             {0},
                             0};
        if (!selects_count(t, &s, run_transactions, &w) || w.aborted == 0)
            return;
        most = 2 * s.got[0] >= w.aborted && 2 * s.got[1] <= w.aborted;
    } while (!most && ++rounds < ROUNDS);
    check(t, most,
          "%s: %lu aborts: RTM_RETIRED (C9H) %s %lu, .ABORTED_EVENTS (80H) "
          "%lu; wanted most in the first, and few in the second",
          causes[cause].name, w.aborted, name, s.got[0], s.got[1]);
}

#define CATEGORIES 5 /* the last is ABORTED_EVENTS */

/* So no abort is in none of the five. Two at a time; the last beside those that
 * are in all. */
static bool count_categories(struct work *w, uint64_t *least, uint64_t *sum,
                             uint64_t each[CATEGORIES + 1])
{
    static const uint64_t umasks[] = {
        UMASK_ABORTED_MEM,     UMASK_ABORTED_TIMER,  UMASK_ABORTED_UNFRIENDLY,
        UMASK_ABORTED_MEMTYPE, UMASK_ABORTED_EVENTS, UMASK_START};

    *sum = 0;
    *least = w->times;
    for (unsigned i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i += 2) {
        if (!count_two(w, run_transactions, EVENT_RTM_RETIRED | umasks[i],
                       EVENT_RTM_RETIRED | umasks[i + 1], &each[i]))
            return false;
        *sum += each[i] + (umasks[i + 1] != UMASK_START ? each[i + 1] : 0);
        if (w->aborted < *least)
            *least = w->aborted;
    }
    return true;
}

static void check_categories(struct test_context *t, enum cause_id cause,
                             bool inner, unsigned times)
{
    struct work w = {.t = t, .times = times, .cause = &cause, .inner = inner};
    /* HSD065: 40H, the fourth, may count "unrelated transactional aborts". */
    const unsigned others =
        CATEGORIES - 1 - (identity_generation(test_cpu(t)) == HASWELL);
    uint64_t sum, least, each[CATEGORIES + 1], beside;
    unsigned rounds = 0;

    do {
        if (!count_categories(&w, &least, &sum, each))
            return;
        beside = 0;
        for (unsigned i = 0; i < others; i++)
            if (each[i] > beside)
                beside = each[i];
    } while ((2 * sum < least ||
              (2 * beside > times && 2 * each[CATEGORIES - 1] > times)) &&
             ++rounds < ROUNDS);
    check(t, 2 * beside <= times || 2 * each[CATEGORIES - 1] <= times,
          "%s: %u transactions: RTM_RETIRED (C9H) .ABORTED_EVENTS (80H) %lu, "
          "another category %lu; wanted few in one, they exclude each other",
          causes[cause].name, times, each[CATEGORIES - 1], beside);
    check(t, 2 * sum >= least,
          "%s: %lu aborts: RTM_RETIRED (C9H) .ABORTED_MEM (08H), 10H, 20H, "
          "40H and 80H add up to %lu; wanted each in one of them",
          causes[cause].name, least, sum);
}

static void check_hle(struct test_context *t, unsigned times)
{
    struct work w = {.t = t, .times = times};
    uint64_t got[2];

    if (!count_two(&w, run_sections, EVENT_HLE_RETIRED | UMASK_START,
                   EVENT_HLE_RETIRED | UMASK_COMMIT, got))
        return;
    check(t,
          got[1] == w.hle.elided && got[0] >= got[1] && got[0] <= w.hle.tried,
          "HLE_RETIRED (C8H) .START (01H) %lu, .COMMIT (02H) %lu; %u of %u "
          "were elided",
          got[0], got[1], w.hle.elided, w.hle.tried);
    if (!count_two(&w, run_sections, EVENT_HLE_RETIRED | UMASK_ABORTED,
                   EVENT_HLE_RETIRED | UMASK_START, got))
        return;
    check(t, got[1] == w.hle.elided + got[0] && got[1] <= w.hle.tried,
          "HLE_RETIRED (C8H) .ABORTED (04H) %lu, .START (01H) %lu; %u of %u "
          "were elided, wanted START = those + ABORTED",
          got[0], got[1], w.hle.elided, w.hle.tried);
    note(t, "HLE_RETIRED: %u of %u critical sections elided, %lu aborts",
         w.hle.elided, w.hle.tried, got[0]);
}

static void run_mismatches(void *argument)
{
    struct work *w = argument;

    hle_mismatch(w->t, w->times);
}

/* Each in a category: most of the aborts, all taken together. */
static void check_hle_categories(struct test_context *t, unsigned times)
{
    static const uint64_t umasks[] = {
        UMASK_ABORTED_MEM,     UMASK_ABORTED_TIMER,  UMASK_ABORTED_UNFRIENDLY,
        UMASK_ABORTED_MEMTYPE, UMASK_ABORTED_EVENTS, UMASK_ABORTED};
    struct work w = {.t = t, .times = times};
    uint64_t got[2] = {0}, sum = 0;

    for (unsigned i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i += 2) {
        if (!count_two(&w, run_mismatches, EVENT_HLE_RETIRED | umasks[i],
                       EVENT_HLE_RETIRED | umasks[i + 1], got))
            return;
        sum += got[0] + (umasks[i + 1] != UMASK_ABORTED ? got[1] : 0);
    }
    check(t, 2 * sum >= got[1],
          "%lu aborts of critical sections with an XRELEASE that does not "
          "match: HLE_RETIRED (C8H) .ABORTED_MEM (08H), _TIMER (10H), "
          "_UNFRIENDLY (20H), _MEMTYPE (40H), _EVENTS (80H) add up to %lu; "
          "wanted each in one of them",
          got[1], sum);
}

/* Elided locks are none of RTM's, transactions begun by XBEGIN none of HLE's.
 */
static void check_none_counted(struct test_context *t, uint64_t event,
                               const char *name, const char *what,
                               void (*run)(void *argument), unsigned times)
{
    static const uint64_t umasks[] = {UMASK_START, UMASK_COMMIT, UMASK_ABORTED};
    struct work w = {.t = t, .times = times};
    uint64_t got[2];

    for (unsigned i = 0; i < 3; i += 2) {
        uint64_t second = umasks[(i + 1) % 3];
        if (!count_two(&w, run, event | umasks[i], event | second, got))
            return;
        check(t, (got[0] | got[1]) == 0,
              "%u %s: %s with umasks %XH and %XH: %lu and %lu; wanted 0", times,
              what, name, (unsigned)(umasks[i] >> 8), (unsigned)(second >> 8),
              got[0], got[1]);
    }
}

/* Of forced aborts none is a commit. Whether they count as aborts no document
 * says: they may come before XBEGIN retires. */
static void check_forced(struct test_context *t, unsigned times)
{
    struct work w = {.t = t, .times = times};
    uint64_t got[2], value;

    if (!force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT, &value) ||
        !count_two(&w, run_transactions, EVENT_RTM_RETIRED | UMASK_COMMIT,
                   EVENT_RTM_RETIRED | UMASK_ABORTED, got))
        return;
    check(t, got[0] == w.committed,
          "RTM_FORCE_ABORT = 1: RTM_RETIRED (C9H) .COMMIT (02H) %lu; wanted "
          "%lu",
          got[0], w.committed);
    observe(t, "RTM_RETIRED.ABORTED (C9H/04H) counts forced aborts", got[1],
            w.aborted);
}

TEST(tsx_retired_events,
     .asks = "Do RTM_RETIRED and HLE_RETIRED agree with what was executed?",
     .cite = "SDM 3B, table \"Intel TSX Performance Events\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 3})
{
    /* The breakpoint is left out: it takes MOVs to debug registers, and an
     * abort for each; reading 8 MB takes too long. */
    static const enum cause_id tried[] = {
        CAUSE_XABORT, CAUSE_PAUSE, CAUSE_CPUID, CAUSE_EXCEPTION, CAUSE_DIVIDE};
    static const enum cause_id writes = CAUSE_WRITES;
    unsigned times = probe_row_tries(t);

    /* Set-up. */
    if (!probe_set_up(t) || !counters_claim(t))
        return;

    /* Measured, and checked. */
    check_commits(&(struct work){.t = t, .times = MANY});
    check_rtm((struct work){.t = t, .times = times});
    check_rtm((struct work){.t = t,
                            .times = times,
                            .what = "transactions that store to 64 lines",
                            .body = tsx_body_write_lines,
                            .argument = (uint64_t)(uintptr_t)test_buffer(t),
                            .count = 64});
    check_rtm((struct work){.t = t,
                            .times = times,
                            .what = "transactions with inner ones",
                            .body = tsx_body_nest,
                            .count = 2});
    check_rtm((struct work){.t = t,
                            .times = times,
                            .what = "XABORT at the third level",
                            .body = tsx_body_nest_deep,
                            .count = DEEP});
    FOR_EACH_ROW (t, i, tried)
        for (unsigned inner = 0; inner < 2; inner++) {
            struct work w = {.t = t, .cause = &tried[i], .inner = inner != 0};
            w.times = i == 0 && times < LOST ? LOST : times;
            prefix_push(t, "at level %u", 1 + inner);
            check_rtm(w);
            check_categories(t, tried[i], inner != 0,
                             times < FEW ? FEW : times);
            prefix_pop(t);
        }
    check_rtm((struct work){.t = t, .times = WRITES, .cause = &writes});
    check_category(t, CAUSE_CPUID, UMASK_ABORTED_UNFRIENDLY,
                   ".ABORTED_UNFRIENDLY (20H)", times < FEW ? FEW : times);
    check_category(t, CAUSE_WRITES, UMASK_ABORTED_MEM, ".ABORTED_MEM (08H)",
                   WRITES);
    check_categories(t, writes, false, WRITES);
    check_memory_type(t, times < FEW ? FEW : times);
    if (test_cpu(t)->hle && hle_hints(t)) {
        check_hle(t, times);
        check_hle_categories(t, times);
        check_none_counted(t, EVENT_HLE_RETIRED, "HLE_RETIRED (C8H)",
                           "transactions of RTM", run_transactions, times);
        check_none_counted(t, EVENT_RTM_RETIRED, "RTM_RETIRED (C9H)",
                           "critical sections", run_sections, times);
        check_none_counted(t, EVENT_RTM_RETIRED, "RTM_RETIRED (C9H)",
                           "critical sections with an XRELEASE that does not "
                           "match",
                           run_mismatches, times);
    }
    if (test_regime(t) == REGIME_B)
        check_forced(t, times);
}
