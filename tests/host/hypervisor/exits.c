/* SPDX-License-Identifier: BSD-2-Clause */
/* exits.c - the #VMEXIT codes of instructions and of pages, and what comes of
 * each. */
#include "tests/host/hypervisor/exit_fixture.h"

#define IA32_PMC0       0xC1u
#define IA32_FIXED_CTR0 0x309u

static void cpuid_answers(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, CPUID_, CPUID_);
    v->vmcb->rax = 0;
    v->vmcb->tlb_control = TLB_FLUSH_ALL;
    one_exit(v);
    assert_int_equal(v->vmcb->tlb_control, TLB_DO_NOTHING);
    assert_int_equal(offset(v), 2);
    assert_int_equal(v->gprs.rbx, 0x756E6547); /* "Genu" */
    assert_int_equal(v->vmcb->event_inject, 0);
    hypervisor.pages = 7;
    hypervisor.stepped = 2;
    v->vmcb->rax = 0x40000001;
    one_exit(v);
    assert_int_equal(v->vmcb->rax, 7);
    assert_int_equal(v->gprs.rbx, 2);
}

static void msr_reads_and_writes(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, WRMSR_, RDMSR_);
    v->gprs.rcx = IA32_FIXED_CTR0;
    v->vmcb->rax = 0xFFFFFFFF12345678;
    v->gprs.rdx = 0xFFFFFFFF00000009;
    one_exit(v);
    assert_int_equal(offset(v), 2);
    v->vmcb->rax = v->gprs.rdx = UINT64_MAX;
    one_exit(v);
    assert_int_equal(offset(v), 4);
    assert_int_equal(v->vmcb->rax, 0x12345678);
    assert_int_equal(v->gprs.rdx, 9);
}

/* RIP stays at the instruction, and #GP comes with error code 0. */
static void msr_faults(void **state)
{
    static const struct {
        uint8_t code[2];
        uint32_t number;
        uint64_t rax;
    } rows[] = {
        {{RDMSR_}, 0x12345, 0},
        {{WRMSR_}, 0x12345, 0},
        {{WRMSR_}, 0x38F, UINT64_C(1) << 20},
        {{WRMSR_}, MSR_EFER, 0x2},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        fake_cpu_code(v, rows[n].code, 2);
        v->gprs.rcx = rows[n].number;
        v->vmcb->rax = rows[n].rax;
        one_exit(v);
        assert_int_equal(offset(v), 0);
        assert_int_equal(v->vmcb->event_inject, GP_);
    }
}

/* The guest does not see that it runs under AMD-V. */
static void efer_is_its_own(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->vmcb->efer = 0x500 | EFER_SVME;
    CODE(v, RDMSR_, WRMSR_);
    v->gprs.rcx = MSR_EFER;
    one_exit(v);
    assert_int_equal(v->vmcb->rax, 0x500);
    v->vmcb->rax = 0xD01;
    one_exit(v);
    assert_int_equal(v->vmcb->efer, 0xD01 | EFER_SVME);
}

static void msr_goes_wrong_in_a_sweep(void **state)
{
    struct vcpu *v = start();

    (void)state;
    fake_cpu.sweep_injects_gp = true;
    CODE(v, RDMSR_);
    v->gprs.rcx = IA32_PMC0;
    one_exit(v);
    assert_int_equal(offset(v), 0);
    assert_int_equal(v->vmcb->event_inject, GP_);

    v = start();
    fake_cpu.sweep_injects_ud = true;
    CODE(v, RDMSR_);
    v->gprs.rcx = IA32_PMC0;
    one_exit(v);
    assert_int_equal(offset(v), 2); /* after it */
    assert_int_equal(v->vmcb->event_inject, UD_);
}

static void rdpmc_by_privilege(void **state)
{
    static const struct {
        uint32_t number;
        uint8_t cpl;
        bool pce, good;
    } rows[] = {
        {0, 0, false, true},   {0, 3, true, true},
        {0, 3, false, false},  {0x40000000, 0, false, true},
        {77, 0, false, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        CODE(v, RDPMC_);
        v->model->pmu.counter[0] = v->model->pmu.fixed[0] = 0x500000006;
        v->gprs.rcx = rows[n].number;
        v->vmcb->cpl = rows[n].cpl;
        v->vmcb->cr4 = rows[n].pce ? 0x100 : 0;
        one_exit(v);
        assert_int_equal(v->vmcb->event_inject, rows[n].good ? 0 : GP_);
        assert_int_equal(offset(v), rows[n].good ? 2 : 0);
        if (!rows[n].good)
            continue;
        assert_int_equal(v->vmcb->rax, 6);
        assert_int_equal(v->gprs.rdx, 5);
    }
}

/* An exception inside a transaction is not delivered, whatever raises it. */
static void rdpmc_faults_in_transaction(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, RDPMC_);
    v->gprs.rcx = 77;
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 6));
    assert_int_equal(v->tx.depth, 1);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + FALLBACK));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(v->vmcb->rax, 0);
    assert_int_equal(fake_cpu.events_delivered, 0);
}

static void not_on_intel(void **state)
{
    static const uint64_t codes[] = {
        EXIT_INVLPGA,    EXIT_VMRUN,      EXIT_VMMCALL,    EXIT_VMLOAD,
        EXIT_VMLOAD + 1, EXIT_VMLOAD + 2, EXIT_VMLOAD + 3, EXIT_SKINIT,
    };

    (void)state;
    for (size_t n = 0; n < sizeof(codes) / sizeof(codes[0]); n++) {
        struct vcpu *v = start();

        fake_cpu_exit(codes[n], 0, 0, 0);
        one_exit(v);
        assert_int_equal(v->vmcb->event_inject, UD_);
        assert_int_equal(offset(v), 0);
    }
}

/* Those with a privilege level are #GP below. */
static void not_on_intel_at_ring_3(void **state)
{
    static const struct {
        uint8_t modrm, cpl;
        uint64_t event;
    } rows[] = {
        {0xDD, 3, UD_}, /* CLGI */
        {0xDF, 3, UD_}, /* INVLPGA */
        {0xD0, 3, GP_}, /* XGETBV */
        {0xDD, 0, GP_},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        CODE(v, 0x0F, 0x01, rows[n].modrm);
        v->vmcb->cpl = rows[n].cpl;
        fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_GP, 0, 0, 0);
        one_exit(v);
        assert_true(v->vmcb->event_inject == rows[n].event);
    }
}

static void leaves_at_one_place(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->vmcb->rip = (uint64_t)vcpu_leave_point;
    fake_cpu_exit(EXIT_VMMCALL, 0, 0, 0);
    assert_false(loop_round(v));
    assert_int_equal(v->vmcb->event_inject, 0);
}

/* PAUSE is F3H 90H; REX or a segment may stand before the 90H too. */
static void pause_is_complete(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, 0xF3, 0x90);
    fake_cpu_exit(EXIT_PAUSE, 0, 0, 0);
    one_exit(v);
    assert_int_equal(offset(v), 2);
    v = start();
    CODE(v, 0x2E, 0xF3, 0x48, 0x90);
    fake_cpu_exit(EXIT_PAUSE, 0, 0, 0);
    one_exit(v);
    assert_int_equal(offset(v), 4);
}

/* For turns_wake() alone. */
static void wakes_at_one_place(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->vmcb->rip = (uint64_t)vcpu_wake_point;
    fake_cpu_exit(EXIT_VMMCALL, 0, 0, 0);
    assert_true(loop_round(v));
    assert_int_equal(v->vmcb->event_inject, 0);
    assert_int_equal(v->vmcb->rip, (uint64_t)vcpu_wake_point + 3);
}

static void stops_with_a_reason(void **state)
{
    static const struct {
        struct fake_cpu_exit exit;
        const char *reason;
    } rows[] = {
        {{EXIT_SHUTDOWN, 0, 0, 0}, "the guest has shut down (triple fault)"},
        {{0x062, 0, 0, 0}, "unexpected exit"},
        {{UINT64_MAX, 0, 0, 0}, "unexpected exit"},
        {{EXIT_NPF, NPF_PRESENT | NPF_WRITE, 0x1000, 0}, "nested page fault"},
        {{EXIT_EXCEPTION_0 + VECTOR_GP, 0, 0, EVENT_VALID},
         "exception during the delivery of another"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        fake_cpu_exit(rows[n].exit.code, rows[n].exit.info1, rows[n].exit.info2,
                      rows[n].exit.int_info);
        assert_false(fake_cpu_rounds(v, 1));
        assert_string_equal(fake_cpu.reason, rows[n].reason);
    }
}

static void tables_used_up(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->pages_free.pages = v->pages_free.used;
    fake_cpu_exit(EXIT_NPF, 0, UINT64_C(0x40000000000), 0);
    assert_false(fake_cpu_rounds(v, 1));
    assert_string_equal(fake_cpu.reason, "no more pages for nested tables");
}

/* AMD64 APM volume 2, "Event Injection": an event whose delivery met the fault
 * is injected again; INT n is still at its RIP. */
static void delivered_again(void **state)
{
    static const struct {
        uint64_t event, again;
    } rows[] = {
        {0, 0},
        {EVENT_VALID | 0x40, EVENT_VALID | 0x40},
        {EVENT_VALID | EVENT_TYPE_EXCEPTION | 0x40, EVENT_VALID | 0x40},
        {NMI_, NMI_},
        {GP_ | UINT64_C(8) << 32, GP_ | UINT64_C(8) << 32},
        {EVENT_VALID | UINT64_C(4) << 8 | 0x40, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        fake_cpu_exit(EXIT_NPF, NPF_WRITE, (uint64_t)fake_cpu_page(9),
                      rows[n].event);
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->event_inject, rows[n].again);
        assert_int_equal(v->mode, MODE_FREE);
    }
}

static void marked_page_is_stepped(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, NOP_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    assert_int_equal(v->mode, MODE_STEP);
    assert_int_equal(v->vmcb->rip, (uint64_t)fake_cpu_page(0) + 1);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpuid_answers),
        cmocka_unit_test(msr_reads_and_writes),
        cmocka_unit_test(msr_faults),
        cmocka_unit_test(efer_is_its_own),
        cmocka_unit_test(msr_goes_wrong_in_a_sweep),
        cmocka_unit_test(rdpmc_by_privilege),
        cmocka_unit_test(rdpmc_faults_in_transaction),
        cmocka_unit_test(not_on_intel),
        cmocka_unit_test(not_on_intel_at_ring_3),
        cmocka_unit_test(leaves_at_one_place),
        cmocka_unit_test(pause_is_complete),
        cmocka_unit_test(wakes_at_one_place),
        cmocka_unit_test(stops_with_a_reason),
        cmocka_unit_test(tables_used_up),
        cmocka_unit_test(delivered_again),
        cmocka_unit_test(marked_page_is_stepped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
