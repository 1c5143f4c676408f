/* SPDX-License-Identifier: BSD-2-Clause */
/* USR and OS apart: what runs at ring 3 is counted where USR is set, what runs
 * at ring 0 where OS is. The window is at both, and crosses over four times. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define FAR_BRANCHES 0x40c4
#define PERIOD       2 /* undercounted at a change of level (SKL117) */

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
    bool crosses; /* window_ring3(), else window_plain() at ring 0 */
    bool branches;
    unsigned turn;
};

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
        bank.select[n] &= ~(IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS);
        bank.select[n] |= ((levels & OS) != 0 ? IA32_PERFEVTSEL_OS : 0) |
                          ((levels & USR) != 0 ? IA32_PERFEVTSEL_USR : 0);
    }
    bank.fixed_ctrl = 0;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            bank.fixed_ctrl |= (uint64_t)levels_of(piece, n) << 4 * n;
    bank.cell = (uintptr_t)piece->ring3->ring3;
    return bank;
}

/* What a counter may count: a crossing at the level that it leaves, or at that
 * which it reaches; of two each way both come to the same. The WRMSR that
 * closes may count as an instruction of ring 0. */
static struct count_bounds bounds_of(const struct piece *piece,
                                     enum levels levels, bool branches)
{
    const struct window_shape *kernel =
        piece->crosses ? &window_ring3_kernel_shape : &window_plain_shape;
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

/* The erratum that a count outside its bounds may be of. */
static enum erratum erratum_of(const struct piece *piece, unsigned place,
                               uint64_t counted, struct count_bounds want,
                               bool branches, bool *signature)
{
    const enum levels levels = levels_of(piece, place);
    struct erratum_found found;

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
    if (!piece->crosses || levels == NEITHER || levels == BOTH)
        return;
    /* As many of them lead to ring 3 as to ring 0. */
    const uint64_t half = want.least + WINDOW_RING3_TRANSFERS / 2;
    want = (struct count_bounds){half, half + (levels == OS && !branches)};
    erratum = erratum_of(piece, place, counted, want, branches, &signature);
    check_known(
        t, counted >= want.least && counted <= want.most, erratum, signature,
        "%s with %s counted %lu %s: of the %u changes of ring neither "
        "those that leave that level nor those that reach it; wanted "
        "%lu",
        name, level_names[levels], counted,
        branches ? "branches" : "instructions", WINDOW_RING3_TRANSFERS, half);
}

static void judge_time(const struct piece *piece, unsigned place,
                       uint64_t counted)
{
    enum levels levels = levels_of(piece, place);
    bool none = levels == NEITHER || (levels == USR && !piece->crosses);
    char name[MSR_NAME_BYTES];

    /* Reference cycles come in steps. */
    check(piece->t,
          none ? counted == 0 : counted != 0 || place == PLACE_FIXED0 + 2,
          "%s with %s counted %lu cycles of a window %s; wanted %s",
          msr_name(bank_msr(place), name), level_names[levels], counted,
          piece->crosses ? "at ring 0 and ring 3" : "at ring 0",
          none ? "0" : "some");
}

/* By the tables of events of these generations. */
static bool has_far_branches(const struct identity *id)
{
    return (generation_of(id->family, id->model) &
            (HASWELL | BROADWELL | SKYLAKE)) != 0;
}

/* BR_INST_RETIRED.FAR_BRANCH, C4H/40H, at each of the levels. */
static bool try_far(const struct piece *piece, uint64_t places)
{
    struct bank before = bank_for(piece, places), after;
    char name[MSR_NAME_BYTES];

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
        const uint64_t want = levels == BOTH      ? WINDOW_RING3_TRANSFERS
                              : levels == NEITHER ? 0
                                                  : WINDOW_RING3_TRANSFERS / 2;
        if ((places >> n & 1) != 0)
            check_known(piece->t, after.pmc[n] == want,
                        after.pmc[n] < want ? ERRATUM_CPL_FILTER_UNDERCOUNTS
                                            : ERRATUM_BRANCHES_OF_THREAD_1,
                        after.pmc[n] < want ||
                            test_sibling(piece->t) != test_processor(piece->t),
                        "%s with %s counted %lu far branches (C4H/40H) of a "
                        "window with %u between ring 0 and ring 3; wanted %lu",
                        msr_name(IA32_PMC(n), name), level_names[levels],
                        after.pmc[n], WINDOW_RING3_TRANSFERS, want);
    }
    return true;
}

/* False where it could not be tried. */
static bool try_piece(const struct piece *piece, uint64_t places)
{
    struct bank before = bank_for(piece, places), after;

    /* Measured. */
    if (piece->crosses)
        ring3_begin(piece->ring3);
    bool ok = bank_window(piece->t, &before,
                          piece->crosses ? window_ring3 : window_plain, &after);
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
        else if (p > PLACE_FIXED0)
            judge_time(piece, p, *bank_value(&after, p));
        else
            judge_exact(piece, p, *bank_value(&after, p),
                        p != PLACE_FIXED0 && piece->branches);
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
}
