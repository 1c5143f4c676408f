/* SPDX-License-Identifier: BSD-2-Clause */
/* direct_tx.c - steps without VMRUN in a transaction, and in an elided one. */
#include "tests/host/hypervisor/direct_fixture.h"

/* The model has what CLFLUSH does there. */
static void clflush_in_transaction_is_vmruns(void **state)
{
    (void)state;
    for (unsigned depth = 0; depth < 2; depth++) {
        struct vcpu *v = start();

        CODE(v, 0x0F, 0xAE, 0x3F, NOP_);
        v->model->choices.tx_may = 0;
        v->tx.depth = depth;
        assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
        assert_int_equal(v->direct.may, depth == 0);
    }
}

/* Loads and stores, one over the end of a line and one over that of a page, and
 * how the transaction ends: its lines, and what is in memory. */
static void transaction_is_the_same(void **state)
{
    static const uint64_t at[] = {0, 60, PAGE_BYTES - 4};

    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        unsigned reads[2], writes[2];
        uint64_t seen[2], left[2];

        for (unsigned with = 0; with < 2; with++) {
            struct vcpu *v = start();
            uint64_t *data = (uint64_t *)(fake_cpu_page(8) + at[n / 2]);

            if (with == 0)
                v->direct.cr0 = ~v->vmcb->cr0;
            CODE(v, XBEGIN_, NOP_, LOAD_, STORE_, XCHG_, PAIR_, NOP_, XABORT_);
            if (n % 2 != 0)
                memcpy(fake_cpu_page(0) + 20, ((uint8_t[]){XEND_}), 3);
            fake_cpu_page(0)[FALLBACK] = NOP_;
            v->gprs.rdi = (uint64_t)data;
            v->gprs.rbx = 7;
            memset(data, 0x5A, sizeof(*data));
            assert_true(fake_cpu_until(v, fake_cpu_at(20)));
            assert_int_equal(v->tx.depth, 1);
            assert_int_equal(fake_cpu.directs, 6 * with);
            assert_int_equal(fake_cpu.runs == 0, with);
            assert_int_equal(v->tx.opened, 0);
            assert_int_equal(v->vmcb->rflags & RFLAGS_IF, 0);
            reads[with] = v->tx.lines.reads;
            writes[with] = v->tx.lines.writes;
            memcpy(&seen[with], data, sizeof(*data));
            assert_true(fake_cpu_rounds(v, 1));
            assert_int_equal(v->tx.depth, 0);
            memcpy(&left[with], data, sizeof(*data));
        }
        assert_int_equal(reads[0], reads[1]);
        assert_int_equal(writes[0], writes[1]);
        assert_int_equal(seen[0], seen[1]);
        assert_int_equal(left[0], left[1]);
        assert_int_equal(left[1] == seen[1], n % 2 != 0);
    }
}

/* What cannot be in one aborts it before the instruction. */
static void transaction_aborts(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, XBEGIN_, STORE_, NOP_);
    fake_cpu_page(0)[FALLBACK] = NOP_;
    v->gprs.rdi = 0x1000; /* no RAM */
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
    assert_int_equal(fake_cpu.directs, 0);
    assert_int_equal(v->tx.depth, 0);
}

/* Another processor is on the line: who comes later wins. */
static void transaction_conflicts(void **state)
{
    struct vcpu *v = start(), *o = fake_cpu_vcpu(1);

    (void)state;
    fake_cpu_page(1)[0] = 0xF4;
    o->tx.active = true;
    assert_true(lines_add(&o->tx.lines, (uint64_t)fake_cpu_page(8), LINE_READ));
    CODE(v, XBEGIN_, STORE_, NOP_);
    o->tx.depth = 1;
    o->tx.fallback = (uint64_t)fake_cpu_page(1);
    fake_cpu.other = o;
    assert_true(fake_cpu_until(v, fake_cpu_at(9)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(o->tx.active, false);
    assert_int_equal(fake_cpu.directs, 1);
}

/* A lock that is elided is not what memory has. */
static void elided_lock_is_vmruns(void **state)
{
    struct vcpu *v = start_on("haswell");

    (void)state;
    CODE(v, XACQUIRE_, XCHG_, NOP_, LOAD_, NOP_);
    v->vmcb->rax = 1;
    assert_true(fake_cpu_until(v, fake_cpu_at(4)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(fake_cpu.directs, 1);
    v->vmcb->rax = 0;
    assert_true(fake_cpu_until(v, fake_cpu_at(7)));
    assert_int_equal(v->vmcb->rax, 1);
    assert_int_equal(*fake_cpu_page(8), 0);
    assert_int_equal(fake_cpu.directs, 1);
    assert_true(fake_cpu_until(v, fake_cpu_at(8)));
    assert_int_equal(fake_cpu.directs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clflush_in_transaction_is_vmruns),
        cmocka_unit_test(transaction_is_the_same),
        cmocka_unit_test(transaction_aborts),
        cmocka_unit_test(transaction_conflicts),
        cmocka_unit_test(elided_lock_is_vmruns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
