/* SPDX-License-Identifier: BSD-2-Clause */
/* AnyThread adds what the other logical processor of the core does, on every
 * counter; a counter without it counts its own alone. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"
#include "src/tsx/pair.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define CORE_CYCLES  0x3c
#define UNDERCOUNT   2     /* in a round, at most (SKL117) */
#define WAITS        3     /* each for two rounds of the other */
#define REPEATED     64    /* branches at least, of the other, a time */
#define MANY_CYCLES  10000 /* some reference cycles are among them */
#define FIXED_JUDGED 3

struct any_thread {
    struct pair pair;
    struct identity other;
    uint64_t places;
    /* The other one's. */
    bool prepared, has_ring3;
    struct ring3_session ring3;
};

static void repeat_branches(struct test_context *peer, void *argument)
{
    (void)peer;
    (void)argument;
    for (volatile unsigned i = 0; i < REPEATED; i++)
        ;
}

static void repeat_at_ring3(struct test_context *peer, void *argument)
{
    struct any_thread *a = argument;

    if (!a->prepared)
        a->has_ring3 = counters_claim(peer) && ring3_prepare(&a->ring3, peer);
    a->prepared = true;
    if (!a->has_ring3)
        return;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)a->ring3.ring3};
    ring3_begin(&a->ring3);
    window_ring3(0, cells);
    ring3_end(&a->ring3);
}

struct stretch {
    struct test_context *t;
    const struct pair *pair;
    uint64_t rounds; /* of the other, all of them within it */
};

static void wait_for_other(void *argument)
{
    struct stretch *stretch = argument;
    uint64_t before = stretch->pair->rounds;

    for (unsigned i = 0; i < WAITS; i++)
        if (!pair_wait(stretch->t, stretch->pair))
            return;
    stretch->rounds = stretch->pair->rounds - before - 1;
}

/* ANY on every second counter and on every fixed one but where `inverse`. */
static struct bank bank_for(uint64_t places, bool inverse)
{
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0 && (n % 2 != 0) == inverse)
            bank.select[n] |= IA32_PERFEVTSEL_ANY;
    for (unsigned n = 0; n < BANK_FIXED && inverse; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            bank.fixed_ctrl |= IA32_FIXED_CTR_CTRL_ANY(n);
    return bank;
}

static void judge(struct test_context *t, uint64_t places, bool inverse,
                  const struct bank *after, uint64_t rounds)
{
    const unsigned own = inverse ? 0 : 1; /* a counter without it */
    const uint64_t added = REPEATED * rounds;
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if ((places >> n & 1) == 0)
            continue;
        if ((n % 2 != 0) == inverse)
            check(t, after->pmc[n] >= after->pmc[own] + added,
                  "%s with ANY [21] counted %lu branches, and without it %lu, "
                  "while the other logical processor of the core retired %lu "
                  "at least; wanted their sum",
                  msr_name(IA32_PMC(n), name), after->pmc[n], after->pmc[own],
                  added);
        else
            check(t, after->pmc[n] == after->pmc[own],
                  "%s without ANY [21] counted %lu branches, another such "
                  "counter %lu; wanted the same",
                  msr_name(IA32_PMC(n), name), after->pmc[n], after->pmc[own]);
    }
}

/* Instructions of two threads against those of one, by the fixed counter. */
static void judge_fixed(struct test_context *t, const struct bank *with,
                        uint64_t rounds, uint64_t branches)
{
    check(t, with->fixed[0] >= branches + 2 * REPEATED * rounds,
          "IA32_FIXED_CTR0 (309H) with AnyThread, 38DH[2], counted %lu "
          "instructions; wanted at least %lu branches of its own and %lu "
          "instructions of the other logical processor",
          with->fixed[0], branches, 2 * REPEATED * rounds);
}

/* ANY with USR alone, both being at ring 0; or with IN_TX, neither being in a
 * transaction. */
static bool is_inside(const struct test_context *t, unsigned n)
{
    return n % 2 != 0 && test_cpu(t)->rtm;
}

static void judge_levels(struct test_context *t, const struct any_thread *a)
{
    struct bank after, before = bank_of(a->places, BRANCHES);
    struct stretch stretch = {t, &a->pair, 0};
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((a->places >> n & 1) != 0)
            before.select[n] = is_inside(t, n)
                                   ? before.select[n] | IA32_PERFEVTSEL_ANY |
                                         IA32_PERFEVTSEL_IN_TX
                                   : (before.select[n] | IA32_PERFEVTSEL_ANY) &
                                         ~IA32_PERFEVTSEL_OS;
    if (!bank_work(t, &before, wait_for_other, &stretch, &after))
        return;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((a->places >> n & 1) != 0)
            check_known(t, after.pmc[n] == 0, ERRATUM_ANYTHREAD_ONE_CPL,
                        !is_inside(t, n),
                        "%s with ANY [21] and %s counted %lu branches of two "
                        "logical processors at ring 0, outside of "
                        "transactions; wanted 0",
                        msr_name(IA32_PMC(n), name),
                        is_inside(t, n) ? "IN_TX [32]" : "USR alone",
                        after.pmc[n]);
}

/* AnyThread is of its fixed counter alone: another one counts what the general
 * counter of its event does, or no more reference cycles than there were. */
static bool judge_beside(struct test_context *t, const struct any_thread *a,
                         unsigned any)
{
    struct bank after, before = bank_of(a->places, BRANCHES);
    struct stretch stretch = {t, &a->pair, 0};

    before.select[0] ^= INSTRUCTIONS ^ BRANCHES;
    before.select[1] ^= CORE_CYCLES ^ BRANCHES;
    before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_ANY(any);
    if (!bank_work(t, &before, wait_for_other, &stretch, &after))
        return false;
    const uint64_t most[FIXED_JUDGED] = {
        after.pmc[0] + REPEATED * (stretch.rounds + 1),
        after.pmc[1] + after.pmc[1] / 4 + MANY_CYCLES, after.tsc + MANY_CYCLES};
    for (unsigned n = 0; n < FIXED_JUDGED; n++)
        check(t, n == any || after.fixed[n] <= most[n],
              "IA32_FIXED_CTR%u without AnyThread, IA32_FIXED_CTR%u with it: "
              "counted %lu, while this logical processor had %lu at most",
              n, any, after.fixed[n], most[n]);
    return true;
}

/* What counts a thread at ring 3 alone, this one being at ring 0; every second
 * counter overflows by it, which bank_work() judges. */
static struct bank bank_of_user(const struct test_context *t, uint64_t places)
{
    struct bank bank = bank_of(places, BRANCHES | IA32_PERFEVTSEL_ANY);

    for (unsigned p = 0; p < PLACES_END; p++) {
        const uint64_t last = bank_mask(test_cpu(t), p);
        if ((places >> p & 1) == 0)
            continue;
        if (p < PLACE_FIXED0)
            bank.select[p] &= ~IA32_PERFEVTSEL_OS;
        else
            bank.fixed_ctrl =
                (bank.fixed_ctrl & ~IA32_FIXED_CTR_CTRL_OS(p - PLACE_FIXED0)) |
                IA32_FIXED_CTR_CTRL_ANY(p - PLACE_FIXED0);
        if (p % 2 == 0 && bank_can_hold(test_cpu(t), p, last))
            *bank_value(&bank, p) = last;
    }
    return bank;
}

/* The errata of counters of one level, in so many rounds at ring 3. */
static enum erratum user_erratum(const struct test_context *t, unsigned place,
                                 uint64_t got, uint64_t want, uint64_t rounds,
                                 bool *signature)
{
    struct erratum_found found;

    *signature = place < PLACE_FIXED0;
    if (errata_find(test_cpu(t), ERRATUM_ANYTHREAD_ONE_CPL, &found))
        return ERRATUM_ANYTHREAD_ONE_CPL;
    *signature = *signature && got + UNDERCOUNT * rounds >= want;
    return ERRATUM_CPL_FILTER_UNDERCOUNTS;
}

/* Reference cycles come in steps. */
static void judge_user(struct test_context *t, const struct bank *before,
                       const struct bank *after, uint64_t rounds)
{
    uint64_t core = 0;
    char name[MSR_NAME_BYTES];

    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((before->ctrl >> p & 1) == 0)
            continue;
        const uint64_t got = (bank_count(after, p) - bank_count(before, p)) &
                             bank_mask(test_cpu(t), p);
        uint64_t want = window_ring3_user_shape.branches * rounds;
        if (p >= PLACE_FIXED0)
            want = window_ring3_user_shape.instructions * rounds;
        if (p == PLACE_FIXED0 + 1) {
            core = got;
            want = 1;
        } else if (p >= PLACE_FIXED0 + 2) {
            want = core >= MANY_CYCLES;
        }
        bool signature;
        enum erratum erratum =
            user_erratum(t, p, got, want, rounds, &signature);

        check_known(t, got >= want, erratum, signature,
                    "%s with AnyThread and USR alone counted %lu, this logical "
                    "processor being at ring 0 and the other one %lu times at "
                    "ring 3; wanted %lu or more",
                    msr_name(bank_msr(p), name), got, rounds, want);
    }
}

static void work_beside_user(struct test_context *t, void *argument)
{
    struct any_thread *a = argument;
    struct bank after, before = bank_of_user(t, a->places);
    struct stretch stretch = {t, &a->pair, 0};

    if (a->has_ring3 && bank_work(t, &before, wait_for_other, &stretch, &after))
        judge_user(t, &before, &after, stretch.rounds);
}

static void work(struct test_context *t, void *argument)
{
    struct any_thread *a = argument;

    for (unsigned inverse = 0; inverse < 2; inverse++) {
        struct bank after, before = bank_for(a->places, inverse != 0);
        struct stretch stretch = {t, &a->pair, 0};

        /* Measured. */
        if (!bank_work(t, &before, wait_for_other, &stretch, &after))
            return;

        /* Check. */
        if (identity_generation(test_cpu(t)) == SANDY_BRIDGE) {
            observe(t,
                    "ANY [21] adds the branches of the other logical "
                    "processor (BJ091: it may not)",
                    after.pmc[inverse] >= REPEATED * stretch.rounds, 1);
            continue;
        }
        judge(t, a->places, inverse != 0, &after, stretch.rounds);
        if (inverse != 0 && (a->places >> PLACE_FIXED0 & 1) != 0)
            judge_fixed(t, &after, stretch.rounds, after.pmc[0]);
    }
    judge_levels(t, a);
    for (unsigned n = 0; n < FIXED_JUDGED; n++)
        if (identity_generation(test_cpu(t)) != SANDY_BRIDGE &&
            (a->places >> (PLACE_FIXED0 + n) & 1) != 0 &&
            !judge_beside(t, a, n))
            return;
}

static void read_identity(struct test_context *peer, void *argument)
{
    *(struct identity *)argument = *test_cpu(peer);
}

TEST(counter_any_thread,
     .asks = "Does AnyThread count the other thread of the core, and nothing "
             "else do it?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 3\", "
             "\"AnyThread Counting and Software Evolution\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_TWO_PROCESSORS,
               .counters = 2})
{
    struct any_thread *a = test_buffer(t);
    const struct identity *id = test_cpu(t);

    if (!counters_enumerate_anythread(id)) {
        skip(t, "needs AnyThread: performance monitoring version 3, and "
                "CPUID.0AH:EDX[15] = 0");
        return;
    }
    a->prepared = false;
    if (!on_processor(t, 1, read_identity, &a->other))
        return;
    if (!identity_siblings(id, &a->other)) {
        skip(t, "needs processors 0 and 1 to share a core");
        return;
    }
    a->places = bank_claim(t);
    if (a->places == 0 || !pair_run(t, &a->pair, work, repeat_branches, a))
        return;
    /* BJ091. */
    if (identity_generation(id) != SANDY_BRIDGE)
        (void)pair_run(t, &a->pair, work_beside_user, repeat_at_ring3, a);
}
