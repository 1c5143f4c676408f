/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_MCU_OPT_CTRL (123H): while RTM_ALLOW is 0 all transactions abort, and
 * RTM_LOCKED keeps it 0; RNGDS_MITG_DIS is apart from both. */
#include "src/counting/ring3_forced.h"
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/options/options.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define ALLOW  IA32_MCU_OPT_CTRL_RTM_ALLOW
#define LOCKED IA32_MCU_OPT_CTRL_RTM_LOCKED
#define RNGDS  IA32_MCU_OPT_CTRL_RNGDS_MITG_DIS
#define TRIES  20

/* By what is found: microcode from before February of 2022 has RNGDS_MITG_DIS
 * alone. */
static bool has_allow(const struct test_context *t, uint64_t found)
{
    return test_cpu(t)->rtm_always_abort || (found & (ALLOW | LOCKED)) != 0;
}

/* With what 123H reads now. decides: it has RTM_ALLOW. */
static void check_state(struct test_context *t, bool decides, uint64_t want)
{
    const bool allowed = (want & ALLOW) != 0;
    uint64_t value = 0, ctrl = 0;
    struct enumeration now;
    struct rtm_tally tally;

    if (!get_msr(t, IA32_MCU_OPT_CTRL, &value))
        return;
    check_equal(t, "IA32_MCU_OPT_CTRL (123H)", value, want);
    if (!decides)
        return;
    enumeration_read(test_cpu(t), &now);
    check(t, ((now.leaf7.edx & LEAF7_EDX_RTM_ALWAYS_ABORT) != 0) == !allowed,
          "CPUID.07H.0:EDX = 0x%08x while RTM_ALLOW (123H[1]) is %d; wanted "
          "[11] = %d",
          now.leaf7.edx, allowed, !allowed);
    if ((now.leaf7.ebx & LEAF7_EBX_RTM) == 0)
        return;
    rtm_try(TRIES, &tally);
    rtm_check_atomic(t, &tally);
    if (!allowed) {
        rtm_check_forced(t, &tally);
        ring3_check_forced(t);
    } else if (try_get_msr(t, IA32_TSX_CTRL, &ctrl) == HW_NO_FAULT &&
               (ctrl & IA32_TSX_CTRL_RTM_DISABLE) == 0) {
        check(t, tally.committed != 0,
              "%u of %u transactions committed; wanted some", tally.committed,
              tally.tried);
    }
}

static bool write_and_check(struct test_context *t, const char *what,
                            bool decides, uint64_t value, uint64_t want)
{
    if (!set_msr(t, IA32_MCU_OPT_CTRL, value))
        return false;
    WITH_PREFIX (t, "%s", what)
        check_state(t, decides, want);
    return true;
}

/* "When 1, RTM_ALLOW is locked at zero, writes to RTM_ALLOW will be ignored":
 * a write of it does no harm then. Else 1 is written where it was, or where the
 * user has asked for what SDV_ENABLE_RTM is too. */
static void try_allow(struct test_context *t, uint64_t found)
{
    if ((found & LOCKED) != 0) {
        write_and_check(t, "RTM_LOCKED = 1, RTM_ALLOW written with 1", true,
                        found | ALLOW, found);
        return;
    }
    if ((found & ALLOW) == 0 && !test_allowed(t, ALLOW_SDV_ENABLE_RTM)) {
        note(t, "RTM_ALLOW (123H[1]) is 0 and not locked; not set: needs "
                "allow=sdv_enable_rtm");
        return;
    }
    if (write_and_check(t, "RTM_ALLOW written with 0", true, found & ~ALLOW,
                        found & ~ALLOW))
        write_and_check(t, "RTM_ALLOW written with 1", true, found | ALLOW,
                        found | ALLOW);
}

static void run_on_processor(struct test_context *t, void *unused)
{
    uint64_t found = 0;

    (void)unused;
    if (test_regime(t) != REGIME_F ||
        (test_cpu(t)->leaf7_edx & LEAF7_EDX_SRBDS_CTRL) == 0) {
        skip(t, "needs IA32_MCU_OPT_CTRL (123H): CPUID.7.0:EDX[9] "
                "(SRBDS_CTRL)");
        return;
    }
    if (!get_msr(t, IA32_MCU_OPT_CTRL, &found))
        return;
    check(t, (found & (ALLOW | LOCKED)) != (ALLOW | LOCKED),
          "IA32_MCU_OPT_CTRL (123H) = 0x%lx: RTM_ALLOW [1] is 1 though "
          "RTM_LOCKED [2] is",
          found);
    const bool decides = has_allow(t, found);
    WITH_PREFIX (t, "as found")
        check_state(t, decides, found);
    if (!write_and_check(t, "RNGDS_MITG_DIS changed", decides, found ^ RNGDS,
                         found ^ RNGDS) ||
        !set_msr(t, IA32_MCU_OPT_CTRL, found))
        return;
    if (decides)
        try_allow(t, found);
    restore_msrs(t);
}

/* One after the other: no document says that a core's threads have one each. */
TEST(tsx_mcu_opt_ctrl,
     .asks = "Do RTM_ALLOW and RTM_LOCKED of IA32_MCU_OPT_CTRL decide whether "
             "transactions abort?",
     .cite = "SDM 4, table \"IA-32 Architectural MSRs\", IA32_MCU_OPT_CTRL",
     .scope = WHOLE_MACHINE,
     .needs = {.regimes = REGIME_F, .features = NEED_INTEL})
{
    for (unsigned n = 0; n < hw_processors(); n++)
        if (!on_processor(t, n, run_on_processor, NULL))
            return;
}
