/* SPDX-License-Identifier: BSD-2-Clause */
/* What other tests try one by one, drawn together: where each counter starts,
 * whether its overflow interrupts, CMASK and E, ring 3. Whatever the others
 * do, each counts what the window has; bank_window() has the rest. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"
#include "src/uncore/uncore.h"

#define BRANCHES   0xc4
#define NEAR       8  /* events before an overflow, at most .. */
#define NEAR_FIXED 64 /* .. and instructions or cycles */

/* In the order in which they take turns. */
enum kind { PLAIN, IN_CYCLES, AT_EDGES, CROSSING, KINDS };
static const char *const kind_names[KINDS] = {
    [PLAIN] = "at ring 0",
    [IN_CYCLES] = "at ring 0, CMASK = 1",
    [AT_EDGES] = "at ring 0, CMASK = 1 and E",
    [CROSSING] = "at ring 0 and ring 3",
};

struct draw {
    struct test_context *t;
    struct ring3_session ring3;
    bool has_ring3;
    uint64_t places;
    enum kind kind;
    bool handled;   /* interrupts are taken, else masked in the local APIC */
    unsigned place; /* that asks for one where they are taken */
    struct bank before, after;
};

static void draw_place(struct draw *d, unsigned p)
{
    const uint64_t random = test_random(d->t);
    const uint64_t mask = bank_mask(test_cpu(d->t), p);
    const bool alone = d->handled && p == d->place;
    uint64_t start =
        mask - (random >> 8) % (p < PLACE_FIXED0 ? NEAR : NEAR_FIXED);

    if ((random & 1) != 0 && !alone)
        start = random >> 16 & mask >> 1;
    if (bank_can_hold(test_cpu(d->t), p, start))
        *bank_value(&d->before, p) = start;
    if (d->handled ? !alone : (random & 2) == 0)
        return;
    if (p < PLACE_FIXED0)
        d->before.select[p] |= IA32_PERFEVTSEL_INT;
    else
        d->before.fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(p - PLACE_FIXED0);
}

static void draw(struct draw *d, unsigned i)
{
    uint64_t select = BRANCHES;

    d->kind = (enum kind)(i % (d->has_ring3 ? KINDS : CROSSING));
    d->handled = (i / KINDS) % 2 != 0;
    if (d->kind == IN_CYCLES || d->kind == AT_EDGES)
        select |= UINT64_C(1) << 24;
    if (d->kind == AT_EDGES)
        select |= IA32_PERFEVTSEL_E;
    do
        d->place = (unsigned)(test_random(d->t) %
                              (PLACE_FIXED0 + bank_fixed(test_cpu(d->t))));
    while ((d->places >> d->place & 1) == 0);
    d->before = bank_of(d->places, select);
    d->before.pmi = d->handled ? BANK_PMI : BANK_PMI_MASKED;
    d->before.cell = (uintptr_t)d->ring3.ring3;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((d->places >> p & 1) != 0)
            draw_place(d, p);
}

/* Those that have overflowed with their interrupt enabled. */
static uint64_t interrupting(const struct draw *d)
{
    uint64_t set = 0;

    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((d->before.select[n] & IA32_PERFEVTSEL_INT) != 0)
            set |= BIT(n);
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((d->before.fixed_ctrl & IA32_FIXED_CTR_CTRL_PMI(n)) != 0)
            set |= BIT(PLACE_FIXED0 + n);
    return set & d->after.status;
}

static struct count_bounds bounds_of(const struct draw *d, bool branches)
{
    const struct window_shape *kernel =
        d->kind == CROSSING ? &window_ring3_kernel_shape : &window_long_shape;
    uint64_t events = branches ? kernel->branches : kernel->instructions;

    if (d->kind == CROSSING)
        events += WINDOW_RING3_TRANSFERS +
                  (branches ? window_ring3_user_shape.branches
                            : window_ring3_user_shape.instructions);
    /* The WRMSR that closes may count as an instruction, not as a branch. */
    return (struct count_bounds){events, branches ? events : events + 1};
}

static void judge_place(struct draw *d, unsigned p)
{
    const struct count_bounds want = bounds_of(d, p < PLACE_FIXED0);
    const uint64_t from = *bank_value(&d->before, p);
    const uint64_t counted =
        (*bank_value(&d->after, p) - from) & bank_mask(test_cpu(d->t), p);
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum =
        bank_erratum(p, p == PLACE_FIXED0, counted, want, &signature);

    if (p > PLACE_FIXED0)
        return;
    check_known(d->t,
                counted >= want.least &&
                    (counted <= want.most || d->after.interrupts != 0),
                erratum, signature,
                "%s, from 0x%lx on, counted %lu of a window %s; wanted %lu to "
                "%lu%s",
                msr_name(bank_msr(p), name), from, counted, kind_names[d->kind],
                want.least, want.most,
                d->after.interrupts != 0 ? ", or more by the handler" : "");
}

/* False where it could not be tried. */
static bool try_draw(struct draw *d)
{
    struct test_context *t = d->t;

    /* Measured. */
    if (d->kind == CROSSING)
        ring3_begin(&d->ring3);
    bool ok = bank_window(t, &d->before,
                          d->kind == CROSSING ? window_ring3 : window_long,
                          &d->after);
    if (d->kind == CROSSING)
        ring3_end(&d->ring3);
    if (!ok)
        return false;

    /* Check. */
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((d->places >> p & 1) != 0)
            judge_place(d, p);
    const uint64_t asked = d->handled ? interrupting(d) : 0;
    check(t, (d->after.interrupts != 0) == (asked != 0),
          "a window %s, interrupts %s: the counters 0x%lx overflowed "
          "with theirs enabled, and %u came; wanted %s",
          kind_names[d->kind], d->handled ? "taken" : "masked", interrupting(d),
          d->after.interrupts, asked != 0 ? "one or more" : "none");
    return true;
}

/* Bits that an overflow has nothing to do with, to see that they stay; LBR is
 * lbr_freeze_on_pmi's. */
static bool set_debugctl(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    uint64_t bits = 0, found;

    if ((id->perf_capabilities & IA32_PERF_CAPABILITIES_FREEZE_WHILE_SMM) != 0)
        bits |= IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN;
    if (uncore_of(id) != NULL)
        bits |= IA32_DEBUGCTL_UNCORE_PMI_EN;
    return get_msr(t, IA32_DEBUGCTL, &found) &&
           set_msr(t, IA32_DEBUGCTL, found | bits);
}

TEST(counters_mixed,
     .asks = "Does each counter count and overflow alike, whatever its "
             "settings and the others are?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\" to \"Version 3\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned trials = 2 * test_trials(t, 10, 8);
    struct draw d = {.t = t, .places = bank_claim(t)};

    if (d.places == 0 || !set_debugctl(t))
        return;
    d.has_ring3 = ring3_prepare(&d.ring3, t);
    for (unsigned i = 0; i < trials; i++) {
        hw_poll();
        draw(&d, i);
        if (!try_draw(&d))
            return;
    }
}
