/* SPDX-License-Identifier: BSD-2-Clause */
/* XEND raises #GP where no transaction runs; with LOCK before it, it and the
 * others of RTM raise #UD. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"

static const struct row {
    const char *name;
    const uint8_t *body;
} locked[] = {
    {"LOCK XBEGIN", tsx_body_lock_xbegin},
    {"LOCK XEND", tsx_body_lock_xend},
    {"LOCK XABORT", tsx_body_lock_xabort},
    {"LOCK XTEST", tsx_body_lock_xtest},
};

TEST(tsx_xend_outside,
     .asks =
         "Does XEND outside a transaction raise #GP, and LOCK before XBEGIN, "
         "XEND, XABORT and XTEST #UD?",
     .cite = "SDM 2, XBEGIN, XEND, XABORT and XTEST, exceptions",
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
    FOR_EACH_ROW (t, i, locked) {
        struct tsx_block block = {.body = locked[i].body};
        int outcome = tsx_outside(&block);
        check(t, outcome == HW_UD,
              "%s outside a transaction: got %s, wanted #UD", locked[i].name,
              outcome == TSX_RAN ? "no exception" : fault_name(outcome));
    }
}
