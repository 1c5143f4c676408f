/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_third_held_cases.c - counter 3's registers, its overflow, and how
 * many counters there are, on the same processors. */
#include "src/counting/provoke.h"
#include "tests/host/cases/counting/counting_third.h"

#include <stdio.h>

extern const struct test test_counter3_overflow, test_counter3_provoked,
    test_counter3_registers_hold, test_counter_count_constant,
    test_counters_above_3;

/* --- Its overflow -------------------------------------------------------- */

static void begin_overflow(enum regime regime)
{
    third_begin(&test_counter3_overflow, regime, SOUND, 4);
}

static uint64_t stays, stays_once; /* bits of 38EH that 390H does not clear */

static int clears_not(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PERF_GLOBAL_STATUS_RESET && written != NULL) {
        uint64_t *status = msr(IA32_PERF_GLOBAL_STATUS);
        const uint64_t once = *status & stays_once;
        *status &= ~*written | stays | once;
        stays_once &= ~once;
        return HW_NO_FAULT;
    }
    return third_access(number, written);
}

/* An SMI between the fifth preload and its window. */
static unsigned preloads;

static int smi_after_preload(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PMC(0) && written != NULL && *written != 0 &&
        ++preloads == 5)
        ++*msr(MSR_SMI_COUNT);
    return third_access(number, written);
}

static void smi_before_the_window(void **state)
{
    (void)state;
    begin_overflow(REGIME_A);
    fake_msr(MSR_SMI_COUNT)->value = 7;
    fake_device = smi_after_preload;
    expect_case(third_end(), VERDICT_PASS, "12 preloads of each counter");
    assert_int_equal(preloads, 12);
}

static void overflow(void **state)
{
    (void)state;
    begin_overflow(REGIME_A);
    expect_case(third_end(), VERDICT_PASS,
                "windows of 8 branches, 12 preloads of each counter");
    assert_int_equal(device.windows, 1 + 2 * 12);
    for (unsigned n = 0; n <= 3; n += 3) {
        begin_overflow(REGIME_A);
        device.no_status = BIT(n);
        expect_case(third_end(), VERDICT_FAIL,
                    n == 0 ? "38EH)[0] alone: 8 of 12; wanted 0"
                           : "38EH)[3] alone: 8 of 12; wanted 0");
        begin_overflow(REGIME_A);
        set_wrong(n, 0xc4, 1);
        device.wrong.window = n == 0 ? 3 : 2;
        expect_case(third_end(), VERDICT_FAIL,
                    n == 0 ? "38EH)[0] alone: 1 of 12; wanted 0"
                           : "38EH)[3] alone: 1 of 12; wanted 0");
        begin_overflow(REGIME_A);
        stays = BIT(n);
        fake_device = clears_not;
        expect_case(third_end(), VERDICT_FAIL,
                    n == 0 ? "(38EH)[0] stayed set after 390H: 1 of 12"
                           : "(38EH)[3] stayed set after 390H: 1 of 12");
        for (unsigned model = 0x2a; model <= 0x5e; model += 0x34) { /* BJ058 */
            begin_overflow(REGIME_A);
            t->cpu.model = (uint16_t)model;
            stays = 0;
            stays_once = BIT(n);
            fake_device = clears_not;
            expect_case(third_end(),
                        model == 0x2a ? VERDICT_KNOWN : VERDICT_FAIL,
                        "stayed set after 390H: 1 of 12");
        }
    }
    begin_overflow(REGIME_A);
    set_wrong(0, 0xc4, 1);
    expect_case(third_end(), VERDICT_FAIL,
                "IA32_PMC0 (C1H) counted 9 branches; wanted 8");
    assert_int_equal(device.windows, 1);
    /* In B it is made to count, by RTM_FORCE_ABORT; in E nothing is promised
     * of it, and of counter 0 all the same. */
    begin_overflow(REGIME_B);
    device.no_status = BIT(3);
    expect_case(third_end(), VERDICT_FAIL, "[3] alone: 8 of 12");
    begin_overflow(REGIME_E);
    device.no_status = BIT(3);
    expect_case(third_end(), VERDICT_PASS, "[3] alone: 8 of 12");
    begin_overflow(REGIME_E);
    device.no_status = BIT(0);
    expect_case(third_end(), VERDICT_FAIL, "[0] alone: 8 of 12");
}

/* --- Its registers ------------------------------------------------------- */

static void begin_hold(enum regime regime, enum third is)
{
    third_begin(&test_counter3_registers_hold, regime, is, 6);
}

static void registers_hold(void **state)
{
    static const struct {
        enum third is;
        const char *later, *counts;
    } held[] = {
        {COUNT, "IA32_PMC3 (C4H) changed over transactions", ": 6 of 6"},
        {COUNT, "IA32_A_PMC3 (4C4H) changed over transactions", ": 6 of 6"},
        {SELECT, "IA32_PERFEVTSEL3 (189H) changed over transactions",
         ": 6 of 6"},
        {CONTROL, "38FH)[3] changed over transactions", ": 4 of 6"},
        {IN_USE, "392H)[3] changed over transactions", ": 6 of 6"},
    };

    (void)state;
    begin_hold(REGIME_A, SOUND);
    expect_case(third_end(), VERDICT_PASS, "6 rounds of 10 transactions, 60 ");
    assert_null(strstr(t->text, "over transactions"));
    begin_hold(REGIME_B, SOUND);
    expect_case(third_end(), VERDICT_PASS,
                "RTM_FORCE_ABORT = 1: 6 rounds of "
                "10 transactions, 0 committed");
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        begin_hold(REGIME_A, held[i].is);
        expect_case(third_end(), VERDICT_FAIL, held[i].later);
        assert_non_null(strstr(t->text, held[i].counts));
        begin_hold(REGIME_B, held[i].is);
        expect_case(third_end(), VERDICT_PASS, held[i].later);
        assert_non_null(strstr(t->text, held[i].counts));
        begin_hold(REGIME_B, held[i].is);
        third.although_forced = true;
        expect_case(third_end(), VERDICT_FAIL, held[i].later);
    }
    /* What was published has a line of its own: of one pattern in three. */
    begin_hold(REGIME_B, SELECT);
    expect_case(third_end(), VERDICT_PASS,
                "INT [20] cleared, IN_TX [32] set) was seen 2 times");
    begin_hold(REGIME_B, IN_USE);
    expect_case(third_end(), VERDICT_PASS,
                "with every IA32_PERFEVTSELx written with 0, 2 times");
}

static int loses_a_write(uint32_t number, const uint64_t *written)
{
    const int vector = third_access(number, written);

    if (number == IA32_A_PMC(3) && written != NULL)
        *msr(IA32_PMC(3)) = *msr(number) &= ~UINT64_C(0xff);
    return vector;
}

static void registers_at_once(void **state)
{
    (void)state;
    for (unsigned promised = 0; promised < 2; promised++) {
        begin_hold(promised != 0 ? REGIME_A : REGIME_B, SOUND);
        fake_device = loses_a_write;
        all[0].regime = promised != 0 ? REGIME_A : REGIME_B;
        fake_msr(TSX_FORCE_ABORT)->writable = 0;
        expect_case(case_end(), promised != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    "IA32_PMC3 (C4H) read at once is not what was written");
    }
    /* Registers that are not there are not read. */
    begin_hold(REGIME_A, IN_USE);
    t->cpu.perfmon_version = 3;
    expect_case(third_end(), VERDICT_PASS, "");
    begin_hold(REGIME_A, COUNT);
    t->cpu.full_width_writes = false;
    expect_case(third_end(), VERDICT_FAIL, "IA32_PMC3 (C4H) changed");
    assert_null(strstr(t->text, "4C4H"));
}

/* --- Beside transactions of many kinds ----------------------------------- */

#define ROUNDS 4  /* of 20 trials */
#define MORE   10 /* ms, a call of hw_ms() */

static void begin_provoked(enum regime regime, enum third is)
{
    third_begin(&test_counter3_provoked, regime, is, 5 * ROUNDS);
    memset(t->carried, 0, sizeof(t->carried));
    fake_ms_step = MORE;
}

static void provoked(void **state)
{
    static const struct {
        enum third is;
        const char *fails, *figure;
    } seen[] = {
        {COUNT, "IA32_PMC3 (C4H) counted", "IA32_PMC3 in "},
        {SELECT, "IA32_PERFEVTSEL3 (189H) reads", "IA32_PERFEVTSEL3 in "},
        {CONTROL, "38FH)[3] reads 0, written with 1", "38FH[3] in "},
        {IN_USE, "(392H)[3] = 0 with an event selected", "392H[3] in "},
        {STATUS, "38EH)[3] and [1] differ", "its overflow bit 38EH[3] in "},
    };

    (void)state;
    begin_provoked(REGIME_A, SOUND);
    expect_case(third_end(), VERDICT_PASS,
                "as found: windows with transactions wrong in 0 of ");
    begin_provoked(REGIME_B, SOUND);
    expect_case(third_end(), VERDICT_PASS,
                "NOT OBSERVED counter 3 wrong beside transactions: 0 of ");
    assert_non_null(strstr(t->text, "RTM_FORCE_ABORT = 1: windows with"));
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        begin_provoked(REGIME_A, seen[i].is);
        expect_case(third_end(), VERDICT_FAIL, seen[i].fails);
        begin_provoked(REGIME_B, seen[i].is);
        expect_case(third_end(), VERDICT_PASS, seen[i].figure);
        begin_provoked(REGIME_B, seen[i].is);
        third.although_forced = true;
        expect_case(third_end(), VERDICT_FAIL, seen[i].fails);
    }
    /* Counter 1 is nowhere in doubt. */
    begin_provoked(REGIME_B, SOUND);
    third.spoils_1 = true;
    expect_case(third_end(), VERDICT_FAIL, "counters 0 and 1, of the same");
}

/* Each kind is tried: so many windows, and a line of its own. */
static void provoked_by_each_kind(void **state)
{
    static const char *const kinds[] = {
        "transactions that commit",
        "transactions that abort",
        "transactions, counter 3 short of overflow",
        "transactions of 8 lines",
        "transactions of 600 lines",
        "XBEGIN in wrong speculation",
    };

    (void)state;
    begin_provoked(REGIME_B, CONTROL);
    fake_ms_step = 1000; /* no more than the rounds */
    expect_case(third_end(), VERDICT_PASS, "");
    for (unsigned i = 0; i < 6; i++) {
        char line[80];

        snprintf(line, sizeof(line), "%s: %u of %u windows wrong: 38FH[3] in ",
                 kinds[i], i == 4 ? 1 : ROUNDS, i == 4 ? 1 : ROUNDS);
        if (strstr(t->text, line) == NULL)
            fail_msg("not \"%s\": %s", line, t->text);
    }
    assert_non_null(strstr(t->text, "no transactions: 0 of 21 windows wrong"));
    assert_non_null(strstr(t->text, "OBSERVED counter 3 wrong beside "
                                    "transactions: 21 of 21"));
    /* Two of the speculation to one of the others; in both states. */
    assert_int_equal(third.inside,
                     1 + 2 * PROVOKE_FEW * (4 * ROUNDS + 1 + 2 * ROUNDS));
    assert_int_equal(t->windows[BESIDE_TRANSACTIONS].wrong, 21);
    assert_int_equal(t->windows[BESIDE_TRANSACTIONS].of, 21);
    assert_int_equal(t->windows[BESIDE_NOTHING].wrong, 0);
    assert_int_equal(t->windows[BESIDE_NOTHING].of, 21);
    assert_int_equal(t->windows[BESIDE_FORCED].wrong, 0);
    assert_int_equal(t->windows[BESIDE_FORCED].of, 21);
}

/* While there is time, windows of twice as many each. */
static void provoked_for_a_while(void **state)
{
    (void)state;
    begin_provoked(REGIME_A, SOUND);
    fake_ms_step = 1000;
    expect_case(third_end(), VERDICT_PASS, "");
    const unsigned few = third.inside;
    begin_provoked(REGIME_A, SOUND);
    fake_ms_step = 10; /* two more of each kind in 30 ms */
    expect_case(third_end(), VERDICT_PASS, "");
    assert_int_equal(third.inside, few + 7 * (2 + 4) * PROVOKE_FEW);
    begin_provoked(REGIME_B, SOUND);
    fake_ms_step = 5; /* five; one in the 10 ms of RTM_FORCE_ABORT = 1 */
    expect_case(third_end(), VERDICT_PASS, "");
    assert_int_equal(third.inside,
                     1 + 2 * (few - 1) +
                         7 * (2 + 4 + 8 + 16 + 32 + 2) * PROVOKE_FEW);
}

/* --- How many there are -------------------------------------------------- */

static uint64_t shows_3; /* the value of 10FH with which there are 3 */

static int leaf_follows(uint32_t number, const uint64_t *written)
{
    if (number == TSX_FORCE_ABORT && written != NULL)
        fake_leaf(0xa, 0)->eax = *written == shows_3 ? 0x07300304 : 0x07300404;
    return HW_NO_FAULT;
}

static void begin_constant(enum regime regime, uint64_t value)
{
    third_begin(&test_counter_count_constant, regime, SOUND, 0);
    shows_3 = value;
    fake_device = leaf_follows;
}

static void count_is_constant(void **state)
{
    static const uint64_t tried[] = {0, 1, 2, 4, 6};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        char line[80];

        snprintf(line, sizeof(line),
                 "CPUID.0AH with TSX_FORCE_ABORT (10FH)[2:0] = %u%u%u: got",
                 (unsigned)(tried[i] >> 2), (unsigned)(tried[i] >> 1 & 1),
                 (unsigned)(tried[i] & 1));
        begin_constant(REGIME_C, tried[i]);
        allow_sdv();
        expect_case(third_end(), VERDICT_FAIL, line);
        begin_constant(REGIME_C, tried[i]);
        expect_case(third_end(), tried[i] < 4 ? VERDICT_FAIL : VERDICT_PASS,
                    tried[i] < 4 ? line : "[2:0] = 100: needs the option");
        /* Reserved there. */
        begin_constant(i % 2 == 0 ? REGIME_B : REGIME_E, tried[i]);
        expect_case(third_end(), tried[i] < 2 ? VERDICT_FAIL : VERDICT_PASS,
                    tried[i] < 2 ? line : "4 general-purpose counters of 48");
    }
    begin_constant(REGIME_B, 9);
    t->cpu.leaf0a_eax ^= 1;
    expect_case(third_end(), VERDICT_FAIL, "at the start of the run it was");
}

/* --- Beyond it ----------------------------------------------------------- */

static void begin_above(enum regime regime, bool rtm)
{
    third_of(&test_counters_above_3, regime, COUNT, TRIALS, 8);
    t->cpu.rtm = rtm;
}

static void above_3(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++)
        for (unsigned rtm = 0; rtm < 2; rtm++) {
            begin_above(REGIME_B, rtm != 0);
            *msr(TSX_FORCE_ABORT) = 1; /* the hardest state is without */
            set_wrong(n, 0xc4, 1);
            expect_case(third_end(), n > 3 ? VERDICT_FAIL : VERDICT_PASS,
                        n == 3 ? "" : "counted branches differently from most");
            assert_true((third.inside != 0) == (rtm != 0));
        }
    begin_above(REGIME_A, true);
    third.is = SOUND;
    expect_case(third_end(), VERDICT_PASS, "");
    begin_above(REGIME_A, true);
    third.faults = true;
    expect_case(third_end(), VERDICT_SKIP, "XBEGIN raises #UD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow),
        cmocka_unit_test(smi_before_the_window),
        cmocka_unit_test(registers_hold),
        cmocka_unit_test(registers_at_once),
        cmocka_unit_test(provoked),
        cmocka_unit_test(provoked_by_each_kind),
        cmocka_unit_test(provoked_for_a_while),
        cmocka_unit_test(count_is_constant),
        cmocka_unit_test(above_3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
