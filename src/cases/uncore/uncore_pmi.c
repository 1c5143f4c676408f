/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter of the uncore that overflows says so in the status, stops the
 * uncore where FREEZE is set, and interrupts the processors of the core that is
 * selected: no other, and not unasked. That it does interrupt is observed: no
 * driver relies on it, and on Sandy Bridge it is called broken (Linux,
 * arch/x86/events/intel/uncore_snb.c). */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/uncore.h"

/* Short of overflow: clock ticks, or requests and lookups. Of the latter there
 * are LINES, over at most 8 C-Boxes. */
#define TICKS    1000
#define REQUESTS (LINES / 8)
#define WAIT_TSC 500000 /* for the ticks, and for the interrupt */

enum unit { FIXED, ARB, CBOX };

/* What is set, and what must come of it. */
struct row {
    const char *what;
    enum unit unit;
    bool debugctl, select, forward, freeze;
    unsigned interrupts;
};

static const struct row rows[] = {
    {"the fixed counter", FIXED, true, true, true, true, 1},
    {"a counter of the ARB unit", ARB, true, true, true, true, 1},
    {"a counter of a C-Box", CBOX, true, true, true, true, 1},
    {"the fixed counter, FREEZE = 0", FIXED, true, true, true, false, 1},
    {"the fixed counter, IA32_DEBUGCTL[13] = 0", FIXED, false, true, true, true,
     0},
    {"the fixed counter, no core selected", FIXED, true, false, true, true, 0},
    {"the fixed counter, overflow not forwarded", FIXED, true, true, false,
     true, 0},
};

/* What came of it. */
struct outcome {
    unsigned interrupts;
    uint64_t stale; /* status bits that could not be cleared beforehand */
    uint64_t written, ctrl, status, core_status;
    uint64_t count, later; /* the fixed counter; after some time more */
};

static bool preload(const struct uncore_counters *u, uint32_t select,
                    uint32_t counter, uint64_t event, uint64_t value)
{
    return set_msr_again(u->t, counter, value) &&
           set_msr_again(u->t, select, event | UNCORE_EN);
}

/* The one unit of the row counts towards an overflow, the fixed counter in any
 * case counts. */
static bool arm_counters(const struct uncore_counters *u, const struct row *row)
{
    const uint64_t forward = row->forward ? UNCORE_OVF_EN : 0;
    const uint64_t requests = BITS(UNCORE_COUNTER_BITS - 1, 0) - REQUESTS + 1;
    uint64_t clock;
    bool ok = uncore_clock_mask(u, &clock) &&
              preload(u, MSR_UNC_PERF_FIXED_CTRL, MSR_UNC_PERF_FIXED_CTR,
                      row->unit == FIXED ? forward : 0,
                      row->unit == FIXED ? clock - TICKS + 1 : 0);

    if (ok && row->unit == ARB)
        ok = preload(u, MSR_UNC_ARB_PERFEVTSEL(0), MSR_UNC_ARB_PERFCTR(0),
                     UNC_ARB_TRK_REQUESTS | forward, requests);
    else if (ok)
        ok = set_msr_again(u->t, MSR_UNC_ARB_PERFEVTSEL(0), 0);
    for (unsigned box = 0; ok && box < u->boxes; box++)
        ok = row->unit == CBOX
                 ? preload(u, uncore_box_select(box, 0),
                           uncore_box_counter(box, 0),
                           UNC_CBO_CACHE_LOOKUP_READ | forward, requests)
                 : set_msr_again(u->t, uncore_box_select(box, 0), 0);
    return ok;
}

static void wait_for_tsc(void)
{
    uint64_t from = hw_tsc();

    while (hw_tsc() - from < WAIT_TSC)
        ;
}

/* False where it could not be tried. */
static bool try_overflow(const struct uncore_counters *u, const struct row *row,
                         uint64_t cores, const struct lines *lines,
                         uint64_t debugctl, struct outcome *out)
{
    struct test_context *t = u->t;
    uint64_t ctrl =
        UNCORE_GLOBAL_EN | (row->freeze ? UNCORE_GLOBAL_FREEZE : 0) | cores;

    /* Set-up. */
    if (!uncore_stop(u) || !arm_counters(u, row) ||
        !set_msr(t, IA32_DEBUGCTL,
                 debugctl | (row->debugctl ? IA32_DEBUGCTL_UNCORE_PMI_EN : 0)))
        return false;
    out->stale = uncore_clear_status(u);
    if (!hw_pmi_begin(false)) {
        skip(t, "needs the local APIC, which is disabled (IA32_APIC_BASE[11])");
        return false;
    }

    /* The selects of cores that there are not need not hold. */
    if (!set_held_msr(t, u->uncore->global_ctrl, ctrl & ~UNCORE_GLOBAL_EN))
        return false;
    out->written = (ctrl & ~u->uncore->all_cores) |
                   (msr_value(t, u->uncore->global_ctrl) & ctrl);

    /* Measured. */
    bool ok = set_held_msr(t, u->uncore->global_ctrl, ctrl);
    lines_miss(lines);
    wait_for_tsc();
    out->ctrl = msr_value(t, u->uncore->global_ctrl);
    out->status = msr_value(t, u->uncore->global_status);
    out->core_status = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    out->count = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    wait_for_tsc();
    out->later = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    ok = uncore_stop(u) && ok;
    out->interrupts = hw_pmi_count();
    hw_pmi_end();
    uncore_clear_status(u);
    if ((out->core_status & IA32_PERF_GLOBAL_STATUS_OVF_UNCORE) != 0)
        counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_OVF_UNCORE);
    return ok;
}

/* Whether an overflow that is not forwarded is one for the status and for
 * FREEZE, the manual leaves open. */
static void judge_row(const struct uncore_counters *u, const struct row *row,
                      const struct outcome *o)
{
    static const uint64_t bits[] = {
        [FIXED] = UNCORE_STATUS_FIXED,
        [ARB] = UNCORE_STATUS_ARB,
        [CBOX] = UNCORE_STATUS_CBOX,
    };
    uint64_t bit = bits[row->unit];
    struct test_context *t = u->t;

    check(t, row->interrupts != 0 || o->interrupts == 0,
          "overflow of %s: %u performance-monitoring interrupts; wanted none",
          row->what, o->interrupts);
    if (!row->forward)
        return;
    check(t, (o->stale & bit) != 0 || (o->status & ~o->stale) == bit,
          "overflow of %s: MSR_UNC_PERF_GLOBAL_STATUS (%XH) is 0x%lx; wanted "
          "0x%lx",
          row->what, u->uncore->global_status, o->status, bit);
    /* Whether a freeze clears EN is not said. */
    const uint64_t open = row->freeze ? UNCORE_GLOBAL_EN : 0;
    const uint64_t want = o->written & ~open;
    check(t, ((o->ctrl ^ want) & ~open) == 0,
          "overflow of %s: MSR_UNC_PERF_GLOBAL_CTRL (%XH) was 0x%lx and is "
          "0x%lx; wanted 0x%lx",
          row->what, u->uncore->global_ctrl, o->written, o->ctrl, want);
    check(t, (o->later == o->count) == row->freeze,
          "overflow of %s: MSR_UNC_PERF_FIXED_CTR (395H) reads 0x%lx and then "
          "0x%lx; wanted it %s",
          row->what, o->count, o->later, row->freeze ? "stopped" : "to go on");
}

static void count_overflow(struct test_context *peer, void *argument)
{
    unsigned *count = argument;

    if ((msr_value(peer, IA32_PERF_GLOBAL_STATUS) &
         IA32_PERF_GLOBAL_STATUS_OVF_UNCORE) != 0)
        (void)__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* How many other processors have the bit. They are selected too, and whatever
 * has come to them until the end of the test is cleared then. */
static unsigned others_with_overflow(struct test_context *t)
{
    unsigned count = 0;

    (void)on_all_but(t, test_processor(t), count_overflow, &count);
    return count;
}

/* Each core selected alone: this processor is of one of them. */
static bool try_cores(const struct uncore_counters *u,
                      const struct lines *lines, uint64_t debugctl)
{
    static const struct row row = {"the fixed counter, one core selected",
                                   FIXED,
                                   true,
                                   true,
                                   true,
                                   true,
                                   1};
    unsigned interrupted = 0, cores = 0;

    for (uint64_t left = u->uncore->all_cores; left != 0; left &= left - 1) {
        struct outcome o;
        if (!try_overflow(u, &row, left & -left, lines, debugctl, &o))
            return false;
        judge_row(u, &row, &o);
        interrupted += o.interrupts != 0;
        cores++;
    }
    check(u->t, interrupted <= 1,
          "overflow of the fixed counter, with each of %u cores selected alone "
          "in MSR_UNC_PERF_GLOBAL_CTRL (%XH): %u of them interrupted this "
          "processor, which is of one core",
          cores, u->uncore->global_ctrl, interrupted);
    observe(u->t, "one core's select interrupts this processor",
            interrupted == 1, 1);
    return true;
}

TEST(uncore_pmi,
     .asks = "Does an overflow in the uncore interrupt, show in the status, "
             "and freeze?",
     .cite = "SDM 3B, \"Layout of MSR_UNC_PERF_GLOBAL_CTRL MSR for Uncore\"; "
             "SDM 3C, MSR_UNC_PERF_GLOBAL_STATUS",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct uncore_counters u;
    struct lines lines;
    uint64_t debugctl, stale = 0;
    unsigned seen = 0, tried = 0, missing = 0, before;

    /* No counter of the core may interrupt in between. */
    if (!counters_claim(t) || !uncore_claim(&u, t) ||
        !get_msr(t, IA32_DEBUGCTL, &debugctl))
        return;
    debugctl &= ~IA32_DEBUGCTL_UNCORE_PMI_EN;
    lines_choose(t, &lines);
    before = others_with_overflow(t);

    FOR_EACH_ROW (t, i, rows) {
        struct outcome o;
        if (!try_overflow(&u, &rows[i],
                          rows[i].select ? u.uncore->all_cores : 0, &lines,
                          debugctl, &o))
            return;
        judge_row(&u, &rows[i], &o);
        stale |= o.stale;
        if (rows[i].interrupts != 0) {
            tried++;
            missing += o.interrupts != 1;
            seen += (o.core_status & IA32_PERF_GLOBAL_STATUS_OVF_UNCORE) != 0;
        }
    }
    if (!try_cores(&u, &lines, debugctl))
        return;
    observe(t, "an overflow in the uncore does not interrupt once", missing,
            tried);
    if (stale != 0)
        note(
            t,
            "MSR_UNC_PERF_GLOBAL_STATUS (%XH): 0x%lx stays set after writes of "
            "1 and of 0, and was not judged",
            u.uncore->global_status, stale);
    observe(t, "Ovf_UncorePMU in IA32_PERF_GLOBAL_STATUS (38EH)[61]", seen,
            tried);
    if (hw_processors() > 1 && before == 0)
        observe(t, "the same on processors that IA32_DEBUGCTL[13] is 0 on",
                others_with_overflow(t), hw_processors() - 1);
}
