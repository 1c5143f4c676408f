/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters 4 to 7 count in every regime, whatever becomes of counter 3. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

TEST(counters_above_3,
     .asks = "Do the counters above 3 count like the others in every regime?",
     .cite = "White paper 604224, section 1.2 (\"General purpose counters "
             "beyond 3 .. can still be used\")",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 5})
{
    bool rtm = test_cpu(t)->rtm;
    uint64_t value;

    /* The state that is hardest on counter 3: RTM working, where it can. */
    if (test_regime(t) == REGIME_B &&
        !force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0, &value))
        return;
    if (rtm && !rtm_usable(t))
        return;
    agreement_run(t, rtm ? AGREEMENT_RTM : AGREEMENT_PLAIN,
                  counters_available(test_cpu(t)), false, 4);
}
