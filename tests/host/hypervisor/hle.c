/* SPDX-License-Identifier: BSD-2-Clause */
/* hle.c - locks elided, released, and not used as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

/* The lock is at RDI, and EAX is stored there. */
#define LOCK 8

static struct vcpu *start(const char *cpu)
{
    struct vcpu *v;

    fake_cpu_start(cpu, "none");
    v = fake_cpu_vcpu(0);
    v->gprs.rdi = (uint64_t)fake_cpu_page(LOCK);
    return v;
}

static uint32_t lock_word(void)
{
    uint32_t value;

    memcpy(&value, fake_cpu_page(LOCK), sizeof(value));
    return value;
}

/* Inside, the guest sees its own value and all others the free one. */
static void elides(void **state)
{
    (void)state;
    for (unsigned refused = 0; refused < 2; refused++) {
        struct vcpu *v = start("haswell");

        fake_cpu.refuses_hints = refused != 0;
        MARKED(v, XACQUIRE_, XCHG_, LOAD_, XRELEASE_, STORE32_, NOP_);
        v->vmcb->rax = 1;
        assert_true(fake_cpu_until(v, fake_cpu_at(3)));
        assert_true(v->tx.hle);
        assert_int_equal(v->vmcb->rax, 0);
        assert_int_equal(lock_word(), 0);
        assert_true(fake_cpu_until(v, fake_cpu_at(6)));
        assert_int_equal(v->vmcb->rax, 1);
        assert_int_equal(v->tx.lines.writes, 0);
        v->vmcb->rax = 0;
        assert_true(fake_cpu_until(v, fake_cpu_at(9)));
        assert_int_equal(v->tx.depth, 0);
        assert_int_equal(v->model->tsx.active, false);
        assert_int_equal(lock_word(), 0);
        assert_int_equal(fake_cpu.events_delivered, 0);
    }
}

/* What is at `last` aborts: all runs once more from the XACQUIRE on, which
 * takes the lock now, up to `after`. */
static void expect_retry(struct vcpu *v, unsigned last, unsigned after)
{
    v->vmcb->rax = 5;
    assert_true(fake_cpu_until(v, fake_cpu_at(0)));
    while (v->tx.depth == 0)
        assert_true(fake_cpu_rounds(v, 1));
    while (v->tx.depth > 0) {
        assert_in_range(v->vmcb->rip, (uint64_t)fake_cpu_at(0),
                        (uint64_t)fake_cpu_at(last));
        assert_true(fake_cpu_rounds(v, 1));
    }
    assert_ptr_equal((void *)v->vmcb->rip, fake_cpu_at(0));
    assert_int_equal(v->vmcb->rax, 5); /* no status in EAX */
    assert_int_equal(lock_word(), 0);
    assert_true(fake_cpu_until(v, fake_cpu_at(after)));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(lock_word(), 5);
}

static void releases_another_value(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    MARKED(v, XACQUIRE_, XCHG_, LOAD_, XRELEASE_, STORE32_, NOP_);
    expect_retry(v, 6, 3);
}

static void stores_to_its_lock(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    MARKED(v, XACQUIRE_, XCHG_, STORE32_, NOP_);
    expect_retry(v, 3, 3);
}

static void instruction_aborts(void **state)
{
    static const uint8_t rows[][6] = {
        {CPUID_}, {XBEGIN_}, {XEND_}, {XABORT_}, {UD2_},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start("haswell");

        MARKED(v, XACQUIRE_, XCHG_);
        memcpy(fake_cpu_page(0) + 3, rows[n], sizeof(rows[n]));
        expect_retry(v, 3, 3);
    }
}

static void stores_are_undone(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    MARKED(v, XACQUIRE_, XCHG_, STORE_, CPUID_, NOP_);
    v->vmcb->rax = 5;
    assert_true(fake_cpu_until(v, fake_cpu_at(3)));
    v->gprs.rdi = (uint64_t)fake_cpu_page(LOCK + 1);
    v->vmcb->rax = UINT64_MAX;
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    assert_int_equal(*fake_cpu_page(LOCK + 1), 0xFF);
    assert_true(fake_cpu_until(v, fake_cpu_at(0)));
    assert_int_equal(*fake_cpu_page(LOCK + 1), 0);
    assert_ptr_equal((void *)v->gprs.rdi, fake_cpu_page(LOCK));
}

/* XTEST is no reason to abort, and says that there is a region. */
static void xtest_inside(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    MARKED(v, XACQUIRE_, XCHG_, XTEST_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->vmcb->rflags & RFLAGS_ZF, 0);
}

/* Where no lock is elided the hints change nothing: XCHG is one. */
static void hint_ignored(void **state)
{
    (void)state;
    for (unsigned refused = 0; refused < 2; refused++) {
        struct vcpu *v = start("skylake-2018");

        fake_cpu.refuses_hints = refused != 0;
        MARKED(v, XACQUIRE_, XCHG_, XRELEASE_, STORE32_, NOP_);
        v->vmcb->rax = 1;
        assert_true(fake_cpu_until(v, fake_cpu_at(3)));
        assert_int_equal(v->tx.depth, 0);
        assert_int_equal(lock_word(), 1);
        assert_true(fake_cpu_until(v, fake_cpu_at(6)));
        assert_int_equal(lock_word(), 0);
        assert_int_equal(v->transactions, 0);
    }
}

/* In a transaction of RTM the hint is ignored: the lock is written. */
static void hint_in_rtm(void **state)
{
    (void)state;
    for (unsigned refused = 0; refused < 2; refused++) {
        struct vcpu *v = start("haswell");

        fake_cpu.refuses_hints = refused != 0;
        MARKED(v, XBEGIN_, XACQUIRE_, XCHG_, XEND_, NOP_);
        v->vmcb->rax = 1;
        assert_true(fake_cpu_until(v, fake_cpu_at(9)));
        assert_int_equal(v->tx.depth, 1);
        assert_false(v->tx.hle);
        assert_int_equal(v->tx.lines.writes, 1);
        assert_true(fake_cpu_until(v, fake_cpu_at(12)));
        assert_int_equal(lock_word(), 1);
    }
}

/* As often as one likes, and on the page of the code itself. */
static void hints_in_rtm(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    fake_cpu.refuses_hints = true;
    MARKED(v, XBEGIN_);
    for (unsigned n = 0; n < 100; n++)
        memcpy(fake_cpu_page(0) + 6 + 3 * n, ((uint8_t[]){XACQUIRE_, XCHG_}),
               3);
    v->gprs.rdi = (uint64_t)fake_cpu_at(0x800);
    v->vmcb->rax = 1;
    assert_true(fake_cpu_until(v, fake_cpu_at(6 + 3 * 99)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(*fake_cpu_at(0x800), 1);
}

/* After the instruction its page is itself again. */
static void code_is_read_back(void **state)
{
    struct vcpu *v = start("haswell");

    (void)state;
    fake_cpu.refuses_hints = true;
    MARKED(v, XACQUIRE_, XCHG_, LOAD_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_at(3)));
    v->gprs.rdi = (uint64_t)fake_cpu_at(0);
    assert_true(fake_cpu_until(v, fake_cpu_at(6)));
    assert_int_equal(v->tx.depth, 1);
    assert_int_equal(v->vmcb->rax & 0xFF, XACQUIRE_);
}

/* The lock is on the page of the instruction that takes it. */
static void lock_beside_code(void **state)
{
    (void)state;
    for (unsigned refused = 0; refused < 2; refused++) {
        struct vcpu *v = start("haswell");
        const uint8_t *lock = fake_cpu_at(0x800);

        fake_cpu.refuses_hints = refused != 0;
        MARKED(v, XACQUIRE_, XCHG_, NOP_, XRELEASE_, STORE32_, NOP_);
        v->gprs.rdi = (uint64_t)lock;
        v->vmcb->rax = 1;
        assert_true(fake_cpu_until(v, fake_cpu_at(4)));
        assert_int_equal(v->tx.depth, 1);
        assert_int_equal(*lock, 0);
        v->vmcb->rax = 0;
        assert_true(fake_cpu_until(v, fake_cpu_at(7)));
        assert_int_equal(v->tx.depth, 0);
        assert_int_equal(*lock, 0);
        assert_int_equal(fake_cpu_page(0)[0], XACQUIRE_);
        assert_int_equal(fake_cpu.events_delivered, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elides),
        cmocka_unit_test(releases_another_value),
        cmocka_unit_test(stores_to_its_lock),
        cmocka_unit_test(instruction_aborts),
        cmocka_unit_test(stores_are_undone),
        cmocka_unit_test(xtest_inside),
        cmocka_unit_test(hint_ignored),
        cmocka_unit_test(hint_in_rtm),
        cmocka_unit_test(hints_in_rtm),
        cmocka_unit_test(code_is_read_back),
        cmocka_unit_test(lock_beside_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
