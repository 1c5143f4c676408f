/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_third_cases.c - the cases of counter 3, on a processor where it is
 * sound, and on those where it is not: FAIL where it is promised, else a
 * figure. */
#include "tests/host/cases/counting/counting_third.h"

extern const struct test test_counter3_any_force_abort,
    test_counter3_counts_alone, test_counter3_counts_force_abort,
    test_counter3_counts_sdv, test_counter3_counts_under_rtm;

/* --- It counts like the others ------------------------------------------- */

static const struct row {
    const struct test *test;
    enum regime regime;
    bool promised, transactions;
} rows[] = {
    {&test_counter3_counts_alone, REGIME_A, true, false},
    {&test_counter3_counts_alone, REGIME_B, false, false},
    {&test_counter3_counts_under_rtm, REGIME_A, true, true},
    {&test_counter3_counts_under_rtm, REGIME_B, false, true},
    {&test_counter3_counts_force_abort, REGIME_B, true, true},
    {&test_counter3_counts_sdv, REGIME_C, true, true},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void begin_row(const struct row *row, enum third is)
{
    third_begin(row->test, row->regime, is, TRIALS);
    if (row->regime == REGIME_C)
        allow_sdv();
}

static void counts_like_the_others(void **state)
{
    static const struct {
        uint64_t event;
        const char *name, *not_promised;
    } events[] = {
        {0xc0, "counted instructions differently from most",
         "IA32_PMC3 (C4H) miscounts instructions: 5 of 5"},
        {0xc4, "counted branches differently from most",
         "IA32_PMC3 (C4H) miscounts branches: 5 of 5"},
        {0x3c, "counted core cycles differently from",
         "miscounts core cycles, by more than an eighth: 5 of 5"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        begin_row(&rows[i], SOUND);
        expect_case(third_end(), VERDICT_PASS, "");
        assert_true((third.inside != 0) == rows[i].transactions);
        for (unsigned e = 0; e < 3; e++)
            for (unsigned n = 0; n < 4; n++) {
                begin_row(&rows[i], SOUND);
                set_wrong(n, events[e].event, e == 2 ? 300 : 1);
                /* SKL194, where all transactions abort. */
                const bool known =
                    n == 2 && rows[i].test == &test_counter3_counts_force_abort;
                const bool fails = n != 3 || rows[i].promised;
                expect_case(third_end(),
                            known   ? VERDICT_KNOWN
                            : fails ? VERDICT_FAIL
                                    : VERDICT_PASS,
                            fails ? events[e].name : events[e].not_promised);
            }
        for (unsigned f = 0; f < 2; f++) {
            begin_row(&rows[i], SOUND);
            set_wrong(PLACE_FIXED0 + f, 0, f == 0 ? 1 : 300);
            expect_case(third_end(), VERDICT_FAIL, "differently from");
        }
    }
}

/* What all of them count is what the window has, each time. */
static void counts_the_window(void **state)
{
    static const struct {
        uint32_t instructions, branches;
        unsigned window;  /* the first five are of instructions */
        const char *line; /* NULL: it passes */
    } more[] = {
        {1, 0, 0, NULL}, /* the WRMSR that closes */
        {2, 0, 0,
         "instructions: most of IA32_PMC0-2 out of bounds in 5 of 5 trials; "
         "wanted 21 to 22"},
        {UINT32_MAX, 0, 0, "out of bounds in 5 of 5"},
        {0, 1, 0,
         "branches: most of IA32_PMC0-2 out of bounds in 5 of 5 trials; "
         "wanted 8 to 8"},
        {1, 0, 3,
         "instructions: most of IA32_PMC0-2 counted 21 to 22 over the same "
         "window; wanted one count"},
        {2, 0, 4, "out of bounds in 1 of 5 trials"},
        {0, UINT32_MAX, 8, "branches: most of IA32_PMC0-2 counted 7 to 8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        begin_row(&rows[0], SOUND);
        device.more.instructions = more[i].instructions;
        device.more.branches = more[i].branches;
        device.more.window = more[i].window;
        expect_case(third_end(),
                    more[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    more[i].line == NULL ? "" : more[i].line);
    }
    /* A few instructions may be an erratum's (HSD140), not more. */
    for (unsigned few = 0; few < 2; few++) {
        begin_row(&rows[0], SOUND);
        t->cpu.model = 0x3c;
        device.more.instructions = few != 0 ? 5 : 6;
        expect_case(third_end(), few != 0 ? VERDICT_KNOWN : VERDICT_FAIL,
                    "out of bounds in 5 of 5");
        begin_row(&rows[0], SOUND);
        t->cpu.model = 0x3c;
        set_wrong(1, 0xc0, few != 0 ? 4 : 5);
        expect_case(third_end(), few != 0 ? VERDICT_KNOWN : VERDICT_FAIL,
                    "IA32_PMC1 (C2H) counted instructions differently from "
                    "most of IA32_PMC0-2 in 5 of 5 trials, by up to ");
    }
}

/* HSD143: IA32_FIXED_CTR0 counts 32 more each time it is started, HSD140: a few
 * more or less. What counts cycles has neither. */
static void fixed_counters_and_errata(void **state)
{
    static const struct {
        unsigned fixed;
        int64_t more;
        enum verdict verdict;
    } more[] = {
        {0, 4, VERDICT_KNOWN},   {0, 5, VERDICT_FAIL},   {0, -4, VERDICT_KNOWN},
        {0, -5, VERDICT_FAIL},   {0, 32, VERDICT_KNOWN}, {0, 64, VERDICT_KNOWN},
        {0, 36, VERDICT_KNOWN},  {0, 28, VERDICT_KNOWN}, {0, 37, VERDICT_FAIL},
        {0, 27, VERDICT_FAIL},   {0, 96, VERDICT_FAIL},  {1, 320, VERDICT_FAIL},
        {1, -320, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        for (unsigned model = 0; model < 2; model++) {
            begin_row(&rows[0], SOUND);
            t->cpu.model = model != 0 ? 0x3c : 0x97; /* which has none */
            set_wrong(PLACE_FIXED0 + more[i].fixed, 0, more[i].more);
            expect_case(third_end(),
                        model != 0 ? more[i].verdict : VERDICT_FAIL,
                        "differently from");
            if (model != 0 && more[i].verdict == VERDICT_KNOWN)
                assert_non_null(strstr(t->text, more[i].more > 4
                                                    ? "KNOWN HSD143"
                                                    : "KNOWN HSD140"));
        }
}

/* Without an event there are no trials of it. */
static void counts_what_is_enumerated(void **state)
{
    (void)state;
    begin_row(&rows[0], SOUND);
    t->cpu.leaf0a_ebx = BIT(5) & UINT32_MAX;
    expect_case(third_end(), VERDICT_PASS,
                "branches: not enumerated (CPUID.0AH:EBX[5])");
    assert_int_equal(device.windows, 2 * TRIALS);
}

/* Beside transactions alone: where these are forced to abort it holds. */
static void beside_transactions(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const bool forced = rows[i].test == &test_counter3_counts_force_abort;

        if (!rows[i].transactions)
            continue;
        begin_row(&rows[i], COUNT);
        const bool fails = rows[i].promised && !forced;
        expect_case(third_end(), fails ? VERDICT_FAIL : VERDICT_PASS,
                    fails     ? "IA32_PMC3 (C4H) counted"
                    : !forced ? "OBSERVED IA32_PMC3 (C4H) miscounts"
                              : "");
        begin_row(&rows[i], COUNT);
        third.although_forced = true;
        expect_case(third_end(), rows[i].promised ? VERDICT_FAIL : VERDICT_PASS,
                    "IA32_PMC3 (C4H)");
        begin_row(&rows[i], SOUND);
        third.faults = true;
        expect_case(third_end(), VERDICT_SKIP, "and XBEGIN raises #UD");
        assert_int_equal(device.windows, 0);
    }
}

/* --- RTM_FORCE_ABORT = 1 ------------------------------------------------- */

static void begin_forced(void)
{
    third_begin(&test_counter3_counts_force_abort, REGIME_B, SOUND, TRIALS);
}

static int write_again_spoils_status(uint32_t number, const uint64_t *written)
{
    if (number == TSX_FORCE_ABORT && written != NULL && device.windows != 0)
        *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(3);
    return third_access(number, written);
}

static void forced(void **state)
{
    (void)state;
    begin_forced();
    third.bit_lost = true;
    expect_case(third_end(), VERDICT_FAIL,
                "TSX_FORCE_ABORT (10FH)[0] set: got 0x0, wanted 0x1");
    begin_forced();
    third.commits_forced = true;
    expect_case(third_end(), VERDICT_FAIL,
                "10 of 10 transactions committed; wanted 0");
    begin_forced();
    third.is = COUNT;
    third.again = true;
    expect_case(third_end(), VERDICT_FAIL,
                "IA32_PMC3 (C4H) went from 0x0 to 0x24 in 12 branches");
    assert_non_null(
        strstr(t->text, "where 0x1 was written to TSX_FORCE_ABORT"));
    /* From the end on it goes through 0. */
    begin_forced();
    device.no_status = BIT(3);
    expect_case(third_end(), VERDICT_FAIL,
                "from 0xffffffffffff to 0xb in 12 branches");
    begin_forced();
    fake_device = write_again_spoils_status;
    expect_case(third_end(), VERDICT_FAIL, "wanted 0xc and [3] = 0");
    for (unsigned n = 0; n < 4; n++) {
        begin_forced();
        set_wrong(n, 0xc4, 1);
        device.wrong.levels_ignored = true; /* and IN_TX */
        expect_case(third_end(), VERDICT_FAIL,
                    "with IN_TX = 1 counted 1 branches");
    }
}

static void sdv_is_not_set_unasked(void **state)
{
    (void)state;
    third_begin(&test_counter3_counts_sdv, REGIME_C, SOUND, TRIALS);
    expect_case(third_end(), VERDICT_SKIP, "allow=sdv_enable_rtm");
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->writes, 0);
    third_begin(&test_counter3_counts_sdv, REGIME_C, SOUND, TRIALS);
    allow_sdv();
    *msr(TSX_FORCE_ABORT) = 2; /* RTM is hidden: shown for the time */
    expect_case(third_end(), VERDICT_PASS, "");
    fake_msr(TSX_FORCE_ABORT)->writable = ~UINT64_C(4);
    third_begin(&test_counter3_counts_sdv, REGIME_C, SOUND, TRIALS);
    allow_sdv();
    fake_msr(TSX_FORCE_ABORT)->writable = ~UINT64_C(4);
    expect_case(third_end(), VERDICT_FAIL, "10FH)[2] set: got 0x0, wanted 0x4");
}

/* --- Each value of the later form ---------------------------------------- */

static uint64_t values; /* bit n: [2:0] = n was there in a window */

static int note_values(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PERFEVTSEL(0) && written != NULL && *written != 0)
        values |= BIT(*msr(TSX_FORCE_ABORT));
    return third_access(number, written);
}

static void begin_values(bool sdv)
{
    third_begin(&test_counter3_any_force_abort, REGIME_C, SOUND, 10);
    fake_device = note_values;
    values = 0;
    if (sdv)
        allow_sdv();
}

static void any_value(void **state)
{
    (void)state;
    begin_values(true);
    expect_case(third_end(), VERDICT_PASS, "8 values, 2 windows each, on 4");
    assert_int_equal(values, 0xff);
    assert_int_equal(device.windows, 16);
    assert_int_equal(third.inside, 4 * 2 * 2); /* never where it is hidden */
    begin_values(false);
    expect_case(third_end(), VERDICT_PASS,
                "not tried: the 4 values with [2] (SDV_ENABLE_RTM) set");
    assert_int_equal(values, 0xf);
    for (unsigned n = 1; n < 4; n++) {
        begin_values(true);
        set_wrong(n, 0xc0, 1);
        device.wrong.window = 5; /* of [2:0] = 2, which has no transactions */
        expect_case(third_end(), VERDICT_FAIL,
                    "(10FH)[2:0] written with 010: IA32_PMC0-3 counted 21 2");
        assert_non_null(strstr(t->text, "different in 1 of 2; wanted equal"));
    }
}

/* Counter 2 alone, beside aborts, may be invalid by an erratum (SKL194). */
static void any_value_and_erratum(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 4; n++)
        for (unsigned window = 1; window <= 3; window += 2) {
            begin_values(true);
            set_wrong(n, 0xc0, 1);
            device.wrong.window = window; /* of [2:0] = 0, and of 1 */
            const bool known = n == 2 && window == 3;
            expect_case(third_end(), known ? VERDICT_KNOWN : VERDICT_FAIL,
                        "different in 1 of 2");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_like_the_others),
        cmocka_unit_test(counts_the_window),
        cmocka_unit_test(fixed_counters_and_errata),
        cmocka_unit_test(counts_what_is_enumerated),
        cmocka_unit_test(beside_transactions),
        cmocka_unit_test(forced),
        cmocka_unit_test(sdv_is_not_set_unasked),
        cmocka_unit_test(any_value),
        cmocka_unit_test(any_value_and_erratum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
