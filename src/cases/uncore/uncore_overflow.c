/* SPDX-License-Identifier: BSD-2-Clause */
/* Each counter of each C-Box and of the ARB unit that overflows goes on from 0,
 * sets the bit of its kind of unit in the status, and no other's, and stops
 * all where FREEZE is set; with the global enable at 0 none counts. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/uncore.h"

#define TRIES 3

/* One register pair, and what counts there. */
struct unit {
    uint32_t select, counter;
    uint64_t event, status;
    const char *kind;
    unsigned box, n;
};

/* What came of a window in which it alone counts, from its last value on. */
struct outcome {
    uint64_t stale; /* status bits that could not be cleared beforehand */
    uint64_t ctrl, status, count, select;
    uint64_t again; /* the status, read a second time */
    uint64_t pair;  /* the unit's other counter, which does not count */
    uint64_t fixed; /* MSR_UNC_PERF_FIXED_CTR, which does */
    bool stands;    /* it read the same twice, before all was stopped */
    uint64_t later; /* the unit counted in a second window, with FREEZE */
};

/* What the two begin with. */
#define PAIR_HELD   UINT64_C(0x5a5a5a5a5a5)
#define FIXED_BEGUN UINT64_C(0x5a5a5a50000)

static uint32_t pair_counter(const struct unit *unit)
{
    return unit->n == 0 ? unit->counter + 1 : unit->counter - 1;
}

static struct unit box_unit(unsigned box, unsigned n)
{
    return (struct unit){.select = uncore_box_select(box, n),
                         .counter = uncore_box_counter(box, n),
                         .event = UNC_CBO_CACHE_LOOKUP_READ,
                         .status = UNCORE_STATUS_CBOX,
                         .kind = "C-Box",
                         .box = box,
                         .n = n};
}

static struct unit arb_unit(unsigned n)
{
    return (struct unit){.select = MSR_UNC_ARB_PERFEVTSEL(n),
                         .counter = MSR_UNC_ARB_PERFCTR(n),
                         .event = UNC_ARB_TRK_REQUESTS,
                         .status = UNCORE_STATUS_ARB,
                         .kind = "ARB unit",
                         .n = n};
}

/* No core is selected for an interrupt. */
static bool run_window(const struct uncore_counters *u, const struct unit *unit,
                       const struct lines *lines, uint64_t ctrl, uint64_t start,
                       struct outcome *out)
{
    struct test_context *t = u->t;

    out->stale = uncore_clear_status(u);
    if (!set_msr_again(t, unit->counter, start) ||
        !set_msr_again(t, pair_counter(unit), PAIR_HELD) ||
        !set_msr_again(t, MSR_UNC_PERF_FIXED_CTR, FIXED_BEGUN) ||
        !set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN) ||
        !set_msr_again(t, unit->select,
                       unit->event | UNCORE_EN | UNCORE_OVF_EN) ||
        !set_held_msr(t, u->uncore->global_ctrl, ctrl))
        return false;
    lines_miss(lines);
    out->ctrl = msr_value(t, u->uncore->global_ctrl);
    out->stands = msr_value(t, MSR_UNC_PERF_FIXED_CTR) ==
                  msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    out->later = msr_value(t, unit->counter);
    if ((ctrl & UNCORE_GLOBAL_FREEZE) != 0)
        lines_miss(lines);
    out->later = msr_value(t, unit->counter) - out->later;
    if (!uncore_stop(u))
        return false;
    out->status = msr_value(t, u->uncore->global_status);
    out->again = msr_value(t, u->uncore->global_status);
    out->count = msr_value(t, unit->counter);
    out->select = msr_value(t, unit->select);
    out->pair = msr_value(t, pair_counter(unit));
    out->fixed = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    uncore_clear_status(u);
    return set_msr_again(t, unit->select, 0) &&
           check(t, msr_value(t, unit->counter) == out->count,
                 "%s %u, counter %u (%XH), at 0x%lx, is 0x%lx after its select "
                 "(%XH) was written with 0; wanted no change",
                 unit->kind, unit->box, unit->n, unit->counter, out->count,
                 msr_value(t, unit->counter), unit->select);
}

static void check_overflow(const struct uncore_counters *u,
                           const struct unit *unit, const struct outcome *o,
                           bool freeze)
{
    const uint64_t new_bits = o->status & ~o->stale;
    struct test_context *t = u->t;

    check(
        t, o->again == o->status,
        "MSR_UNC_PERF_GLOBAL_STATUS (%XH) reads 0x%lx, and then 0x%lx; wanted "
        "no change by reading",
        u->uncore->global_status, o->status, o->again);
    check(t, (o->stale & unit->status) != 0 || new_bits == unit->status,
          "overflow of %s %u, counter %u (%XH): MSR_UNC_PERF_GLOBAL_STATUS "
          "(%XH) is 0x%lx; wanted 0x%lx",
          unit->kind, unit->box, unit->n, unit->counter,
          u->uncore->global_status, o->status, unit->status);
    /* Whether EN [29] shows it is not said. */
    check(t, freeze ? o->stands : (o->ctrl & UNCORE_GLOBAL_EN) != 0,
          "overflow of %s %u, counter %u (%XH) with FREEZE [31] = %u: "
          "MSR_UNC_PERF_GLOBAL_CTRL (%XH) is 0x%lx, MSR_UNC_PERF_FIXED_CTR "
          "(%XH) %s; wanted %s",
          unit->kind, unit->box, unit->n, unit->counter, freeze,
          u->uncore->global_ctrl, o->ctrl, MSR_UNC_PERF_FIXED_CTR,
          o->stands ? "stands still" : "goes on",
          freeze ? "the counters to stand still" : "EN [29] = 1");
    check(
        t, !freeze || o->later == 0,
        "overflow of %s %u, counter %u (%XH) with FREEZE [31] = 1: it counted "
        "%lu of %u reads flushed out after it; wanted 0",
        unit->kind, unit->box, unit->n, unit->counter, o->later, LINES);
    check(t, o->count <= 4 * LINES,
          "overflow of %s %u, counter %u (%XH): it holds 0x%lx after it; "
          "wanted it to go on from 0",
          unit->kind, unit->box, unit->n, unit->counter, o->count);
    check(t, o->pair == PAIR_HELD && o->fixed >= FIXED_BEGUN,
          "overflow of %s %u, counter %u (%XH), FREEZE [31] = %u: %XH, which "
          "does not count, went from 0x%lx to 0x%lx, MSR_UNC_PERF_FIXED_CTR "
          "(%XH) from 0x%lx to 0x%lx; wanted the first as it was, the second "
          "not less",
          unit->kind, unit->box, unit->n, unit->counter, freeze,
          pair_counter(unit), PAIR_HELD, o->pair, MSR_UNC_PERF_FIXED_CTR,
          FIXED_BEGUN, o->fixed);
}

/* The global enable can be set again, the status is as it was, and counters
 * take a write, one that counts too. */
static bool try_enabled(const struct uncore_counters *u,
                        const struct unit *unit, uint64_t status)
{
    struct test_context *t = u->t;

    if (!set_held_msr(t, u->uncore->global_ctrl, UNCORE_GLOBAL_EN))
        return false;
    uint64_t ctrl = msr_value(t, u->uncore->global_ctrl);
    uint64_t now = msr_value(t, u->uncore->global_status);
    if (!set_msr_again(t, unit->counter, PAIR_HELD) ||
        !set_msr_again(t, MSR_UNC_PERF_FIXED_CTR, FIXED_BEGUN) ||
        !set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN | UNCORE_OVF_EN) ||
        !set_msr_again(t, unit->select, 0))
        return false;
    uint64_t written = msr_value(t, u->uncore->global_status);
    uint64_t fixed = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    if (!uncore_stop(u))
        return false;
    check(t, (status & ~now) == 0,
          "MSR_UNC_PERF_GLOBAL_STATUS (%XH) was 0x%lx, and is 0x%lx after EN "
          "[29] of MSR_UNC_PERF_GLOBAL_CTRL was set; wanted no bit cleared",
          u->uncore->global_status, status, now);
    check(t, (now & ~written) == 0,
          "MSR_UNC_PERF_GLOBAL_STATUS (%XH) was 0x%lx, and is 0x%lx after "
          "counters and selects of the uncore, and 394H, were written; wanted "
          "no bit cleared",
          u->uncore->global_status, now, written);
    check(t, (ctrl & UNCORE_GLOBAL_EN) != 0,
          "MSR_UNC_PERF_GLOBAL_CTRL (%XH) is 0x%lx after EN [29] was set with "
          "MSR_UNC_PERF_GLOBAL_STATUS (%XH) = 0x%lx; wanted [29] = 1",
          u->uncore->global_ctrl, ctrl, u->uncore->global_status, status);
    check_equal(t, "a counter of a C-Box, written with EN [29] = 1",
                msr_value(t, unit->counter), PAIR_HELD);
    return check(t, fixed - FIXED_BEGUN < BIT(32),
                 "MSR_UNC_PERF_FIXED_CTR (%XH), written with 0x%lx as it "
                 "counted, is 0x%lx; wanted it to go on from there",
                 MSR_UNC_PERF_FIXED_CTR, FIXED_BEGUN, fixed);
}

/* A counter of each kind near its overflow, all in one window: each that has
 * gone through 0 is in the status, beside the others. */
static bool try_all(const struct uncore_counters *u, const struct lines *lines)
{
    const uint64_t last = BITS(UNCORE_COUNTER_BITS - 1, 0);
    uint64_t mask = 0;
    struct test_context *t = u->t;
    struct unit units[UNCORE_BOXES_MAX + 1];
    uint64_t stale = uncore_clear_status(u), want = 0;
    bool ok = uncore_clock_mask(u, &mask);
    const uint64_t late = mask - 8;

    ok = ok && set_msr_again(t, MSR_UNC_PERF_FIXED_CTR, late) &&
         set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN | UNCORE_OVF_EN);

    for (unsigned i = 0; ok && i <= u->boxes; i++) {
        units[i] = i < u->boxes ? box_unit(i, 0) : arb_unit(0);
        ok = set_msr_again(t, units[i].counter, last) &&
             set_msr_again(t, units[i].select,
                           units[i].event | UNCORE_EN | UNCORE_OVF_EN);
    }
    if (!ok || !set_held_msr(t, u->uncore->global_ctrl, UNCORE_GLOBAL_EN))
        return false;
    lines_miss(lines);
    if (!uncore_stop(u))
        return false;
    uint64_t status = msr_value(t, u->uncore->global_status);
    for (unsigned i = 0; i <= u->boxes; i++) {
        uint64_t count = msr_value(t, units[i].counter);
        want |= count != last ? units[i].status : 0;
        check_equal(t, "a counter of the uncore, read a second time",
                    msr_value(t, units[i].counter), count);
        ok = set_msr_again(t, units[i].select, 0) && ok;
    }
    if (msr_value(t, MSR_UNC_PERF_FIXED_CTR) < late)
        want |= UNCORE_STATUS_FIXED;
    ok = ok && try_enabled(u, &units[0], status);
    uncore_clear_status(u);
    if (!ok)
        return false;
    return check(t, (status & ~stale) == (want & ~stale),
                 "counters of C-Boxes, of the ARB unit and the fixed one near "
                 "their overflow in one window: MSR_UNC_PERF_GLOBAL_STATUS "
                 "(%XH) is 0x%lx; wanted 0x%lx, by which of them have gone "
                 "through 0",
                 u->uncore->global_status, status, want);
}

/* How many of the lines are this C-Box's is not known before. False where it
 * could not be tried; *judged and *cleared count. */
static bool try_unit(const struct uncore_counters *u, const struct unit *unit,
                     const struct lines *lines, unsigned *judged,
                     unsigned *cleared)
{
    const uint64_t last = BITS(UNCORE_COUNTER_BITS - 1, 0);
    const uint64_t low = BITS(31, 0); /* from there a carry goes on */
    const uint64_t want = unit->event | UNCORE_EN | UNCORE_OVF_EN;
    struct outcome plain, off, carry, over, frozen, again;

    /* The least of some: code that is met for the first time, or an SMI, only
     * adds. */
    if (!run_window(u, unit, lines, UNCORE_GLOBAL_EN, 0, &plain))
        return false;
    for (unsigned i = 1; i < TRIES; i++) {
        if (!run_window(u, unit, lines, UNCORE_GLOBAL_EN, 0, &again))
            return false;
        again.status |= plain.status & ~plain.stale;
        plain.status |= again.status & ~again.stale;
        if (again.count < plain.count)
            plain = again;
    }
    if (!run_window(u, unit, lines, 0, 0, &off))
        return false;
    check(u->t, off.count == 0,
          "%s %u, counter %u (%XH) counted %lu while EN [29] of "
          "MSR_UNC_PERF_GLOBAL_CTRL (%XH) was 0",
          unit->kind, unit->box, unit->n, unit->counter, off.count,
          u->uncore->global_ctrl);
    check(u->t, (plain.status & ~plain.stale) == 0,
          "%s %u, counter %u (%XH) went from 0 to %lu, and "
          "MSR_UNC_PERF_GLOBAL_STATUS (%XH) is 0x%lx; wanted 0, no overflow",
          unit->kind, unit->box, unit->n, unit->counter, plain.count,
          u->uncore->global_status, plain.status);
    if (plain.count == 0)
        return true;
    if (!run_window(u, unit, lines, UNCORE_GLOBAL_EN, low, &carry) ||
        !run_window(u, unit, lines, UNCORE_GLOBAL_EN, last, &over) ||
        !run_window(u, unit, lines, UNCORE_GLOBAL_EN | UNCORE_GLOBAL_FREEZE,
                    last, &frozen))
        return false;
    check(u->t,
          carry.count > low && 2 * (carry.count - low) >= plain.count &&
              (carry.status & ~carry.stale) == 0,
          "%s %u, counter %u (%XH) went from 0x%lx to 0x%lx, and counted %lu "
          "before; MSR_UNC_PERF_GLOBAL_STATUS (%XH) is 0x%lx; wanted as many, "
          "and no overflow",
          unit->kind, unit->box, unit->n, unit->counter, low, carry.count,
          plain.count, u->uncore->global_status, carry.status);
    check_overflow(u, unit, &over, false);
    check(
        u->t, 2 * (over.count + 1) >= plain.count && over.select == want,
        "overflow of %s %u, counter %u (%XH), FREEZE [31] = 0: it counted %lu "
        "after it, of %lu without overflow, and its select is 0x%lx; wanted "
        "it to go on, and 0x%lx",
        unit->kind, unit->box, unit->n, unit->counter, over.count, plain.count,
        over.select, want);
    check_overflow(u, unit, &frozen, true);
    ++*judged;
    *cleared += (frozen.stale & unit->status) == 0;
    return true;
}

TEST(uncore_overflow,
     .asks = "Does each counter of the uncore that overflows show in the "
             "status, and freeze?",
     .cite =
         "SDM 3B, \"Layout of Uncore PERFEVTSEL MSR for a C-Box Unit or the "
         "ARB Unit\", \"Layout of MSR_UNC_PERF_GLOBAL_CTRL MSR for "
         "Uncore\"; SDM 3C, MSR_UNC_PERF_GLOBAL_STATUS",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct uncore_counters u;
    struct lines lines;
    unsigned judged = 0, cleared = 0;

    /* Set-up. */
    if (!uncore_claim(&u, t))
        return;
    lines_choose(t, &lines);

    /* Measured, and checked one by one. */
    for (unsigned i = 0; i < 2 * u.boxes; i++) {
        const struct unit unit = box_unit(i / 2, i % 2);
        if (!try_unit(&u, &unit, &lines, &judged, &cleared))
            return;
    }
    for (unsigned n = 0; n < 2; n++) {
        const struct unit unit = arb_unit(n);
        if (!try_unit(&u, &unit, &lines, &judged, &cleared))
            return;
    }
    if (!try_all(&u, &lines))
        return;
    check(t, judged > 2,
          "only %u of %u counters of C-Boxes and the ARB unit counted any of "
          "%u reads flushed out",
          judged, 2 * u.boxes + 2, LINES);
    /* How, the manual does not say. */
    observe(t, "MSR_UNC_PERF_GLOBAL_STATUS can be cleared by a write of 1 or 0",
            cleared, judged);
}
