/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_debug_cases.c - breakpoints in transactions with advanced debugging, and
 * with half of what enables it. */
#include "tests/host/cases/tsx/tsx_debug_device.h"

extern const struct test test_tsx_debug_advanced;

static int debugged(struct tsx_block *b, struct tsx_debug *debug)
{
    const bool advanced = (debug->dr7 & DR7_RTM) != 0 &&
                          (*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_RTM) != 0;
    const bool delivers = advanced && vector_of(b) != TSX_RAN;

    if (delivers) {
        debug->dr6_after =
            (debug->dr6 & ~DR6_RTM) | (b->body == tsx_body_int3 ? 0 : BIT(0));
        b->fault_rax = UINT32_MAX;
        b->unrestored = 0;
        return DB;
    }
    return tsx_inside(b);
}

int tsx_debugged(int (*enter)(struct tsx_block *), struct tsx_block *block,
                 struct tsx_debug *debug)
{
    watching = true;
    watch_at = debug->dr0;
    watch_dr7 = debug->dr7;
    debug->dr6_after = debug->dr6;
    debug->dr7_after = debug->dr7;
    assert_int_equal(block->argument, debug->dr0);
    if (enter == tsx_outside) {
        assert_int_equal(debug->dr6, DR6_NONE & ~DR6_RTM);
        debug->dr6_after |= (DR6_RTM | BIT(0)) ^ wrong.dr6_outside;
        debug->dr6_after &= ~wrong.dr6_outside;
        return wrong.outside != 0 ? wrong.outside : vector_of(block);
    }
    assert_int_equal(debug->dr6, DR6_NONE);
    /* A kind is a body, DR7 and IA32_DEBUGCTL. */
    if (wrong.windows++ == 0 || wrong.body_seen != block->body ||
        wrong.dr7_seen != debug->dr7 ||
        wrong.debugctl_seen != *msr(IA32_DEBUGCTL)) {
        wrong.kinds++;
        wrong.tries = 0;
    }
    wrong.body_seen = block->body;
    wrong.dr7_seen = debug->dr7;
    wrong.debugctl_seen = *msr(IA32_DEBUGCTL);

    int outcome = debugged(block, debug);
    const unsigned n = wrong.tries++;
    watching = false;
    if (wrong.kinds != wrong.of || n < wrong.from ||
        (n > wrong.from && n > wrong.to))
        return outcome;
    if (wrong.outcome != 0) {
        outcome = wrong.outcome;
        block->status = wrong.status;
        block->fault_rax = UINT32_MAX;
    }
    debug->dr6_after ^= wrong.dr6;
    debug->dr7_after ^= wrong.dr7;
    block->fault_rax ^= wrong.rax;
    block->unrestored = wrong.unrestored;
    if (wrong.memory)
        *(volatile uint64_t *)(uintptr_t)block->argument ^= 1;
    if (wrong.cell)
        block->cell ^= 1;
    return outcome;
}

/* By DR7[11] and IA32_DEBUGCTL[15], three points each. */
static const char *const enablings[] = {
    "DR7[11] and IA32_DEBUGCTL[15] = 0: ",
    "DR7[11] = 1, IA32_DEBUGCTL[15] = 0: ",
    "DR7[11] = 0, IA32_DEBUGCTL[15] = 1: ",
    "DR7[11] and IA32_DEBUGCTL[15] = 1: ",
};
static const char *const advanced_points[] = {
    "data breakpoint, ", "INT3, ", "data breakpoint in an inner transaction, "};
#define KINDS 12

/* As found, with another bit. */
static int access(uint32_t number, const uint64_t *written)
{
    if (number != IA32_DEBUGCTL || written == NULL)
        return HW_NO_FAULT;
    assert_int_equal(*written & ~IA32_DEBUGCTL_RTM, 0x40);
    return wrong.refused && *written != 0x40 ? HW_GP : HW_NO_FAULT;
}

static enum verdict end_advanced(void)
{
    *msr(IA32_DEBUGCTL) = 0x40;
    fake_device = access;
    const enum verdict verdict = case_end();
    assert_int_equal(*msr(IA32_DEBUGCTL), 0x40);
    return verdict;
}

static void begin_kind(unsigned kind, unsigned from, unsigned to)
{
    begin(&test_tsx_debug_advanced);
    wrong.of = kind + 1;
    wrong.from = from;
    wrong.to = to;
}

static void fails(unsigned kind, const char *what)
{
    char line[200];

    text_format(line, sizeof(line), "%s%s%s", advanced_points[kind % 3],
                enablings[kind / 3], what);
    expect_case(end_advanced(), VERDICT_FAIL, line);
}

static void either_kind(void **state)
{
    (void)state;
    begin(&test_tsx_debug_advanced);
    expect_case(end_advanced(), VERDICT_PASS, "");
    assert_int_equal(wrong.kinds, KINDS);
    assert_int_equal(wrong.windows, KINDS * TRIES);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        begin_kind(kind, 3, 0);
        wrong.outcome = TSX_INNER;
        fails(kind, "1 of 5 went on at the inner XBEGIN");
        begin_kind(kind, 3, 0);
        wrong.outcome = HW_UD;
        fails(kind, "");
        begin_kind(kind, 4, 0);
        wrong.memory = true;
        fails(kind, "a store of the transaction remained in memory, 1 of 5");
        begin_kind(kind, 0, 0);
        wrong.cell = true;
        fails(kind, "a store of the transaction remained in memory, 1 of 5");
        begin_kind(kind, 0, 0);
        wrong.dr7 = BIT(13);
        fails(kind, "DR7 = 0x");
        begin_kind(kind, 0, 0);
        wrong.outcome = TSX_COMMITTED;
        fails(kind, "");
    }
}

/* A hypervisor may have no such bit for its guest. */
static void refused(void **state)
{
    (void)state;
    for (unsigned guest = 0; guest < 2; guest++) {
        begin(&test_tsx_debug_advanced);
        t->cpu.hypervisor = guest != 0;
        fake_msr(IA32_DEBUGCTL)->writable = ~BIT(15);
        expect_case(end_advanced(), guest != 0 ? VERDICT_SKIP : VERDICT_FAIL,
                    guest != 0 ? "which the hypervisor refuses" : "[15] (RTM)");
    }
}

static void not_advanced(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 9; kind++) {
        begin_kind(kind, 1, 0);
        wrong.outcome = DB;
        fails(kind, "4 of 5 aborted to the fallback, #DB delivered in 1");
        /* EAX[4] in one abort is enough, even if it is the last. */
        begin_kind(kind, 0, MOST - 2);
        wrong.outcome = TSX_ABORTED;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, LATER);
        wrong.outcome = TSX_ABORTED;
        fails(kind, "none of 48 aborts set EAX[4]");
        begin_kind(kind, 2, 0);
        wrong.dr6 = BIT(0);
        expect_case(end_advanced(), VERDICT_PASS,
                    "DR6 changed in 1 of 5 aborts");
    }
}

static void advanced(void **state)
{
    static const uint64_t others[] = {BIT(13), BIT(14), BIT(15), BIT(16)};

    (void)state;
    for (unsigned kind = 9; kind < KINDS; kind++) {
        /* An abort by something else may come before it, in all but one. */
        begin_kind(kind, 0, MOST - 2);
        wrong.outcome = TSX_ABORTED;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, LATER);
        wrong.outcome = TSX_ABORTED;
        fails(kind, "#DB delivered at XBEGIN in 0 of 48, 48 aborted");
        begin_kind(kind, 0, 0);
        wrong.outcome = TSX_ABORTED;
        wrong.status = RTM_STATUS_BREAKPOINT;
        fails(kind, "#DB delivered at XBEGIN in 4 of 5, 1 aborted to the "
                    "fallback, 1 of these with EAX[4]");
        begin_kind(kind, 4, 0);
        wrong.unrestored = true;
        fails(kind, "registers are not as before XBEGIN after #DB, 1 of 5");
        for (unsigned i = 0; i < 4; i++) {
            begin_kind(kind, 4, 0);
            wrong.dr6 = others[i];
            fails(kind, "DR6 = 0x");
        }
        /* In most of them RAX is as before. */
        begin_kind(kind, 0, 1);
        wrong.rax = 0xff;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, 2);
        wrong.rax = 0xff;
        fails(kind, "RAX = 0xffffff00 at #DB, 3 of 5");
    }
}

static void outside(void **state)
{
    static const uint64_t bits[] = {BIT(0), DR6_RTM};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(&test_tsx_debug_advanced);
        wrong.dr6_outside = bits[i];
        expect_case(end_advanced(), VERDICT_FAIL,
                    "data breakpoint outside a transaction: DR6 = 0x");
    }
    begin(&test_tsx_debug_advanced);
    wrong.outside = TSX_RAN;
    expect_case(end_advanced(), VERDICT_ERROR,
                "data breakpoint outside a transaction: got");
}

static void debugctl(void **state)
{
    (void)state;
    begin(&test_tsx_debug_advanced);
    fake_msr(IA32_DEBUGCTL)->writable = ~IA32_DEBUGCTL_RTM;
    expect_case(end_advanced(), VERDICT_FAIL,
                "reads 0x40; wanted [15] (RTM) = 1");
    assert_int_equal(wrong.kinds, 6);
    begin(&test_tsx_debug_advanced);
    wrong.refused = true;
    expect_case(end_advanced(), VERDICT_FAIL,
                "[15] (RTM) = 1 raised #GP; wanted no exception");
    assert_int_equal(wrong.kinds, 6);
}

static void none_commits(void **state)
{
    (void)state;
    begin(&test_tsx_debug_advanced);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.points + wrong.windows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_kind),  cmocka_unit_test(refused),
        cmocka_unit_test(not_advanced), cmocka_unit_test(advanced),
        cmocka_unit_test(outside),      cmocka_unit_test(debugctl),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
