/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_GLOBAL_STATUS_SET sets each bit of the status alone, and
 * IA32_PERF_GLOBAL_STATUS_RESET clears it alone. */
#include "src/harness/case.h"
#include "src/cpu/generation.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define STATUS_ASCI     BIT(60) /* where there is SGX */
#define STATUS_CONDCHGD BIT(63)
#define LEAF7_SGX       2

/* The bits that this processor has, without those of which no document says
 * whether they can be set. */
static uint64_t settable(const struct identity *id)
{
    uint64_t bits = bank_places(id) | IA32_PERF_GLOBAL_STATUS_LBR_FRZ |
                    IA32_PERF_GLOBAL_STATUS_CTR_FRZ |
                    IA32_PERF_GLOBAL_STATUS_OVF_UNCORE |
                    IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER;

    if (id->pt && (id->leaf14_ecx & LEAF14_TOPA) != 0)
        bits |= IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    if ((id->leaf7_ebx >> LEAF7_SGX & 1) != 0)
        bits |= STATUS_ASCI;
    return bits;
}

/* One bit, set and cleared while the bits of `with` are set. */
static void try_bit(struct test_context *t, unsigned bit, uint64_t with)
{
    int vector = try_set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, BIT(bit));

    if (!check_known(
            t, vector == HW_NO_FAULT, ERRATUM_STATUS_SET_55,
            bit == 55 && vector == HW_GP,
            "IA32_PERF_GLOBAL_STATUS_SET (391H) written with bit %u: got "
            "%s, wanted no exception",
            bit, fault_name(vector)))
        return;
    uint64_t set = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    check(t, set == (with | BIT(bit)),
          "bit %u written to IA32_PERF_GLOBAL_STATUS_SET (391H): "
          "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx and is 0x%lx; wanted "
          "0x%lx",
          bit, with, set, with | BIT(bit));
    if (!counters_clear_status(t, BIT(bit)))
        return;
    uint64_t left = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    check(t, left == (with & ~BIT(bit)),
          "bit %u written to IA32_PERF_GLOBAL_STATUS_RESET (390H): "
          "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx and is 0x%lx; wanted "
          "0x%lx",
          bit, set, left, with & ~BIT(bit));
}

/* An interrupt freezes, where told to; a bit that software sets is none. */
static bool try_freezing(struct test_context *t, uint64_t bits)
{
    const uint64_t freeze =
        IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    uint64_t debugctl;

    if (!get_msr(t, IA32_DEBUGCTL, &debugctl) ||
        !set_msr(t, IA32_DEBUGCTL, debugctl | freeze))
        return false;
    WITH_PREFIX (t, "IA32_DEBUGCTL (1D9H)[12:11] = 3")
        for (unsigned bit = 0; bit < 64; bit++)
            if ((bits >> bit & 1) != 0)
                try_bit(t, bit, 0);
    return set_msr_again(t, IA32_DEBUGCTL, debugctl);
}

/* What is written to other registers, as they are, changes no bit. */
static void try_others(struct test_context *t, uint64_t bits)
{
    const uint32_t others[] = {
        IA32_PERF_GLOBAL_CTRL, IA32_FIXED_CTR_CTRL, IA32_FIXED_CTR(0),
        IA32_PERFEVTSEL(0),    IA32_PMC(0),         IA32_DEBUGCTL,
        IA32_DS_AREA,          IA32_PEBS_ENABLE,    MSR_PEBS_LD_LAT,
        MSR_OFFCORE_RSP(0),    MSR_LBR_SELECT};
    char name[MSR_NAME_BYTES];
    uint64_t value;

    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (try_get_msr(t, others[i], &value) != HW_NO_FAULT ||
            try_set_msr(t, others[i], value) != HW_NO_FAULT)
            continue;
        uint64_t now = msr_value(t, IA32_PERF_GLOBAL_STATUS);
        check(t, now == bits,
              "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx, and is 0x%lx after "
              "%s was written with what it held; wanted no change",
              bits, now, msr_name(others[i], name));
    }
}

/* Whether 391H sets OVF_PERF_METRICS not each document says; 390H clears it. */
static void try_metrics(struct test_context *t)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_OVF_PERF_METRICS;

    if ((test_cpu(t)->perf_capabilities &
         IA32_PERF_CAPABILITIES_PERF_METRICS) == 0 ||
        try_set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, bit) != HW_NO_FAULT ||
        (msr_value(t, IA32_PERF_GLOBAL_STATUS) & bit) == 0 ||
        !counters_clear_status(t, bit))
        return;
    uint64_t left = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    check(
        t, left == 0,
        "bit 48, OVF_PERF_METRICS, set through 391H and written to "
        "IA32_PERF_GLOBAL_STATUS_RESET (390H): IA32_PERF_GLOBAL_STATUS (38EH) "
        "is 0x%lx; wanted 0",
        left);
}

/* All in one write, one after another cleared; 0 changes nothing. */
static void try_together(struct test_context *t, uint64_t bits)
{
    set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, bits);
    set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, 0);
    counters_clear_status(t, 0);
    check_equal(t,
                "IA32_PERF_GLOBAL_STATUS (38EH) after one write to 391H, then "
                "0 to 391H and 390H",
                msr_value(t, IA32_PERF_GLOBAL_STATUS), bits);
    try_others(t, bits);
    for (unsigned bit = 0; bit < 64; bit++)
        if ((bits >> bit & 1) != 0) {
            try_bit(t, bit, bits);
            set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, BIT(bit));
        }
    counters_clear_status(t, bits);
}

TEST(global_status_set,
     .asks = "Can each bit of the status be set through 391H, and cleared "
             "through 390H?",
     .cite = "SDM 3B, \"IA32_PERF_GLOBAL_STATUS_RESET and "
             "IA32_PERF_GLOBAL_STATUS_SET MSRS\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PERFMON_4,
               .counters = 1})
{
    uint64_t bits = settable(test_cpu(t)), status;

    if (!counters_claim(t) || !get_msr(t, IA32_PERF_GLOBAL_STATUS, &status))
        return;
    if (status != 0) {
        skip(t,
             "needs IA32_PERF_GLOBAL_STATUS (38EH) clear; 0x%lx stays set "
             "after 390H",
             status);
        return;
    }
    for (unsigned bit = 0; bit < 64; bit++)
        if ((bits >> bit & 1) != 0)
            try_bit(t, bit, 0);
    try_metrics(t);
    if (!try_freezing(t, bits))
        return;
    /* Those that were refused are not among them. */
    uint64_t set = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if ((bits >> bit & 1) != 0 &&
            try_set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, BIT(bit)) ==
                HW_NO_FAULT)
            set |= BIT(bit);
    counters_clear_status(t, set);
    try_together(t, set);

    /* The figure has CondChgd there, but the errata of 06_4EH and its siblings
     * call it reserved. */
    int vector =
        try_set_msr_again(t, IA32_PERF_GLOBAL_STATUS_SET, STATUS_CONDCHGD);
    if (identity_generation(test_cpu(t)) == SKYLAKE)
        check_known(t, vector == HW_GP, ERRATUM_STATUS_SET_63,
                    vector == HW_NO_FAULT,
                    "IA32_PERF_GLOBAL_STATUS_SET (391H) written with bit 63, "
                    "which is reserved: got %s, wanted #GP",
                    fault_name(vector));
    else
        observe(t, "391H[63] can be written", vector == HW_NO_FAULT, 1);
    if (vector == HW_NO_FAULT)
        counters_clear_status(t, STATUS_CONDCHGD);
}
