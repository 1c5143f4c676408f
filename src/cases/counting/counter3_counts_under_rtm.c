/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, with two transactions in every window. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

TEST(counter3_counts_under_rtm,
     .asks = "Does counter 3 count like the others while RTM is in use?",
     .cite = "White paper 604224, sections 1.2 and 2; SDM 3B, \"Performance "
             "Monitoring and Intel TSX\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 4})
{
    uint64_t value;

    /* The state of a driver that knows nothing of the bit. */
    if (test_regime(t) == REGIME_B &&
        !force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0, &value))
        return;
    if (!rtm_usable(t))
        return;
    agreement_run(t,
                  test_regime(t) == REGIME_C ? AGREEMENT_FORCED : AGREEMENT_RTM,
                  counters_available(test_cpu(t)), counter3_is_reliable(t), 0);
}
