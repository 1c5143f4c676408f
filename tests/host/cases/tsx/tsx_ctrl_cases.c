/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_ctrl_cases.c - the cases of IA32_TSX_CTRL and IA32_MCU_OPT_CTRL, over
 * processors that do as the manual says and others, each of which is wrong in
 * one thing. */
#include "tests/host/cases/tsx/tsx_force_fixture.h"

extern const struct test test_tsx_ctrl_disable, test_tsx_mcu_opt_ctrl;

/* --- IA32_TSX_CTRL, IA32_MCU_OPT_CTRL ------------------------------------- */

#define PARTS      4 /* of bits 0 and 1, for each processor */
#define ALL_FREE   (SCOPE_TRIES * (3 + 3 * PARTS * 3 + 3))
#define ALL_FORCED (3 * SCOPE_TRIES * 3)
#define FIRST      16 /* then, of each kind */

static void tsx_ctrl(void **state)
{
    static const struct row rows[] = {
        {LOST, DISABLE, 0, 0,
         "122H[0] (RTM_DISABLE) = 1 on this processor: "
         "IA32_TSX_CTRL (122H) reads 0x0 here, wanted "
         "[1:0] = 01"},
        {LOST, CLEAR, 0, 0,
         "122H[1] (TSX_CPUID_CLEAR) = 1 on this processor: "
         "IA32_TSX_CTRL (122H) reads 0x0 here, wanted "
         "[1:0] = 10"},
        {STUCK, CLEAR, 0, 0, "122H[1:0] written with 00: IA32_TSX_CTRL"},
        {SHARED, DISABLE, 0, 0, "122H[0] (RTM_DISABLE) = 0, 1 on another"},
        {SHARED, CLEAR, 0, 0, "122H[1] (TSX_CPUID_CLEAR) = 0, 1 on another"},
        {EBX, RTM, 0, 0, "wanted [11] (RTM) = 1 and [4] (HLE) = 1"},
        {EBX, HLE, 0, 0, "wanted [11] (RTM) = 0 and [4] (HLE) = 0"},
        {COMMITS, 0, 0, 0, "1 of 20 transactions committed; wanted 0"},
        {COMMITS, 0, SCOPE_TRIES, 0, "122H[1:0] = 1 on this processor: 1 of"},
        {STATUS, RTM_STATUS_CAPACITY, 0, 0, "19 of 20 aborts with EAX = 0"},
        {ABORTS, 0, 0, SCOPE_TRIES - 1,
         "0 of 20 transactions committed; "
         "wanted some"},
        {LEAKS, 0, 1, 0, "the store of an aborted transaction remained"},
        {LOSES, 0, 1, 0, "the store of a committed transaction is not in"},
        {ABORTS, 0, ALL_FREE, ALL_FREE + FIRST - 1,
         "was cleared: 0 of 16 committed"},
        {COMMITS, 0, ALL_FORCED, 0,
         "after it was set 1; wanted some, and none"},
        {RING3, RTM_STATUS_CONFLICT, 0, 0, "1 of 16 transactions at ring 3"},
        {RING3, RTM_STATUS_RETRY, 0, 1, "2 of 16 transactions at ring 3"},
        {LEAF_RING3, RTM, 0, 0, "CPUID.07H.0 at ring 3: EBX = 0x"},
        {XTEST, 1 + HW_UD, 0, 0, "XTEST outside a transaction: raised #UD"},
        {XTEST, 1 + (uint64_t)TSX_RAN, 0, 0,
         "XTEST outside a transaction: raised no exception, RFLAGS = 0x0"},
        {XTEST, 1 + HW_UD, 1, 0, "XABORT outside a transaction: raised #UD"},
        {XEND, 1 + HW_UD, 0, 0, "XEND outside a transaction: got #UD"},
        {TAKEN, BIT(2), 0, 0, "reserved bits [2] raised no #GP"},
        {TAKEN, BIT(63), 0, 0, "reserved bits [63] raised no #GP"},
        {PARTLY, BIT(2), 0, 0, "a WRMSR with reserved bits [2]"},
        {PARTLY, BIT(63), 0, 0, "a WRMSR with reserved bits [63]"},
    };
    static const struct {
        enum wrong is;
        uint64_t bits;
    } others[] = {{EBX, 1}, {EDX, 1}, {LEAF_0A, 0x100}};

    (void)state;
    for (uint64_t found = 0; found < 4; found++) {
        begin(&test_tsx_ctrl_disable, CTRL, found);
        for (unsigned p = 0; p < PROCESSORS; p++) { /* as it was once */
            all[p].cpu.leaf7_ebx |= RTM | HLE;
            all[p].cpu.rtm = true;
        }
        expect_all(VERDICT_PASS, "");
        assert_int_equal(device.ring3, 16 * 3 * 2); /* while it is shown */
        assert_int_equal(device.forced, ALL_FORCED + FIRST);
        assert_int_equal(device.free, ALL_FREE + FIRST);
    }
    FAILS(test_tsx_ctrl_disable, CTRL, 0, rows);
    /* One each may end before it is forced to. */
    begin(&test_tsx_ctrl_disable, CTRL, 0);
    make(RING3, RTM_STATUS_RETRY, 0, 0);
    expect_all(VERDICT_PASS, "");
    begin(&test_tsx_ctrl_disable, CTRL, 0);
    make(STATUS, RTM_STATUS_RETRY, 0, 0);
    expect_all(VERDICT_PASS, "came before the forced one: 1 of 20");
    begin(&test_tsx_ctrl_disable, CTRL, 0);
    make(STATUS, RTM_STATUS_RETRY, 0, 1);
    expect_all(VERDICT_FAIL, "18 of 20 aborts with EAX = 0");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        begin(&test_tsx_ctrl_disable, CTRL, 0);
        make(others[i].is, others[i].bits, 0, 0);
        device.when = 1 + (DISABLE | CLEAR);
        expect_all(VERDICT_FAIL, "but for RTM, HLE and RTM_ALWAYS_ABORT");
    }
    for (unsigned p = 0; p < PROCESSORS; p++) {
        begin(&test_tsx_ctrl_disable, CTRL, 0);
        make(LOST, DISABLE, 0, 0);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "wanted [1:0] = 01");
        begin(&test_tsx_ctrl_disable, CTRL, 0);
        all[p].regime = REGIME_A;
        expect_all(VERDICT_SKIP, "needs IA32_TSX_CTRL (122H) on every");
    }
    begin(&test_tsx_ctrl_disable, CTRL, 0);
    fake_msr(IA32_TSX_CTRL)->read_vector = HW_GP;
    expect_all(VERDICT_SKIP, "RDMSR raises #GP");
    assert_int_equal(device.forced + device.free, 0);
}

/* Microcode that aborts all of them always: nothing has to commit; nor where
 * there is no RTM. */
static void always_aborted(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        begin(&test_tsx_ctrl_disable, CTRL, 0);
        for (unsigned p = 0; p < PROCESSORS; p++) {
            all[p].cpu.rtm_always_abort = n < 2;
            all[p].cpu.rtm = n < 2;
        }
        make(ABORTS, 0, 0, LATER);
        if (n == 1)
            device.to = 0;
        expect_all(n < 2 ? VERDICT_FAIL : VERDICT_PASS,
                   n == 0   ? "20 aborts with EAX = 0; another left 0x00000004"
                   : n == 1 ? "19 of 20 transactions committed; wanted 0"
                            : "");
    }
}

static void opt_ctrl(void **state)
{
    static const struct row rows[] = {
        {LOST, RNGDS, 0, 0,
         "RNGDS_MITG_DIS changed: IA32_MCU_OPT_CTRL "
         "(123H): got 0x2, wanted 0x3"},
        {STUCK, ALLOW, 0, 0, "RTM_ALLOW written with 0: IA32_MCU_OPT_CTRL"},
        {EDX, ALWAYS, 0, 0,
         "EDX = 0x00000a00 while RTM_ALLOW (123H[1]) is 1; "
         "wanted [11] = 0"},
        {ABORTS, 0, 0, SCOPE_TRIES - 1,
         "as found: 0 of 20 transactions "
         "committed; wanted some"},
        {ABORTS, 0, 2 * SCOPE_TRIES, 3 * SCOPE_TRIES - 1,
         "RTM_ALLOW written with 1: 0 of 20"},
        {COMMITS, 0, 0, 0, "RTM_ALLOW written with 0: 1 of 20"},
        {STATUS, RTM_STATUS_CAPACITY, 0, 0, "19 of 20 aborts with EAX = 0"},
        {LEAKS, 0, 1, 0, "as found: the store of an aborted"},
        {LEAKS, 1, 1, 0, "RTM_ALLOW written with 0: the store of an aborted"},
    };

    (void)state;
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
    expect_all(VERDICT_PASS, "");
    assert_int_equal(device.free, 3 * SCOPE_TRIES * 3);
    assert_int_equal(device.forced, 3 * SCOPE_TRIES);
    FAILS(test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW, rows);
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
    make(LOST, ALLOW, 0, 0); /* and cannot be restored */
    expect_all(VERDICT_FAIL, "RTM_ALLOW written with 1: IA32_MCU_OPT_CTRL");
    /* Locked: a write does nothing. */
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, LOCKED);
        make(n == 0 ? RIGHT : TAKEN, 0, 0, 0);
        expect_all(n == 0 ? VERDICT_PASS : VERDICT_FAIL,
                   n == 0 ? ""
                          : "RTM_LOCKED = 1, RTM_ALLOW written with 1: "
                            "IA32_MCU_OPT_CTRL (123H): got 0x6, wanted 0x4");
    }
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, LOCKED | ALLOW);
    make(TAKEN, 0, 0, 0);
    hold(LOCKED | ALLOW);
    expect_all(VERDICT_FAIL, "RTM_ALLOW [1] is 1 though RTM_LOCKED [2] is");
    /* 0, and not locked: set where it is asked for by name. */
    for (unsigned allow = 0; allow < 2; allow++) {
        begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, 0);
        for (unsigned p = 0; p < PROCESSORS; p++)
            all[p].allow = allow != 0 ? UINT32_MAX : 0;
        expect_all(VERDICT_PASS,
                   allow != 0 ? "" : "is 0 and not locked; not set");
        assert_int_equal(device.free, allow * 3 * SCOPE_TRIES);
        assert_int_equal(device.forced, (2 + allow) * 3 * SCOPE_TRIES);
    }
    for (unsigned p = 0; p < PROCESSORS; p++) {
        begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
        make(LOST, RNGDS, 0, 0);
        device.processor = p + 1;
        expect_all(VERDICT_FAIL, "got 0x2, wanted 0x3");
    }
}

/* Microcode of before, RTM hidden, RTM_DISABLE, and no such register. */
static void opt_ctrl_less(void **state)
{
    (void)state;
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL_OLD, 0);
    expect_all(VERDICT_PASS, "");
    assert_int_equal(device.free + device.forced, 0);
    assert_int_equal(device.writes, 3 * 3);
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
    make(EBX, RTM, 0, 0);
    expect_all(VERDICT_PASS, "");
    begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        *msr(IA32_TSX_CTRL) = DISABLE;
    }
    fake_current = 0;
    make(ABORTS, 0, 0, LATER);
    expect_all(VERDICT_PASS, "");
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_mcu_opt_ctrl, OPT_CTRL, ALLOW);
        for (unsigned p = 0; p < PROCESSORS; p++) {
            all[p].regime = n == 0 ? REGIME_A : REGIME_F;
            all[p].cpu.leaf7_edx = n == 0 ? SRBDS : 0;
        }
        expect_all(VERDICT_SKIP, "needs IA32_MCU_OPT_CTRL (123H)");
        assert_int_equal(device.writes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tsx_ctrl),
        cmocka_unit_test(always_aborted),
        cmocka_unit_test(opt_ctrl),
        cmocka_unit_test(opt_ctrl_less),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
