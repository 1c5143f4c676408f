/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_cases.c - cases of single counters over a device that counts as the
 * manual says, and over its deviations: one case has to see each. */
#include "tests/host/cases/counting/counting_registers.h"

/* And how many checks each makes, of four counters and three fixed ones, by its
 * tables; 0: not looked at. */
#define CASES(C)                                                               \
    C(counter_carry, 7 * 2)                                                    \
    C(counter_enable_bits, 7 + (2 + 7 * 3) * 7)                                \
    C(counter_inuse, 4 * 32 + 3 * 4 + 4 + 4)                                   \
    C(counter_mask_edge, 2 * 22 * 4 + 1 + 4)                                   \
    C(counter_overflow_bits,                                                   \
      7 + 5 * 3 + 2 * 4 + 6 * 3 + 6 + 1 + 1 + 2 + 1 + 4 + 11 + 8)              \
    C(counter_pause, 20 * 5 + 2 * 4 * 4 * 4)                                   \
    C(counter_pmi, 7 * 22 + 4 * 7 + 8 * 24 + 2 + 4 * 2 + 6 + 6 * 3 + 5 * 2)    \
    C(counter_registers, 6 + 5 + 1 + 1 + 6 + 7 + 4 + 1 + 3 * 7 + 3 + 2)        \
    C(counter_reserved_bits, 0)                                                \
    C(counter_while_running, 4 * (6 * 8 + 2) + 4 * 8 + 15 + 2 * 8 + 6 + 8 + 7) \
    C(counters_independent, 0)                                                 \
    C(fixed_counter_writes, 0)                                                 \
    C(freeze_on_pmi, 7 * 21 + 3 * 22 + 7 + 3 * 8 + 7 + 7 + 14 + 4 + 1)         \
    C(global_status_set, 22 * 3 + 1 + 7 + 11 * 3 + 1)
#define DECLARE(name, checks) extern const struct test test_##name;
CASES(DECLARE)

static void as_the_manual_says(void **state)
{
    static const struct {
        const struct test *test;
        unsigned checks;
    } cases[] = {
#define CASE(name, checks) {&test_##name, checks},
        CASES(CASE)};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (verdict_of(cases[i].test, NONE) != VERDICT_PASS)
            fail_msg("%s: %s", cases[i].test->name, t->text);
        if (cases[i].checks != 0 && t->checks != cases[i].checks)
            fail_msg("%s makes %u checks, wanted %u", cases[i].test->name,
                     t->checks, cases[i].checks);
    }
}

static const struct {
    enum deviation deviation;
    const struct test *catcher;
} catchers[] = {
    {STATUS_CLEARED_ALL, &test_counter_overflow_bits},
    {STATUS_CLEARED_LOW, &test_counter_overflow_bits},
    {STATUS_CLEARED_BY_WRITE, &test_counter_overflow_bits},
    {STATUS_NOT_STICKY, &test_counter_overflow_bits},
    {PAUSE_COUNTS, &test_counter_pause},
    {INUSE_WITHOUT_FIXED, &test_counter_inuse},
    {INUSE_BY_UMASK, &test_counter_inuse},
    {INUSE_WRITABLE, &test_counter_inuse},
    {CMASK_IGNORED, &test_counter_mask_edge},
    {INV_IGNORED, &test_counter_mask_edge},
    {EDGE_COUNTS_CYCLES, &test_counter_mask_edge},
    {PMI_MISSING, &test_counter_pmi},
    {PMI_ALWAYS, &test_counter_pmi},
    {PMI_TWICE, &test_counter_pmi},
    {PMI_MANY, &test_counter_pmi},
    {PMI_LEAVES_UNMASKED, &test_counter_pmi},
    {PMI_LATE, &test_counter_pmi},
    {PMI_WHILE_OFF, &test_counter_pmi},
    {PMI_LOST_WHILE_OFF, &test_counter_pmi},
    {PMI_OUTRANKS, &test_counter_pmi},
    {ALIAS_KEEPS_ONES, &test_counter_registers},
    {FIXED_KEEPS_ONES, &test_counter_registers},
    {FIXED_KEEPS_ONES, &test_fixed_counter_writes},
    {SELECT_BIT_LOST, &test_counter_registers},
    {SELECTS_SHARED, &test_counter_registers},
    {RESERVED_TAKEN, &test_counter_reserved_bits},
    {FIXED_WIDTH_IGNORED, &test_fixed_counter_writes},
    {SET_REFUSED, &test_global_status_set},
    {SET_SETS_MORE, &test_global_status_set},
    {STATUS_CLEARED_ALL, &test_global_status_set},
    {FREEZE_MISSING, &test_freeze_on_pmi},
    {FREEZE_CLEARS_CTRL, &test_freeze_on_pmi},
    {FREEZES_ONCE, &test_freeze_on_pmi},
    {COUNTERS_LINKED, &test_counters_independent},
    {WRITE_IGNORED_RUNNING, &test_counter_while_running},
    {SELECT_CLEARS_COUNTER, &test_counter_while_running},
    {ENABLE_TAKEN_LATE, &test_counter_while_running},
    {ENABLE_TAKEN_LATE, &test_counter_pause},
    {UMASK_TAKEN_LATE, &test_counter_pause},
    {UMASK_ALONE_LATE, &test_counter_pause},
    {PMI_OF_0_ALONE, &test_counter_pmi},
    {CTRL_CLEARS_COUNTERS, &test_counter_while_running},
    {RDPMC_OF_START, &test_counter_while_running},
    {STATUS_SET_FREEZES, &test_counter_while_running},
    {FIXED_LEVELS_KEPT, &test_counter_while_running},
    {CTRL_LOSES_ONE, &test_counter_while_running},
};

static void sees_each_deviation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(catchers) / sizeof(catchers[0]); i++)
        if (verdict_of(catchers[i].catcher, catchers[i].deviation) !=
            VERDICT_FAIL)
            fail_msg("deviation %d passed %s: %s", catchers[i].deviation,
                     catchers[i].catcher->name, t->text);
}

/* Where no window is without an SMI that is said, and nothing judged. */
static void hit_by_smis(void **state)
{
    static const struct test *const tests[] = {
        &test_counter_carry,         &test_counter_enable_bits,
        &test_counter_mask_edge,     &test_counter_overflow_bits,
        &test_counter_pause,         &test_counter_pmi,
        &test_counter_while_running, &test_counters_independent,
        &test_freeze_on_pmi};

    (void)state;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        assert_int_equal(verdict_of(tests[i], SMI_ALWAYS), VERDICT_ERROR);
        const char *said = strstr(t->text, "ERROR: ");
        assert_non_null(strstr(said, "100 windows in a row were hit by an"));
        if (strstr(said + 1, "ERROR: ") != NULL ||
            strstr(t->text, "FAIL: ") != NULL)
            fail_msg("%s: %s", tests[i]->name, t->text);
    }
}

/* Of each counter in turn: by general-purpose ones, or by all. */
#define GENERAL BITS(3, 0)
#define EXACT   (GENERAL | BIT(32)) /* what counts no time */

static const struct {
    enum deviation deviation;
    const struct test *catcher;
    uint64_t places;
} catchers_of_each[] = {
    {COUNTS_MORE, &test_counter_carry, EXACT},
    {COUNTS_MORE, &test_counter_enable_bits, EXACT},
    {COUNTS_MORE, &test_counter_mask_edge, GENERAL},
    {COUNTS_MORE, &test_counter_pause, EXACT},
    {COUNTS_MORE, &test_counter_while_running, EXACT},
    {COUNTS_MORE, &test_counters_independent, GENERAL},
    {COUNTS_FEW_MORE, &test_counter_carry, EXACT},
    {COUNTS_FEW_MORE, &test_counter_enable_bits, EXACT},
    {COUNTS_FEW_MORE, &test_counter_mask_edge, GENERAL},
    {COUNTS_FEW_MORE, &test_counter_pause, EXACT},
    {COUNTS_FEW_MORE, &test_counter_while_running, EXACT},
    {COUNTS_FEW_MORE, &test_counters_independent, GENERAL},
    {COUNTS_LESS, &test_counter_overflow_bits, BITS(1, 0) | BIT(33)},
    {OVERFLOW_UNSAID, &test_counter_carry, PLACES},
    {OVERFLOW_UNSAID, &test_counter_overflow_bits, PLACES},
    {OVERFLOW_UNSAID, &test_counter_pmi, PLACES},
    {OVERFLOW_UNSAID, &test_counter_while_running, GENERAL},
    {OVERFLOW_UNSAID, &test_freeze_on_pmi, PLACES},
    {OVERFLOW_OF_NEIGHBOUR, &test_counter_overflow_bits, PLACES},
    {OVERFLOW_EARLY, &test_counter_overflow_bits, EXACT},
    {OVERFLOW_ONCE, &test_counter_overflow_bits, GENERAL | BITS(33, 32)},
    {STATUS_KEPT, &test_counter_overflow_bits, PLACES},
    {STATUS_KEPT, &test_global_status_set, PLACES},
    {FREEZE_NOT_OF, &test_freeze_on_pmi, PLACES},
    {FREEZE_STAYS, &test_freeze_on_pmi, PLACES},
    {FREEZE_NOT_OF, &test_counter_while_running, GENERAL},
    {FIXED_ZERO_LOST, &test_counter_while_running, BITS(34, 32)},
    {CLEARED_BY_DISABLE, &test_counter_enable_bits, PLACES},
    {PMI_MISSING_OF, &test_counter_pmi, PLACES},
    {PMI_MISSING_OF, &test_freeze_on_pmi, PLACES},
    {PMI_UNASKED, &test_counter_pmi, PLACES},
    {PMI_UNASKED, &test_freeze_on_pmi, BIT(0)},
    {GLOBAL_CTRL_IGNORED, &test_counter_enable_bits, PLACES},
    {GLOBAL_CTRL_IGNORED, &test_counter_while_running, GENERAL},
    {ENABLE_IGNORED, &test_counter_enable_bits, PLACES},
    {ENABLE_IGNORED, &test_counter_while_running, EXACT},
};

static void sees_it_of_each_counter(void **state)
{
    (void)state;
    for (size_t i = 0;
         i < sizeof(catchers_of_each) / sizeof(catchers_of_each[0]); i++)
        for (unsigned p = 0; p < PLACES_END; p++)
            if ((catchers_of_each[i].places >> p & 1) != 0 &&
                verdict_at(catchers_of_each[i].catcher,
                           catchers_of_each[i].deviation, p, 0) != VERDICT_FAIL)
                fail_msg("deviation %d of place %u passed %s: %s",
                         catchers_of_each[i].deviation, p,
                         catchers_of_each[i].catcher->name, t->text);
}

/* Each bit of each counter is carried into; of time those that are more than a
 * window has. */
static void carries_into_each_bit(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLACES_END; p++)
        for (unsigned bit = p > 32 ? 11 : 3; bit < 48 && (PLACES >> p & 1) != 0;
             bit++)
            if (verdict_at(&test_counter_carry, CARRY_LOST, p, bit) !=
                VERDICT_FAIL)
                fail_msg("bit %u of place %u: %s", bit, p, t->text);
}

/* Bits of the status that not each processor has: [60] with SGX, [55] with
 * Processor Trace and ToPA. */
static void optional_status_bits(void **state)
{
    (void)state;
    for (unsigned sgx = 0; sgx < 2; sgx++)
        for (unsigned pt = 0; pt < 4; pt++) {
            power_on(&test_global_status_set, NONE);
            t->cpu.leaf7_ebx = sgx << 2;
            t->cpu.pt = (pt & 1) != 0;
            t->cpu.leaf14_ecx = pt >> 1;
            assert_int_equal(run_case(), VERDICT_PASS);
            assert_int_equal(t->checks, 108 + 9 * (sgx + (pt == 3)));
        }
    power_on(&test_global_status_set, NONE);
    device.is = STATUS_KEPT;
    device.place = 55;
    *reg(IA32_PERF_GLOBAL_STATUS) = BIT(55);
    assert_int_equal(run_case(), VERDICT_SKIP);
    assert_non_null(strstr(t->text, "0x80000000000000 stays set after 390H"));
}

/* One that was set before, and cannot be cleared. */
static void status_that_stays(void **state)
{
    (void)state;
    power_on(&test_counter_registers, STATUS_KEPT);
    device.place = 2;
    *reg(IA32_PERF_GLOBAL_STATUS) = BIT(2);
    assert_int_equal(run_case(), VERDICT_FAIL);
    assert_non_null(strstr(t->text, "(38EH) is 0x4 after all that was set"));
}

/* BJ058: a bit that cannot be cleared beside disabling is not judged further;
 * nobody else's is. */
static void overflow_that_stays(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((PLACES >> p & 1) == 0)
            continue;
        power_on(&test_counter_overflow_bits, STATUS_KEPT);
        device.place = p;
        device.slower = 1;
        t->cpu.model = 0x2a;
        t->cpu.perfmon_version = 3;
        if (run_case() != VERDICT_KNOWN ||
            strstr(t->text, "after 390H was written with all of") == NULL)
            fail_msg("place %u: %s", p, t->text);
    }
    power_on(&test_counter_overflow_bits, STATUS_KEPT);
    device.place = 63;
    *reg(IA32_PERF_GLOBAL_STATUS) = BIT(63);
    t->cpu.model = 0x2a;
    assert_int_equal(run_case(), VERDICT_FAIL);
}

/* From the test before: of any test. */
static void overflow_that_stayed(void **state)
{
    static const struct test *const tests[] = {
        &test_counter_carry, &test_counter_registers, &test_counter_pmi,
        &test_counter_while_running, &test_freeze_on_pmi};

    (void)state;
    for (unsigned known = 0; known < 2; known++)
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
            power_on(tests[i], STATUS_KEPT);
            if (known != 0)
                t->cpu.model = 0x2a;
            device.place = 0;
            *reg(IA32_PERF_GLOBAL_STATUS) = BIT(0);
            if (run_case() != (known != 0 ? VERDICT_KNOWN : VERDICT_FAIL))
                fail_msg("%s, %u: %s", tests[i]->name, known, t->text);
        }
}

/* As NMI once for each counter, and once; once with LBRs frozen too. */
static void interrupts_as_nmi(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(&test_counter_pmi, NONE), VERDICT_PASS);
    assert_int_equal(device.nmis, 7);
    assert_int_equal(device.masks, 7);
    assert_int_equal(device.holds, 7);
    assert_int_equal(device.outranks, 7);
    assert_false(device.pmi);
    assert_int_equal(verdict_of(&test_freeze_on_pmi, NONE), VERDICT_PASS);
    assert_int_equal(device.nmis, 1);
    assert_int_equal(device.lbrs_too, 1);
}

/* Before version 4 the interrupt clears 38FH, and there is no CTR_Frz. */
static void freezes_before_version_4(void **state)
{
    (void)state;
    for (unsigned clears = 0; clears < 2; clears++) {
        power_on(&test_freeze_on_pmi, clears != 0 ? FREEZE_LEGACY : NONE);
        t->cpu.perfmon_version = 3;
        t->cpu.model = 0x3c;
        assert_int_equal(run_case(), clears != 0 ? VERDICT_PASS : VERDICT_FAIL);
    }
}

/* Two of three windows may be hit, and the bit is set again for the third. */
static void smis_clear_the_bit(void **state)
{
    (void)state;
    for (unsigned smis = 0; smis <= 3; smis++) {
        power_on(&test_freeze_on_pmi, NONE);
        device.smis = smis;
        assert_int_equal(run_case(), smis < 3 ? VERDICT_PASS : VERDICT_FAIL);
        assert_true((strstr(t->text, "after the interrupt") != NULL) ==
                    (smis == 3));
    }
}

/* Where nothing is known of the processor, how late is not judged. */
static void late_interrupts(void **state)
{
    (void)state;
    device_model = 0x97;
    if (verdict_of(&test_counter_pmi, PMI_LATE) != VERDICT_PASS)
        fail_msg("%s", t->text);
    assert_int_equal(verdict_of(&test_counter_pmi, PMI_MISSING), VERDICT_FAIL);
    device_model = 0x5e;
    if (verdict_of(&test_counter_pmi, PMI_AT_CLOSE) != VERDICT_PASS)
        fail_msg("%s", t->text);
}

/* In two of three windows the clock may stop. */
static void clock_stops(void **state)
{
    (void)state;
    for (unsigned stops = 0; stops <= 3; stops++) {
        power_on(&test_counter_mask_edge, NONE);
        device.stops = stops;
        assert_int_equal(run_case(), stops < 3 ? VERDICT_PASS : VERDICT_FAIL);
    }
}

/* One before each write, until there is none. */
static void smm_writes(void **state)
{
    static const struct test *const tests[4] = {
        &test_counter_registers, &test_counter_reserved_bits,
        &test_fixed_counter_writes, &test_counter_inuse};

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned n = 1; n == 1 || device.smm == 0; n++) {
            power_on(tests[i], NONE);
            *reg(MSR_SMI_COUNT) = device.smm = n;
            if (run_case() != VERDICT_PASS)
                fail_msg("%s, %u: %s", tests[i]->name, n, t->text);
        }
}

/* Core 2 of 65 nm has three fixed counters, and CPUID does not say so. */
static void fixed_counters_untold(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 3; version++) {
        power_on(&test_counter_reserved_bits, NONE);
        t->cpu.perfmon_version = (uint8_t)version;
        t->cpu.fixed_counters = 0;
        t->cpu.fixed_set = 0;
        run_case();
        const bool refused = strstr(t->text, "(38DH)") != NULL &&
                             strstr(t->text, "[34:32]") != NULL;
        if (refused != (version != 2))
            fail_msg("version %u: %s", version, t->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(sees_each_deviation),
        cmocka_unit_test(hit_by_smis),
        cmocka_unit_test(sees_it_of_each_counter),
        cmocka_unit_test(carries_into_each_bit),
        cmocka_unit_test(optional_status_bits),
        cmocka_unit_test(status_that_stays),
        cmocka_unit_test(overflow_that_stayed),
        cmocka_unit_test(overflow_that_stays),
        cmocka_unit_test(interrupts_as_nmi),
        cmocka_unit_test(freezes_before_version_4),
        cmocka_unit_test(smis_clear_the_bit),
        cmocka_unit_test(late_interrupts),
        cmocka_unit_test(fixed_counters_untold),
        cmocka_unit_test(clock_stops),
        cmocka_unit_test(smm_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
