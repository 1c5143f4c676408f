/* SPDX-License-Identifier: BSD-2-Clause */
/* tx.c - transactions begin, commit and abort in one another, and what that
 * leaves in memory and registers. */
#include "tests/host/hypervisor/tx_fixture.h"

static void commits(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, XEND_, NOP_);
    v->vmcb->rax = 0x1122334455667788;
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->vmcb->rax, 0x1122334455667788);
    assert_true(fake_cpu_until(v, fake_cpu_at(12)));
    assert_int_equal(v->tx.depth, 0);
    assert_false(v->tx.active);
    assert_int_equal(word(8, 0), 0x1122334455667788);
    assert_true(fake_cpu_until(v, fake_cpu_at(13)));
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
        assert_true(fake_cpu_until(v, fake_cpu_at(6 + 3 * n)));
        v->gprs.rdi = (uint64_t)fake_cpu_page(8) + at[n];
    }
    assert_true(fake_cpu_until(v, fake_cpu_at(18)));
    assert_int_equal(word(8, 0x100), UINT64_MAX);
    assert_int_equal(word(8, 0x13C), UINT64_MAX);
    assert_int_equal(word(8, 0xFFC), UINT64_MAX);
    assert_int_equal(v->tx.lines.writes, 4);
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
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
    assert_true(fake_cpu_until(v, fake_cpu_at(7)));
    v->gprs.rbx = v->gprs.r15 = 99;
    v->vmcb->rsp -= 8;
    v->vmcb->rflags |= RFLAGS_CF;
    fake_cpu.x87 = false;
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
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
        assert_true(fake_cpu_until(v, fake_cpu_at(7)));
        assert_int_equal(v->tx.extended.image[XSAVE_HEADER], n ? 1 : 0xFE);
        fake_cpu.x87 = false;
        assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
        assert_true(fake_cpu.x87);
    }
}

static void xtest_sets_zf(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XTEST_, XBEGIN_, XTEST_, NOP_);
    v->vmcb->rflags |= RFLAGS_STATUS;
    assert_true(fake_cpu_until(v, fake_cpu_at(3)));
    assert_int_equal(v->vmcb->rflags & RFLAGS_STATUS, RFLAGS_ZF);
    assert_true(fake_cpu_until(v, fake_cpu_at(12)));
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
                         fake_cpu_at(rows[n].event != 0 ? 0 : 3));
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
        assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(0));
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
    assert_true(fake_cpu_until(v, fake_cpu_at(6 * max)));
    assert_int_equal(v->tx.depth, max);
    v->vmcb->rax = 5;
    assert_true(fake_cpu_until(v, fake_cpu_at(6 * max + 6)));
    assert_int_equal(v->tx.depth, max - 1);
    assert_int_equal(word(8, 0), 5);
    /* To the fallback of the outermost, and all levels are undone. */
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
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
    assert_true(fake_cpu_until(v, fake_cpu_at(6 * max)));
    assert_int_equal(v->tx.depth, max);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->tx.depth, 0);
    assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(FALLBACK));
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
