/* SPDX-License-Identifier: BSD-2-Clause */
/* Regime C: RTM always aborts, and bit 0 of 10FH says so and cannot be changed.
 */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/abort_reach.h"
#include "src/counting/ring3_forced.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"
#include "src/tsx/state.h"

#define BIT0 TSX_FORCE_ABORT_RTM_FORCE_ABORT

/* A write of this value to bit 0 changes nothing and raises nothing. */
static void check_ignored(struct test_context *t, uint64_t found, uint64_t bit)
{
    uint64_t after = 0;
    int vector = try_set_msr(t, TSX_FORCE_ABORT, (found & ~BIT0) | bit);

    check(t, vector == HW_NO_FAULT,
          "WRMSR of 0x%lx to TSX_FORCE_ABORT (10FH)[0]: got %s, wanted "
          "the write ignored",
          bit, fault_name(vector));
    if (get_msr(t, TSX_FORCE_ABORT, &after))
        check(t, after == found,
              "TSX_FORCE_ABORT (10FH) after writing 0x%lx to [0]: got 0x%lx, "
              "wanted 0x%lx as before",
              bit, after, found);
}

TEST(always_abort_default,
     .asks = "Does RTM always abort by default, whatever is written to bit 0?",
     .cite = "White paper 604224, section 2 and table 2.2-1",
     .needs = {.regimes = REGIME_C, .features = NEED_INTEL | NEED_RTM})
{
    struct enumeration leaves;
    struct rtm_tally tally;
    uint64_t found;

    /* Set-up: bit 0 as it is found, and writes to it. */
    if (!get_msr(t, TSX_FORCE_ABORT, &found))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[0] by default", found & BIT0, BIT0);
    check_ignored(t, found, 0);
    check_ignored(t, found, BIT0);
    try_set_msr(t, TSX_FORCE_ABORT, found & ~BIT0);

    /* Measured: with 0 written last. */
    rtm_try(test_trials(t, 10000, 10000), &tally);

    /* Check. */
    WITH_PREFIX (t, "after 0 was written to RTM_FORCE_ABORT")
        rtm_check_forced(t, &tally);
    note(t, "%u of %u transactions aborted", tally.aborted, tally.tried);
    enumeration_read(test_cpu(t), &leaves);
    check_equal(t, "CPUID.07H.0:EDX[11] (RTM_ALWAYS_ABORT)",
                (leaves.leaf7.edx & LEAF7_EDX_RTM_ALWAYS_ABORT) != 0, 1);
    state_check_forced(t, (test_trials(t, 500, 100) + 4) / 5);
    abort_reach_observe(t);
    ring3_check_forced(t);
}
