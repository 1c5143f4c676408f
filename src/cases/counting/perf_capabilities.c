/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_CAPABILITIES, and IA32_MISC_ENABLE's bits of the same kind, against
 * what is there: where a bit says no, it is not. (Where it says yes:
 * counter_registers, counter3_full_width_alias, pebs_record_layout.) */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counters.h"

/* SDM 3B, "Layout of IA32_PERF_CAPABILITIES MSR"; of the formats of LBR those
 * up to 000111B are defined. */
#define LBR_FMT     BITS(5, 0)
#define LBR_FMT_MAX 7
#define SMM_FREEZE  BIT(12)

/* A register that a bit says is not there takes no write. */
static void check_absent(struct test_context *t, const char *what, uint32_t msr,
                         uint64_t bits)
{
    uint64_t found = 0;
    int vector = try_get_msr(t, msr, &found);

    if (vector == HW_NO_FAULT)
        vector = try_set_msr(t, msr, found ^ bits);
    check(t, vector == HW_GP,
          "%s, and MSR %XH takes a write that changes 0x%lx: got %s, wanted "
          "#GP",
          what, msr, bits, fault_name(vector));
}

/* By a bit that was read: without DS there is none, and a guest may be refused
 * the register. */
static bool denies_pebs(struct test_context *t)
{
    uint64_t misc = 0;

    return test_cpu(t)->ds &&
           try_get_msr(t, IA32_MISC_ENABLE, &misc) == HW_NO_FAULT &&
           (misc & IA32_MISC_ENABLE_PEBS_UNAVAILABLE) != 0;
}

TEST(perf_capabilities,
     .asks = "Is what IA32_PERF_CAPABILITIES and IA32_MISC_ENABLE deny not "
             "there?",
     .cite = "SDM 3B, \"Layout of IA32_PERF_CAPABILITIES MSR\"; SDM 4, "
             "IA32_MISC_ENABLE, IA32_DEBUGCTL",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct identity *id = test_cpu(t);
    const uint64_t says = id->perf_capabilities;

    if (!id->pdcm) {
        skip(t, "needs IA32_PERF_CAPABILITIES (CPUID.1:ECX[15])");
        return;
    }
    if (!counters_claim(t))
        return;
    check(t, (says & LBR_FMT) <= LBR_FMT_MAX || id->perfmon_version > 4,
          "IA32_PERF_CAPABILITIES (345H) is 0x%lx: LBR_FMT [5:0] is %lu; "
          "wanted %u at most",
          says, says & LBR_FMT, LBR_FMT_MAX);
    if ((says & SMM_FREEZE) == 0)
        check_absent(t, "IA32_PERF_CAPABILITIES (345H)[12] is 0", IA32_DEBUGCTL,
                     IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN);
    if (!id->full_width_writes)
        for (unsigned n = 0; n < counters_available(id); n++)
            check_absent(t, "IA32_PERF_CAPABILITIES (345H)[13] is 0",
                         IA32_A_PMC(n), 1);
    if (denies_pebs(t))
        check_absent(t, "IA32_MISC_ENABLE (1A0H)[12] is 1: PEBS is unavailable",
                     IA32_PEBS_ENABLE, 1);
}
