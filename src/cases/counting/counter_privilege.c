/* SPDX-License-Identifier: BSD-2-Clause */
/* USR and OS apart: what runs at ring 3 is counted where USR is set, what runs
 * at ring 0 where OS is. The window is at both, and crosses over four times.
 *
 * At which of its two levels a change of ring counts no manual says, and it
 * need not be the same for each: of SYSCALL, SYSRET and IRET that of IRET is
 * said to be ring 3's (Weaver, Terpstra, Moore: "Non-Determinism and Overcount
 * on Modern Hardware Performance Counter Implementations", ISPASS 2013). But it
 * counts at one of them, once. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"
#include "src/cpu/generation.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define FAR_BRANCHES 0x40c4
#define CYCLES       0x3c
#define CYCLES_AT    1 /* IA32_PMC1, at the levels of IA32_FIXED_CTR1 */
#define CROSSING     4 /* cycles */
/* Undercounted at four changes of level, "for a brief period" (SKL117). */
#define PERIOD 8

/* Bit 0: OS, bit 1: USR, as in IA32_FIXED_CTR_CTRL. */
enum levels { NEITHER, OS, USR, BOTH, LEVELS };
static const char *const level_names[LEVELS] = {
    [NEITHER] = "neither OS nor USR",
    [OS] = "OS alone",
    [USR] = "USR alone",
    [BOTH] = "OS and USR",
};

struct piece {
    struct test_context *t;
    const struct ring3_session *ring3;
    bool crosses; /* window_ring3(), else window_long() at ring 0 */
    bool branches;
    unsigned turn;
    uint64_t interrupts;     /* bits 20 and PMI, at random: none overflows */
    unsigned crossed, mixed; /* windows; with changes not counted all alike */
};

/* Beside instructions one place counts core cycles. */
static bool counts_cycles(const struct piece *piece, unsigned place)
{
    return place > PLACE_FIXED0 || (place == CYCLES_AT && !piece->branches);
}

static enum levels levels_of(const struct piece *piece, unsigned place)
{
    return (enum levels)(((place & 31) + piece->turn) % LEVELS);
}

static struct bank bank_for(const struct piece *piece, uint64_t places)
{
    struct bank bank =
        bank_of(places, piece->branches ? BRANCHES : INSTRUCTIONS);

    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        enum levels levels = levels_of(piece, n);
        if ((places >> n & 1) == 0)
            continue;
        if (counts_cycles(piece, n))
            bank.select[n] ^= INSTRUCTIONS ^ CYCLES;
        bank.select[n] &= ~(IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS);
        bank.select[n] |=
            ((levels & OS) != 0 ? IA32_PERFEVTSEL_OS : 0) |
            ((levels & USR) != 0 ? IA32_PERFEVTSEL_USR : 0) |
            ((piece->interrupts >> n & 1) != 0 ? IA32_PERFEVTSEL_INT : 0);
    }
    bank.fixed_ctrl = 0;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            bank.fixed_ctrl |=
                (uint64_t)levels_of(piece, n) << 4 * n |
                (piece->interrupts >> 32 & IA32_FIXED_CTR_CTRL_PMI(n));
    bank.cell = (uintptr_t)piece->ring3->ring3;
    return bank;
}

/* What a counter may count: a crossing at the level that it leaves, or at that
 * which it reaches. The WRMSR that closes may count as an instruction of ring
 * 0. */
static struct count_bounds bounds_of(const struct piece *piece,
                                     enum levels levels, bool branches)
{
    const struct window_shape *kernel =
        piece->crosses ? &window_ring3_kernel_shape : &window_long_shape;
    const struct window_shape *user = &window_ring3_user_shape;
    const uint64_t crossings = piece->crosses ? WINDOW_RING3_TRANSFERS : 0;
    struct count_bounds bounds = {0, 0};

    if ((levels & OS) != 0) {
        bounds.least += branches ? kernel->branches : kernel->instructions;
        bounds.most = bounds.least + (branches ? 0 : 1);
    }
    if ((levels & USR) != 0 && piece->crosses) {
        bounds.least += branches ? user->branches : user->instructions;
        bounds.most += branches ? user->branches : user->instructions;
    }
    if (levels == BOTH)
        bounds.least += crossings;
    if (levels == BOTH || ((levels & USR) != 0 && piece->crosses) ||
        (levels & OS) != 0)
        bounds.most += crossings;
    return bounds;
}

/* BDM126: counters 4 to 7 do not count USR alone at all. */
static bool never_counts(const struct piece *piece, unsigned place)
{
    struct erratum_found found;

    return place >= 4 && place < COUNTERS_MAX &&
           levels_of(piece, place) == USR &&
           errata_find(test_cpu(piece->t), ERRATUM_PMC4_TO_7_USR_ALONE, &found);
}

/* The erratum that a count outside its bounds may be of. */
static enum erratum erratum_of(const struct piece *piece, unsigned place,
                               uint64_t counted, struct count_bounds want,
                               bool branches, bool *signature)
{
    const enum levels levels = levels_of(piece, place);
    struct erratum_found found;

    if (never_counts(piece, place)) {
        *signature = counted == 0;
        return ERRATUM_PMC4_TO_7_USR_ALONE;
    }
    if (counted < want.least && counted + PERIOD >= want.least &&
        piece->crosses && place < PLACE_FIXED0 &&
        (levels == OS || levels == USR) &&
        errata_find(test_cpu(piece->t), ERRATUM_CPL_FILTER_UNDERCOUNTS,
                    &found)) {
        *signature = true;
        return ERRATUM_CPL_FILTER_UNDERCOUNTS;
    }
    return bank_erratum(place, !branches && levels != NEITHER, counted, want,
                        signature);
}

static void judge_exact(const struct piece *piece, unsigned place,
                        uint64_t counted, bool branches)
{
    struct test_context *t = piece->t;
    enum levels levels = levels_of(piece, place);
    struct count_bounds want = bounds_of(piece, levels, branches);
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum =
        erratum_of(piece, place, counted, want, branches, &signature);

    check_known(t, counted >= want.least && counted <= want.most, erratum,
                signature,
                "%s with %s counted %lu %s of a window %s; wanted %lu to %lu",
                msr_name(bank_msr(place), name), level_names[levels], counted,
                branches ? "branches" : "instructions",
                piece->crosses ? "at ring 0 and ring 3" : "at ring 0",
                want.least, want.most);
}

/* Of the counters with OS alone and with USR alone together: each event once.
 */
static void judge_sum(struct piece *piece, uint64_t places,
                      const struct bank *after)
{
    const struct count_bounds want = bounds_of(piece, BOTH, piece->branches);
    const struct count_bounds user = bounds_of(piece, USR, piece->branches);
    uint64_t counted[LEVELS] = {0};
    unsigned at[LEVELS] = {0};
    bool found[LEVELS] = {false};
    struct erratum_found erratum;
    bool signature;

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0 && !counts_cycles(piece, n) &&
            !never_counts(piece, n)) {
            const enum levels levels = levels_of(piece, n);
            found[levels] = true;
            at[levels] = n;
            counted[levels] = after->pmc[n];
        }
    if (!found[OS] || !found[USR])
        return;
    const uint64_t sum = counted[OS] + counted[USR];
    enum erratum id =
        bank_erratum(at[OS], !piece->branches, sum, want, &signature);
    if (sum < want.least && sum + 2 * PERIOD >= want.least &&
        errata_find(test_cpu(piece->t), ERRATUM_CPL_FILTER_UNDERCOUNTS,
                    &erratum)) {
        id = ERRATUM_CPL_FILTER_UNDERCOUNTS;
        signature = true;
    }
    check_known(
        piece->t, sum >= want.least && sum <= want.most, id, signature,
        "IA32_PMC%u with OS alone and IA32_PMC%u with USR alone counted "
        "%lu and %lu %s of a window at ring 0 and ring 3; wanted %lu "
        "to %lu together: a change of ring counts once",
        at[OS], at[USR], counted[OS], counted[USR],
        piece->branches ? "branches" : "instructions", want.least, want.most);
    /* As many lead to ring 3 as to ring 0. */
    piece->crossed++;
    piece->mixed += counted[USR] != user.least + WINDOW_RING3_TRANSFERS / 2;
}

/* Core cycles, by a counter of each kind. */
static void judge_cycles(const struct piece *piece, uint64_t places,
                         const struct bank *after)
{
    const uint64_t want = after->fixed[1], got = after->pmc[CYCLES_AT];
    const uint64_t margin =
        count_margin(COUNTS_TIME, want) +
        (piece->crosses ? CROSSING * WINDOW_RING3_TRANSFERS : 0);

    if ((places >> CYCLES_AT & 1) == 0 ||
        (places >> (PLACE_FIXED0 + 1) & 1) == 0)
        return;
    check(piece->t, got + margin >= want && got <= want + margin,
          "IA32_PMC1 (C2H) and IA32_FIXED_CTR1 (30AH) with %s counted %lu and "
          "%lu core cycles of a window %s; wanted the same, but for %lu",
          level_names[levels_of(piece, CYCLES_AT)], got, want,
          piece->crosses ? "at ring 0 and ring 3" : "at ring 0", margin);
}

static void judge_time(const struct piece *piece, unsigned place,
                       uint64_t counted)
{
    enum levels levels = levels_of(piece, place);
    bool none = levels == NEITHER || (levels == USR && !piece->crosses);
    char name[MSR_NAME_BYTES];

    /* Reference cycles come in steps: window_long() has several. */
    check(piece->t,
          none ? counted == 0
               : counted != 0 || (place == PLACE_FIXED0 + 2 && piece->crosses),
          "%s with %s counted %lu cycles of a window %s; wanted %s",
          msr_name(bank_msr(place), name), level_names[levels], counted,
          piece->crosses ? "at ring 0 and ring 3" : "at ring 0",
          none ? "0" : "some");
}

/* By the tables of events of these generations. */
static bool has_far_branches(const struct identity *id)
{
    return (identity_generation(id) &
            (HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE)) != 0;
}

static void judge_far(const struct piece *piece, const char *what,
                      uint64_t counted, uint64_t least, uint64_t most)
{
    check_known(piece->t, counted >= least && counted <= most,
                counted < least ? ERRATUM_CPL_FILTER_UNDERCOUNTS
                                : ERRATUM_BRANCHES_OF_THREAD_1,
                counted < least ||
                    test_sibling(piece->t) != test_processor(piece->t),
                "%s counted %lu far branches (C4H/40H) of a window with %u "
                "between ring 0 and ring 3; wanted %lu to %lu",
                what, counted, WINDOW_RING3_TRANSFERS, least, most);
}

/* BR_INST_RETIRED.FAR_BRANCH, C4H/40H, at each of the levels: each counts at
 * one of them. */
static bool try_far(const struct piece *piece, uint64_t places)
{
    struct bank before = bank_for(piece, places), after;
    uint64_t apart = 0;
    unsigned levels_apart = 0;

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            before.select[n] |= FAR_BRANCHES;

    /* Measured. */
    ring3_begin(piece->ring3);
    bool ok = bank_window(piece->t, &before, window_ring3, &after);
    ring3_end(piece->ring3);
    if (!ok)
        return false;

    /* Check. */
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        const enum levels levels = levels_of(piece, n);
        if ((places >> n & 1) == 0)
            continue;
        judge_far(piece, level_names[levels], after.pmc[n],
                  levels == BOTH ? WINDOW_RING3_TRANSFERS : 0,
                  levels == NEITHER ? 0 : WINDOW_RING3_TRANSFERS);
        if (n < LEVELS && (levels == OS || levels == USR)) {
            apart += after.pmc[n];
            levels_apart++;
        }
    }
    if (levels_apart == 2)
        judge_far(piece, "OS alone and USR alone together", apart,
                  WINDOW_RING3_TRANSFERS, WINDOW_RING3_TRANSFERS);
    return true;
}

/* False where it could not be tried. */
static bool try_piece(struct piece *piece, uint64_t places)
{
    struct bank before = bank_for(piece, places), after;

    /* Measured. */
    if (piece->crosses)
        ring3_begin(piece->ring3);
    bool ok = bank_window(piece->t, &before,
                          piece->crosses ? window_ring3 : window_long, &after);
    if (piece->crosses)
        ring3_end(piece->ring3);
    if (!ok)
        return false;

    /* Check. */
    if (piece->crosses && piece->ring3->ring3->vector != HW_NO_FAULT) {
        broken(piece->t, "%s at ring 3",
               fault_name((int)piece->ring3->ring3->vector));
        return false;
    }
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) == 0)
            continue;
        else if (counts_cycles(piece, p))
            judge_time(piece, p, *bank_value(&after, p));
        else
            judge_exact(piece, p, *bank_value(&after, p),
                        p != PLACE_FIXED0 && piece->branches);
    if (!piece->branches)
        judge_cycles(piece, places, &after);
    if (piece->crosses)
        judge_sum(piece, places, &after);
    return true;
}

TEST(counter_privilege,
     .asks = "Do USR and OS count what runs at ring 3 and at ring 0, each "
             "apart?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\": USR, OS; \"Architectural Performance Monitoring "
             "Version 2\": the enable field of IA32_FIXED_CTR_CTRL",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned trials = test_trials(t, 32, 8);
    uint64_t places = bank_claim(t);
    struct ring3_session ring3;
    struct piece piece = {.t = t, .ring3 = &ring3};

    if (places == 0 || !ring3_prepare(&ring3, t))
        return;
    for (unsigned i = 0; i < trials; i++) {
        hw_poll();
        piece.turn = i / 4;
        piece.interrupts = test_random(t);
        piece.crosses = i % 2 != 0;
        piece.branches = i % 4 < 2;
        if (!try_piece(&piece, places))
            return;
    }
    piece.branches = piece.crosses = true;
    for (piece.turn = 0; piece.turn < 2 && has_far_branches(test_cpu(t));
         piece.turn++)
        if (!try_far(&piece, places))
            return;
    if (piece.mixed != 0)
        observe(t,
                "changes of ring count neither all at the level that they "
                "leave nor all at that which they reach",
                piece.mixed, piece.crossed);
}
