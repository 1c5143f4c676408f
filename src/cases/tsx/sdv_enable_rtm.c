/* SPDX-License-Identifier: BSD-2-Clause */
/* Bit 2 of 10FH lets transactions commit again after the 2021 microcode. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define BIT0  TSX_FORCE_ABORT_RTM_FORCE_ABORT
#define CLEAR TSX_FORCE_ABORT_TSX_CPUID_CLEAR
#define SDV   TSX_FORCE_ABORT_SDV_ENABLE_RTM

/* Bits 0 and 2 of 10FH and CPUID.07H.0:EDX[11], which must follow. */
static void check_state(struct test_context *t, bool sdv, uint64_t value)
{
    struct enumeration leaves;

    enumeration_read(test_cpu(t), &leaves);
    check(t, ((value & SDV) != 0) == sdv,
          "TSX_FORCE_ABORT (10FH)[2] written with %d: reads 0x%lx", sdv, value);
    check(
        t, ((value & BIT0) != 0) == !sdv,
        "TSX_FORCE_ABORT (10FH)[0] while [2] is %d: reads 0x%lx, wanted [0] = "
        "%d",
        sdv, value, !sdv);
    check(t, ((leaves.leaf7.edx & LEAF7_EDX_RTM_ALWAYS_ABORT) != 0) == !sdv,
          "CPUID.07H.0:EDX = 0x%08x while TSX_FORCE_ABORT (10FH)[2] is %d; "
          "wanted [11] = %d",
          leaves.leaf7.edx, sdv, !sdv);
    check(t, (leaves.leaf7.edx & LEAF7_EDX_TSX_FORCE_ABORT) != 0,
          "CPUID.07H.0:EDX = 0x%08x while TSX_FORCE_ABORT (10FH)[2] is %d; "
          "wanted [13] = 1",
          leaves.leaf7.edx, sdv);
}

TEST(sdv_enable_rtm,
     .asks =
         "Does SDV_ENABLE_RTM = 1 lift the forced abort, and = 0 restore it?",
     .cite = "White paper 604224, section 2.1 and table 2.2-1",
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL})
{
    unsigned trials = test_trials(t, 1000, 100);
    struct rtm_tally on, off;
    uint64_t value;

    /* Set, with RTM enumerated: what XBEGIN does while it is hidden is the
     * question of tsx_cpuid_clear. */
    if (!force_abort_change(t, CLEAR, SDV, &value))
        return;
    check_state(t, true, value);
    rtm_try(trials, &on);
    WITH_PREFIX (t, "SDV_ENABLE_RTM = 1") {
        rtm_check_atomic(t, &on);
        check(t, on.faulted == 0, "XBEGIN raised %s, %u of %u; wanted none",
              fault_name(on.vector), on.faulted, on.tried);
        /* Each without a cause in EAX is the abort that is to be lifted. */
        check(t, on.forced < on.tried,
              "%u of %u transactions aborted with EAX = 0; wanted some that "
              "commit, or have a cause",
              on.forced, on.tried);
    }
    observe(t, "transactions commit with SDV_ENABLE_RTM = 1", on.committed,
            on.tried);

    /* Cleared: the default again. */
    if (!force_abort_change(t, CLEAR | SDV, 0, &value))
        return;
    check_state(t, false, value);
    rtm_try(trials, &off);
    WITH_PREFIX (t, "SDV_ENABLE_RTM = 0 again")
        rtm_check_forced(t, &off);
}
