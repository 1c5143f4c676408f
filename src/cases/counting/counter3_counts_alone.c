/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 beside the others, with no transaction anywhere. */
#include "src/harness/case.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/agreement.h"

TEST(counter3_counts_alone,
     .asks = "Does counter 3 count like the others while nothing uses RTM?",
     .cite = "White paper 604224, sections 1.2 and 2; SDM 3B, \"Architectural "
             "Performance Monitoring Version 2\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 4})
{
    agreement_run(t, AGREEMENT_PLAIN, counters_available(test_cpu(t)),
                  counter3_is_reliable(t), 0);
}
