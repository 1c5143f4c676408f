/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_third_cases.c - the cases of counter 3, on a processor where it is
 * sound, and on those where it is not: FAIL where it is promised, else a
 * figure. */
#include "src/counting/provoke.h"
#include "tests/host/cases/counting_third.h"

#include <stdio.h>

extern const struct test test_counter3_any_force_abort,
    test_counter3_counts_alone, test_counter3_counts_force_abort,
    test_counter3_counts_sdv, test_counter3_counts_under_rtm,
    test_counter3_overflow, test_counter3_provoked,
    test_counter3_registers_hold, test_counter_count_constant,
    test_counters_above_3;

static void set_wrong(unsigned place, uint64_t event, int64_t more)
{
    device.wrong.place = place;
    device.wrong.event = event;
    device.wrong.ring = EVERYWHERE;
    device.wrong.more = more;
}

static void allow_sdv(void)
{
    all[0].allow = ALLOW_SDV_ENABLE_RTM;
}

/* --- It counts like the others ------------------------------------------- */

#define TRIALS 5

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

/* --- Its overflow -------------------------------------------------------- */

static void begin_overflow(enum regime regime)
{
    third_begin(&test_counter3_overflow, regime, SOUND, 4);
}

static uint64_t stays; /* bits of 38EH that 390H does not clear */

static int clears_not(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PERF_GLOBAL_STATUS_RESET && written != NULL) {
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written | stays;
        return HW_NO_FAULT;
    }
    return third_access(number, written);
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

static int leaf_follows(uint32_t number, const uint64_t *written)
{
    if (number == TSX_FORCE_ABORT && written != NULL)
        fake_leaf(0xa, 0)->eax = *written == values ? 0x07300304 : 0x07300404;
    return HW_NO_FAULT;
}

static void begin_constant(enum regime regime, uint64_t value)
{
    third_begin(&test_counter_count_constant, regime, SOUND, 0);
    values = value;
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
        cmocka_unit_test(counts_like_the_others),
        cmocka_unit_test(counts_the_window),
        cmocka_unit_test(counts_what_is_enumerated),
        cmocka_unit_test(beside_transactions),
        cmocka_unit_test(forced),
        cmocka_unit_test(sdv_is_not_set_unasked),
        cmocka_unit_test(any_value),
        cmocka_unit_test(any_value_and_erratum),
        cmocka_unit_test(overflow),
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
