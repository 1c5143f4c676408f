/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter that overflows interrupts once where it is told to, through the
 * local APIC's entry, which is masked by that; else it does not. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES   0xc4
#define CYCLES     0x3c
#define CYCLES_FEW 64 /* of the window's, which are hundreds */
#define BEFORE     8  /* instructions before those that overflow together */

/* What is asked of one counter, while all count. */
struct row {
    const char *what;
    bool overflows, enabled; /* it alone */
    bool others;             /* have their interrupts enabled */
    enum bank_pmi pmi;
    bool cycles; /* its event, several at once */
};

static const struct row rows[] = {
    {"overflows with its interrupt enabled", true, true, false, BANK_PMI,
     false},
    {"overflows by cycles, many an instruction, with its interrupt enabled",
     true, true, false, BANK_PMI, true},
    {"overflows, its interrupt delivered as NMI, RFLAGS.IF = 0", true, true,
     false, BANK_PMI_AS_NMI, false},
    {"overflows with its interrupt enabled, and masked in the local APIC", true,
     true, false, BANK_PMI_MASKED, false},
    {"overflows with its interrupt enabled, RFLAGS.IF = 0 until later", true,
     true, false, BANK_PMI_HELD, false},
    {"overflows with its interrupt enabled, CR8 = 15 until later", true, true,
     false, BANK_PMI_OUTRANKED, false},
    {"overflows with its interrupt disabled", true, false, false, BANK_PMI,
     false},
    {"counts without overflow, with its interrupt enabled", false, true, false,
     BANK_PMI, false},
    {"overflows with its interrupt disabled, and those of all others enabled",
     true, false, true, BANK_PMI, false},
};

static bool delivered(const struct row *row)
{
    return row->overflows && row->enabled && row->pmi != BANK_PMI_MASKED;
}

/* "Task Priority in IA-32e Mode": CR8 holds off the classes up to its own. */
static bool waits(const struct row *row)
{
    return row->pmi == BANK_PMI_HELD || row->pmi == BANK_PMI_OUTRANKED;
}

static bool is_in_window(const struct bank *after)
{
    return after->rip >= (uintptr_t)window_long &&
           after->rip < (uintptr_t)window_long_end;
}

static struct bank bank_for(struct test_context *t, uint64_t places, unsigned p,
                            const struct row *row)
{
    struct bank bank = bank_of(places, BRANCHES);

    bank.pmi = row->pmi;
    if (row->cycles)
        bank.select[p] ^= BRANCHES ^ CYCLES;
    if (row->overflows) /* by its second event; time, soon */
        *bank_value(&bank, p) = bank_mask(test_cpu(t), p) -
                                (p > PLACE_FIXED0 ? 0
                                 : row->cycles    ? test_random(t) % CYCLES_FEW
                                                  : 1);
    for (unsigned n = 0; n < PLACES_END; n++) {
        if ((places >> n & 1) == 0 || !(n == p ? row->enabled : row->others))
            continue;
        if (n < PLACE_FIXED0)
            bank.select[n] |= IA32_PERFEVTSEL_INT;
        else
            bank.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(n - PLACE_FIXED0);
    }
    return bank;
}

/* From Ice Lake on a division takes a third of the cycles. */
static bool divides_slowly(struct test_context *t)
{
    const enum generation generation = identity_generation(test_cpu(t));

    return generation != GENERATION_UNKNOWN && generation < ICE_LAKE;
}

/* How long an interrupt takes no manual says: where divisions are fast it may
 * come when the window is over. Then it is a figure, and the counters stood
 * still in its handler. */
static bool came_late(struct test_context *t, const struct bank *after)
{
    return !divides_slowly(t) && after->interrupts != 0 && !is_in_window(after);
}

/* One that is taken after the WRMSR that closes the window: none counts then.
 */
static bool came_at_close(const struct bank *after)
{
    return is_in_window(after) && after->rip > (uintptr_t)window_long_closing;
}

/* "Counters continue counting during hardware interrupts .. and inside
 * interrupt handlers." */
static void judge_counts(struct test_context *t, uint64_t places, unsigned p,
                         const struct row *row, const struct bank *after)
{
    const bool handled = delivered(row) && !waits(row) &&
                         !came_late(t, after) && !came_at_close(after);
    const uint64_t branches = window_long_shape.branches;
    char name[MSR_NAME_BYTES], other[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0 && n != p)
            check(
                t,
                handled ? after->pmc[n] > branches : after->pmc[n] == branches,
                "%s %s: %s counted %lu branches of the window, which has "
                "%lu%s",
                msr_name(bank_msr(p), name), row->what,
                msr_name(IA32_PMC(n), other), after->pmc[n], branches,
                handled ? "; wanted those of the interrupt's handler too" : "");
}

static void judge(struct test_context *t, unsigned p, const struct row *row,
                  const struct bank *after)
{
    unsigned want = delivered(row) ? 1 : 0;
    char name[MSR_NAME_BYTES];

    msr_name(bank_msr(p), name);
    check(t, (after->status >> p & 1) == row->overflows,
          "%s %s: IA32_PERF_GLOBAL_STATUS (38EH)[%u] is %lu; wanted %u", name,
          row->what, p, after->status >> p & 1, row->overflows);
    check_known(t, after->interrupts == want, ERRATUM_PMI_REPEATED,
                want == 1 && after->interrupts > 1,
                "%s %s: %u performance-monitoring interrupts; wanted %u", name,
                row->what, after->interrupts, want);
    if (want == 0 || after->interrupts == 0)
        return;
    if (waits(row)) {
        check(t, !is_in_window(after),
              "%s %s: the interrupt came at RIP 0x%lx, in the window; wanted "
              "it after that was undone",
              name, row->what, after->rip);
        return;
    }
    /* One that is repeated comes before the entry was unmasked, and after. */
    const bool repeated = after->interrupts > 1;
    check_known(
        t, after->masked == after->interrupts, ERRATUM_PMI_REPEATED,
        repeated && after->masked != 0,
        "%s %s: %u of %u interrupts left the mask flag [16] of the local "
        "APIC's LVT performance counter entry 0; wanted it 1",
        name, row->what, after->interrupts - after->masked, after->interrupts);
    if (came_late(t, after)) {
        observe(t, "the interrupt of an overflow comes after the window", 1, 1);
        return;
    }
    check_known(
        t, is_in_window(after), ERRATUM_PMI_REPEATED, repeated,
        "%s %s: the interrupt came at RIP 0x%lx, not in the window that "
        "counted, 0x%lx to 0x%lx",
        name, row->what, after->rip, (uintptr_t)window_long,
        (uintptr_t)window_long_end);
}

/* Every counter overflows in one window, and each asks for an interrupt: one
 * comes at least, and no overflow is lost over another. */
static bool try_together(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places, BRANCHES), after;
    unsigned most = 0; /* one of each */

    before.pmi = BANK_PMI;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0) {
            *bank_value(&before, p) = bank_mask(test_cpu(t), p);
            most++;
        }
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (before.select[n] != 0)
            before.select[n] |= IA32_PERFEVTSEL_INT;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0)
            before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(n);

    /* Measured. */
    if (!bank_window(t, &before, window_long, &after))
        return false;

    /* Check. */
    check_known(t, after.interrupts >= 1 && after.interrupts <= most,
                ERRATUM_PMI_REPEATED, after.interrupts > most,
                "all of %u counters overflow with their interrupts enabled: %u "
                "performance-monitoring interrupts; wanted 1 to %u",
                most, after.interrupts, most);
    check(t, ((after.status | after.stale) & places) == places,
          "all of %u counters overflow with their interrupts enabled: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted 0x%lx",
          most, after.status, places);
    return true;
}

/* A counter and IA32_FIXED_CTR0, which overflow by the same instruction and
 * both ask for an interrupt. */
static bool try_beside_fixed(struct test_context *t, unsigned n)
{
    const uint64_t both = BIT(n) | BIT(PLACE_FIXED0);
    struct bank before = bank_of(both, EVENT_INST_RETIRED), after;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    before.pmi = BANK_PMI;
    before.pmc[n] = bank_mask(test_cpu(t), n) - BEFORE;
    before.fixed[0] = bank_mask(test_cpu(t), PLACE_FIXED0) - BEFORE;
    before.select[n] |= IA32_PERFEVTSEL_INT;
    before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(0);
    if (!bank_window(t, &before, window_long, &after))
        return false;

    /* Check. */
    msr_name(IA32_PMC(n), name);
    check_known(t, after.interrupts == 1 || after.interrupts == 2,
                ERRATUM_PMI_REPEATED, after.interrupts > 2,
                "%s and IA32_FIXED_CTR0 (309H) overflow by the same "
                "instruction with their interrupts enabled: %u "
                "performance-monitoring interrupts; wanted 1 or 2",
                name, after.interrupts);
    check(t, ((after.status | after.stale) & both) == both,
          "%s and IA32_FIXED_CTR0 (309H) overflow by the same instruction: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted 0x%lx",
          name, after.status, both);
    return true;
}

/* A counter that is written in the window, so that it overflows twice, while
 * its status bit stays 1: "an exception .. on counter overflow", on each. */
static bool try_twice(struct test_context *t, uint64_t places, unsigned p)
{
    const uint64_t last = bank_mask(test_cpu(t), p);
    struct window_live live = {.rdpmc = 0,
                               .rdmsr = bank_msr(p),
                               .msr = bank_msr(p),
                               .value = {0, last}};
    struct bank before = bank_of(places, BRANCHES), after;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    before.pmi = BANK_PMI;
    before.live = true;
    before.cell = (uint64_t)(uintptr_t)&live;
    *bank_value(&before, p) = last;
    if (p < PLACE_FIXED0)
        before.select[p] |= IA32_PERFEVTSEL_INT;
    else
        before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(p - PLACE_FIXED0);
    if (!bank_window(t, &before, window_live, &after))
        return false;

    /* Check. */
    /* The second is lost where it comes before the handler of the first has
     * cleared the entry's mask flag. */
    const bool lost = after.interrupts == 1 && !divides_slowly(t);
    check_known(t, after.interrupts == 2 || lost, ERRATUM_PMI_REPEATED,
                after.interrupts > 2,
                "%s overflows twice, and its bit of IA32_PERF_GLOBAL_STATUS "
                "(38EH) is not cleared: %u performance-monitoring interrupts; "
                "wanted 2",
                msr_name(bank_msr(p), name), after.interrupts);
    return true;
}

/* When it reaches an instruction is known but for errata (HSD140, HSD143). */
static bool has_place(struct test_context *t, unsigned p)
{
    struct erratum_found found;

    return p < PLACE_FIXED0 ||
           (p == PLACE_FIXED0 &&
            !errata_find(test_cpu(t), ERRATUM_FIXED0_32_MORE, &found) &&
            !errata_find(test_cpu(t), ERRATUM_INSTRUCTIONS_INCONSISTENT,
                         &found));
}

/* "An exception .. on counter overflow", not for one that was before: the
 * window's first branch is the overflow, the registers are written later, and
 * the status is not cleared. Or it is between the two writes: not of cycles. */
static bool try_afterwards(struct test_context *t, uint64_t places, unsigned p)
{
    const bool fixed = p >= PLACE_FIXED0;
    const struct bank quiet = bank_of(places, BRANCHES);
    const uint32_t own = fixed ? IA32_FIXED_CTR_CTRL : IA32_PERFEVTSEL(p);
    const uint64_t until =
        fixed ? window_live_shape.instructions - LIVE_AFTER - LIVE_BETWEEN / 2
              : LIVE_FIRST + 1;
    const uint64_t select = fixed ? quiet.fixed_ctrl : quiet.select[p],
                   asking = select |
                            (fixed ? IA32_FIXED_CTR_CTRL_PMI(p - PLACE_FIXED0)
                                   : IA32_PERFEVTSEL_INT);
    const struct {
        const char *what;
        uint64_t select;
        uint32_t msr;
        uint64_t first, second;
        unsigned interrupts;
        bool between; /* the overflow is */
    } writes[] = {
        {"its interrupt enabled after its overflow", select, own, asking,
         select, 0, false},
        {"its interrupt enabled while it counts, before its overflow", select,
         own, asking, select, 1, true},
        {"its interrupt disabled while it counts, before its overflow", asking,
         own, select, asking, 0, true},
        {"disabled and enabled after its overflow", asking,
         IA32_PERF_GLOBAL_CTRL, places & ~BIT(p), places, 1, false},
        {"its status cleared after its overflow", asking,
         IA32_PERF_GLOBAL_OVF_CTRL, BIT(p), BIT(p), 1, false},
    };
    char name[MSR_NAME_BYTES];

    for (unsigned i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        struct window_live live = {
            .rdpmc = 0,
            .rdmsr = bank_msr(p),
            .msr = writes[i].msr,
            .value = {writes[i].first, writes[i].second}};
        struct bank before = quiet, after;

        if (writes[i].between && !has_place(t, p))
            continue;
        /* Measured. */
        before.pmi = BANK_PMI;
        before.live = true;
        before.cell = (uint64_t)(uintptr_t)&live;
        *bank_value(&before, p) =
            bank_mask(test_cpu(t), p) - (writes[i].between ? until : 0);
        if (fixed)
            before.fixed_ctrl = writes[i].select;
        else
            before.select[p] = writes[i].select;
        if (!bank_window(t, &before, window_live, &after))
            return false;

        /* Check. */
        check_known(t, after.interrupts == writes[i].interrupts,
                    ERRATUM_PMI_REPEATED,
                    after.interrupts > writes[i].interrupts,
                    "%s, %s: %u performance-monitoring interrupts; wanted %u",
                    msr_name(bank_msr(p), name), writes[i].what,
                    after.interrupts, writes[i].interrupts);
    }
    return true;
}

TEST(counter_pmi,
     .asks = "Does each counter interrupt once at its overflow, where told to?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\", \"Layout of IA32_FIXED_CTR_CTRL MSR\"; SDM 3A, "
             "\"Local Vector Table\", \"Task Priority in IA-32e Mode\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    for (unsigned p = 0; p < PLACES_END; p++)
        for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            struct bank before, after;
            if ((places >> p & 1) == 0 || (rows[i].cycles && p >= PLACE_FIXED0))
                continue;
            /* Measured. */
            before = bank_for(t, places, p, &rows[i]);
            if (!bank_window(t, &before, window_long, &after))
                return;
            /* Check. */
            judge(t, p, &rows[i], &after);
            judge_counts(t, places, p, &rows[i], &after);
        }
    if (!try_together(t, places))
        return;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0 && (places >> PLACE_FIXED0 & 1) != 0 &&
            !try_beside_fixed(t, n))
            return;
    /* Reference cycles may come in steps that leave out the end. */
    for (unsigned p = 0; p < PLACE_FIXED0 + 2; p++)
        if ((places >> p & 1) != 0 &&
            (!try_twice(t, places, p) || !try_afterwards(t, places, p)))
            return;
}
