/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_aborts.c - what aborts a transaction. */
#include "tests/host/hypervisor/tx_fixture.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/model/msr.h"

/* One line after another, until it is too much. */
static unsigned lines_until_abort(const uint8_t bytes[3])
{
    struct vcpu *v = start();
    unsigned n = 0;

    MARKED(v, XBEGIN_);
    for (unsigned at = 6; at < 4000; at += 3)
        memcpy(fake_cpu_page(0) + at, bytes, 3);
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    for (; v->tx.depth > 0; n++) {
        v->vmcb->rip = (uint64_t)fake_cpu_at(6 + 3 * (n % 1000));
        v->gprs.rdi = (uint64_t)fake_cpu_page(8) + n * LINE_BYTES;
        while (v->tx.depth > 0 &&
               v->vmcb->rip == (uint64_t)fake_cpu_at(6 + 3 * (n % 1000)))
            assert_true(fake_cpu_rounds(v, 1));
    }
    assert_int_equal(v->vmcb->rax, TX_STATUS_CAPACITY);
    return n - 1;
}

static void capacities(void **state)
{
    struct vcpu *v = start();

    (void)state;
    assert_int_equal(lines_until_abort((const uint8_t[]){STORE_}),
                     v->model->cpu->tx_write_lines);
    assert_int_equal(word(8, 0), 0);
    assert_int_equal(lines_until_abort((const uint8_t[]){LOAD_}),
                     v->model->cpu->tx_read_lines);
}

/* Each of them instead of what is at 6. */
static void aborting_instructions(void **state)
{
    static const uint8_t rows[][3] = {
        {CPUID_}, {UD2_}, {HLT_}, {WRMSR_}, {0xF3, 0x90}, {0xCC},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        MARKED(v, XBEGIN_);
        memcpy(fake_cpu_page(0) + 6, rows[n], 3);
        assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
        assert_int_equal(v->vmcb->rax,
                         rows[n][0] == 0xCC ? TX_STATUS_DEBUG : 0);
        assert_int_equal(fake_cpu.events_delivered, 0);
    }
}

/* A page fault: not delivered, and CR2 stays; with the fault of that name it
 * is delivered, at the fallback. */
static void exceptions(void **state)
{
    (void)state;
    for (unsigned faulty = 0; faulty < 2; faulty++) {
        struct vcpu *v =
            start_with(faulty ? "exception_delivered_in_tx" : "none");

        MARKED(v, XBEGIN_, STORE_, NOP_, NOP_);
        v->vmcb->rax = 7;
        assert_true(fake_cpu_until(v, fake_cpu_at(9)));
        fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_PF, 2, 0x5000, 0);
        assert_true(fake_cpu_rounds(v, 1));
        assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(FALLBACK));
        assert_int_equal(v->tx.depth, 0);
        assert_int_equal(v->vmcb->cr2, 0);
        assert_int_equal(word(8, 0), 0);
        assert_int_equal(v->vmcb->event_inject != 0, faulty);
    }
}

/* What has met a fault while it was delivered: it aborts; what came from
 * outside is delivered then. */
static void events_in_delivery(void **state)
{
    static const struct {
        uint64_t event, again;
    } rows[] = {
        {EVENT_VALID | 0x40, EVENT_VALID | 0x40},
        {EVENT_VALID | EVENT_TYPE_EXCEPTION | 0x40, EVENT_VALID | 0x40},
        {EVENT_VALID | EVENT_TYPE_NMI | 2, EVENT_VALID | EVENT_TYPE_NMI | 2},
        {EVENT_VALID | EVENT_TYPE_EXCEPTION | 3, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        MARKED(v, XBEGIN_, NOP_);
        assert_true(fake_cpu_until(v, fake_cpu_at(7)));
        fake_cpu_exit(EXIT_NPF, NPF_WRITE, (uint64_t)fake_cpu_page(3),
                      rows[n].event);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->tx.depth, 0);
        assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(FALLBACK));
        assert_int_equal(v->vmcb->event_inject, rows[n].again);
    }
}

/* The processor's own accesses to page tables are in no set. They are open up
 * to the next transaction, for which the same page may hold data. */
static void page_walks(void **state)
{
    struct vcpu *v = start();
    const uint64_t page = (uint64_t)fake_cpu_page(9);

    (void)state;
    MARKED(v, XBEGIN_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    /* More of them than can be told apart: all fault again. */
    for (unsigned n = 0; n <= TX_TABLES_OPEN; n++) {
        fake_cpu_exit(EXIT_NPF, NPF_WRITE | NPF_PAGE_TABLE,
                      n == 0 ? page : page + (n + 1) * PAGE_BYTES, 0);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal((npt_entry(&v->tx_pages, page) & NPT_WRITE) != 0,
                         n < TX_TABLES_OPEN);
    }
    fake_cpu_exit(EXIT_NPF, NPF_WRITE | NPF_PAGE_TABLE, page, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_true((npt_entry(&v->tx_pages, page) & NPT_WRITE) != 0);
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->tx.lines.writes + v->tx.lines.reads, 0);
    tx_abort(v, TX_CAUSE_EVENT);
    tx_begin(v, false, 0, 0);
    assert_int_equal(npt_entry(&v->tx_pages, page) & NPT_PRESENT, 0);
}

static void memory_type(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, LOAD_, XEND_, HLT_);
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    hypervisor.ram[0].end = (uint64_t)fake_cpu_page(8);
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
    assert_int_equal(v->vmcb->rax, 0);
}

/* While a page is open to stores no handler may use it; then IF is back. */
static void interrupts_wait_for_stores(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, PUSHFQ_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_at(9)));
    assert_int_equal(fake_cpu.run_rflags & RFLAGS_IF, 0);
    assert_int_equal(v->vmcb->rflags & RFLAGS_IF, RFLAGS_IF);
    /* And PUSHFQ, a store itself, has it. */
    assert_true(fake_cpu_until(v, fake_cpu_at(10)));
    assert_int_equal(word(3, PAGE_BYTES - 8) & (RFLAGS_IF | RFLAGS_TF),
                     RFLAGS_IF);
}

/* Cut short between its two halves, by a conflict: both are undone. */
static void cut_short(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, NOP_);
    v->vmcb->rax = UINT64_MAX;
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    while (v->tx.opened == 0)
        assert_true(fake_cpu_rounds(v, 1));
    fake_cpu_page(8)[0] = 0xFF; /* as far as the store has come */
    v->tx.conflict = true;
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(word(8, 0), 0);
    assert_int_equal(v->vmcb->rax & TX_STATUS_CONFLICT, TX_STATUS_CONFLICT);
}

/* Between the last look and the commit. */
static void conflict_before_commit(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, XEND_);
    v->vmcb->rax = 4;
    assert_true(fake_cpu_until(v, fake_cpu_at(9)));
    v->tx.conflict = true;
    assert_false(tx_commit(v, (uint64_t)fake_cpu_at(12)));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(word(8, 0), 0);
    assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(FALLBACK));
}

/* Breakpoints are removed from the host processor, and abort. */
static void breakpoints_abort(void **state)
{
    static const struct {
        uint64_t dr7;
        unsigned at; /* of page 8, or of the code */
        bool data;
    } rows[] = {
        {0x402 | UINT64_C(1) << 16 | UINT64_C(3) << 18, 0, true}, /* write */
        {0x402, 6, false},
    };

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        struct vcpu *v = start();

        MARKED(v, XBEGIN_, STORE_, NOP_);
        fake_cpu.breakpoints[0] =
            (uint64_t)(rows[n].data ? fake_cpu_page(8) : fake_cpu_page(0)) +
            rows[n].at;
        v->vmcb->dr7 = rows[n].dr7;
        v->vmcb->rax = 9;
        assert_true(fake_cpu_until(v, fake_cpu_at(6)));
        assert_int_equal(v->vmcb->dr7, DR7_RESET);
        assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
        assert_int_equal(v->vmcb->rax, TX_STATUS_DEBUG);
        assert_int_equal(v->vmcb->dr7, rows[n].dr7);
        assert_int_equal(word(8, 0), 0);
        assert_int_equal(fake_cpu.events_delivered, 0);
    }
}

/* DR7.RTM and IA32_DEBUGCTL.RTM, both or each alone: #DB at XBEGIN, with EAX
 * as it was, or the fallback. */
static void debugged(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct vcpu *v = start();
        uint64_t dr7 = 0x402 | (n & 1) << 11;

        MARKED(v, XBEGIN_, STORE_, NOP_);
        msr_write(v->model, IA32_DEBUGCTL, (n & 2) << 14);
        fake_cpu.breakpoints[0] = (uint64_t)fake_cpu_at(6);
        v->vmcb->dr7 = dr7;
        v->vmcb->dr6 = 0xFFFF0FF2;
        v->vmcb->rax = 9;
        assert_true(fake_cpu_until(v, fake_cpu_at(6)));
        if (n < 3) {
            assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
            assert_int_equal(v->vmcb->rax, TX_STATUS_DEBUG);
            assert_int_equal(v->vmcb->event_inject, 0);
            continue;
        }
        assert_true(fake_cpu_rounds(v, 1));
        assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(0));
        assert_int_equal(v->vmcb->rax, 9);
        assert_int_equal(v->vmcb->dr6, 0xFFFE0FF1);
        assert_int_equal(v->vmcb->dr7, dr7);
        assert_int_equal(v->vmcb->event_inject & 0xFFFFF0FF,
                         EVENT_VALID | VECTOR_DB);
    }
}

/* Regime B with RTM_FORCE_ABORT: wherever it ends, EAX is 0, nothing stays. */
static void forced_aborts(void **state)
{
    (void)state;
    for (int point = 0; point < 3; point++) {
        struct vcpu *v;

        fake_cpu_start("skylake-2018", "none");
        v = fake_cpu_vcpu(0);
        v->gprs.rdi = (uint64_t)fake_cpu_page(8);
        v->model->tsx.force_abort = RTM_FORCE_ABORT;
        v->model->choices.forced_abort = (enum forced_abort_point)point;
        v->model->choices.body_steps = 1;
        MARKED(v, XBEGIN_, STORE_, XEND_);
        v->vmcb->rax = 3;
        assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
        assert_int_equal(v->vmcb->rax, 0);
        assert_int_equal(word(8, 0), 0);
        assert_false(v->tx.active);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities),
        cmocka_unit_test(aborting_instructions),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(events_in_delivery),
        cmocka_unit_test(page_walks),
        cmocka_unit_test(memory_type),
        cmocka_unit_test(interrupts_wait_for_stores),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(conflict_before_commit),
        cmocka_unit_test(breakpoints_abort),
        cmocka_unit_test(debugged),
        cmocka_unit_test(forced_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
