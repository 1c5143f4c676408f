/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_answer_cases.c - the cases of what registers and RDPMC answer about
 * counters, where nothing counts: over a processor that answers right, and over
 * the same with one answer otherwise. */
#include "tests/host/cases/case_fixture.h"

extern const struct test test_microcode_signature, test_perf_capabilities,
    test_rdpmc_indices;

#define REVISION       0xc6u
#define FREEZE_SMM     BIT(14)
#define MISC_READ_ONLY (BIT(7) | BITS(12, 11))
#define OTHER_CORE     0x80 /* APIC ID */

enum wrong {
    RIGHT,
    SIGNATURE_STAYS,   /* what is written to 8BH is lost, */
    SIGNATURE_ZERO,    /* or stays, also after CPUID.1 */
    SIGNATURE_CHANGES, /* in the last try */
    FREEZE_TAKEN,      /* IA32_DEBUGCTL[14], which 345H denies */
    ALIAS_TAKEN,       /* 4C1H and up, the same */
    ENABLE_TAKEN,      /* IA32_PEBS_ENABLE, which 1A0H denies */
    MISC_WRITTEN,      /* read-only bits of 1A0H */
    DS_AREA_TAKEN,     /* IA32_DS_AREA, which CPUID.1 denies */
    RDPMC_OTHER,       /* of IA32_PMC2 */
    RDPMC_FIXED_OTHER, /* of IA32_FIXED_CTR1 */
};

static struct {
    enum wrong is;
    unsigned writes, reads; /* of 8BH; since the last write */
} device;

static int signature(const uint64_t *written)
{
    if (written != NULL) {
        device.writes++;
        device.reads = 0;
        return HW_NO_FAULT;
    }
    const bool asked = device.reads++ != 0; /* CPUID.1 comes in between */
    uint64_t revision = REVISION;

    if (device.is == SIGNATURE_CHANGES && device.writes == 4)
        revision++;
    if (!asked && device.is != SIGNATURE_STAYS)
        revision = 0;
    if (asked && device.is == SIGNATURE_ZERO)
        revision = 0;
    *msr(IA32_BIOS_SIGN_ID) = revision << 32;
    return HW_NO_FAULT;
}

static int access(uint32_t number, const uint64_t *written)
{
    if (number == IA32_BIOS_SIGN_ID)
        return signature(written);
    if (written == NULL) {
        if ((device.is == RDPMC_OTHER && number == IA32_PMC(2)) ||
            (device.is == RDPMC_FIXED_OTHER && number == IA32_FIXED_CTR(1)))
            ++*msr(number);
        return HW_NO_FAULT;
    }
    if (number == IA32_DEBUGCTL && (*written & FREEZE_SMM) != 0 &&
        (t->cpu.perf_capabilities & BIT(12)) == 0)
        return device.is == FREEZE_TAKEN ? HW_NO_FAULT : HW_GP;
    if (number - IA32_A_PMC(0) < 4 && !t->cpu.full_width_writes)
        return device.is == ALIAS_TAKEN ? HW_NO_FAULT : HW_GP;
    if (number == IA32_PEBS_ENABLE && t->cpu.pebs_unavailable)
        return device.is == ENABLE_TAKEN ? HW_NO_FAULT : HW_GP;
    if (number == IA32_MISC_ENABLE &&
        ((*written ^ *msr(number)) & MISC_READ_ONLY) != 0)
        return device.is == MISC_WRITTEN ? HW_NO_FAULT : HW_GP;
    if (number == IA32_DS_AREA && !t->cpu.ds)
        return device.is == DS_AREA_TAKEN ? HW_NO_FAULT : HW_GP;
    return HW_NO_FAULT;
}

static void begin(const struct test *test, enum wrong is)
{
    memset(&device, 0, sizeof(device));
    device.is = is;
    case_begin(test, 1);
    t->cpu.apic_id += OTHER_CORE;
    fake_msr(IA32_DEBUGCTL)->value = 0;
    fake_msr(IA32_PEBS_ENABLE)->value = 0;
    /* Not where the table would answer RDPMC of 400H by them. */
    t->cpu.full_width_writes = test != &test_rdpmc_indices;
    for (unsigned n = 0; n < 4; n++)
        if (t->cpu.full_width_writes)
            fake_msr(IA32_A_PMC(n));
        else
            fake_msr_remove(IA32_A_PMC(n));
    fake_device = access;
}

static void signatures(void **state)
{
    (void)state;
    begin(&test_microcode_signature, RIGHT);
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_microcode_signature, SIGNATURE_STAYS);
    expect_case(case_end(), VERDICT_FAIL, "in 4 of 4 tries");
    begin(&test_microcode_signature, SIGNATURE_ZERO);
    expect_case(case_end(), VERDICT_FAIL, "[63:32] is 0H after CPUID.1");
    begin(&test_microcode_signature, SIGNATURE_CHANGES);
    expect_case(case_end(), VERDICT_FAIL, "[63:32] is C7H after CPUID.1");
    begin(&test_microcode_signature, RIGHT);
    fake_leaf(1, 0)->eax ^= 1;
    expect_case(case_end(), VERDICT_FAIL, "CPUID.1:EAX is 0x");
    begin(&test_microcode_signature, SIGNATURE_ZERO);
    t->cpu.microcode = 0;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_microcode_signature, SIGNATURE_ZERO);
    t->cpu.microcode = 0;
    t->cpu.tsx_force_abort = true;
    expect_case(case_end(), VERDICT_FAIL, "no update is loaded; CPUID.7.0");
    begin(&test_microcode_signature, SIGNATURE_ZERO);
    t->cpu.microcode = 0;
    t->cpu.tsx_force_abort = t->cpu.hypervisor = true;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_microcode_signature, RIGHT);
    t->cpu.tsx_force_abort = true;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_microcode_signature, RIGHT);
    t->cpu.microcode_known = false;
    expect_case(case_end(), VERDICT_SKIP, "8BH");
}

static void begin_denied(enum wrong is)
{
    begin(&test_perf_capabilities, is);
    t->cpu.pdcm = true;
    t->cpu.ds = true;
    *msr(IA32_MISC_ENABLE) = IA32_MISC_ENABLE_PEBS_UNAVAILABLE;
    t->cpu.perf_capabilities = 5; /* LBR_FMT alone */
    t->cpu.full_width_writes = false;
    t->cpu.pebs_unavailable = true;
    fake_msr(IA32_DS_AREA)->value = 0;
}

static void denied(void **state)
{
    static const struct {
        enum wrong is;
        const char *line;
    } rows[] = {{FREEZE_TAKEN, "345H)[12] is 0, and MSR 1D9H takes"},
                {ALIAS_TAKEN, "345H)[13] is 0, and MSR 4C1H takes"},
                {ALIAS_TAKEN, "345H)[13] is 0, and MSR 4C4H takes"},
                {ENABLE_TAKEN, "PEBS is unavailable, and MSR 3F1H takes"},
                {MISC_WRITTEN, "no change of [7], which"},
                {MISC_WRITTEN, "no change of [12], which"}};

    (void)state;
    begin_denied(RIGHT);
    expect_case(case_end(), VERDICT_PASS, "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_denied(rows[i].is);
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
    }
    /* Hypervisors may take what is not there. */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_denied(rows[i].is);
        t->cpu.hypervisor = true;
        expect_case(case_end(), VERDICT_PASS, "");
    }
    /* What is not denied may be there. */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is == MISC_WRITTEN)
            continue;
        begin_denied(rows[i].is);
        t->cpu.perf_capabilities |= BIT(12) | BIT(13);
        t->cpu.full_width_writes = true;
        t->cpu.pebs_unavailable = false;
        *msr(IA32_MISC_ENABLE) = 0;
        expect_case(case_end(), VERDICT_PASS, "");
    }
    /* Nor is what no bit speaks of, or none that can be read. */
    for (unsigned ds = 0; ds < 2; ds++) {
        begin_denied(ENABLE_TAKEN);
        t->cpu.ds = ds != 0;
        if (ds != 0)
            fake_msr_remove(IA32_MISC_ENABLE);
        expect_case(case_end(), VERDICT_PASS, "");
    }
    for (unsigned taken = 0; taken < 2; taken++) {
        begin_denied(taken != 0 ? DS_AREA_TAKEN : RIGHT);
        t->cpu.ds = false;
        expect_case(case_end(), taken != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    taken != 0 ? "DS, is 0, and MSR 600H takes" : "");
    }
    for (unsigned format = 7; format <= 8; format++) {
        begin_denied(RIGHT);
        t->cpu.perf_capabilities = format;
        expect_case(case_end(), format == 7 ? VERDICT_PASS : VERDICT_FAIL,
                    format == 7 ? "" : "LBR_FMT [5:0] is 8");
        begin_denied(RIGHT);
        t->cpu.perf_capabilities = format;
        t->cpu.perfmon_version = 5;
        expect_case(case_end(), VERDICT_PASS, "");
        begin_denied(RIGHT);
        t->cpu.perf_capabilities = format == 7 ? 7 : 63;
        t->cpu.arch_lbr = true;
        expect_case(case_end(), VERDICT_PASS, "");
    }
    begin_denied(RIGHT);
    t->cpu.apic_id -= OTHER_CORE;
    expect_case(case_end(), VERDICT_FAIL,
                "345H) is 0x5, and 0x2300 on processor 1, the other thread");
    begin_denied(RIGHT);
    t->cpu.pdcm = false;
    expect_case(case_end(), VERDICT_SKIP, "CPUID.1:ECX[15]");
}

static void indices(void **state)
{
    static const struct {
        uint32_t more; /* a register of a counter that is not there */
        const char *line;
    } rows[] = {{0xc5, "ECX = 4H, a counter that is not there"},
                {0xd0, "ECX = FH, a counter that is not there"},
                {0xd1, "ECX = 10H, a counter that is not there"},
                {0x200000c1, "ECX = 20000000H, a counter that is not there"},
                {0x30c, "ECX = 40000003H, a fixed counter"},
                {0x310, "ECX = 40000007H, a fixed counter"}};

    (void)state;
    begin(&test_rdpmc_indices, RIGHT);
    expect_case(case_end(), VERDICT_PASS, "");
    /* Each of seven three times; 4 to 15, a bit of 4 to 29 alone, fixed 3 to 7.
     */
    assert_int_equal(t->checks, 3 * 7 + 12 + 26 + 5 + 1);
    assert_int_equal(hw_cr4(), 0);
    begin(&test_rdpmc_indices, RIGHT);
    t->cpu.perf_capabilities |= BIT(15); /* metrics have one */
    fake_msr(MSR_PERF_METRICS);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 3 * 7 + 12 + 25 + 5 + 1);
    begin(&test_rdpmc_indices, RIGHT);
    t->cpu.perfmon_version = 7; /* not known */
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 3 * 7 + 1);
    begin(&test_rdpmc_indices, RIGHT);
    t->cpu.model = 0x1d; /* Xeon 7400 has ten */
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 3 * 7 + 6 + 26 + 5 + 1);
    begin(&test_rdpmc_indices, RIGHT);
    t->cpu.perfmon_version = 2; /* does not tell its fixed ones */
    t->cpu.fixed_counters = 0;
    t->cpu.fixed_set = 0;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 3 * 4 + 12 + 26 + 5 + 1);
    begin(&test_rdpmc_indices, RDPMC_OTHER);
    expect_case(case_end(), VERDICT_FAIL, "ECX = 2H, CR4.PCE = 0: got 0x");
    begin(&test_rdpmc_indices, RDPMC_FIXED_OTHER);
    expect_case(case_end(), VERDICT_FAIL, "ECX = 40000001H, CR4.PCE = 1");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_rdpmc_indices, RIGHT);
        fake_msr(rows[i].more);
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures),
        cmocka_unit_test(denied),
        cmocka_unit_test(indices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
