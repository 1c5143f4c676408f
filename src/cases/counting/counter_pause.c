/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_GLOBAL_CTRL written with 0 in the middle of a workload, and with
 * the same value again: counted are the two parts, not what lies between. So it
 * is where one field of a select is changed for as long, and that counter alone
 * is paused. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/cpu/generation.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define FROM         0x100000 /* every counter; so that a reset would show */
#define RETURNS      UINT64_C(0x0800) /* umask; window_live() has none */
#define CMASK_16     BITS(31, 28) /* 16 and up: more than retire in a cycle */

static void judge(struct test_context *t, const char *event, unsigned place,
                  uint64_t counted, uint64_t least, uint64_t most)
{
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum =
        bank_erratum(place, most != least, counted,
                     (struct count_bounds){least, most}, &signature);

    check_known(t, counted >= least && counted <= most, erratum, signature,
                "%s, paused by IA32_PERF_GLOBAL_CTRL (38FH) = 0 in between: %s "
                "counted %ld; wanted %lu to %lu",
                event, msr_name(bank_msr(place), name), (long)counted, least,
                most);
}

/* The fields by which a select stops to count branches at ring 0. */
enum field { BY_EN, BY_OS, BY_CMASK, BY_UMASK, FIELDS };
static const char *const field_names[FIELDS] = {
    [BY_EN] = "EN [22]",
    [BY_OS] = "OS [17]",
    [BY_CMASK] = "CMASK [31:24]",
    [BY_UMASK] = "the umask [15:8]",
};

/* SDM 3B, tables of events of 06_2AH and later: C4H/08H, near returns. */
static bool has_returns(struct test_context *t)
{
    return (identity_generation(test_cpu(t)) &
            (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE |
             SINCE_ICE_LAKE)) != 0;
}

/* With other bits at random that stop nothing: INT, USR, and INV, which CMASK =
 * 0 has ignored; or alone. */
static uint64_t paused_by(struct test_context *t, enum field field, bool alone,
                          uint64_t select)
{
    const uint64_t random = test_random(t);
    uint64_t other = select;

    if (!alone)
        other ^= random & (IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_USR);
    if (!alone && field != BY_CMASK)
        other |= random & IA32_PERFEVTSEL_INV;
    switch (field) {
    case BY_EN:
        return other & ~IA32_PERFEVTSEL_EN;
    case BY_OS:
        return other & ~IA32_PERFEVTSEL_OS;
    case BY_CMASK:
        return other | (random & CMASK_16) | BIT(28 + (random >> 32) % 4);
    default:
        return other | RETURNS;
    }
}

/* False where it could not be tried. */
static bool try_field(struct test_context *t, uint64_t places, unsigned n,
                      enum field field, bool alone)
{
    struct bank before = bank_of(places, BRANCHES), after;
    struct window_live live = {
        .rdpmc = n,
        .rdmsr = IA32_PMC(n),
        .msr = IA32_PERFEVTSEL(n),
        .value = {paused_by(t, field, alone, before.select[n]),
                  before.select[n]}};
    char name[MSR_NAME_BYTES];

    /* Measured. */
    if (!bank_live(t, &before, &live, &after))
        return false;

    /* Check. */
    for (unsigned m = 0; m < COUNTERS_MAX; m++) {
        const uint64_t want = LIVE_BRANCHES - (m == n ? LIVE_SECOND : 0);

        if ((places >> m & 1) != 0)
            check(t, after.pmc[m] == want,
                  "IA32_PERFEVTSEL%u (%XH) was 0x%lx instead of 0x%lx for %u "
                  "branches, which stops it by %s: %s counted %lu of %u; "
                  "wanted %lu",
                  n, IA32_PERFEVTSEL(n), live.value[0], live.value[1],
                  LIVE_SECOND, field_names[field], msr_name(IA32_PMC(m), name),
                  after.pmc[m], LIVE_BRANCHES, want);
    }
    return true;
}

TEST(counter_pause,
     .asks = "Does a pause by IA32_PERF_GLOBAL_CTRL, or by a select, leave out "
             "what it spans, and nothing else?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"Layout of IA32_PERF_GLOBAL_CTRL MSR\", \"Layout of "
             "IA32_PERFEVTSELx MSRs\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned trials = test_trials(t, 20, 1);
    const uint64_t branches = window_paused_shape.branches;
    const uint64_t instructions = window_paused_shape.instructions;
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    for (unsigned i = 0; i < trials; i++) {
        const bool of_branches = i % 2 == 0;
        struct bank after,
            before = bank_of(places, of_branches ? BRANCHES : INSTRUCTIONS);

        for (unsigned p = 0; p < PLACES_END; p++)
            if ((places >> p & 1) != 0)
                *bank_value(&before, p) = FROM;
        /* Measured. */
        if (!bank_window(t, &before, window_paused, &after))
            return;
        /* Check. Each WRMSR that closes may count as one more. */
        for (unsigned p = 0; p < PLACES_END; p++) {
            if ((places >> p & 1) == 0 || p > PLACE_FIXED0)
                continue;
            uint64_t counted = *bank_value(&after, p) - FROM;
            if (p != PLACE_FIXED0 && of_branches)
                judge(t, "branches", p, counted, branches, branches);
            else
                judge(t, "instructions", p, counted, instructions,
                      instructions + 2);
        }
    }
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        for (unsigned field = 0; field < FIELDS; field++)
            if ((places >> n & 1) != 0 &&
                (field != BY_UMASK || has_returns(t)) &&
                (!try_field(t, places, n, (enum field)field, true) ||
                 !try_field(t, places, n, (enum field)field, false)))
                return;
}
