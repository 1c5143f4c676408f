/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches by kind: a window with each kind of them another number of times, so
 * that no umask can be taken for another; and those mispredicted, where nothing
 * could foresee them. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"

/* asm/counting_kinds.asm. */
#define TAKEN          6
#define NO_JCC         2 /* LOOP and JRCXZ, taken; one LOOP more is not */
#define FALLING        3
#define CALLS          7
#define RETURNS        5
#define JUMPS          6
#define INDIRECT       2 /* jumps */
#define INDIRECT_CALLS 2 /* of the calls */
#define FAR            3
#define NEAR_TAKEN     (TAKEN + CALLS + RETURNS + JUMPS + INDIRECT)
#define ALL            (NEAR_TAKEN + FALLING + FAR)

#define BEFORE (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)
#define LATER  (BEFORE | SINCE_ICE_LAKE)

/* SDM 3B, tables of events of 06_2AH and later: BR_INST_RETIRED. Of Ice Lake
 * server: Intel's list of its events (github.com/intel/perfmon, ICX), in which
 * 01H is of taken ones alone; of Gracemont: ADL, "gracemont"; of Lion Cove:
 * LNL, where these two have UMASK2 = 1. */
static const struct kind {
    const char *name;
    uint64_t select;
    uint32_t count;
    unsigned generations; /* 0: all, it is architectural */
    uint32_t or_less; /* whether LOOP and JRCXZ are among them is not said */
} kinds[] = {
    {"Branch Instruction Retired", 0x00c4, ALL, 0, 0},
    {"BR_INST_RETIRED.CONDITIONAL", 0x01c4, TAKEN + FALLING, BEFORE, 0},
    {"BR_INST_RETIRED.COND_TAKEN", 0x01c4, TAKEN, ICE_LAKE | GOLDEN_COVE, 0},
    {"BR_INST_RETIRED.COND", 0x11c4, TAKEN + FALLING, ICE_LAKE | GOLDEN_COVE,
     0},
    {"BR_INST_RETIRED.COND_TAKEN, UMASK2 = 1",
     IA32_PERFEVTSEL_UMASK2_OF(1) | 0x01c4, TAKEN, LION_COVE, 0},
    {"BR_INST_RETIRED.COND, UMASK2 = 1", IA32_PERFEVTSEL_UMASK2_OF(1) | 0x11c4,
     TAKEN + FALLING, LION_COVE, 0},
    {"BR_INST_RETIRED.NEAR_CALL", 0x02c4, CALLS, LATER, 0},
    {"BR_INST_RETIRED.NEAR_RETURN", 0x08c4, RETURNS, LATER, 0},
    {"BR_INST_RETIRED.NOT_TAKEN", 0x10c4, FALLING, LATER, 0},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, NEAR_TAKEN, LATER, 0},
    {"BR_INST_RETIRED.FAR_BRANCH", 0x40c4, FAR, LATER, 0},
    {"BR_INST_RETIRED.INDIRECT", 0x80c4, INDIRECT + INDIRECT_CALLS,
     SINCE_ICE_LAKE, 0},
    {"BR_INST_RETIRED.COND", 0x7ec4, TAKEN + FALLING, GRACEMONT, NO_JCC + 1},
    {"BR_INST_RETIRED.FAR_BRANCH", 0xbfc4, FAR, GRACEMONT, 0},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0xc0c4, NEAR_TAKEN, GRACEMONT, 0},
    {"BR_INST_RETIRED.INDIRECT", 0xebc4, INDIRECT + INDIRECT_CALLS, GRACEMONT,
     0},
    {"BR_INST_RETIRED.NEAR_RETURN", 0xf7c4, RETURNS, GRACEMONT, 0},
    {"BR_INST_RETIRED.NEAR_CALL", 0xf9c4, CALLS, GRACEMONT, 0},
    {"BR_INST_RETIRED.COND_TAKEN", 0xfec4, TAKEN, GRACEMONT, NO_JCC},
};

/* 06_2AH and 06_2DH: some of them may overcount (BJ090); thread 1 of a core of
 * the 5th generation: of far branches (BDD101). */
static void judge(struct test_context *t, const struct kind *kind, unsigned n,
                  uint64_t counted)
{
    const struct identity *id = test_cpu(t);
    char name[MSR_NAME_BYTES];

    if (identity_generation(id) == SANDY_BRIDGE &&
        (kind->select == 0x10c4 || kind->select == 0x20c4) &&
        counted > kind->count) {
        observe(t, "a branch event counts too many (BJ090)", 1, 1);
        return;
    }
    check_known(
        t, counted == kind->count || counted == kind->count - kind->or_less,
        ERRATUM_BRANCHES_OF_THREAD_1,
        kind->select == 0x40c4 && test_sibling(t) != test_processor(t),
        "%s (%02lXH/%02lXH): %s counted %lu of a window with %u", kind->name,
        kind->select & 0xff, kind->select >> 8 & 0xff,
        msr_name(IA32_PMC(n), name), counted, kind->count);
}

/* Instructions of the same window: calls count once, too. */
static bool try_instructions(struct test_context *t, uint64_t places)
{
    const struct count_bounds want = {window_branches_shape.instructions,
                                      window_branches_shape.instructions + 1u};
    struct bank before = bank_of(places, 0xc0), after, plain;
    bool signature;

    /* What the WRMSRs of a window count for is the same in each. */
    if (!bank_window(t, &before, window_branches, &after) ||
        !bank_window(t, &before, window_long, &plain))
        return false;
    for (unsigned p = 0; p <= PLACE_FIXED0; p++) {
        char name[MSR_NAME_BYTES];

        if ((places >> p & 1) == 0)
            continue;
        const uint64_t got = *bank_value(&after, p);
        const uint64_t ends =
            *bank_value(&plain, p) - window_long_shape.instructions;
        enum erratum erratum = bank_erratum(p, true, got, want, &signature);
        check_known(t, got == want.least + ends, erratum, signature,
                    "%s counted %lu instructions of a window with %u of every "
                    "kind; wanted %lu",
                    msr_name(bank_msr(p), name), got,
                    window_branches_shape.instructions, want.least + ends);
    }
    return true;
}

#define MISSES         0x00c5 /* Branch Misses Retired */
#define WINDOWS        8
#define INDIRECT_JUMPS 32 /* of window_indirect(), and window_returns() */

/* Branches that mostly go one way, and the other way at random. */
static const struct guessed {
    const char *what;
    window_function *window;
    enum { ANY, MOSTLY_TAKEN, SELDOM_TAKEN } taken;
} guesses[] = {
    {"conditional branches, seldom not taken", window_random, MOSTLY_TAKEN},
    {"conditional branches, seldom taken", window_random, SELDOM_TAKEN},
    {"indirect jumps to one of two places", window_indirect, ANY},
    {"returns to one of two places", window_returns, ANY},
};

static uint64_t random_bits(struct test_context *t, const struct guessed *g)
{
    const uint64_t a = test_random(t), b = test_random(t), c = test_random(t);

    return g->taken == ANY            ? a
           : g->taken == MOSTLY_TAKEN ? a | b | c
                                      : a & b & c;
}

/* So many of them the best guess, that all go the usual way, has wrong. */
static uint64_t unforeseen(const struct guessed *g, uint64_t bits)
{
    uint64_t ones = 0;

    for (unsigned i = 0; i < 64; i++)
        ones += bits >> i & 1;
    return g->taken == ANY            ? INDIRECT_JUMPS / 2
           : g->taken == SELDOM_TAKEN ? ones
                                      : 64 - ones;
}

static bool try_guessed(struct test_context *t, uint64_t places,
                        const struct guessed *g)
{
    struct bank before = bank_of(places, MISSES), after;
    uint64_t counted[COUNTERS_MAX] = {0}, sum = 0;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    for (unsigned i = 0; i < WINDOWS; i++) {
        before.cell = random_bits(t, g);
        sum += unforeseen(g, before.cell);
        if (!bank_window(t, &before, g->window, &after))
            return false;
        for (unsigned n = 0; n < COUNTERS_MAX; n++)
            counted[n] += after.pmc[n];
    }

    /* Check. Half of them: a guess may be right. */
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if ((places >> n & 1) != 0)
            check(t, 2 * counted[n] >= sum,
                  "Branch Misses Retired (C5H/00H): %s counted %lu in %u "
                  "windows of %s at random, %lu of which nothing foresees; "
                  "wanted half of these or more",
                  msr_name(IA32_PMC(n), name), counted[n], WINDOWS, g->what,
                  sum);
    return true;
}

/* Conditional branches of ring 3 alone, taken at random: of half of them
 * nothing foresees it. */
static void try_ring3(struct test_context *t, uint64_t general)
{
    const uint64_t places = bank_user_places(test_cpu(t), general);
    struct bank before = bank_of(places & BITS(31, 0), MISSES), after;
    uint64_t counted[COUNTERS_MAX] = {0};
    struct ring3_session s;
    char name[MSR_NAME_BYTES];

    /* Set-up. */
    if (!ring3_prepare(&s, t))
        return;
    s.ring3->level = 3;
    s.ring3->body = (uint32_t)(ring3_body_bits - ring3_body);
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        before.select[n] &= ~IA32_PERFEVTSEL_OS;
    before.cell = (uintptr_t)s.ring3;

    /* Measured. */
    for (unsigned i = 0; i < WINDOWS; i++) {
        *(uint32_t *)(uintptr_t)s.ring3->data = (uint32_t)test_random(t);
        hw_poll();
        if (!ring3_count(&s, &before, window_ring3_body, &after))
            return;
        for (unsigned n = 0; n < COUNTERS_MAX; n++)
            counted[n] += after.pmc[n];
    }

    /* Check. Half of those: a guess may be right. */
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if ((places >> n & 1) != 0)
            check(t, 4 * counted[n] >= WINDOWS * LBR_BITS,
                  "Branch Misses Retired (C5H/00H), OS = 0: %s counted %lu in "
                  "%u windows of %u branches of ring 3, taken at random; "
                  "wanted a quarter of them or more",
                  msr_name(IA32_PMC(n), name), counted[n], WINDOWS, LBR_BITS);
}

/* CPUID.0AH:EBX[6]. */
static bool has_misses(const struct identity *id)
{
    return id->leaf0a_eax >> 24 > 6 && (id->leaf0a_ebx & BIT(6)) == 0;
}

TEST(branch_kinds,
     .asks = "Does each event of retired branches count its kind, and no "
             "other?",
     .cite = "SDM 3B, \"Pre-defined Architectural Performance Events\"; "
             "tables of events, BR_INST_RETIRED",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct identity *id = test_cpu(t);
    const unsigned here = identity_generation(id);
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    if (window_branches_shape.branches != ALL)
        broken(t, "the window has %u branches, the list %u",
               window_branches_shape.branches, ALL);
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct bank before = bank_of(places, kinds[i].select), after;

        if (kinds[i].generations != 0 && (kinds[i].generations & here) == 0)
            continue;
        /* Measured. */
        if (!bank_window(t, &before, window_branches, &after))
            return;
        /* Check. */
        for (unsigned n = 0; n < counters_available(id); n++)
            if ((places >> n & 1) != 0)
                judge(t, &kinds[i], n, after.pmc[n]);
    }
    if (!try_instructions(t, places) || !has_misses(id))
        return;
    for (unsigned i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++)
        if (!try_guessed(t, places, &guesses[i]))
            return;
    try_ring3(t, places);
}
