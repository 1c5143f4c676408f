/* SPDX-License-Identifier: BSD-2-Clause */
/* conflict_pages.c - conflicts are of lines: what else is on their pages is
 * none. */
#include "tests/host/hypervisor/conflict_fixture.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"

/* Another line of the page: no conflict. The page is granted for that one
 * instruction, and no interrupt's handler uses it. */
static void other_line_of_the_page(void **state)
{
    uint64_t held = (uint64_t)fake_cpu_page(DATA);

    (void)state;
    begin(true, STORES);
    second->gprs.rdi += LINE_BYTES;
    while (second->grants == 0)
        assert_true(fake_cpu_rounds(second, 1));
    assert_int_equal(second->mode, MODE_STEP);
    assert_int_equal(second->vmcb->interrupt_shadow, SHADOW_ON);
    while (second->grants > 0) /* its code faults first */
        assert_true(fake_cpu_rounds(second, 1));
    assert_int_equal(fake_cpu.run_shadow, SHADOW_ON);
    assert_int_equal(fake_cpu.run_rflags & RFLAGS_IF, 0);
    assert_int_equal(second->vmcb->rflags & RFLAGS_IF, RFLAGS_IF);
    assert_int_equal(second->vmcb->tlb_control, TLB_FLUSH_ALL);
    assert_true((npt_entry(&second->pages_step, held) & NPT_HELD) != 0);
    assert_int_equal(fake_cpu_page(DATA)[LINE_BYTES], 2);
    assert_int_equal(second->mode, MODE_FREE);
    assert_false(first->tx.conflict);
    assert_true(fake_cpu_until(first, code(0, 13)));
    assert_int_equal(*fake_cpu_page(DATA), 1);
}

/* The other stores to the next line while the page is open for a store that
 * ends in front of it. That is no store of the transaction's: it stays. */
static void beside_a_store(void **state)
{
    (void)state;
    start();
    MARKED(first, XBEGIN_, STORE_, XABORT_);
    first->vmcb->cs.attributes |= CS_L; /* its store has eight bytes */
    direct_never(first);
    first->gprs.rdi += LINE_BYTES - 8;
    first->vmcb->rax = 1;
    while (first->tx.opened == 0 || !first->tx.open[0].written)
        assert_true(fake_cpu_rounds(first, 1));
    CODE(second, STORE_, HLT_);
    second->gprs.rdi += LINE_BYTES;
    second->vmcb->rax = 2;
    assert_false(fake_cpu_until(second, NULL));
    assert_ptr_equal((void *)second->vmcb->rip, code(1, 3));
    assert_int_equal(fake_cpu_page(DATA)[LINE_BYTES], 2);
    assert_true(fake_cpu_until(first, code(0, 9)));
    assert_int_equal(fake_cpu_page(DATA)[LINE_BYTES - 8], 1);
    assert_int_equal(first->tx.lines.writes, 1);
    assert_true(fake_cpu_until(first, code(0, FALLBACK)));
    assert_int_equal(fake_cpu_page(DATA)[LINE_BYTES - 8], 0);
    assert_int_equal(fake_cpu_page(DATA)[LINE_BYTES], 2);
}

/* The interrupt flag that is masked meanwhile is not what PUSHFQ writes, nor
 * what POPFQ leaves. */
static void flags_on_the_page(void **state)
{
    uint64_t *stack = (uint64_t *)(fake_cpu_page(DATA) + 0x800);

    (void)state;
    begin(true, ((const uint8_t[]){PUSHFQ_, HLT_, HLT_}));
    second->vmcb->rsp = (uint64_t)stack;
    assert_false(fake_cpu_until(second, NULL));
    assert_int_equal(stack[-1], RFLAGS_IF | 2);
    assert_int_equal(second->vmcb->rflags, RFLAGS_IF | 2);

    begin(true, ((const uint8_t[]){POPFQ_, HLT_, HLT_}));
    second->vmcb->rsp = (uint64_t)stack;
    stack[0] = 2;
    assert_false(fake_cpu_until(second, NULL));
    assert_int_equal(second->vmcb->rflags, 2);
    assert_false(first->tx.conflict);
}

/* Other lines of two pages: both are granted for the one instruction. */
static void other_lines_of_two_pages(void **state)
{
    (void)state;
    begin(true, STORES);
    lines_clear(&first->tx.lines);
    assert_true(conflict_add_line(first, (uint64_t)fake_cpu_page(DATA - 1),
                                  LINE_WRITTEN));
    assert_true(conflict_add_line(first, (uint64_t)fake_cpu_page(DATA) + 0x800,
                                  LINE_WRITTEN));
    second->gprs.rdi -= 4;
    second_goes_on();
    assert_false(first->tx.conflict);
    assert_int_equal(fake_cpu_page(DATA - 1)[PAGE_BYTES - 4], 2);
}

/* A page mapped on its own does not hide those around it. */
static void neighbours_are_there(void **state)
{
    uint64_t at = (uint64_t)fake_cpu_page(DATA);

    (void)state;
    start();
    assert_int_equal(npt_entry(&first->pages_step, at), 0);
    assert_true(npt_set_page(&first->pages_step, at, NPT_PRESENT));
    assert_int_equal(npt_entry(&first->pages_step, at), at | NPT_PRESENT);
    assert_true(
        (npt_entry(&first->pages_step, (uint64_t)fake_cpu_page(DATA + 1)) &
         NPT_PRESENT) != 0);
    /* But for the pages of a transaction, where none is mapped. */
    assert_true(npt_set_page(&first->tx_pages, at, NPT_PRESENT));
    assert_int_equal(
        npt_entry(&first->tx_pages, (uint64_t)fake_cpu_page(DATA + 1)), 0);
}

/* Across two lines, of which one conflicts, at the second page's beginning. */
static void across_pages(void **state)
{
    (void)state;
    begin(true, STORES);
    second->gprs.rdi -= 4;
    second_goes_on();
    assert_true(has_conflicted());
    assert_int_equal(fake_cpu_page(DATA - 1)[PAGE_BYTES - 4], 2);
}

/* A page that the other has never accessed is held from it, too. */
static void untouched_page(void **state)
{
    (void)state;
    start();
    MARKED(first, XBEGIN_, STORE_, NOP_, XEND_);
    first->vmcb->rax = 1;
    assert_true(fake_cpu_until(first, code(0, 9)));
    second->vmcb->rip += 5;
    CODE(second, LOAD_, HLT_);
    second_goes_on();
    assert_true(has_conflicted());
    assert_int_equal(second->vmcb->rax, 0);
}

/* What no single instruction does means the whole page: a walk of page tables,
 * and the delivery of an event, which is injected again. */
static void whole_pages(void **state)
{
    static const struct fake_cpu_exit rows[] = {
        {EXIT_NPF, NPF_WRITE | NPF_PAGE_TABLE, 0, 0},
        {EXIT_NPF, NPF_WRITE, 0, EVENT_VALID | 0x40},
    };

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        begin(true, STORES);
        fake_cpu_exit(EXIT_NPF, rows[n].info1,
                      (uint64_t)fake_cpu_page(DATA) + 0x800, rows[n].int_info);
        fake_cpu.other = first;
        assert_true(fake_cpu_rounds(second, 1));
        assert_int_equal(first->tx.depth, 0);
        assert_int_equal(second->grants, 0);
        assert_int_equal(second->vmcb->event_inject, rows[n].int_info);
    }
}

/* The code of a refused hint is on the page that a transaction has stored to:
 * it aborts, and its stores are not on the copy. */
static void refused_hint_on_a_held_page(void **state)
{
    (void)state;
    start();
    fake_cpu.refuses_hints = true;
    second->vmcb->rip = (uint64_t)fake_cpu_page(DATA);
    MARKED(second, XRELEASE_, XCHG_, NOP_);
    second->gprs.rdi = (uint64_t)fake_cpu_page(DATA) + 0x800;
    second->vmcb->rax = 3;
    MARKED(first, XBEGIN_, STORE_, NOP_, XEND_);
    first->gprs.rdi = (uint64_t)fake_cpu_page(DATA) + 0x800;
    first->vmcb->rax = 1;
    assert_true(fake_cpu_until(first, code(0, 9)));
    fake_cpu.other = first;
    assert_true(fake_cpu_until(second, fake_cpu_page(DATA) + 3));
    assert_true(has_conflicted());
    assert_int_equal(second->vmcb->rax, 0);
    assert_int_equal(fake_cpu_page(DATA)[0x800], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_line_of_the_page),
        cmocka_unit_test(beside_a_store),
        cmocka_unit_test(flags_on_the_page),
        cmocka_unit_test(other_lines_of_two_pages),
        cmocka_unit_test(neighbours_are_there),
        cmocka_unit_test(across_pages),
        cmocka_unit_test(untouched_page),
        cmocka_unit_test(whole_pages),
        cmocka_unit_test(refused_hint_on_a_held_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
