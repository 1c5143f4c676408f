/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of branches by their kind: those of a kind that the window has are
 * made, those of another are not, whatever branches there are. */
#include "src/harness/case.h"
#include "asm/counting_window.h"
#include "src/cpu/generation.h"
#include "src/pebs/sampling.h"

/* BR_INST_RETIRED: SDM 3B, "Precise Events for the Skylake Microarchitecture"
 * and the tables of PEBS events of the 2nd to 5th generation. All the window's
 * branches are conditional, and taken in one window, not in the other. */
#define BEFORE (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)
#define LISTED \
    (BEFORE |  \
     SINCE_ICE_LAKE) /* Intel's lists, ICX, LNL and, of Gracemont, ADL */
static const struct kind {
    const char *name;
    uint64_t select;
    bool not_taken, taken; /* such a window has them */
    unsigned generations;
} kinds[] = {
    {"BR_INST_RETIRED.CONDITIONAL", 0x01c4, true, true, BEFORE},
    {"BR_INST_RETIRED.COND", 0x11c4, true, true, ICE_LAKE | GOLDEN_COVE},
    {"BR_INST_RETIRED.COND", PRECISE_CONDITIONAL_UMASK2, true, true, LION_COVE},
    {"BR_INST_RETIRED.NEAR_CALL", 0x02c4, false, false, LISTED},
    {"BR_INST_RETIRED.ALL_BRANCHES", 0x04c4, true, true, BEFORE},
    {"BR_INST_RETIRED.NEAR_RETURN", 0x08c4, false, false, LISTED},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, false, true, LISTED},
    {"BR_INST_RETIRED.COND", 0x7ec4, true, true, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_TAKEN", 0xc0c4, false, true, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_RETURN", 0xf7c4, false, false, GRACEMONT},
    {"BR_INST_RETIRED.NEAR_CALL", 0xf9c4, false, false, GRACEMONT},
    {"BR_INST_RETIRED.COND_TAKEN", 0xfec4, false, true, GRACEMONT},
};

static void run_taken(struct sampling *p, uint64_t flags)
{
    pebs_window_taken(sampling_enable(&p->config), flags, &p->state);
}

/* Whole, and each of a later event than the one before. */
static void check_order(struct sampling *p, const struct kind *kind)
{
    struct pebs_record record;
    unsigned last = 0;

    for (unsigned n = 0; n < p->records; n++) {
        unsigned event =
            sampling_record(p, n, &record) ? sampling_event(p, &record) : 0;
        check(
            p->t, event > last,
            "%s (%02lXH/%02lXH): record %u is of branch %u, the one before of "
            "branch %u; wanted a later one",
            kind->name, kind->select & 0xff, kind->select >> 8 & 0xff, n, event,
            last);
        last = event;
    }
}

static bool try_kind(struct sampling *p, const struct kind *kind, bool taken)
{
    const bool counts = taken ? kind->taken : kind->not_taken;
    const struct sampling_config config = {
        .select = kind->select,
        .counters = 1 << 0,
        .count_only = 1 << 1,
        .first_period = {30},
        .period = {50},
        .room = 16,
        .threshold = 16,
    };
    const char *how = taken ? "taken" : "not taken";

    /* Measured. */
    if (!(taken ? sampling_around(p, &config, run_taken, 0)
                : sampling_run(p, &config, 0)))
        return false;

    /* Check. On 06_2AH and 06_2DH this one may count too many (BJ090). */
    if (identity_generation(test_cpu(p->t)) == SANDY_BRIDGE &&
        kind->select == 0x20c4 && p->value[1] != (counts ? PEBS_EVENTS : 0)) {
        observe(p->t, "a branch event counts too many (BJ090)", 1, 1);
        return true;
    }
    /* Thread 1 of a core of the 5th generation: of all branches (BDD101). */
    const bool thread_1 =
        kind->select == 0x04c4 && test_sibling(p->t) != test_processor(p->t);
    bool ok = check_known(
        p->t, p->value[1] == (counts ? PEBS_EVENTS : 0),
        ERRATUM_BRANCHES_OF_THREAD_1, thread_1,
        "%s (%02lXH/%02lXH): IA32_PMC1 (C2H), which makes no records, counted "
        "%lu of %u conditional branches that are %s; wanted %s",
        kind->name, kind->select & 0xff, kind->select >> 8 & 0xff, p->value[1],
        PEBS_EVENTS, how, counts ? "all" : "none");
    ok &= check_known(
        p->t, (p->records != 0) == counts, ERRATUM_BRANCHES_OF_THREAD_1,
        thread_1,
        "%s (%02lXH/%02lXH): IA32_PMC0 (C1H), 30 branches before its overflow, "
        "made %u records of %u conditional branches that are %s; wanted %s",
        kind->name, kind->select & 0xff, kind->select >> 8 & 0xff, p->records,
        PEBS_EVENTS, how, counts ? "some" : "none");
    if (ok || !thread_1)
        check_order(p, kind);
    return true;
}

/* BR_MISP_RETIRED.ALL_BRANCHES(_PEBS): the same tables; Intel's lists of
 * events, ICX and LNL. */
#define MISSES       (here < ICE_LAKE ? UINT64_C(0x04c5) : UINT64_C(0x00c5))
#define MISSES_LEAST 16
#define MISSES_TRIES 8
#define MISSES_EACH  4 /* a record */

static void run_random(struct sampling *p, uint64_t taken)
{
    uint64_t cells[WINDOW_CELLS] = {taken};

    window_random(sampling_enable(&p->config), cells);
}

/* Branches at random: of those that were mispredicted, which IA32_PMC1 counts,
 * every fourth has its record, and of no others there is one. False where it
 * could not be tried. */
static bool try_misses(struct sampling *p, unsigned here)
{
    const struct sampling_config config = {
        .select = MISSES,
        .counters = 1 << 0,
        .count_only = 1 << 1,
        .first_period = {MISSES_EACH},
        .period = {MISSES_EACH},
        .room = 64,
        .threshold = 64,
    };
    uint64_t missed = 0;

    /* Measured. */
    for (unsigned i = 0; i < MISSES_TRIES && missed < MISSES_LEAST; i++) {
        if (!sampling_around(p, &config, run_random, test_random(p->t)))
            return false;
        missed = p->value[1];
    }

    /* Check. */
    check(p->t,
          p->records <= missed / MISSES_EACH + 1 &&
              (p->records != 0 || missed < MISSES_LEAST),
          "mispredicted branches (%02lXH/%02lXH): %u records, one of every %u, "
          "by IA32_PMC0 (C1H), and %lu branches counted by IA32_PMC1 (C2H); "
          "wanted %s%lu at most",
          MISSES & 0xff, MISSES >> 8, p->records, MISSES_EACH, missed,
          missed < MISSES_LEAST ? "" : "1 at least and ",
          missed / MISSES_EACH + 1);
    return true;
}

TEST(pebs_events,
     .asks = "Does each precise event of branches make records of its kind, "
             "and of no other?",
     .cite = "SDM 3B, \"Precise Events for the Skylake Microarchitecture\", "
             "\"PEBS Performance Events for Intel Microarchitecture Code Name "
             "Sandy Bridge\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 2})
{
    const struct identity *id = test_cpu(t);
    const unsigned here = identity_generation(id);
    struct sampling p;

    /* Set-up. */
    if ((here & (LISTED | GRACEMONT)) == 0) {
        skip(t, "needs a processor whose precise events of branches are known");
        return;
    }
    if (!sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if ((kinds[i].generations & here) != 0 &&
            (!try_kind(&p, &kinds[i], false) || !try_kind(&p, &kinds[i], true)))
            return;
    if ((here & LISTED) != 0)
        (void)try_misses(&p, here);
}
