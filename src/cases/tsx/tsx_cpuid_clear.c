/* SPDX-License-Identifier: BSD-2-Clause */
/* Bit 1 of 10FH hides RTM and HLE from CPUID, and nothing else. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/ring3_forced.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define CLEAR TSX_FORCE_ABORT_TSX_CPUID_CLEAR

/* The paper does not say what XBEGIN does while RTM is hidden. */
static void observe_xbegin(struct test_context *t)
{
    struct rtm_tally tally;

    rtm_try(test_trials(t, 100, 10), &tally);
    WITH_PREFIX (t, "TSX_CPUID_CLEAR = 1")
        rtm_check_atomic(t, &tally);
    observe(t, "XBEGIN raises #UD while TSX_CPUID_CLEAR = 1",
            tally.vector == HW_UD ? tally.faulted : 0, tally.tried);
    observe(t, "transactions abort while TSX_CPUID_CLEAR = 1", tally.aborted,
            tally.tried);
    observe(t, "transactions commit while TSX_CPUID_CLEAR = 1", tally.committed,
            tally.tried);
}

TEST(tsx_cpuid_clear,
     .asks = "Does TSX_CPUID_CLEAR = 1 hide RTM and HLE, and = 0 show them?",
     .cite = "White paper 604224, table 2.2-1",
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL})
{
    const uint32_t hidden = LEAF7_EBX_RTM | LEAF7_EBX_HLE;
    struct enumeration before, during, after, want;
    uint64_t value;

    /* Set-up: shown. */
    if (!force_abort_change(t, CLEAR, 0, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[1] cleared", value & CLEAR, 0);
    enumeration_read(test_cpu(t), &before);
    check(
        t, (before.leaf7.ebx & LEAF7_EBX_RTM) != 0,
        "CPUID.07H.0:EBX = 0x%08x with TSX_CPUID_CLEAR = 0; wanted [11] (RTM) "
        "= 1",
        before.leaf7.ebx);

    /* Measured: hidden, and only these two bits. */
    if (!force_abort_change(t, 0, CLEAR, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[1] set", value & CLEAR, CLEAR);
    enumeration_read(test_cpu(t), &during);
    want = before;
    want.leaf7.ebx &= ~hidden;
    enumeration_check(t, "with TSX_CPUID_CLEAR = 1", &during, &want);
    ring3_check_leaf7(t);
    observe_xbegin(t);

    /* Check: shown again. */
    if (!force_abort_change(t, CLEAR, 0, &value))
        return;
    check_equal(t, "TSX_FORCE_ABORT (10FH)[1] cleared again", value & CLEAR, 0);
    enumeration_read(test_cpu(t), &after);
    enumeration_check(t, "with TSX_CPUID_CLEAR = 0 again", &after, &before);
}
