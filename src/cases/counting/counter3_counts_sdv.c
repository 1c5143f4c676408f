/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, with transactions that SDV_ENABLE_RTM permits.
 */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

TEST(counter3_counts_sdv,
     .asks = "Does counter 3 count like the others with SDV_ENABLE_RTM = 1?",
     .cite = "White paper 604224, section 2 (\"reliable regardless of the "
             "value of the TSX_FORCE_ABORT MSR\") and table 2.2-1",
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL | NEED_PMU,
               .counters = 4})
{
    const uint64_t sdv = TSX_FORCE_ABORT_SDV_ENABLE_RTM;
    uint64_t value;

    /* RTM shown as well: XBEGIN while it is hidden is tsx_cpuid_clear's. */
    if (!force_abort_change(t, TSX_FORCE_ABORT_TSX_CPUID_CLEAR, sdv, &value) ||
        !rtm_usable(t))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[2] set", value & sdv, sdv);
    agreement_run(t, AGREEMENT_RTM, counters_available(test_cpu(t)), true, 0);
}
