/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_events.c - NMIs, exceptions and breakpoints that end VMRUN, in each
 * mode, and to whom they go. */
#include "tests/host/hypervisor/exit_fixture.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/model/pt/pt.h"

static void nmi_of_ours_and_of_the_guest(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->nmi = 1;
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->event_inject, 0);
    assert_int_equal(v->nmi, 0);

    v->guest_nmi = true;
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->event_inject, NMI_);
    assert_false(v->guest_nmi);
}

/* It aborts, and is delivered where execution goes on. */
static void nmi_in_transaction(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, NOP_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 7));
    v->guest_nmi = true;
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(offset(v), FALLBACK);
    assert_int_equal(v->vmcb->event_inject, NMI_);
}

static void exceptions_while_stepping(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, UD2_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_PF, 6, 0x123456, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->cr2, 0x123456);
    assert_int_equal(v->vmcb->event_inject, EVENT_VALID | EVENT_HAS_ERROR |
                                                EVENT_TYPE_EXCEPTION |
                                                VECTOR_PF | UINT64_C(6) << 32);
    /* The handler is caught at its first instruction, and its frame has no TF
     * of ours. */
    assert_int_equal(v->mode, MODE_CATCH);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->exit_code, EXIT_NPF);
    while (v->mode == MODE_CATCH)
        assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_int_equal(fake_cpu.frame_rip, (uint64_t)fake_cpu_page(0) + 1);
    assert_int_equal(fake_cpu.frame_rflags & RFLAGS_TF, 0);
    assert_int_equal(v->mode, MODE_STEP);
    assert_ptr_equal((void *)v->vmcb->rip, FAKE_CPU_HANDLER);
}

/* Not stepped: nothing is caught either. */
static void exceptions_while_free(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, UD2_);
    v->vmcb->rflags |= RFLAGS_TF; /* the host's, by IRET */
    one_exit(v);
    assert_int_equal(v->vmcb->event_inject, UD_);
    assert_int_equal(v->mode, MODE_FREE);
    assert_int_equal(v->vmcb->rflags & RFLAGS_TF, 0);
}

/* An event delivered while stepping saves TF in its frame, for IRET. */
static void events_while_stepping(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, NOP_);
    memcpy(FAKE_CPU_HANDLER, "\x90\xF4", 2);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    v->guest_nmi = true;
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_STEP);
    assert_false(fake_cpu_rounds(v, 9)); /* the HLT of the handler: unwatched */
    assert_true((fake_cpu.frame_rflags & RFLAGS_TF) != 0);
    assert_ptr_equal((void *)v->vmcb->rip, FAKE_CPU_HANDLER + 1);
}

/* Where a trace is to show them, the handler is caught, and the frame is the
 * guest's. */
static void events_while_traced(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    v->model->pt.ctl = RTIT_TRACE_EN;
    step_end(v);
    assert_true((v->vmcb->intercept_misc1 & INTERCEPT1_INTR) != 0);
    fake_cpu_exit(EXIT_INTR, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);
    assert_int_equal(v->vmcb->intercept_misc1 & INTERCEPT1_INTR, 0);
    assert_int_equal(v->vmcb->rflags & RFLAGS_TF, 0);
    step_set_mode(v, MODE_STEP);
    v->guest_nmi = true;
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_CATCH);
    v->model->pt.ctl = 0;
}

static void breakpoint_beside_a_step(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, NOP_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    /* A trap of the guest's: DR6 has it, without BS. */
    v->vmcb->dr7 = 0x401;
    v->vmcb->dr6 = DR6_BS | 1;
    fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->event_inject, DB_);
    assert_int_equal(v->vmcb->dr6, DR6_RTM | 1);
}

/* One hit is one #DB, though the host processor shows it at the steps that
 * follow, too: those of the handler. */
static void breakpoint_shown_on(void **state)
{
    static const struct {
        uint64_t dr6;
        bool delivered;
    } rows[] = {
        {DR6_BS | 1, true},  {DR6_BS | 1, false}, {DR6_BS | 3, true},
        {DR6_BS | 1, false}, {DR6_BS, false},     {DR6_BS | 1, true},
        {1, true},
    };
    struct vcpu *v = start();

    (void)state;
    fake_cpu.breakpoints[0] = fake_cpu.breakpoints[1] =
        (uint64_t)fake_cpu_page(8);
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        step_set_mode(v, MODE_STEP);
        v->vmcb->event_inject = 0;
        v->vmcb->dr7 = 0x405;
        fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
        v->vmcb->dr6 = rows[n].dr6;
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->vmcb->event_inject, rows[n].delivered ? DB_ : 0);
    }
}

/* What B0-B3 have of a breakpoint that is not enabled is the guest's value
 * from before the step. */
static void breakpoint_not_enabled(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, NOP_, NOP_, NOP_);
    v->vmcb->dr6 = 4;
    assert_true(fake_cpu_until(v, fake_cpu_page(0) + 1));
    v->vmcb->dr7 = 0x400;
    fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
    v->vmcb->dr6 = DR6_BS | 4;
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->event_inject, 0);
    assert_int_equal(v->vmcb->dr6, 4);
}

/* A TF that an IRET of an unwatched handler has brought back. */
static void trap_when_free(void **state)
{
    struct vcpu *v = start();

    (void)state;
    v->vmcb->rflags |= RFLAGS_TF;
    fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
    v->vmcb->dr6 = DR6_BS;
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->vmcb->rflags & RFLAGS_TF, 0);
    assert_int_equal(v->vmcb->event_inject, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nmi_of_ours_and_of_the_guest),
        cmocka_unit_test(nmi_in_transaction),
        cmocka_unit_test(exceptions_while_stepping),
        cmocka_unit_test(exceptions_while_free),
        cmocka_unit_test(events_while_stepping),
        cmocka_unit_test(events_while_traced),
        cmocka_unit_test(breakpoint_beside_a_step),
        cmocka_unit_test(breakpoint_shown_on),
        cmocka_unit_test(breakpoint_not_enabled),
        cmocka_unit_test(trap_when_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
