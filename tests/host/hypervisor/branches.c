/* SPDX-License-Identifier: BSD-2-Clause */
/* branches.c - what the last branch records see of a guest, and how it runs
 * meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"

#define SELECT   0x1C8u
#define TOS      0x1C9u
#define DEBUGCTL 0x1D9u
#define FROM     0x680u
#define TO       0x6C0u
#define INFO     0xDC0u
#define BACK_2   0xFE /* displacement of LOOP, to itself */

static uint64_t get(struct vcpu *v, uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(v->model, number, &value));
    return value;
}

static void set(struct vcpu *v, uint32_t number, uint64_t value)
{
    assert_true(msr_write(v->model, number, value));
    step_end(v);
}

static struct vcpu *start(bool os)
{
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    v = fake_cpu_vcpu(0);
    v->model->choices.lbr_abort_in_tsx = false;
    hypervisor.has_os = hypervisor.for_os = os;
    set(v, DEBUGCTL, 1);
    return v;
}

static uint64_t code(unsigned at)
{
    return (uint64_t)fake_cpu_page(0) + at;
}

static void last_is(struct vcpu *v, unsigned tos, uint64_t from, uint64_t to)
{
    assert_int_equal(get(v, TOS), tos);
    assert_int_equal(get(v, FROM + tos), from);
    assert_int_equal(get(v, TO + tos), to);
}

static void stepped_while_enabled(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, NOP_, LOOP_, BACK_2, NOP_, NOP_);
    v->gprs.rcx = 3;
    assert_int_equal(v->mode, MODE_STEP);
    assert_true(fake_cpu_until(v, (const uint8_t *)code(3)));
    last_is(v, 2, code(1), code(1));
    assert_true((get(v, INFO + 2) & 0xFFFF) != 0);
    set(v, DEBUGCTL, 0);
    assert_int_equal(v->mode, MODE_FREE);
}

static void exceptions(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, NOP_, UD2_);
    assert_true(fake_cpu_until(v, FAKE_CPU_HANDLER));
    assert_true(fake_cpu_rounds(v, 1)); /* it is caught there */
    last_is(v, 1, code(1), (uint64_t)FAKE_CPU_HANDLER);
}

static void interrupts(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, NOP_, NOP_);
    assert_true(fake_cpu_until(v, (const uint8_t *)code(1)));
    assert_true((v->vmcb->intercept_misc1 & INTERCEPT1_INTR) != 0);
    fake_cpu_exit(EXIT_INTR, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);
    v->vmcb->rip = (uint64_t)FAKE_CPU_HANDLER;
    step_set_mode(v, MODE_STEP);
    trace_event(v);
    last_is(v, 1, code(1), (uint64_t)FAKE_CPU_HANDLER);
}

/* From a level that is not watched. */
static void interrupts_of_a_free_guest(void **state)
{
    struct vcpu *v = start(true);

    (void)state;
    v->model->choices.lbr_level_of_target = true;
    set(v, SELECT, 2); /* ring 0 alone */
    v->vmcb->cpl = 3;
    CODE(v, NOP_, NOP_, UD2_);
    levels_stale(v);
    levels_choose(v);
    assert_int_equal(v->mode, MODE_FREE);
    while (v->mode == MODE_FREE)
        assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);
    v->vmcb->rip = (uint64_t)FAKE_CPU_HANDLER;
    v->vmcb->cpl = 0;
    step_set_mode(v, MODE_STEP);
    trace_event(v);
    last_is(v, 1, code(2), (uint64_t)FAKE_CPU_HANDLER);
}

/* "Except for debug exceptions", which end it. */
static void debug_exceptions(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, NOP_, NOP_);
    assert_true(fake_cpu_rounds(v, 1));
    v->vmcb->dr7 = 0x401;
    v->vmcb->dr6 = DR6_BS | 1;
    fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 2));
    assert_int_equal(get(v, DEBUGCTL), 0);
    assert_int_equal(get(v, TOS), 0);
}

static void transactions(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, XBEGIN_, LOOP_, 1, NOP_, XABORT_);
    v->gprs.rcx = 2;
    assert_true(fake_cpu_until(v, (const uint8_t *)code(FALLBACK)));
    last_is(v, 2, code(9), code(FALLBACK));
    assert_int_equal(get(v, INFO + 2) & BITS(63, 61), BIT(61));
    assert_int_equal(get(v, FROM + 1), code(6));
    assert_true((get(v, INFO + 1) & BIT(62)) != 0);
}

/* LBR_Frz is set by what a branch makes overflow: that is the last. */
static void frozen_by_its_own_overflow(void **state)
{
    struct vcpu *v = start(false);

    (void)state;
    CODE(v, NOP_, LOOP_, BACK_2, NOP_);
    v->gprs.rcx = 3;
    set(v, DEBUGCTL, BIT(11) | 1);
    set(v, 0x186, 0x5204C4); /* branches, INT */
    set(v, 0xC1, 0xFFFFFFFF);
    set(v, 0x38F, 1);
    assert_true(fake_cpu_until(v, (const uint8_t *)code(3)));
    last_is(v, 1, code(1), code(1));
    assert_true((get(v, 0x38E) & BIT(58)) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepped_while_enabled),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(interrupts_of_a_free_guest),
        cmocka_unit_test(debug_exceptions),
        cmocka_unit_test(transactions),
        cmocka_unit_test(frozen_by_its_own_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
