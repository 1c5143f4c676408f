/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, with RTM_FORCE_ABORT set: it must count. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

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
}
