/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed counter of the uncore counts its clock: while it is enabled, by its
 * own control and by the global one, and at a steady rate. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/uncore/uncore.h"

#define WINDOW_TSC 500000
/* The two windows of a pair may see two frequencies of the uncore, or a delay
 * between the reads of the two clocks: hence a tolerance, for most of the
 * pairs. */
#define PAIRS     6
#define TOLERANCE 4 /* one in four */
#define PER_TSC   1000

struct rate {
    uint64_t clock, tsc; /* how far each went */
};

static struct rate measure_rate(struct test_context *t)
{
    uint64_t tsc = hw_tsc();
    uint64_t clock = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    struct rate out;

    while (hw_tsc() - tsc < WINDOW_TSC)
        ;
    out.tsc = hw_tsc() - tsc;
    out.clock = msr_value(t, MSR_UNC_PERF_FIXED_CTR) - clock; /* from 0 on */
    return out;
}

static uint64_t per_tsc(struct rate r)
{
    return r.clock * PER_TSC / r.tsc;
}

static bool close_to(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= (a < b ? a : b) / TOLERANCE;
}

/* Windows with either enable missing. */
static void check_stopped(const struct uncore_counters *u)
{
    struct test_context *t = u->t;

    if (!set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN))
        return;
    struct rate global = measure_rate(t);
    check(t, global.clock == 0,
          "MSR_UNC_PERF_FIXED_CTR (395H) went on by %lu while EN [29] of "
          "MSR_UNC_PERF_GLOBAL_CTRL (%XH) was 0; wanted 0",
          global.clock, u->uncore->global_ctrl);
    if (!set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, 0) || !uncore_start(u))
        return;
    struct rate fixed = measure_rate(t);
    uncore_stop(u);
    check(t, fixed.clock == 0,
          "MSR_UNC_PERF_FIXED_CTR (395H) went on by %lu while bit 22 of "
          "MSR_UNC_PERF_FIXED_CTRL (394H) was 0; wanted 0",
          fixed.clock);
}

TEST(uncore_clock, .asks = "Does the uncore's fixed counter advance with time?",
     .cite = "SDM 3B, \"Uncore Performance Monitoring Facilities in the 4th "
             "Generation Intel Core Processors\", \"Uncore PMU MSR Summary\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct uncore_counters u;
    struct rate first, second;
    unsigned advanced = 0, steady = 0;

    /* Set-up. */
    if (!uncore_claim(&u, t))
        return;
    check_stopped(&u);
    if (!set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN) ||
        !uncore_start(&u))
        return;

    /* Measured. */
    for (unsigned i = 0; i < PAIRS; i++) {
        first = measure_rate(t);
        second = measure_rate(t);
        advanced += first.clock != 0 && second.clock != 0;
        steady += close_to(per_tsc(first), per_tsc(second));
    }
    uncore_stop(&u);

    /* Check. */
    check(t, advanced == PAIRS,
          "MSR_UNC_PERF_FIXED_CTR (395H) went on in both windows of %u of %u "
          "pairs; wanted all",
          advanced, PAIRS);
    check(t, steady > PAIRS / 2,
          "MSR_UNC_PERF_FIXED_CTR (395H) counted at the same rate in both "
          "windows of %u of %u pairs, last %lu and %lu in 1000 TSC cycles; "
          "wanted more than half, at most one in %u apart",
          steady, PAIRS, per_tsc(first), per_tsc(second), TOLERANCE);
    note(t, "the uncore's clock counts %lu in 1000 TSC cycles",
         per_tsc(second));
}
