/* SPDX-License-Identifier: BSD-2-Clause */
/* guest_time.c - clocks of a guest that stand still while silicon works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"

#define ISR       (0x100 / 4)
#define ICR_LOW   (0x300 / 4)
#define LVT_TIMER (0x320 / 4)
#define LVT_NMI   0x400u
#define SENT_NMI  0x4400u
#define INITIAL   (0x380 / 4)
#define VECTOR    0x41u
#define SENT      0x4041u
#define PERIODIC  0x20000u
#define MASKED    0x10000u
#define BY_1      0xBu
#define PM_TIMER  0x608u
#define IN_4      (PM_TIMER << 16 | 0x41u)
#define NEAR      1000u

static uint8_t page[PAGE_BYTES] __attribute__((aligned(4096)));

/* An instruction takes one tick and one cycle. */
static struct vcpu *start(unsigned processors)
{
    static uint8_t msr_map[8192], io_map[3 * PAGE_BYTES];
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    hypervisor.has_os = true;
    hypervisor.processors = processors;
    hypervisor.msr_map = msr_map;
    hypervisor.io_map = io_map;
    hypervisor.pm_timer = PM_TIMER;
    fake_cpu.counts = true;
    fake_cpu.executed = 5000;
    fake_cpu.tsc_per_64 = 64;
    assert_true(turns_start(false));
    v = fake_cpu_vcpu(0);
    v->levels = (struct levels){.between = 0};
    v->model->choices.cycles_other = 1;
    fake_cpu.apic[0x3E0 / 4] = BY_1;
    time_start(v);
    apic_base_prepare(page);
    apic_base_start(v);
    return v;
}

static void set_timer(struct vcpu *v, uint32_t lvt, uint32_t count)
{
    fake_cpu.apic[ICR_LOW] = 0;
    assert_true(time_apic_write(v, 0x320, lvt));
    assert_true(time_apic_write(v, 0x3E0, BY_1));
    assert_true(time_apic_write(v, 0x380, count));
}

static uint32_t read(const struct vcpu *v, uint32_t offset)
{
    uint32_t value;

    assert_true(time_apic_read(v, offset, &value));
    return value;
}

static void stands_still_in_the_host(void **state)
{
    struct vcpu *v = start(1);
    uint64_t tsc = time_tsc(v);

    (void)state;
    fake_cpu.executed += 70000;
    assert_true(time_tsc(v) == tsc);
    time_run(v);
    assert_true(v->vmcb->tsc_offset + fake_cpu.executed == tsc);
    time_ran(v, 30);
    time_cycles(v, 12);
    assert_true(time_tsc(v) == tsc + 42);
    v->gprs.rcx = 0x10; /* IA32_TIME_STAMP_COUNTER */
    v->gprs.rdx = 0;
    v->vmcb->rax = 7;
    v->vmcb->exit_code = EXIT_MSR;
    v->vmcb->exit_info1 = 1;
    assert_int_equal(exit_handle(v).kind, ACTION_ADVANCE);
    time_cycles(v, 1);
    assert_true(time_tsc(v) == 8);
}

static void timer_ends_by_steps(void **state)
{
    struct vcpu *v = start(1);

    (void)state;
    set_timer(v, VECTOR, 100);
    time_cycles(v, 60);
    assert_int_equal(read(v, 0x390), 40);
    assert_int_equal(read(v, 0x380), 100);
    time_cycles(v, 39);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0);
    time_cycles(v, 1);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT);
    assert_int_equal(read(v, 0x390), 0);
    set_timer(v, VECTOR | MASKED, 100);
    time_cycles(v, 100);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0);
    set_timer(v, VECTOR | PERIODIC, 100);
    time_cycles(v, 130);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT);
    assert_int_equal(read(v, 0x390), 70);
    assert_int_equal(read(v, 0x320), VECTOR | PERIODIC);
    assert_int_equal(fake_cpu.apic[0x320 / 4], VECTOR); /* ends once */
    fake_cpu.apic[ICR_LOW] = 0;
    time_cycles(v, 70);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT);
    set_timer(v, VECTOR, 0); /* stops it */
    time_cycles(v, 1000);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0);
}

/* The host's timer has what is left, and is stopped after the run. */
static void timer_ends_in_a_run(void **state)
{
    struct vcpu *v = start(1);

    (void)state;
    set_timer(v, VECTOR, 10 * NEAR);
    time_cycles(v, 50);
    time_run(v);
    assert_int_equal(fake_cpu.apic[INITIAL], 10 * NEAR - 50);
    fake_cpu.executed += 150;
    time_ran(v, 150);
    assert_int_equal(fake_cpu.apic[INITIAL], 0);
    time_run(v);
    assert_int_equal(fake_cpu.apic[INITIAL], 10 * NEAR - 200);
    fake_cpu.executed += 11 * NEAR;
    time_ran(v, 11 * NEAR);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0); /* it has interrupted */
    assert_int_equal(read(v, 0x390), 0);
    /* Near its end: only where the interrupt is to be seen. */
    set_timer(v, VECTOR, NEAR);
    time_run(v);
    fake_cpu.executed += NEAR + 1;
    time_ran(v, NEAR + 1);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT);
    set_timer(v, VECTOR, NEAR);
    time_run(v);
    fake_cpu.executed += NEAR + 1;
    fake_cpu.apic[ISR + VECTOR / 32 * 4] = 1u << VECTOR % 32;
    time_ran(v, NEAR + 1);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0);
}

/* Of instructions, from 5000 before the overflow on. */
static struct vcpu *start_near_overflow(void)
{
    struct vcpu *v = start(1);

    assert_true(msr_write(v->model, 0x186, UINT64_C(0x4300C0)));
    assert_true(msr_write(v->model, 0x4C1, BIT(48) - 5000));
    assert_true(msr_write(v->model, 0x38F, 1));
    v->mode = MODE_FREE;
    v->levels.counts = true;
    v->levels.user = false;
    set_timer(v, VECTOR, 10 * NEAR);
    return v;
}

/* By an NMI of the host's, then; and where it may have come, there is one. */
static void run_ends_before_an_overflow(void **state)
{
    struct vcpu *v = start_near_overflow();

    (void)state;
    time_run(v);
    assert_in_range(fake_cpu.apic[INITIAL], 4500, 4999);
    assert_int_equal(fake_cpu.apic[LVT_TIMER], LVT_NMI);
    fake_cpu.executed += 1000;
    time_ran(v, 1000);
    assert_int_equal(fake_cpu.apic[INITIAL], 0);
    assert_int_equal(fake_cpu.apic[LVT_TIMER], VECTOR);
    assert_int_equal(v->nmi, 0);
    time_run(v);
    fake_cpu.executed += 5000;
    v->vmcb->exit_code = EXIT_NMI;
    time_ran(v, 5000);
    assert_int_equal(v->nmi, 1);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0);
    v->nmi = 0;
    set_timer(v, VECTOR, 10 * NEAR);
    time_run(v);
    fake_cpu.executed += 5000;
    v->vmcb->exit_code = EXIT_HLT;
    time_ran(v, 1);
    assert_int_equal(v->nmi, 1);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT_NMI);
    v->levels.counts = false;
    set_timer(v, VECTOR, 10 * NEAR);
    time_run(v);
    assert_int_equal(fake_cpu.apic[INITIAL], 10 * NEAR);
    assert_int_equal(fake_cpu.apic[LVT_TIMER], VECTOR);
}

static void halt_ends_with_the_timer(void **state)
{
    struct vcpu *v = start(1);
    uint64_t tsc = time_tsc(v);

    (void)state;
    time_halted(v);
    assert_true(time_tsc(v) == tsc);
    set_timer(v, VECTOR, 12345);
    time_halted(v);
    assert_true(time_tsc(v) == tsc + 12345);
    assert_int_equal(fake_cpu.apic[ICR_LOW], SENT);
}

/* MOV EAX, [RDI] that has met the page of the local APIC. */
static void registers_exit(void **state)
{
    struct vcpu *v = start(1);
    struct action a;

    (void)state;
    assert_int_equal(
        npt_entry(&v->pages_free, (uint64_t)fake_cpu.apic) & NPT_PRESENT, 0);
    set_timer(v, VECTOR, 100);
    CODE(v, 0x8B, 0x07);
    v->vmcb->rax = UINT64_MAX;
    v->vmcb->exit_info1 = 0;
    v->vmcb->exit_info2 = (uint64_t)&fake_cpu.apic[INITIAL];
    assert_true(startup_apic_access(v, &a));
    assert_int_equal(a.bytes, 2);
    assert_true(v->vmcb->rax == 100);
    fake_cpu.apic[0x80 / 4] = 0x20;
    v->vmcb->exit_info2 = (uint64_t)&fake_cpu.apic[0x80 / 4];
    assert_true(startup_apic_access(v, &a));
    assert_true(v->vmcb->rax == 0x20);
}

static void pm_timer_is_in_step(void **state)
{
    struct vcpu *v = start(1);
    uint64_t first;

    (void)state;
    assert_int_equal(hypervisor.io_map[PM_TIMER / 8], 0x0F);
    v->vmcb->exit_info1 = IN_4;
    v->vmcb->exit_info2 = v->vmcb->rip + 1;
    assert_int_equal(time_port(v).bytes, 1);
    first = v->vmcb->rax;
    time_cycles(v, 10000000); /* 10 ms, and the read a microsecond */
    time_port(v);
    assert_in_range(v->vmcb->rax - first, 35799, 35800);
}

static void reference_cycles_are_the_tsc(void **state)
{
    struct vcpu *v = start(1);

    (void)state;
    assert_int_equal(v->model->choices.ref_up, 1);
    assert_int_equal(v->model->choices.ref_down, 1);
}

static void two_processors_have_the_hosts(void **state)
{
    struct vcpu *v = start(2);
    uint32_t value;

    (void)state;
    assert_false(time_is_own(v));
    fake_cpu.executed += 70;
    assert_true(time_tsc(v) == fake_cpu.executed);
    assert_false(time_apic_read(v, 0x390, &value));
    assert_false(time_apic_write(v, 0x380, 1));
    assert_false(time_is_msr(v, 0x10));
    time_run(v);
    assert_true(v->vmcb->tsc_offset == 0);
}

/* IA32_MPERF counts the TSC's ticks in C0, IA32_APERF the core's cycles, as
 * many here; MSR_PKG_ENERGY_STATUS a unit in 2^14 ticks of any kind. */
static uint64_t rdmsr_exit(struct vcpu *v, uint32_t number)
{
    v->gprs.rcx = number;
    v->vmcb->exit_code = EXIT_MSR;
    v->vmcb->exit_info1 = 0;
    assert_int_equal(exit_handle(v).kind, ACTION_RETIRE);
    return v->gprs.rdx << 32 | v->vmcb->rax;
}

static void power_follows_the_clock(void **state)
{
    struct vcpu *v = start(1);
    uint64_t mperf = rdmsr_exit(v, 0xE7), aperf = rdmsr_exit(v, 0xE8);
    uint64_t energy = rdmsr_exit(v, 0x611);

    (void)state;
    time_cycles(v, 100);
    assert_true(rdmsr_exit(v, 0xE7) == mperf + 100);
    assert_true(rdmsr_exit(v, 0xE8) == aperf + 100);
    set_timer(v, VECTOR, 1 << 20);
    time_halted(v);
    assert_true(rdmsr_exit(v, 0xE7) == mperf + 100);
    assert_in_range(rdmsr_exit(v, 0x611) - energy, 64, 65);
    v->gprs.rcx = 0xE7;
    v->gprs.rdx = v->vmcb->rax = 0;
    v->vmcb->exit_info1 = 1;
    assert_int_equal(exit_handle(v).kind, ACTION_ADVANCE);
    time_cycles(v, 7);
    assert_true(rdmsr_exit(v, 0xE7) == 7);
    assert_true(rdmsr_exit(v, 0xE8) == aperf + 107);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_still_in_the_host),
        cmocka_unit_test(timer_ends_by_steps),
        cmocka_unit_test(timer_ends_in_a_run),
        cmocka_unit_test(run_ends_before_an_overflow),
        cmocka_unit_test(halt_ends_with_the_timer),
        cmocka_unit_test(registers_exit),
        cmocka_unit_test(pm_timer_is_in_step),
        cmocka_unit_test(reference_cycles_are_the_tsc),
        cmocka_unit_test(two_processors_have_the_hosts),
        cmocka_unit_test(power_follows_the_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
