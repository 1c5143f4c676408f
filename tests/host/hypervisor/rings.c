/* SPDX-License-Identifier: BSD-2-Clause */
/* rings.c - privilege levels change while the guest is stepped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define CS_L     UINT16_C(0x200)
#define SYSCALL_ 0x0F, 0x05
#define SYSRETQ_ 0x48, 0x0F, 0x07
#define SYSRETL_ 0x0F, 0x07

static struct vcpu *start(unsigned cpl)
{
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    v = fake_cpu_vcpu(0);
    fake_cpu.star[0] = UINT64_C(0x0018000800000000);
    fake_cpu.star[1] = (uint64_t)fake_cpu_page(1);
    fake_cpu.star[3] = RFLAGS_IF | RFLAGS_TF | RFLAGS_DF;
    v->vmcb->efer = 1;
    v->vmcb->cs.attributes = CS_L;
    v->vmcb->cpl = (uint8_t)cpl;
    v->model->pmu.select[0] = 0x4200C0; /* OS */
    v->model->pmu.select[1] = 0x4100C0; /* USR */
    v->model->pmu.global_ctrl = 3;
    pmu_update(v->model);
    step_end(v);
    return v;
}

static void counted(const struct vcpu *v, uint64_t os, uint64_t usr)
{
    assert_int_equal(v->model->pmu.counter[0], os);
    assert_int_equal(v->model->pmu.counter[1], usr);
}

/* It is of the level that it is executed at, and the guest is stepped on. */
static void system_calls(void **state)
{
    struct vcpu *v = start(3);

    (void)state;
    CODE(v, NOP_, SYSCALL_, NOP_);
    v->vmcb->rflags |= RFLAGS_DF | RFLAGS_ZF;
    assert_true(fake_cpu_until(v, fake_cpu_page(1)));
    assert_int_equal(v->gprs.rcx, (uint64_t)fake_cpu_page(0) + 3);
    assert_int_equal(v->gprs.r11, RFLAGS_DF | RFLAGS_ZF | RFLAGS_IF | 2);
    assert_int_equal(v->vmcb->rflags, RFLAGS_ZF | 2);
    assert_int_equal(v->vmcb->cpl, 0);
    assert_int_equal(v->vmcb->cs.selector, 0x08);
    assert_int_equal(v->vmcb->cs.attributes, 0xA9B);
    assert_int_equal(v->vmcb->ss.selector, 0x10);
    counted(v, 0, 2);
    assert_int_equal(v->mode, MODE_STEP);
    CODE(v, NOP_, SYSRETQ_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 3));
    assert_int_equal(v->vmcb->rflags & ~(uint64_t)RFLAGS_TF,
                     RFLAGS_DF | RFLAGS_ZF | RFLAGS_IF | 2);
    assert_int_equal(v->vmcb->cpl, 3);
    assert_int_equal(v->vmcb->cs.selector, 0x2B);
    assert_int_equal(v->vmcb->cs.attributes, 0xAFB);
    assert_int_equal(v->vmcb->ss.selector, 0x23);
    counted(v, 2, 2);
    assert_true(fake_cpu_rounds(v, 1));
    counted(v, 2, 3);
}

static void returns_to_compatibility_mode(void **state)
{
    struct vcpu *v = start(0);

    (void)state;
    CODE(v, SYSRETL_);
    v->gprs.rcx = UINT64_C(0xFF00000000) | 0x1234;
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rip, 0x1234);
    assert_int_equal(v->vmcb->cs.selector, 0x1B);
    assert_int_equal(v->vmcb->cs.attributes, 0xCFB);
}

/* SDM volume 2B, "SYSRET": of ring 0, to a canonical address. */
static void refuses_to_return(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct vcpu *v = start(n == 0 ? 3 : 0);

        CODE(v, SYSRETQ_);
        v->gprs.rcx = n == 0 ? 0 : UINT64_C(0x800000000000);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->event_inject & 0x7FF, 0x300 | VECTOR_GP);
        counted(v, 0, 0);
    }
}

static void interrupts(void **state)
{
    static const struct gate gate = {.flags = 0xEE00}; /* DPL 3 */
    struct vcpu *v = start(3);

    (void)state;
    CODE(v, 0xCD, 0x00, NOP_);
    v->vmcb->idtr.base = (uint64_t)&gate;
    v->vmcb->idtr.limit = sizeof(gate) - 1;
    hypervisor.ram[0].start = 0;
    hypervisor.ram[0].end = UINT64_MAX;
    assert_true(fake_cpu_rounds(v, 1));
    counted(v, 0, 1);
    assert_int_equal(v->vmcb->rip, (uint64_t)fake_cpu_page(0) + 2);
    assert_int_equal(v->vmcb->event_inject,
                     EVENT_VALID | EVENT_TYPE_SOFTWARE | 0);
    assert_int_equal(v->mode, MODE_CATCH);
    /* Its stack was not there: it is still to be delivered. */
    v->vmcb->event_inject = 0;
    v->vmcb->exit_code = EXIT_NPF;
    v->vmcb->exit_info1 = NPF_WRITE;
    v->vmcb->exit_info2 = (uint64_t)fake_cpu_page(3);
    v->vmcb->exit_int_info = EVENT_VALID | EVENT_TYPE_SOFTWARE;
    assert_int_equal(exit_handle(v).event, EVENT_VALID | EVENT_TYPE_SOFTWARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_calls),
        cmocka_unit_test(returns_to_compatibility_mode),
        cmocka_unit_test(refuses_to_return),
        cmocka_unit_test(interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
