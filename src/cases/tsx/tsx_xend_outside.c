/* SPDX-License-Identifier: BSD-2-Clause */
/* XEND raises #GP where no transaction runs. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"

TEST(tsx_xend_outside, .asks = "Does XEND outside a transaction raise #GP?",
     .cite = "SDM 2, XEND, exceptions",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    unsigned tries = test_trials(t, 100, 1), other = 0;
    int last = HW_GP;

    /* Set-up: where it would end a transaction. */
    if (!probe_set_up(t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < tries; i++) {
        struct tsx_block block = {.body = tsx_body_xend};
        hw_poll();
        int outcome = tsx_outside(&block);
        if (outcome != HW_GP) {
            other++;
            last = outcome;
        }
    }

    /* Check. */
    check(t, other == 0,
          "XEND outside a transaction: %u of %u raised something else, at last "
          "%s; wanted #GP",
          other, tries, fault_name(last));
}
