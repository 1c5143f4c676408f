/* SPDX-License-Identifier: BSD-2-Clause */
/* startup.c - INIT and SIPI, as an operating system sends them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/processors/processors.h"

#define ICR_LOW  (0x300 / 4)
#define ICR_HIGH (0x310 / 4)
#define EOI      (0xB0 / 4)
#define INIT     0x4500u
#define DEASSERT 0x8500u
#define SIPI     0x4608u
#define OTHERS   0xC0000u
#define FIXED    0x40F1u

static uint8_t page[PAGE_BYTES] __attribute__((aligned(4096)));

static struct vcpu *start(void)
{
    static uint8_t msr_map[8192];
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    hypervisor.has_os = true;
    hypervisor.msr_map = msr_map;
    v = fake_cpu_vcpu(0);
    apic_base_prepare(page);
    apic_base_start(v);
    return v;
}

/* MOV [RDI], EAX that has met the page of the local APIC. */
static void store(struct vcpu *v, unsigned word, uint32_t value)
{
    uint64_t rip = v->vmcb->rip;
    struct action a;

    CODE(v, STORE32_);
    v->vmcb->rax = value;
    v->vmcb->exit_info1 = NPF_PRESENT | NPF_WRITE;
    v->vmcb->exit_info2 = (uint64_t)&fake_cpu.apic[word];
    assert_true(startup_apic_access(v, &a));
    assert_int_equal(a.kind, ACTION_RETIRE);
    assert_int_equal(a.bytes, 2);
    assert_int_equal(v->vmcb->rip, rip);
}

static void stores_exit(void **state)
{
    struct vcpu *v = start();
    uint64_t entry = npt_entry(&v->pages_free, (uint64_t)fake_cpu.apic);
    struct action a;

    (void)state;
    assert_int_equal(entry & (NPT_PRESENT | NPT_WRITE), NPT_PRESENT);
    store(v, EOI, 7);
    assert_int_equal(fake_cpu.apic[EOI], 7);
    store(v, ICR_LOW, FIXED);
    assert_int_equal(fake_cpu.apic[ICR_LOW], FIXED);
    v->vmcb->exit_info2 = (uint64_t)fake_cpu_page(9);
    assert_false(startup_apic_access(v, &a));
    v->vmcb->exit_info2 = (uint64_t)fake_cpu.apic;
    CODE(v, XCHG_);
    assert_true(startup_apic_access(v, &a));
    assert_int_equal(a.kind, ACTION_STOP);
}

static void init_and_sipi(void **state)
{
    struct vcpu *v = start(), *o = fake_cpu_vcpu(1);

    (void)state;
    store(v, ICR_HIGH, 1u << 24);
    store(v, ICR_LOW, SIPI); /* it is running */
    assert_false(startup_is_due(o));
    store(v, ICR_LOW, DEASSERT);
    assert_false(startup_is_due(o));
    store(v, ICR_LOW, INIT);
    assert_true(startup_is_due(o));
    assert_false(startup_is_due(v));
    store(v, ICR_LOW, SIPI);
    store(v, ICR_LOW, SIPI + 1); /* the second one is too late */
    startup_begin(o);
    assert_int_equal(o->vmcb->cs.selector, 0x0800);
    assert_int_equal(o->vmcb->cs.base, 0x8000);
    assert_int_equal(o->vmcb->rip, 0);
    assert_int_equal(o->vmcb->cr0 & 0x80000001, 0);
    assert_int_equal(o->gprs.rdx, 0x506E3);
    assert_false(startup_is_due(o));
}

static void broadcast(void **state)
{
    struct vcpu *v = start(), *o = fake_cpu_vcpu(1);

    (void)state;
    store(v, ICR_HIGH, 0);
    store(v, ICR_LOW, OTHERS | INIT);
    assert_true(startup_is_due(o));
    assert_false(startup_is_due(v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_exit),
        cmocka_unit_test(init_and_sipi),
        cmocka_unit_test(broadcast),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
