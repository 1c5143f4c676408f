/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_scan.c - XBEGIN on whatever page an operating system executes, written
 * there before it is executed for the first time, or after, by whom ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/model/msr.h"

#define MSR_PERFEVTSEL0 0x186u
#define MSR_GLOBAL_CTRL 0x38Fu
#define BRANCHES        0x4300C4u

/* Pages: the processors' own are 0 and 1. */
#define STORER 6
#define TARGET 8
#define PLACE  0x800u

static const uint8_t plain[8] = {NOP_, CPUID_, CPUID_};
static const uint8_t xbegin[8] = {XBEGIN_};

static struct vcpu *first, *second;

static void stand_at(struct vcpu *v, uint8_t *code)
{
    v->vmcb->rip = (uint64_t)code;
}

/* An operating system runs, and the first processor has executed TARGET. */
static void start(void)
{
    fake_cpu_start("skylake-2018", "none");
    hypervisor.has_os = hypervisor.for_os = true;
    first = fake_cpu_vcpu(0);
    second = fake_cpu_vcpu(1);
    code_scan_start(first);
    levels_choose(first);
    levels_choose(second);
    memcpy(fake_cpu_page(TARGET), plain, sizeof(plain));
    stand_at(first, fake_cpu_page(TARGET));
    assert_true(fake_cpu_until(first, fake_cpu_page(TARGET) + 3));
    assert_int_equal(first->mode, MODE_FREE);
    memcpy(fake_cpu_page(STORER), ((uint8_t[]){STORE_, CPUID_, CPUID_}), 7);
}

/* What the page is to this processor: executable, or else written. */
static uint64_t rights(const struct npt *pages, unsigned page)
{
    return npt_entry(pages, (uint64_t)fake_cpu_page(page)) &
           (NPT_WRITE | NPT_NX);
}

static void store(struct vcpu *v, uint8_t *to, const uint8_t bytes[8])
{
    memcpy(&v->vmcb->rax, bytes, 8);
    v->gprs.rdi = (uint64_t)to;
    stand_at(v, fake_cpu_page(STORER));
    assert_true(fake_cpu_until(v, fake_cpu_page(STORER) + 5));
    assert_memory_equal(to, bytes, 8);
}

static bool begins_at(struct vcpu *v, uint8_t *code)
{
    stand_at(v, code);
    for (unsigned n = 0; n < 8 && v->tx.depth == 0; n++)
        assert_true(fake_cpu_rounds(v, 1));
    return v->tx.depth == 1;
}

static void xbegin_is_seen_anywhere(void **state)
{
    (void)state;
    start();
    assert_int_equal(hypervisor.pages, 1);
    assert_int_equal(hypervisor.stepped, 0);
    CODE(second, NOP_, XBEGIN_);
    assert_true(begins_at(second, fake_cpu_page(1)));
    assert_int_equal(hypervisor.pages, 2);
    assert_int_equal(hypervisor.stepped, 1);
}

/* No processor stores there unseen, whatever table it runs on. */
static void code_is_not_writable(void **state)
{
    (void)state;
    start();
    for (unsigned n = 0; n < 2; n++) {
        const struct vcpu *v = fake_cpu_vcpu(n);

        assert_int_equal(rights(&v->pages_free, TARGET), 0);
        assert_int_equal(rights(&v->pages_step, TARGET), 0);
        assert_int_equal(rights(&v->pages_catch, TARGET), NPT_NX);
        assert_int_equal(rights(&v->pages_step, TARGET + 1), NPT_WRITE);
    }
}

static void stored_by_itself(void **state)
{
    (void)state;
    start();
    store(first, fake_cpu_page(TARGET) + PLACE, xbegin);
    assert_int_equal(first->mode, MODE_FREE);
    assert_int_equal(rights(&first->pages_free, TARGET), NPT_WRITE | NPT_NX);
    assert_int_equal(rights(&second->pages_catch, TARGET), NPT_WRITE | NPT_NX);
    assert_true(begins_at(first, fake_cpu_page(TARGET) + PLACE));
}

static void stored_while_stepped(void **state)
{
    (void)state;
    start();
    assert_true(msr_write(first->model, MSR_PERFEVTSEL0, BRANCHES | 1 << 17));
    assert_true(msr_write(first->model, MSR_GLOBAL_CTRL, 1));
    levels_choose(first);
    assert_int_equal(first->mode, MODE_STEP);
    store(first, fake_cpu_page(TARGET) + PLACE, xbegin);
    assert_int_equal(first->mode, MODE_STEP);
    assert_true(msr_write(first->model, MSR_GLOBAL_CTRL, 0));
    levels_stale(first);
    levels_choose(first);
    assert_int_equal(first->mode, MODE_FREE);
    assert_true(begins_at(first, fake_cpu_page(TARGET) + PLACE));
}

static void stored_by_another(void **state)
{
    (void)state;
    start();
    first->in_guest = 1; /* leaves it when an NMI has come */
    fake_cpu.running = first;
    store(second, fake_cpu_page(TARGET) + PLACE, xbegin);
    fake_cpu.running = NULL;
    assert_int_equal(first->flush, 1);
    assert_true(begins_at(first, fake_cpu_page(TARGET) + PLACE));
}

static void stored_in_a_transaction(void **state)
{
    uint8_t *code = fake_cpu_page(STORER + 1);

    (void)state;
    start();
    memcpy(code, ((uint8_t[]){XBEGIN_, STORE_, XEND_, CPUID_, CPUID_}), 16);
    first->gprs.rdi = (uint64_t)fake_cpu_page(TARGET) + PLACE;
    memcpy(&first->vmcb->rax, xbegin, 8);
    stand_at(first, code);
    assert_true(fake_cpu_until(first, code + 14));
    assert_int_equal(first->tx.depth, 0);
    assert_true(begins_at(first, fake_cpu_page(TARGET) + PLACE));
}

/* Between its fault and the store no other one makes it code again: it steps
 * there meanwhile. */
static void about_to_store(void **state)
{
    (void)state;
    start();
    second->gprs.rdi = (uint64_t)fake_cpu_page(TARGET) + PLACE;
    stand_at(second, fake_cpu_page(STORER));
    for (unsigned n = 0; n < 4 && !second->stores; n++)
        assert_true(fake_cpu_rounds(second, 1));
    assert_true(second->stores);
    assert_int_equal(second->mode, MODE_STEP);
    stand_at(first, fake_cpu_page(TARGET));
    assert_true(fake_cpu_rounds(first, 2));
    assert_int_equal(rights(&first->pages_free, TARGET), NPT_WRITE | NPT_NX);
    assert_true(fake_cpu_until(second, fake_cpu_page(STORER) + 5));
    assert_false(second->stores);
    stand_at(first, fake_cpu_page(TARGET));
    assert_true(fake_cpu_rounds(first, 2));
    assert_int_equal(rights(&first->pages_free, TARGET), 0);
}

/* A page that stores to itself: it goes on, and what it stores is seen, however
 * often it has done so. */
static void code_that_stores_to_itself(void **state)
{
    uint8_t *code = fake_cpu_page(TARGET);

    (void)state;
    start();
    memcpy(code, ((uint8_t[]){STORE_, CPUID_, CPUID_}), 7);
    first->gprs.rdi = (uint64_t)code + PLACE;
    for (unsigned n = 0; n < 20; n++) {
        memcpy(&first->vmcb->rax, n < 19 ? plain : xbegin, 8);
        stand_at(first, code);
        assert_true(fake_cpu_until(first, code + 5));
    }
    assert_true(begins_at(first, code + PLACE));
}

/* A page with an XBEGIN, and then without one. */
static void no_xbegin_any_more(void **state)
{
    (void)state;
    start();
    store(first, fake_cpu_page(TARGET), xbegin);
    assert_true(begins_at(first, fake_cpu_page(TARGET)));
    tx_abort(first, TX_CAUSE_EVENT);
    store(first, fake_cpu_page(TARGET), plain);
    stand_at(first, fake_cpu_page(TARGET));
    assert_true(fake_cpu_until(first, fake_cpu_page(TARGET) + 3));
    assert_int_equal(first->mode, MODE_FREE);
    assert_int_equal(rights(&first->pages_free, TARGET), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xbegin_is_seen_anywhere),
        cmocka_unit_test(code_is_not_writable),
        cmocka_unit_test(stored_by_itself),
        cmocka_unit_test(stored_while_stepped),
        cmocka_unit_test(stored_by_another),
        cmocka_unit_test(stored_in_a_transaction),
        cmocka_unit_test(about_to_store),
        cmocka_unit_test(code_that_stores_to_itself),
        cmocka_unit_test(no_xbegin_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
