/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, with RTM_FORCE_ABORT set: it must count; also
 * where that is written again meanwhile. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"
#include "src/counting/bank.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define BRANCHES 0xc4

/* Two drivers of one processor may both ask for counter 3. `first` overflows,
 * or does not. */
static bool try_again(struct test_context *t, uint64_t places, uint64_t value,
                      uint64_t first)
{
    const uint64_t want = first + LIVE_BRANCHES;
    struct window_live live = {.rdpmc = 3,
                               .rdmsr = IA32_PMC(3),
                               .msr = TSX_FORCE_ABORT,
                               .value = {value, value}};
    struct bank before = bank_of(places & BITS(3, 0), BRANCHES), after;

    /* Measured. */
    before.live = true;
    before.cell = (uint64_t)(uintptr_t)&live;
    before.pmc[3] = first;
    if (!bank_window(t, &before, window_live, &after))
        return false;

    /* Check. */
    check(t,
          after.pmc[3] == (want & bank_mask(test_cpu(t), 3)) &&
              (after.status >> 3 & 1) == (want > bank_mask(test_cpu(t), 3)),
          "IA32_PMC3 (C4H) went from 0x%lx to 0x%lx in %u branches, "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx, where 0x%lx was written to "
          "TSX_FORCE_ABORT (10FH) again; wanted 0x%lx and [3] = %d, as without "
          "that",
          first, after.pmc[3], LIVE_BRANCHES, after.status, value,
          want & bank_mask(test_cpu(t), 3), want > bank_mask(test_cpu(t), 3));
    return true;
}

/* IN_TX: nothing is counted outside of transactions, by any counter. */
static void try_in_tx(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places, BRANCHES | IA32_PERFEVTSEL_IN_TX),
                after;

    /* Measured. */
    if (!bank_window(t, &before, window_plain, &after))
        return;

    /* Check. */
    for (unsigned n = 0; n <= 3; n++)
        check(t, after.pmc[n] == 0,
              "IA32_PMC%u (%XH) with IN_TX = 1 counted %lu branches of a "
              "window without transactions; wanted 0",
              n, IA32_PMC(n), after.pmc[n]);
}

TEST(counter3_counts_force_abort,
     .asks = "Does RTM_FORCE_ABORT = 1 make counter 3 count like the others?",
     .cite = "White paper 604224, appendix A and table A-1",
     .needs = {.regimes = REGIME_B,
               .features = NEED_INTEL | NEED_PMU | NEED_RTM,
               .counters = 4})
{
    const uint64_t bit = TSX_FORCE_ABORT_RTM_FORCE_ABORT;
    uint64_t value;

    /* Before counter 3 is programmed. */
    if (!force_abort_change(t, 0, bit, &value) || !rtm_usable(t))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[0] set", value & bit, bit);
    agreement_run(t, AGREEMENT_FORCED, counters_available(test_cpu(t)), true,
                  0);
    const uint64_t places = bank_claim(t);
    if ((places >> 3 & 1) != 0 && try_again(t, places, value, 0) &&
        try_again(t, places, value, bank_mask(test_cpu(t), 3)))
        try_in_tx(t, places);
}
