/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx.c - transactions: how they begin and end, what of memory and
 * registers an abort restores, and what aborts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/model/msr.h"

#define GP_ (EVENT_VALID | EVENT_HAS_ERROR | EVENT_TYPE_EXCEPTION | VECTOR_GP)
#define UD_ (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_UD)

static struct vcpu *start_with(const char *fault)
{
    struct vcpu *v;

    fake_cpu_start("haswell", fault);
    v = fake_cpu_vcpu(0);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    return v;
}

static struct vcpu *start(void)
{
    return start_with("none");
}

static const uint8_t *code(unsigned at)
{
    return fake_cpu_page(0) + at;
}

static uint64_t word(unsigned page, unsigned at)
{
    uint64_t value;

    memcpy(&value, fake_cpu_page(page) + at, sizeof(value));
    return value;
}

static void commits(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, XEND_, NOP_);
    v->vmcb->rax = 0x1122334455667788;
    assert_true(fake_cpu_until(v, code(6)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->vmcb->rax, 0x1122334455667788);
    assert_true(fake_cpu_until(v, code(12)));
    assert_int_equal(v->tx.depth, 0);
    assert_false(v->tx.active);
    assert_int_equal(word(8, 0), 0x1122334455667788);
    assert_true(fake_cpu_until(v, code(13)));
}

/* Stores of 8 bytes at these places of page 8: within a line, across lines,
 * across pages; twice to the same. */
static void abort_puts_memory_back(void **state)
{
    static const unsigned at[] = {0x100, 0x13C, 0xFFC, 0x100};
    uint8_t was[2 * PAGE_BYTES];
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, STORE_, STORE_, STORE_, XABORT_);
    for (unsigned n = 0; n < sizeof(was); n++)
        was[n] = fake_cpu_page(8)[n] = (uint8_t)(n * 7);
    v->vmcb->rax = UINT64_MAX;
    for (unsigned n = 0; n < 4; n++) {
        assert_true(fake_cpu_until(v, code(6 + 3 * n)));
        v->gprs.rdi = (uint64_t)fake_cpu_page(8) + at[n];
    }
    assert_true(fake_cpu_until(v, code(18)));
    assert_int_equal(word(8, 0x100), UINT64_MAX);
    assert_int_equal(word(8, 0x13C), UINT64_MAX);
    assert_int_equal(word(8, 0xFFC), UINT64_MAX);
    assert_int_equal(v->tx.lines.writes, 4);
    assert_true(fake_cpu_until(v, code(FALLBACK)));
    assert_memory_equal(fake_cpu_page(8), was, sizeof(was));
}

static void abort_puts_registers_back(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, NOP_, XABORT_);
    v->gprs.rbx = 1;
    v->gprs.r15 = 15;
    v->vmcb->rsp -= 0x40;
    v->vmcb->rax = 0xFFFFFFFF00000000;
    fake_cpu.x87 = true;
    assert_true(fake_cpu_until(v, code(7)));
    v->gprs.rbx = v->gprs.r15 = 99;
    v->vmcb->rsp -= 8;
    v->vmcb->rflags |= RFLAGS_CF;
    fake_cpu.x87 = false;
    assert_true(fake_cpu_until(v, code(FALLBACK)));
    assert_int_equal(v->gprs.rbx, 1);
    assert_int_equal(v->gprs.r15, 15);
    assert_int_equal(v->vmcb->rsp, (uint64_t)fake_cpu_page(4) - 0x40);
    assert_int_equal(v->vmcb->rflags, RFLAGS_IF | 2);
    assert_true(fake_cpu.x87);
    /* EAX has the code and bit 0, and clears RAX[63:32]. */
    assert_int_equal(v->vmcb->rax, 0xAB000001);
}

/* YMM is saved only by XSAVE, which needs CR4.OSXSAVE. */
static void extended_state(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct vcpu *v = start();

        MARKED(v, XBEGIN_, NOP_, XABORT_);
        v->vmcb->cr4 = n * CR4_OSXSAVE;
        fake_cpu.x87 = true;
        v->tx.extended.image[XSAVE_HEADER] = 0xFE;
        assert_true(fake_cpu_until(v, code(7)));
        assert_int_equal(v->tx.extended.image[XSAVE_HEADER], n ? 1 : 0xFE);
        fake_cpu.x87 = false;
        assert_true(fake_cpu_until(v, code(FALLBACK)));
        assert_true(fake_cpu.x87);
    }
}

static void xtest_sets_zf(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XTEST_, XBEGIN_, XTEST_, NOP_);
    v->vmcb->rflags |= RFLAGS_STATUS;
    assert_true(fake_cpu_until(v, code(3)));
    assert_int_equal(v->vmcb->rflags & RFLAGS_STATUS, RFLAGS_ZF);
    assert_true(fake_cpu_until(v, code(12)));
    assert_int_equal(v->vmcb->rflags & RFLAGS_STATUS, 0);
}

static void outside(void **state)
{
    static const struct {
        uint8_t bytes[3];
        uint64_t event;
    } rows[] = {
        {{XEND_}, GP_}, {{XABORT_}, 0}, /* it is a NOP there */
    };

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        struct vcpu *v = start();

        fake_cpu_marked(v, rows[n].bytes, 3);
        assert_true(fake_cpu_rounds(v, 1)); /* the fetch from a marked page */
        while (v->mode != MODE_STEP)
            assert_true(fake_cpu_rounds(v, 1));
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->event_inject, rows[n].event);
        assert_ptr_equal((void *)v->vmcb->rip,
                         code(rows[n].event != 0 ? 0 : 3));
    }
}

/* Without RTM all four raise #UD. */
static void not_enumerated(void **state)
{
    static const uint8_t rows[][6] = {
        {XBEGIN_},
        {XEND_},
        {XTEST_},
        {XABORT_},
    };

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        struct vcpu *v;

        fake_cpu_start("ivybridge", "none");
        v = fake_cpu_vcpu(0);
        fake_cpu_marked(v, rows[n], 6);
        while (v->vmcb->event_inject == 0)
            assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->event_inject, UD_);
        assert_int_equal(v->mode, MODE_CATCH);
        assert_ptr_equal((void *)v->vmcb->rip, code(0));
    }
}

static void nests(void **state)
{
    struct vcpu *v = start();
    unsigned max = v->model->cpu->tx_nest_max;

    (void)state;
    MARKED(v, XBEGIN_);
    for (unsigned n = 1; n < max; n++)
        memcpy(fake_cpu_page(0) + 6 * n, fake_cpu_page(0), 6);
    memcpy(fake_cpu_page(0) + 6 * max, ((uint8_t[]){XEND_, STORE_, XABORT_}),
           9);
    assert_true(fake_cpu_until(v, code(6 * max)));
    assert_int_equal(v->tx.depth, max);
    v->vmcb->rax = 5;
    assert_true(fake_cpu_until(v, code(6 * max + 6)));
    assert_int_equal(v->tx.depth, max - 1);
    assert_int_equal(word(8, 0), 5);
    /* To the fallback of the outermost, and all levels are undone. */
    assert_true(fake_cpu_until(v, code(FALLBACK)));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(word(8, 0), 0);
    assert_int_equal(v->vmcb->rax & TX_STATUS_NESTED, TX_STATUS_NESTED);
}

static void nests_too_deep(void **state)
{
    struct vcpu *v = start();
    unsigned max = v->model->cpu->tx_nest_max;

    (void)state;
    MARKED(v, XBEGIN_);
    for (unsigned n = 1; n <= max; n++)
        memcpy(fake_cpu_page(0) + 6 * n, fake_cpu_page(0), 6);
    assert_true(fake_cpu_until(v, code(6 * max)));
    assert_int_equal(v->tx.depth, max);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->tx.depth, 0);
    assert_ptr_equal((void *)v->vmcb->rip, code(FALLBACK));
}

/* One line after another, until it is too much. */
static unsigned lines_until_abort(const uint8_t bytes[3])
{
    struct vcpu *v = start();
    unsigned n = 0;

    MARKED(v, XBEGIN_);
    for (unsigned at = 6; at < 4000; at += 3)
        memcpy(fake_cpu_page(0) + at, bytes, 3);
    assert_true(fake_cpu_until(v, code(6)));
    for (; v->tx.depth > 0; n++) {
        v->vmcb->rip = (uint64_t)code(6 + 3 * (n % 1000));
        v->gprs.rdi = (uint64_t)fake_cpu_page(8) + n * LINE_BYTES;
        while (v->tx.depth > 0 &&
               v->vmcb->rip == (uint64_t)code(6 + 3 * (n % 1000)))
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
        assert_true(fake_cpu_until(v, code(FALLBACK)));
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
        assert_true(fake_cpu_until(v, code(9)));
        fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_PF, 2, 0x5000, 0);
        assert_true(fake_cpu_rounds(v, 1));
        assert_ptr_equal((void *)v->vmcb->rip, code(FALLBACK));
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
        assert_true(fake_cpu_until(v, code(7)));
        fake_cpu_exit(EXIT_NPF, NPF_WRITE, (uint64_t)fake_cpu_page(3),
                      rows[n].event);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->tx.depth, 0);
        assert_ptr_equal((void *)v->vmcb->rip, code(FALLBACK));
        assert_int_equal(v->vmcb->event_inject, rows[n].again);
    }
}

/* The processor's own accesses to page tables are in no set. */
static void page_walks(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, NOP_);
    assert_true(fake_cpu_until(v, code(6)));
    fake_cpu_exit(EXIT_NPF, NPF_WRITE | NPF_PAGE_TABLE,
                  (uint64_t)fake_cpu_page(9), 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->tx.lines.writes + v->tx.lines.reads, 0);
}

static void memory_type(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, LOAD_, XEND_, HLT_);
    assert_true(fake_cpu_until(v, code(6)));
    hypervisor.ram[0].end = (uint64_t)fake_cpu_page(8);
    assert_true(fake_cpu_until(v, code(FALLBACK)));
    assert_int_equal(v->vmcb->rax, 0);
}

/* While a page is open to stores no handler may use it; then IF is back. */
static void interrupts_wait_for_stores(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, PUSHFQ_, NOP_);
    assert_true(fake_cpu_until(v, code(9)));
    assert_int_equal(fake_cpu.run_rflags & RFLAGS_IF, 0);
    assert_int_equal(v->vmcb->rflags & RFLAGS_IF, RFLAGS_IF);
    /* And PUSHFQ, a store itself, has it. */
    assert_true(fake_cpu_until(v, code(10)));
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
    assert_true(fake_cpu_until(v, code(6)));
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
    assert_true(fake_cpu_until(v, code(9)));
    v->tx.conflict = true;
    assert_false(tx_commit(v, (uint64_t)code(12)));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(word(8, 0), 0);
    assert_ptr_equal((void *)v->vmcb->rip, code(FALLBACK));
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
        assert_true(fake_cpu_until(v, code(6)));
        assert_int_equal(v->vmcb->dr7, DR7_RESET);
        assert_true(fake_cpu_until(v, code(FALLBACK)));
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
        fake_cpu.breakpoints[0] = (uint64_t)code(6);
        v->vmcb->dr7 = dr7;
        v->vmcb->dr6 = 0xFFFF0FF2;
        v->vmcb->rax = 9;
        assert_true(fake_cpu_until(v, code(6)));
        if (n < 3) {
            assert_true(fake_cpu_until(v, code(FALLBACK)));
            assert_int_equal(v->vmcb->rax, TX_STATUS_DEBUG);
            assert_int_equal(v->vmcb->event_inject, 0);
            continue;
        }
        assert_true(fake_cpu_rounds(v, 1));
        assert_ptr_equal((void *)v->vmcb->rip, code(0));
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
        assert_true(fake_cpu_until(v, code(FALLBACK)));
        assert_int_equal(v->vmcb->rax, 0);
        assert_int_equal(word(8, 0), 0);
        assert_false(v->tx.active);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commits),
        cmocka_unit_test(abort_puts_memory_back),
        cmocka_unit_test(abort_puts_registers_back),
        cmocka_unit_test(extended_state),
        cmocka_unit_test(xtest_sets_zf),
        cmocka_unit_test(outside),
        cmocka_unit_test(not_enumerated),
        cmocka_unit_test(nests),
        cmocka_unit_test(nests_too_deep),
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
