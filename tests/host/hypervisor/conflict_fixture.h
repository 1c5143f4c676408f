/* SPDX-License-Identifier: BSD-2-Clause */
/* conflict_fixture.h - two processors, one of them in a transaction. */
#ifndef TESTS_HOST_HYPERVISOR_CONFLICT_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_CONFLICT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

#define DATA 8

static struct vcpu *first, *second;

static inline uint8_t *code(unsigned processor, unsigned at)
{
    return fake_cpu_page(processor) + at;
}

static inline void start(void)
{
    fake_cpu_start("haswell", "none");
    first = fake_cpu_vcpu(0);
    second = fake_cpu_vcpu(1);
    first->gprs.rdi = second->gprs.rdi = (uint64_t)fake_cpu_page(DATA);
    for (unsigned at = FALLBACK; at < 0x800; at += 2)
        memcpy(code(0, at), ((uint8_t[]){CPUID_}), 2);
}

/* The first is in a transaction that has stored 1 to, or loaded, its word. The
 * other has had translations of the page before, and stands at its code. */
static inline void begin(bool store, const uint8_t bytes[3])
{
    start();
    CODE(second, STORE_, CPUID_);
    assert_true(fake_cpu_until(second, code(1, 5)));
    fake_cpu_code(second, bytes, 3);
    second->vmcb->rip += 3;
    CODE(second, HLT_);
    second->vmcb->rip -= 3;
    second->vmcb->rax = 2;

    if (store)
        MARKED(first, XBEGIN_, STORE_, NOP_, XEND_, NOP_);
    else
        MARKED(first, XBEGIN_, LOAD_, NOP_, XEND_, NOP_);
    first->vmcb->rax = 1;
    assert_true(fake_cpu_until(first, code(0, 9)));
    assert_int_equal(first->tx.depth, 1);
}

#define STORES ((const uint8_t[]){STORE_})
#define LOADS  ((const uint8_t[]){LOAD_})

/* Up to its HLT; the first runs where it is waited for. */
static inline void second_goes_on(void)
{
    fake_cpu.other = first;
    assert_false(fake_cpu_until(second, NULL));
    assert_ptr_equal((void *)second->vmcb->rip, code(1, 8));
    fake_cpu.other = NULL;
}

/* What has come of the first's transaction. */
static inline bool has_conflicted(void)
{
    return first->tx.depth == 0 &&
           (first->model->tsx.last_abort.information & TX_INFO_CONFLICT) != 0;
}

#endif
