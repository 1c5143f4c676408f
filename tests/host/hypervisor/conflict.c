/* SPDX-License-Identifier: BSD-2-Clause */
/* conflict.c - who aborts when two processors access a line. */
#include "tests/host/hypervisor/conflict_fixture.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"

/* The later access wins; what was stored is undone before it is seen. */
static void conflicts(void **state)
{
    static const struct {
        bool first_stores, second_stores, conflict;
    } rows[] = {
        {true, true, true},
        {true, false, true},
        {false, true, true},
        {false, false, false},
    };

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        begin(rows[n].first_stores, rows[n].second_stores ? STORES : LOADS);
        second_goes_on();
        assert_int_equal(has_conflicted(), rows[n].conflict);
        if (!rows[n].conflict)
            assert_true(fake_cpu_until(first, code(0, 13)));
        if (!rows[n].second_stores)
            assert_int_equal(second->vmcb->rax, 0);
        assert_int_equal(*fake_cpu_page(DATA), rows[n].second_stores ? 2 : 0);
    }
}

/* Once the transaction is over the next to miss the page gets it for good. */
static void released(void **state)
{
    uint64_t held = (uint64_t)fake_cpu_page(DATA);

    (void)state;
    begin(true, LOADS);
    assert_true(fake_cpu_until(first, code(0, 13)));
    assert_true((npt_entry(&second->pages_free, held) & NPT_HELD) != 0);
    second_goes_on();
    assert_int_equal(second->vmcb->rax, 1);
    assert_int_equal(npt_entry(&second->pages_free, held),
                     held | NPT_PRESENT | NPT_WRITE | NPT_USER);
    assert_int_equal(second->mode, MODE_FREE);
}

/* Two transactions: the later access wins, here that of the second. */
static void two_transactions(void **state)
{
    (void)state;
    start();
    MARKED(first, XBEGIN_, STORE_, NOP_, XEND_);
    MARKED(second, XBEGIN_, STORE_, XEND_, NOP_);
    first->vmcb->rax = 1;
    second->vmcb->rax = 2;
    assert_true(fake_cpu_until(first, code(0, 9)));
    fake_cpu.other = first;
    assert_true(fake_cpu_until(second, code(1, 12)));
    assert_true(has_conflicted());
    assert_int_equal(second->tx.depth, 0);
    assert_int_equal(*fake_cpu_page(DATA), 2);
}

/* Both only read: both commit. */
static void two_readers(void **state)
{
    (void)state;
    start();
    MARKED(first, XBEGIN_, LOAD_, NOP_, XEND_, NOP_);
    MARKED(second, XBEGIN_, LOAD_, XEND_, NOP_);
    assert_true(fake_cpu_until(first, code(0, 10)));
    assert_true(fake_cpu_until(second, code(1, 12)));
    assert_true(fake_cpu_until(first, code(0, 13)));
}

/* A transaction that commits just when it has a conflict does not. */
static void conflict_at_commit(void **state)
{
    (void)state;
    begin(true, LOADS);
    assert_true(fake_cpu_until(first, code(0, 10)));
    first->tx.conflict = true;
    assert_true(fake_cpu_until(first, code(0, FALLBACK)));
    assert_int_equal(*fake_cpu_page(DATA), 0);
}

/* Firmware takes a processor out of its guest: of its transaction nothing
 * stays, and the page that was open to it for one instruction is not. */
static void broken_off(void **state)
{
    uint64_t held = (uint64_t)fake_cpu_page(DATA);

    (void)state;
    begin(true, STORES);
    second->gprs.rdi += LINE_BYTES;
    while (second->grants == 0)
        assert_true(fake_cpu_rounds(second, 1));
    assert_int_equal(npt_entry(&second->pages_step, held) & NPT_HELD, 0);
    tx_break_off(second);
    assert_int_equal(second->grants, 0);
    assert_true((npt_entry(&second->pages_step, held) & NPT_HELD) != 0);
    assert_false(first->tx.conflict);

    assert_int_equal(*fake_cpu_page(DATA), 1);
    tx_break_off(first);
    assert_int_equal(first->tx.depth, 0);
    assert_false(first->tx.active);
    assert_int_equal(*fake_cpu_page(DATA), 0);
}

/* A processor that is in its guest meanwhile has to exit, and flushes its
 * translations before it goes on. */
static void translations_forgotten(void **state)
{
    (void)state;
    begin(false, STORES);
    assert_int_equal(second->flush, 1);
    fake_cpu.other = first;
    assert_true(fake_cpu_rounds(second, 1));
    assert_int_equal(second->flush, 0);
    assert_int_equal(second->vmcb->exit_code, EXIT_NPF);
    assert_int_equal(*fake_cpu_page(DATA), 0);
}

/* It is in its guest at that moment: an NMI is sent, and no line joins the set
 * before the other has left. One NMI on its way is enough, but if it is long.
 */
static void made_to_leave(void **state)
{
    (void)state;
    begin(false, STORES);
    for (unsigned n = 0; n < 3; n++) {
        second->in_guest = 1;
        second->flush = 0;
        second->nmi_tsc -= n == 2 ? UINT64_C(1) << 30 : 0;
        fake_cpu.running = second;
        fake_cpu.apic[0x300 / 4] = 0;
        assert_true(npt_set_page(&second->pages_free,
                                 (uint64_t)fake_cpu_page(DATA + 1 + n),
                                 NPT_PRESENT | NPT_WRITE | NPT_USER));
        assert_true(conflict_add_line(
            first, (uint64_t)fake_cpu_page(DATA + 1 + n), LINE_WRITTEN));
        assert_int_equal(second->in_guest, 0);
        assert_int_equal(second->flush, 1);
        assert_int_equal(fake_cpu.apic[0x300 / 4], n != 1 ? 0x400 : 0);
        assert_int_equal(second->nmi, 1);
    }
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(second, 1));
    assert_int_equal(second->nmi, 0);
    assert_int_equal(second->vmcb->event_inject, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts),
        cmocka_unit_test(released),
        cmocka_unit_test(two_transactions),
        cmocka_unit_test(two_readers),
        cmocka_unit_test(conflict_at_commit),
        cmocka_unit_test(broken_off),
        cmocka_unit_test(translations_forgotten),
        cmocka_unit_test(made_to_leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
