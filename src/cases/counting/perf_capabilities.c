/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_CAPABILITIES, and IA32_MISC_ENABLE's bits of the same kind, against
 * what is there: where a bit says no, it is not. (Where it says yes:
 * counter_registers, counter3_full_width_alias, pebs_record_layout.) */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counters.h"

/* SDM 3B, "Layout of IA32_PERF_CAPABILITIES MSR"; of the formats of LBR those
 * up to 000111B are defined. Where records are architectural, which a guest may
 * have with an older version, it is 111111B. */
#define LBR_FMT     BITS(5, 0)
#define LBR_FMT_MAX 7
#define SMM_FREEZE  BIT(12)

/* A register that a bit says is not there takes no write. Hypervisors may take
 * their guests' accesses to what is not there. */
static void check_absent(struct test_context *t, const char *what, uint32_t msr,
                         uint64_t bits)
{
    uint64_t found = 0;
    int vector = try_get_msr(t, msr, &found);

    if (vector == HW_NO_FAULT)
        vector = try_set_msr(t, msr, found ^ bits);
    check(t, vector == HW_GP || !identity_is_native(test_cpu(t)),
          "%s, and MSR %XH takes a write that changes 0x%lx: got %s, wanted "
          "#GP",
          what, msr, bits, fault_name(vector));
}

/* What tells of counters and records is of the core, and its threads say the
 * same, where no firmware (IA32_MISC_ENABLE[22]) or hypervisor hides a leaf. */
static void check_threads(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const unsigned first = test_sibling(t);
    const struct identity *other = test_cpu_of(t, first);
    const struct {
        const char *what;
        uint64_t here, there;
    } says[] = {
        {"CPUID.0AH:EAX", id->leaf0a_eax, other->leaf0a_eax},
        {"CPUID.0AH:EBX", id->leaf0a_ebx, other->leaf0a_ebx},
        {"CPUID.0AH:EDX", id->leaf0a_edx, other->leaf0a_edx},
        {"the set of fixed counters, of CPUID.0AH:EDX[4:0], ECX and 23H,",
         id->fixed_set, other->fixed_set},
        {"CPUID.1:ECX[15], PDCM,", id->pdcm, other->pdcm},
        {"CPUID.1:EDX[21], DS,", id->ds, other->ds},
        {"IA32_PERF_CAPABILITIES (345H)", id->perf_capabilities,
         other->perf_capabilities},
    };

    if (first == test_processor(t) || !identity_is_native(id) ||
        id->leaf_max != other->leaf_max)
        return;
    for (unsigned i = 0; i < sizeof(says) / sizeof(says[0]); i++)
        check(t, says[i].here == says[i].there,
              "%s is 0x%lx, and 0x%lx on processor %u, the other thread of "
              "this core; wanted the same",
              says[i].what, says[i].here, says[i].there, first);
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

/* "Performance Monitoring Available (R)", "Branch Trace Storage Unavailable
 * (RO)", "Processor Event Based Sampling (PEBS) Unavailable (RO)": a write of
 * the other value raises #GP or is lost. */
static void check_read_only(struct test_context *t)
{
    static const uint8_t bits[] = {7, 11, 12};
    uint64_t found = 0;

    if (!identity_is_native(test_cpu(t)) ||
        try_get_msr(t, IA32_MISC_ENABLE, &found) != HW_NO_FAULT ||
        try_rewrite_msr(t, IA32_MISC_ENABLE) != HW_NO_FAULT)
        return;
    for (unsigned i = 0; i < sizeof(bits); i++) {
        const uint64_t other = found ^ BIT(bits[i]);
        if (try_set_msr(t, IA32_MISC_ENABLE, other) != HW_NO_FAULT)
            continue;
        const uint64_t got = msr_value(t, IA32_MISC_ENABLE);
        set_msr_again(t, IA32_MISC_ENABLE, found);
        check(t, ((got ^ found) & BIT(bits[i])) == 0,
              "IA32_MISC_ENABLE (1A0H), which is 0x%lx, was written with "
              "0x%lx, and is 0x%lx; wanted no change of [%u], which is "
              "read-only",
              found, other, got, bits[i]);
    }
}

TEST(perf_capabilities,
     .asks = "Is what IA32_PERF_CAPABILITIES and IA32_MISC_ENABLE deny not "
             "there?",
     .cite = "SDM 3B, \"Layout of IA32_PERF_CAPABILITIES MSR\"; SDM 2A, "
             "CPUID, leaf 0AH, EAX[15:8]; SDM 4, IA32_MISC_ENABLE, "
             "IA32_DEBUGCTL",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct identity *id = test_cpu(t);
    const uint64_t says = id->perf_capabilities;

    check_threads(t);
    if (!id->pdcm) {
        skip(t, "needs IA32_PERF_CAPABILITIES (CPUID.1:ECX[15])");
        return;
    }
    if (!counters_claim(t))
        return;
    check(t,
          (says & LBR_FMT) <= LBR_FMT_MAX || id->perfmon_version > 4 ||
              id->arch_lbr,
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
    if (!id->ds)
        check_absent(t, "CPUID.1:EDX[21], DS, is 0", IA32_DS_AREA, BIT(6));
    check_read_only(t);
    if (denies_pebs(t))
        check_absent(t, "IA32_MISC_ENABLE (1A0H)[12] is 1: PEBS is unavailable",
                     IA32_PEBS_ENABLE, 1);
}
