/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_force_cases.c - the cases of what forces transactions to abort, over
 * processors that do as the white paper and the manual say, and over the same
 * with one thing otherwise. */
#include "tests/host/cases/tsx/tsx_force_fixture.h"

extern const struct test test_force_abort_aborts_all,
    test_force_abort_scope_2021, test_force_abort_thread_scope,
    test_force_abort_values, test_sdv_enable_rtm;

/* --- RTM_FORCE_ABORT of 2018 ---------------------------------------------- */

#define COMMITS_TRIED 1000 /* with 0, before and again */
#define COUNTED       32   /* in the window, with each value */
#define OUTSIDE       32
#define FIRST         32 /* after a clearing each */

static void aborts_all(void **state)
{
    static const struct row rows[] = {
        {STUCK, BIT0, 0, 0, "TSX_FORCE_ABORT (10FH)[0] cleared: got 0x1"},
        {LOST, BIT0, 0, 0, "TSX_FORCE_ABORT (10FH)[0] set: got 0x0"},
        {ABORTS, 0, 0, COMMITS_TRIED - 1, "RTM_FORCE_ABORT = 0: 0 of 1000"},
        {ABORTS, 0, COMMITS_TRIED, 2 * COMMITS_TRIED - 1,
         "RTM_FORCE_ABORT = 0 again: 0 of 1000"},
        {ABORTS, 0, 2 * COMMITS_TRIED, 2 * COMMITS_TRIED + FIRST - 1,
         "(10FH)[0] was cleared: none of 32 committed; wanted some"},
        {ABORTS, 0, 2 * COMMITS_TRIED + FIRST, LATER,
         "with [0] = 0 0; wanted none, and some"},
        {LOSES, 0, 3, 0, "RTM_FORCE_ABORT = 0: the store of a committed"},
        {LEAKS, 0, 3, 0, "RTM_FORCE_ABORT = 0: the store of an aborted"},
        {LEAKS, 0, COMMITS_TRIED + 3, 0,
         "RTM_FORCE_ABORT = 0 again: the store of an aborted"},
        {LEAKS, 1, 3, 0, "RTM_FORCE_ABORT = 1: the store of an aborted"},
        {COMMITS, 0, 0, 0, "RTM_FORCE_ABORT = 1: 1 of 25 transactions commit"},
        {COMMITS, 0, TRIALS - 1, 0, "1 of 25 transactions committed; wanted 0"},
        {COMMITS, 0, TRIALS + OUTSIDE / 2 + COUNTED - 1, 0,
         "with [0] = 1 1 of 32 transactions committed"},
        {STATUS, RTM_STATUS_RETRY, 0, 1, "23 of 25 aborts with EAX = 0"},
        {RAISES, 1, 2, 0, "XBEGIN raised #UD, 1 of 25; wanted an abort"},
        {XEND, 1 + HW_UD, 0, 0, "1 of 32 raised something else, at last #UD"},
        {XEND, 1 + HW_UD, OUTSIDE - 1, 0, "at last #UD"},
        {XEND, (uint64_t)(1 + TSX_RAN), 1, 0, "at last no exception"},
        {REGISTER, 3, 0, 0, "RBX"},
        {REGISTER, 15, 4, 0, "R15"},
        {CHANGES, 0, 4, 0, "1 of 5 committed; wanted 0"},
        {RING3, RTM_STATUS_CONFLICT, 0, 0, "1 of 16 transactions at ring 3"},
        {RING3, RTM_STATUS_RETRY, 0, 1, "2 of 16 transactions at ring 3"},
        {RING3, RTM_STATUS_STARTED, 15, 0,
         "RTM_FORCE_ABORT = 1: 1 of 16 transactions at ring 3"},
        {RING3_UD, 0, 7, 0, "1 of 16 transactions at ring 3"},
    };
    /* What CPUID is not to follow. */
    static const struct {
        enum wrong is;
        uint64_t when;
        const char *line;
    } leaves[] = {
        {EBX, 2, "CPUID.07H.0 with RTM_FORCE_ABORT = 1"},
        {EDX, 2, "CPUID.07H.0 with RTM_FORCE_ABORT = 1"},
        {LEAF_0A, 2, "CPUID.0AH with RTM_FORCE_ABORT = 1"},
    };

    (void)state;
    for (uint64_t found = 0; found < 2; found++) {
        begin(&test_force_abort_aborts_all, OF_2018, found);
        expect_all(VERDICT_PASS, "25 of 25 transactions aborted");
        assert_int_equal(device.free, 2 * COMMITS_TRIED + FIRST + COUNTED);
        assert_int_equal(device.forced, TRIALS + OUTSIDE / 2 + COUNTED);
        assert_int_equal(device.ends, OUTSIDE);
        assert_int_equal(device.ring3, 16);
        for (unsigned n = 0; n < 4; n++) /* whatever counts meanwhile */
            assert_int_equal(device.counting[n], 4);
        assert_int_equal(device.states, 20); /* without AVX */
        assert_non_null(strstr(t->text, "RTM_FORCE_ABORT = 0 again: 1000 of"));
    }
    FAILS(test_force_abort_aborts_all, OF_2018, 0, rows);
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        begin(&test_force_abort_aborts_all, OF_2018, 0);
        make(leaves[i].is, 1u << 11, 0, 0);
        device.when = leaves[i].when;
        expect_all(VERDICT_FAIL, leaves[i].line);
    }
    /* One may abort for a conflict before, and one of a thousand. */
    for (unsigned more = 1; more < 3; more++) {
        begin(&test_force_abort_aborts_all, OF_2018, 0);
        t->trials = 1000;
        make(STATUS, RTM_STATUS_RETRY | RTM_STATUS_CONFLICT, 7, 7 + more);
        expect_all(more != 1 ? VERDICT_FAIL : VERDICT_PASS,
                   "another abort came before the forced one");
    }
    begin(&test_force_abort_aborts_all, OF_2018, 0);
    t->trials = 1000;
    make(STATUS, RTM_STATUS_CAPACITY, 7, 0);
    expect_all(VERDICT_FAIL, "999 of 1000 aborts with EAX = 0");
}

/* YMM registers are tried where there are some; nothing is counted where there
 * is no PMU. */
static void with_and_without(void **state)
{
    (void)state;
    begin(&test_force_abort_aborts_all, OF_2018, 0);
    fake_leaf(1, 0)->ecx |= 1u << 26;
    fake_cpuid(0xd, 0, 7, 0, 0, 0);
    fake_cpuid(0xd, 2, 256, 576, 0, 0);
    make(CHANGES, 0, 9, 0);
    expect_all(VERDICT_FAIL, "YMM0 to YMM15 changed: 1 of 5 committed");
    assert_int_equal(device.states, 25);
    begin(&test_force_abort_aborts_all, OF_2018, 0);
    t->cpu.perfmon_version = 1;
    expect_all(VERDICT_PASS, "not known, no counter");
    assert_int_equal(device.ring3, 0);
    assert_int_equal(device.forced, TRIALS + OUTSIDE / 2);
    begin(&test_force_abort_aborts_all, OF_2018, 0);
    t->cpu.counters = 2;
    make(COMMITS, 0, TRIALS + OUTSIDE / 2, LATER);
    expect_all(VERDICT_PASS, "");
}

static void thread_scope(void **state)
{
    static const struct row rows[] = {
        {LOST, BIT0, 0, 0,
         "set on this processor: TSX_FORCE_ABORT (10FH) "
         "reads 0x0; wanted [0] = 1"},
        {STUCK, BIT0, 0, 0, "cleared on all processors: TSX_FORCE_ABORT"},
        {SHARED, BIT0, 0, 0, "while it is set on another processor: "},
        {CLEARED, BIT0, 0, 0, "set here, cleared on another processor: "},
        {ABORTS, 0, 0, SCOPE_TRIES - 1, "cleared on all processors: 0 of 20"},
        {COMMITS, 0, 0, 0, "set on this processor: 1 of 20 transactions"},
        {COMMITS, 0, SCOPE_TRIES, 0, "still set on this processor: 1 of 20"},
        {STATUS, RTM_STATUS_CAPACITY, SCOPE_TRIES, 0, "still set on this"},
    };

    (void)state;
    for (uint64_t found = 0; found < 2; found++) {
        begin(&test_force_abort_thread_scope, OF_2018, found);
        expect_all(VERDICT_PASS, "");
        /* One is set, two are not; then one is clear. */
        assert_int_equal(device.forced, 3 * SCOPE_TRIES * (2 + 3 + 2));
        assert_int_equal(device.free,
                         SCOPE_TRIES * (3 + 3 * (2 + 1 + 2 + 1 + 3)));
    }
    FAILS(test_force_abort_thread_scope, OF_2018, 0, rows);
    /* Each processor's register and transactions are looked at. */
    for (unsigned p = 0; p < PROCESSORS; p++) {
        begin(&test_force_abort_thread_scope, OF_2018, 0);
        make(LOST, BIT0, 0, 0);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "wanted [0] = 1");
        begin(&test_force_abort_thread_scope, OF_2018, 0);
        make(COMMITS, 0, 0, LATER);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "20 of 20 transactions committed");
        begin(&test_force_abort_thread_scope, OF_2018, 0);
        make(ABORTS, 0, 0, LATER);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "0 of 20 transactions committed, 0 aborted");
        /* It is not one of these. */
        for (unsigned n = 0; n < 2; n++) {
            begin(&test_force_abort_thread_scope, OF_2018, 0);
            if (n == 0)
                all[p].regime = REGIME_A;
            else
                all[p].cpu.rtm = false;
            expect_all(VERDICT_SKIP, "needs regime B and RTM on every");
        }
    }
    begin(&test_force_abort_thread_scope, OF_2018, 0);
    fake_absent[2] = true;
    fake_body(t);
    assert_int_equal(device.forced, 0);
    case_close();
}

/* --- TSX_FORCE_ABORT of 2021 ---------------------------------------------- */

static void scope_2021(void **state)
{
    static const struct row rows[] = {
        {LOST, CLEAR, 0, 0,
         "10FH[1] (TSX_CPUID_CLEAR) = 1 on this processor "
         "alone: TSX_FORCE_ABORT (10FH) reads 0x1 here, "
         "wanted 0x3"},
        {LOST, SDV, 0, 0, "wanted 0x4"},
        {LOST, BIT0, 0, 0,
         "10FH[2:1] written with 00: TSX_FORCE_ABORT (10FH) "
         "reads 0x0 here, wanted 0x1"},
        {STUCK, BIT0, 0, 0, "reads 0x5 here, wanted 0x4"},
        {SHARED, CLEAR, 0, 0, "10FH[1] (TSX_CPUID_CLEAR) = 0, 1 on another"},
        {SHARED, SDV, 0, 0, "10FH[2] (SDV_ENABLE_RTM) = 0, 1 on another"},
        {EBX, RTM, 0, 0, "wanted [11] (RTM) and [4] (HLE) = 1"},
        {EBX, HLE, 0, 0, "wanted [11] (RTM) and [4] (HLE) = 0"},
        {EDX, ALWAYS, 0, 0, "wanted [11] (RTM_ALWAYS_ABORT) = 1"},
        {COMMITS, 0, 0, 0, "1 of 20 transactions committed; wanted 0"},
        {COMMITS, 0, 3 * SCOPE_TRIES, 0, /* hidden */
         "1 of 20 transactions committed here; wanted 0"},
        {STATUS, RTM_STATUS_CAPACITY, 0, 0, "19 of 20 aborts with EAX = 0"},
    };

    (void)state;
    for (uint64_t found = 0; found < 4; found++) {
        static const uint64_t values[] = {BIT0, SDV, CLEAR | BIT0, SDV | CLEAR};
        begin(&test_force_abort_scope_2021, OF_2021, values[found]);
        expect_all(VERDICT_PASS, "");
        assert_int_equal(device.free, 3 * SCOPE_TRIES * 2);
        assert_int_equal(device.forced,
                         SCOPE_TRIES * (3 + 3 * ((1 + 2 + 1 + 1) + (2 + 1))));
    }
    FAILS(test_force_abort_scope_2021, OF_2021, BIT0, rows);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        begin(&test_force_abort_scope_2021, OF_2021, BIT0);
        make(LOST, CLEAR, 0, 0);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "wanted 0x3");
        begin(&test_force_abort_scope_2021, OF_2021, BIT0);
        all[p].regime = REGIME_B;
        expect_all(VERDICT_SKIP, "needs regime C, C' or D on every");
    }
    begin(&test_force_abort_scope_2021, OF_2021, BIT0);
    for (unsigned p = 0; p < PROCESSORS; p++)
        all[p].allow = 0;
    expect_all(VERDICT_PASS, "not tried: 10FH[2]: needs the option");
    assert_int_equal(device.free, 0);
}

#define VALUE_TRIES TRIALS /* transactions of each value */

static void values(void **state)
{
    static const struct row rows[] = {
        {LOST, CLEAR, 0, 0,
         "10FH[2:0] written with 010: TSX_FORCE_ABORT "
         "(10FH) reads 0x1, wanted 0x3"},
        {LOST, SDV, 0, 0, "10FH[2:0] written with 100"},
        {LOST, BIT0, 0, 0, "10FH[2:0] written with 000"},
        {STUCK, BIT0, 0, 0, "10FH[2:0] written with 101"},
        {STUCK, SDV, 0, 0, "10FH[2:0] written with 000"},
        {REFUSED, CLEAR, 0, 0,
         "10FH[2:0] written with 010: WRMSR of "
         "TSX_FORCE_ABORT raised #GP"},
        {REFUSED, SDV, 0, 0, "10FH[2:0] written with 111: WRMSR"},
        {EBX, RTM, 0, 0, "000: CPUID.07H.0:EBX[11] (RTM) = 0, wanted 1"},
        {EBX, HLE, 0, 0, "010: CPUID.07H.0:EBX[4] (HLE) = 1, wanted 0"},
        {EDX, ALWAYS, 0, 0, "EDX[11] (RTM_ALWAYS_ABORT) = 0, wanted 1"},
        {EDX, FORCED, 0, 0, "EDX[13] (TSX_FORCE_ABORT) = 0, wanted 1"},
        {COMMITS, 0, 0, 0, "written with 000: 1 of 25 transactions commit"},
        {COMMITS, 0, 2 * VALUE_TRIES, 0, "written with 010: 1 of 25"},
        {COMMITS, 0, 4 * VALUE_TRIES - 1, 0, "written with 011: 1 of 25"},
        {STATUS, RTM_STATUS_CAPACITY, VALUE_TRIES, 0, "written with 001: 24"},
        {RAISES, 1, 0, 0, "written with 000: XBEGIN raised #UD, 1 of 25"},
        {RAISES, 0, VALUE_TRIES, 0, "written with 101: XBEGIN raised #UD"},
        {LEAKS, 0, 0, 0, "written with 100: the store of an aborted"},
        {LEAKS, 1, 2 * VALUE_TRIES, 0, "written with 010: the store of an"},
        {ELIDES, 0, 0, 0, "written with 000: XTEST between XACQUIRE and"},
        {ELIDES, 0, 4 * HLE_FORMS, 0, "written with 100: XTEST between"},
    };

    (void)state;
    for (uint64_t found = 0; found < 4; found++) {
        static const uint64_t at_first[] = {BIT0, SDV, CLEAR | BIT0,
                                            SDV | CLEAR};
        begin(&test_force_abort_values, OF_2021, at_first[found]);
        expect_all(VERDICT_PASS, "written with 111: 25 transactions committed, "
                                 "0 aborted, 0 raised an exception");
        assert_int_equal(device.writes, 8 + 1); /* and back */
        assert_int_equal(device.forced, 4 * VALUE_TRIES);
        assert_int_equal(device.free, 4 * VALUE_TRIES);
        assert_int_equal(device.sections, 8 * HLE_FORMS);
    }
    FAILS(test_force_abort_values, OF_2021, BIT0, rows);
    begin(&test_force_abort_values, OF_2021, BIT0);
    t->allow = 0;
    expect_all(VERDICT_PASS, "not tried: the 4 values with [2]");
    assert_int_equal(device.free, 0);
    assert_int_equal(device.forced, 4 * VALUE_TRIES);
    /* Hidden, XBEGIN may raise #UD; shown, it may not. */
    begin(&test_force_abort_values, OF_2021, BIT0);
    make(RAISES, 1, 2 * VALUE_TRIES, 4 * VALUE_TRIES - 1);
    expect_all(VERDICT_PASS, "010: 0 transactions committed, 0 aborted, 16");
}

static void sdv(void **state)
{
    static const struct row rows[] = {
        {LOST, SDV, 0, 0, "TSX_FORCE_ABORT (10FH)[2] written with 1: reads"},
        {STUCK, SDV, 0, 0, "TSX_FORCE_ABORT (10FH)[2] written with 0: reads"},
        {LOST, BIT0, 0, 0, "(10FH)[0] while [2] is 0: reads 0x0, wanted [0]"},
        {STUCK, BIT0, 0, 0, "(10FH)[0] while [2] is 1: reads 0x5, wanted [0]"},
        {EDX, ALWAYS, 0, 0, "(10FH)[2] is 1; wanted [11] = 0"},
        {EDX, FORCED, 0, 0, "(10FH)[2] is 0; wanted [13] = 1"},
        {LEAKS, 0, 0, 0, "SDV_ENABLE_RTM = 1: the store of an aborted"},
        {LOSES, 0, 0, 0, "SDV_ENABLE_RTM = 1: the store of a committed"},
        {RAISES, 0, 24, 0, "SDV_ENABLE_RTM = 1: XBEGIN raised #UD, 1 of 25"},
        {ABORTS, 1, 0, 24, "25 of 25 transactions aborted with EAX = 0"},
        {COMMITS, 0, 24, 0, "SDV_ENABLE_RTM = 0 again: 1 of 25"},
        {STATUS, RTM_STATUS_CAPACITY, 0, 0, "= 0 again: 24 of 25 aborts"},
    };

    (void)state;
    for (uint64_t found = 0; found < 2; found++) {
        begin(&test_sdv_enable_rtm, OF_2021, found == 0 ? BIT0 : CLEAR | SDV);
        expect_all(VERDICT_PASS, "SDV_ENABLE_RTM = 1: 25 of 25");
        assert_int_equal(device.free, TRIALS);
        assert_int_equal(device.forced, TRIALS);
    }
    FAILS(test_sdv_enable_rtm, OF_2021, BIT0, rows);
    /* Only "may": none commits. */
    begin(&test_sdv_enable_rtm, OF_2021, BIT0);
    make(ABORTS, 0, 0, LATER);
    expect_all(VERDICT_PASS, "SDV_ENABLE_RTM = 1: 0 of 25");
    begin(&test_sdv_enable_rtm, OF_2021, BIT0);
    t->allow = 0;
    expect_all(VERDICT_SKIP, "needs the option allow=sdv_enable_rtm");
    assert_int_equal(device.free + device.writes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aborts_all),   cmocka_unit_test(with_and_without),
        cmocka_unit_test(thread_scope), cmocka_unit_test(scope_2021),
        cmocka_unit_test(values),       cmocka_unit_test(sdv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
