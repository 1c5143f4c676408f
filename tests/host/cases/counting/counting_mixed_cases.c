/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_mixed_cases.c - the cases of counters with all settings at once, of
 * their interrupts, and of RDPMC at ring 3. */
#include "tests/host/cases/counting/counting_body.h"

#include <stdio.h>

extern const struct test test_counters_mixed, test_pmi_in_contexts,
    test_rdpmc_ring3;

/* --- All at once --------------------------------------------------------- */

static void begin_mixed(void)
{
    counting_begin(&test_counters_mixed, 4, 16);
}

static void mixed(void **state)
{
    static const unsigned places[] = {0, 1, 2, 3, FIXED(0)};

    (void)state;
    begin_mixed();
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 32);
    for (unsigned i = 0; i < 5; i++) {
        begin_mixed();
        set_wrong(places[i], EVERY, 0, 2);
        expect_case(counting_end(), VERDICT_FAIL, "at ring 0; wanted ");
        begin_mixed();
        set_wrong(places[i], EVERY, 3, 2);
        expect_case(counting_end(), VERDICT_FAIL, "at ring 0 and ring 3; want");
        begin_mixed();
        set_wrong(places[i], EVERY, 3, -1);
        expect_case(counting_end(), VERDICT_FAIL, "at ring 0 and ring 3; want");
        begin_mixed();
        device.no_status = BIT(places[i]);
        expect_case(counting_end(), VERDICT_FAIL, "is 0: it has overflowed");
    }
    begin_mixed();
    device.no_pmi = UINT64_MAX;
    expect_case(counting_end(), VERDICT_FAIL, "and 0 came; wanted one or more");
    begin_mixed();
    device.pmi_while_masked = true;
    expect_case(counting_end(), VERDICT_FAIL, "interrupts masked");
    begin_mixed();
    device.cmask_ignored = true; /* each is in a cycle of its own */
    expect_case(counting_end(), VERDICT_PASS, "");
}

static uint64_t debugctl; /* the last that was written in a window's time */

static int note_debugctl(uint32_t number, const uint64_t *written)
{
    if (number == IA32_DEBUGCTL && written != NULL && device.windows == 0)
        debugctl = *written;
    return access_counters(number, written);
}

/* FREEZE_WHILE_SMM_EN, where 345H[12] is 1, and UNCORE_PMI_EN, where there is
 * an uncore, beside what was set before. */
static void mixed_beside_other_bits(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        begin_mixed();
        t->cpu.model = n & 1 ? 0x5e : 0x55;
        t->cpu.perf_capabilities |= n & 2 ? BIT(12) : 0;
        *msr(IA32_DEBUGCTL) = BIT(9); /* as it was found */
        for (unsigned i = 0; kept[0][i].number != 0; i++)
            if (kept[0][i].number == IA32_DEBUGCTL)
                kept[0][i].value = BIT(9);
        fake_device = note_debugctl;
        expect_case(counting_end(), VERDICT_PASS, "");
        assert_int_equal(debugctl, BIT(9) | (n & 1 ? BIT(13) : 0) |
                                       (n & 2 ? BIT(14) : 0));
    }
}

/* --- Interrupts ---------------------------------------------------------- */

static void begin_pmi(void)
{
    counting_begin(&test_pmi_in_contexts, 4, 0);
    aborts_first = abort_times = 0;
}

static void pmi_in_contexts(void **state)
{
    static const unsigned places[] = {0, 1, 3, FIXED(0), FIXED(1), FIXED(2)};

    (void)state;
    begin_pmi();
    expect_case(rings_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 2 + 24);
    assert_int_equal(t->checks, 24 * 4 + 2 * 3 + 6 * 2);
    for (unsigned i = 0; i < 6; i++) {
        begin_pmi();
        device.no_pmi = BIT(places[i]);
        expect_case(rings_end(), VERDICT_FAIL, "and made no interrupt");
        begin_pmi();
        device.no_status = BIT(places[i]);
        expect_case(rings_end(), VERDICT_FAIL,
                    i == 5 ? "overflowed after 0 events"
                           : "overflowed after 60 events");
    }
    begin_pmi();
    device.freezes_not = true;
    expect_case(rings_end(), VERDICT_FAIL, "left CTR_Frz");
    begin_pmi();
    device.freezes_late = true;
    expect_case(rings_end(), VERDICT_FAIL, "wanted it to stop before the last");
    begin_pmi();
    device.freezes_late = device.pmi_behind = true;
    expect_case(rings_end(), VERDICT_PASS, "");
    begin_pmi();
    t->cpu.perfmon_version = 3;
    expect_case(rings_end(), VERDICT_PASS, "");
    begin_pmi();
    device.freezes_not = true;
    t->cpu.perfmon_version = 3;
    expect_case(rings_end(), VERDICT_FAIL, "wanted it to stop before the last");
    begin_pmi();
    device.leaves_mask = true;
    expect_case(rings_end(), VERDICT_FAIL, "1 of 1 interrupts of");
    /* Aborts before the overflow are tried again, so often. */
    begin_pmi();
    aborts_first = 19;
    expect_case(rings_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 2 + 24 + 19);
    begin_pmi();
    aborts_first = 20;
    expect_case(rings_end(), VERDICT_FAIL, "in a transaction at ring 0");
    /* EAX of four aborts: what the processor itself brings, in each. */
    for (unsigned bit = 0; bit < 6; bit++)
        for (abort_level = 0; abort_level <= 3; abort_level += 3)
            for (unsigned times = 3; times <= 4; times++) {
                const bool outside = bit == 2 || bit == 3;
                const bool right = bit == 1 || (outside && times == 3);
                begin_pmi();
                abort_status = 1u << bit;
                abort_times = times;
                expect_case(rings_end(), right ? VERDICT_PASS : VERDICT_FAIL,
                            right ? "" : "EAX names another cause, ");
                assert_true(
                    right ||
                    strstr(t->text, abort_level == 0
                                        ? "transactions at ring 0: EAX"
                                        : "transactions at ring 3: EA"));
            }
    begin_pmi();
    t->cpu.rtm = false;
    expect_case(rings_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 2 + 16);
    begin_pmi();
    ring3_raises = 6;
    expect_case(rings_end(), VERDICT_ERROR, "#UD at ring 3");
    assert_int_equal(device.windows, 1);
    ring3_raises = HW_NO_FAULT;
}

/* --- RDPMC --------------------------------------------------------------- */

static uint32_t other_reads; /* RDPMC of it reads one more */

static int rdpmc_access(uint32_t number, const uint64_t *written)
{
    if (written == NULL && number == other_reads && loaded_is_ours())
        ++*msr(number);
    return access_counters(number, written);
}

static void begin_rdpmc(uint32_t other)
{
    counting_begin(&test_rdpmc_ring3, 4, 0);
    other_reads = other;
    fake_device = rdpmc_access;
}

static void rdpmc(void **state)
{
    static const uint32_t more[] = {0xc5, 0x30c}; /* counters that are not */

    (void)state;
    hw_set_cr4(0x20);
    begin_rdpmc(0);
    expect_case(rings_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 2 * 7 + 2);
    assert_int_equal(hw_cr4(), 0x20);
    for (unsigned p = 0; p < PLACES_END; p++) {
        if (!has_place(p))
            continue;
        begin_rdpmc(bank_msr(p));
        expect_case(rings_end(), VERDICT_FAIL, "at ring 3 with CR4.PCE = 1: ");
    }
    for (unsigned i = 0; i < 2; i++) {
        begin_rdpmc(0);
        fake_msr(more[i]);
        expect_case(rings_end(), VERDICT_FAIL, "a counter that is not there");
        begin_rdpmc(0);
        fake_msr(more[i]);
        t->cpu.perfmon_version = 2; /* does not say so */
        expect_case(rings_end(), VERDICT_PASS, "");
    }
    for (unsigned there = 0; there < 2; there++) {
        begin_rdpmc(0);
        fixed_counters = t->cpu.fixed_counters = 4;
        t->cpu.fixed_set = 15;
        t->cpu.perf_capabilities |= BIT(15);
        fake_msr(IA32_FIXED_CTR(3));
        fake_msr(MSR_PERF_METRICS);
        if (there != 0)
            fake_msr(0xc1u + RDPMC_METRICS); /* what RDPMC with it reads */
        expect_case(rings_end(), there != 0 ? VERDICT_PASS : VERDICT_FAIL,
                    there != 0 ? "" : "CR4.PCE = 1: got #GP, wanted no");
    }
    hw_set_cr4(0);
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin_mixed();
    hit_by_smis();
    begin_pmi();
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed),
        cmocka_unit_test(mixed_beside_other_bits),
        cmocka_unit_test(pmi_in_contexts),
        cmocka_unit_test(rdpmc),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
