/* SPDX-License-Identifier: BSD-2-Clause */
/* register_cases.c - the cases that try bits of MSRs, over registers that do as
 * the manual says, and over the same with one bit otherwise: each bit of each
 * register that a case is about is seen by it. */
#include "tests/host/cases/register_device.h"

extern const struct test test_counter3_full_width_alias, test_counter_registers,
    test_counter_reserved_bits, test_fixed_counter_writes,
    test_force_abort_enumeration, test_global_status_set, test_pebs_registers,
    test_pebs_registers_apart, test_tsx_in_txcp_counter2;

static void as_the_manual_says(void **state)
{
    static const struct test *const cases[] = {
        &test_counter3_full_width_alias,
        &test_counter_registers,
        &test_counter_reserved_bits,
        &test_fixed_counter_writes,
        &test_force_abort_enumeration,
        &test_global_status_set,
        &test_pebs_registers,
        &test_pebs_registers_apart,
        &test_tsx_in_txcp_counter2,
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum verdict verdict = verdict_of(cases[i], RIGHT, 0, 0);
        if (verdict != VERDICT_PASS)
            fail_msg("%s: %d: %s", cases[i]->name, verdict, all[0].text);
    }
}

static void bits_of_control_registers(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    for (unsigned n = 0; n < COUNTERS; n++) {
        seen(test, LOST, IA32_PERFEVTSEL(n), BITS(31, 0));
        seen(test, STUCK, IA32_PERFEVTSEL(n), BITS(31, 0));
    }
    seen(test, LOST, IA32_FIXED_CTR_CTRL, BITS(11, 0));
    seen(test, STUCK, IA32_FIXED_CTR_CTRL, BITS(11, 0));
    seen(test, LOST, IA32_PERF_GLOBAL_CTRL, PLACES);
    seen(test, STUCK, IA32_PERF_GLOBAL_CTRL, PLACES);
    seen(test, LOST, IA32_DEBUGCTL, BITS(12, 11));
    assert_int_equal(verdict_of(test, TAKEN, IA32_PERF_GLOBAL_STATUS, 0),
                     VERDICT_FAIL);
}

/* Each register beside each other one. */
static void registers_apart(void **state)
{
    static const uint32_t msrs[] = {
        IA32_PERFEVTSEL(0),  IA32_PERFEVTSEL(3),    IA32_PMC(0),
        IA32_PMC(2),         IA32_FIXED_CTR(0),     IA32_FIXED_CTR(2),
        IA32_FIXED_CTR_CTRL, IA32_PERF_GLOBAL_CTRL, IA32_DS_AREA,
        IA32_PEBS_ENABLE,    MSR_PEBS_LD_LAT,       IA32_DEBUGCTL};
    const struct test *test = &test_pebs_registers_apart;
    const unsigned count = sizeof(msrs) / sizeof(msrs[0]);
    char name[MSR_NAME_BYTES];

    (void)state;
    for (unsigned i = 0; i < count; i++) {
        device.other = msrs[(i + 1) % count];
        seen(test, SPILLS, msrs[i], BIT(1));
        device.other = msrs[(i + count - 1) % count];
        seen(test, SPILLS, msrs[i], BIT(1));
        seen(test, CLEARS, msrs[i], BIT(1) | BIT(33));
        seen(test, SETS, msrs[i], BIT(62));
        assert_non_null(strstr(all[0].text, msr_name(msrs[i], name)));
    }
}

static void reserved_bits_of_counters(void **state)
{
    const struct test *test = &test_counter_reserved_bits;

    (void)state;
    seen(test, TAKEN, IA32_DEBUGCTL, BITS(63, 16) | BITS(5, 2));
    for (unsigned n = 0; n < 3; n++)
        seen(test, EMPTIED, IA32_PERFEVTSEL(n), BIT(0) | BIT(4));
    seen(test, EMPTIED, IA32_PERF_GLOBAL_CTRL, BIT(0) | BIT(1));
    for (enum wrong is = TAKEN; is <= DROPPED; is++) {
        for (unsigned n = 0; n < COUNTERS; n++)
            seen(test, is, IA32_PERFEVTSEL(n), BITS(63, 34));
        seen(test, is, IA32_FIXED_CTR_CTRL, BITS(63, 12));
        seen(test, is, IA32_PERF_GLOBAL_CTRL,
             BITS(63, 55) | BITS(54, 35) | BITS(31, 8));
        seen(test, is, IA32_PERF_GLOBAL_STATUS_RESET,
             BITS(57, 56) | BITS(54, 35) | BITS(31, 8));
        seen(test, is, IA32_PERF_GLOBAL_STATUS_SET,
             BITS(57, 56) | BITS(54, 35) | BITS(31, 8));
    }
}

/* PC [19] is reserved on some: #GP, on all counters alike. */
static void pin_control(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    other.no_select = IA32_PERFEVTSEL_PC;
    assert_int_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0x1a; /* Nehalem: not there */
    assert_int_not_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0;
    other.no_select = 0;
    for (unsigned n = 0; n < COUNTERS; n++)
        seen(test, REFUSED, IA32_PERFEVTSEL(n), IA32_PERFEVTSEL_PC);
}

/* Goldmont: no AnyThread. */
static void any_thread(void **state)
{
    const struct test *test = &test_counter_registers;

    (void)state;
    other.no_select = IA32_PERFEVTSEL_ANY;
    other.no_fixed = BIT(2) | BIT(6) | BIT(10);
    assert_int_not_equal(verdict_of(test, RIGHT, 0, 0), VERDICT_PASS);
    other.model = 0x5c;
    enum verdict verdict = verdict_of(test, RIGHT, 0, 0);
    if (verdict != VERDICT_PASS)
        fail_msg("%d: %s", verdict, all[0].text);
    other.model = 0;
    other.no_select = other.no_fixed = 0;
}

/* BV080: the selects of counters 4 to 7 may read otherwise on 06_3AH. */
static void selects_that_read_badly(void **state)
{
    static const uint16_t models[] = {0x3a, 0x3c};
    const struct test *test = &test_counter_registers;

    (void)state;
    other.counters = 4;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 0; n < COUNTERS; n++)
            for (unsigned bit = 0; bit < 19; bit++) {
                const bool known = i == 0 && n >= 4;
                other.model = models[i];
                if (known != (verdict_of(test, LOST, IA32_PERFEVTSEL(n), bit) ==
                              VERDICT_KNOWN))
                    fail_msg("06_%XH, bit %u of select %u: %s", models[i], bit,
                             n, all[0].text);
            }
    memset(&other, 0, sizeof(other));
}

/* Bits that later processors have are not reserved there; others still are. */
static void bits_of_later_processors(void **state)
{
    const struct test *test = &test_counter_reserved_bits;

    (void)state;
    other.model = 0xbd;
    other.select = BITS(37, 34) | BITS(47, 40);
    other.fixed = BITS(27, 16) | BIT(32) | BIT(33) | BIT(36) | BIT(37);
    enum verdict verdict = verdict_of(test, RIGHT, 0, 0);
    if (verdict != VERDICT_PASS)
        fail_msg("%d: %s", verdict, all[0].text);
    other.status_set = BIT(63);
    assert_int_equal(verdict_of(&test_global_status_set, RIGHT, 0, 0),
                     VERDICT_PASS);
    other.status_set = 0;
    seen(test, TAKEN, IA32_PERFEVTSEL(0), BITS(63, 48));
    seen(test, TAKEN, IA32_FIXED_CTR_CTRL, BITS(15, 12) | BITS(31, 28));
    other.model = 0;
    other.select = other.fixed = 0;
}

static void bits_of_fixed_counters(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        seen(&test_fixed_counter_writes, LOST, IA32_FIXED_CTR(n), WIDTH);
        seen(&test_fixed_counter_writes, STUCK, IA32_FIXED_CTR(n), WIDTH);
        seen(&test_fixed_counter_writes, TAKEN, IA32_FIXED_CTR(n),
             BITS(63, 48));
        seen(&test_fixed_counter_writes, DROPPED, IA32_FIXED_CTR(n),
             BITS(63, 48));
    }
}

static void bits_of_counters(void **state)
{
    const struct test *test = &test_counter3_full_width_alias;

    (void)state;
    for (unsigned n = 0; n < COUNTERS; n += 3) {
        seen(test, LOST, IA32_A_PMC(n), WIDTH);
        seen(test, STUCK, IA32_A_PMC(n), WIDTH);
        seen(test, TAKEN, IA32_A_PMC(n), BITS(63, 48));
        seen(test, UNSIGNED, IA32_PMC(n), 1);
        seen(test, SPLIT, IA32_PMC(n), 1);
        seen(test, SPLIT, IA32_A_PMC(n), 1);
    }
}

static void bits_of_the_status(void **state)
{
    const struct test *test = &test_global_status_set;

    (void)state;
    seen(test, UNSET, IA32_PERF_GLOBAL_STATUS_SET, STATUS);
    seen(test, REFUSED, IA32_PERF_GLOBAL_STATUS_SET, STATUS);
    seen(test, KEPT, IA32_PERF_GLOBAL_STATUS_RESET, STATUS);
    seen(test, ALL, IA32_PERF_GLOBAL_STATUS_RESET, STATUS);
    seen(test, TAKEN, IA32_PERF_GLOBAL_STATUS_SET, BIT(63));
}

static void bits_of_pebs(void **state)
{
    const struct test *test = &test_pebs_registers;
    const uint64_t enables = BITS(3, 0) | BITS(35, 32);

    (void)state;
    seen(test, LOST, IA32_PEBS_ENABLE, enables);
    seen(test, STUCK, IA32_PEBS_ENABLE, enables);
    seen(test, LOST, MSR_PEBS_LD_LAT, BITS(15, 0));
    seen(test, STUCK, MSR_PEBS_LD_LAT, BITS(15, 2));
    seen(test, LOST, IA32_DS_AREA, BITS(63, 3));
    seen(test, STUCK, IA32_DS_AREA, BITS(46, 14));
    for (enum wrong is = TAKEN; is <= DROPPED; is++) {
        seen(test, is, IA32_PEBS_ENABLE, ~(enables | BIT(63)));
        seen(test, is, MSR_PEBS_LD_LAT, BITS(63, 16));
    }
    seen(test, TAKEN, IA32_DS_AREA, BITS(63, 47));
    seen(test, EMPTIED, IA32_PEBS_ENABLE, BIT(0) | BIT(1));
    seen(test, EMPTIED, MSR_PEBS_LD_LAT, BIT(0));
    seen(test, EMPTIED, IA32_DS_AREA, BIT(0));
}

static void bits_of_force_abort(void **state)
{
    const struct test *test = &test_force_abort_enumeration;

    (void)state;
    seen(test, TAKEN, TSX_FORCE_ABORT, BIT(63));
    seen(test, DROPPED, TSX_FORCE_ABORT, BIT(63));
    /* A hypervisor may hide one of two that belong together. */
    for (unsigned guest = 0; guest < 2; guest++) {
        power_on(test, RIGHT, 0, 0);
        all[0].regime = REGIME_CONTRADICTORY;
        all[0].cpu.hypervisor = guest != 0;
        assert_int_equal(end_case(), guest != 0 ? VERDICT_PASS : VERDICT_FAIL);
    }
}

static void bits_of_transactions(void **state)
{
    const struct test *test = &test_tsx_in_txcp_counter2;

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        seen(test, LOST, IA32_PERFEVTSEL(n), BIT(32));
        seen(test, REFUSED, IA32_PERFEVTSEL(n), BIT(32));
    }
    seen(test, LOST, IA32_PERFEVTSEL(2), BIT(33));
    seen(test, REFUSED, IA32_PERFEVTSEL(2), BIT(33));
    for (unsigned n = 0; n < 2; n++) /* IN_TXCP is of that one alone */
        seen(test, TAKEN, IA32_PERFEVTSEL(n), BIT(33));
    /* In regime B counter 3 may be in use. */
    assert_int_equal(verdict_of(test, TAKEN, IA32_PERFEVTSEL(3), 33),
                     VERDICT_PASS);
    power_on(test, TAKEN, IA32_PERFEVTSEL(3), 33);
    all[0].regime = REGIME_A;
    assert_int_equal(end_case(), VERDICT_FAIL);
}

/* Neither bit is there where there never was TSX; later one cannot tell. */
static void bits_without_transactions(void **state)
{
    static const struct {
        uint16_t model;
        bool force_abort, capabilities;
        const char *line;
    } rows[] = {
        {0x1a, false, false, ""},
        {0x2a, false, false, ""},
        {0x3a, false, false, ""},
        {0x3c, false, false, "IN_TX [32] can be set without TSX: 0 of 4"},
        {0x5e, true, false, "raise #GP where TSX is not enumerated: 2 of 2"},
        {0x5e, false, true, "raise #GP where TSX is not enumerated: 2 of 2"},
    };
    const struct test *test = &test_tsx_in_txcp_counter2;

    (void)state;
    other.no_select = BITS(33, 32);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const bool never = rows[i].line[0] == '\0';
        const bool one = rows[i].model == 0x3c;

        other.model = rows[i].model;
        for (unsigned wrong_bit = 0; wrong_bit < 9; wrong_bit++) {
            const unsigned n = wrong_bit / 2 % 4, bit = 32 + wrong_bit % 2;
            power_on(test, wrong_bit == 8 ? RIGHT : TAKEN, IA32_PERFEVTSEL(n),
                     bit);
            all[0].cpu.rtm = all[0].cpu.hle = false;
            all[0].cpu.tsx_force_abort = rows[i].force_abort;
            all[0].cpu.arch_capabilities_present = rows[i].capabilities;
            all[0].regime = REGIME_A;
            const enum verdict verdict = end_case();
            assert_int_equal(verdict, never && wrong_bit != 8 ? VERDICT_FAIL
                                                              : VERDICT_PASS);
            assert_int_equal(*value_of(IA32_PERFEVTSEL(n)), 0);
            if (wrong_bit == 8 || never)
                assert_non_null(strstr(all[0].text, rows[i].line));
            else if (one && bit == 32)
                assert_non_null(strstr(all[0].text, "without TSX: 1 of 4"));
            else if (!one && n == 2)
                assert_non_null(strstr(all[0].text, "not enumerated: 1 of 2"));
        }
    }
    memset(&other, 0, sizeof(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(bits_of_control_registers),
        cmocka_unit_test(registers_apart),
        cmocka_unit_test(reserved_bits_of_counters),
        cmocka_unit_test(any_thread),
        cmocka_unit_test(pin_control),
        cmocka_unit_test(selects_that_read_badly),
        cmocka_unit_test(bits_of_later_processors),
        cmocka_unit_test(bits_of_fixed_counters),
        cmocka_unit_test(bits_of_counters),
        cmocka_unit_test(bits_of_the_status),
        cmocka_unit_test(bits_of_pebs),
        cmocka_unit_test(bits_of_force_abort),
        cmocka_unit_test(bits_of_transactions),
        cmocka_unit_test(bits_without_transactions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
