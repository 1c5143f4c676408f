/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, for each value of the form of TSX_FORCE_ABORT of
 * June 2021. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/count_bounds.h"
#include "src/counting/counters.h"
#include "src/options/options.h"

#define CLEAR TSX_FORCE_ABORT_TSX_CPUID_CLEAR
#define SDV   TSX_FORCE_ABORT_SDV_ENABLE_RTM
#define ALL   (TSX_FORCE_ABORT_RTM_FORCE_ABORT | CLEAR | SDV)

/* Windows with two transactions, where XBEGIN is known not to raise #UD. */
static void count(struct test_context *t, uint64_t bits, unsigned windows)
{
    static const struct pmu_event event = EVENT_INSTRUCTIONS;
    unsigned counters = counters_available(test_cpu(t)), wrong = 0, pmc2 = 0;
    struct sample s = {{0}, 0, 0}, last = s;
    struct counters c;

    if (!counters_program(&c, t, counters, &event, true))
        return;
    for (unsigned i = 0; i < windows; i++) {
        if (!counters_sample(
                &c, (bits & CLEAR) != 0 ? window_plain : window_rtm, &s))
            return;
        unsigned outliers = count_outliers(s.gp, counters, s.gp[0], 0);
        if (outliers == 0)
            continue;
        pmc2 += outliers == 1u << 2;
        wrong++;
        last = s;
        counters_repair(&c);
    }
    /* Counter 2 alone, and beside aborts. */
    check_known(
        t, wrong == 0, ERRATUM_PMC2_OVER_ABORTS,
        pmc2 == wrong && last.aborted != 0,
        "TSX_FORCE_ABORT (10FH)[2:0] written with %u%u%u: IA32_PMC0-3 counted "
        "%lu %lu %lu %lu instructions of the same window, different in %u of "
        "%u; wanted equal counts",
        (unsigned)(bits >> 2), (unsigned)(bits >> 1 & 1), (unsigned)(bits & 1),
        last.gp[0], last.gp[1], last.gp[2], last.gp[3], wrong, windows);
}

TEST(counter3_any_force_abort,
     .asks = "Does counter 3 count like the others for each value of "
             "TSX_FORCE_ABORT?",
     .cite = "White paper 604224, section 2 (\"reliable regardless of the "
             "value of the TSX_FORCE_ABORT MSR\")",
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL | NEED_PMU,
               .counters = 4})
{
    unsigned windows = (test_trials(t, 500, 100) + 4) / 5, left_out = 0;
    uint64_t found;

    if (!counters_claim(t) || !get_msr(t, TSX_FORCE_ABORT, &found))
        return;
    for (uint64_t bits = 0; bits <= ALL; bits++) {
        if ((bits & SDV) != 0 && !test_allowed(t, ALLOW_SDV_ENABLE_RTM))
            left_out++;
        else if (set_msr(t, TSX_FORCE_ABORT, (found & ~ALL) | bits))
            count(t, bits, windows);
    }
    note(t, "%u values, %u windows each, on %u counters", 8 - left_out, windows,
         counters_available(test_cpu(t)));
    if (left_out != 0)
        note(t,
             "not tried: the %u values with [2] (SDV_ENABLE_RTM) set: needs "
             "the option allow=sdv_enable_rtm",
             left_out);
}
