/* SPDX-License-Identifier: BSD-2-Clause */
/* levels.c - a guest that is an operating system: its TF, its gates, its code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/model/msr.h"

#define DB_      (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_DB)
#define EFER_SCE UINT64_C(1)
#define BRANCHES UINT64_C(0x4000C4)
#define USR      UINT64_C(0x10000)
#define OS       UINT64_C(0x20000)

/* Branches are counted at these levels: they are stepped. */
static struct vcpu *start(uint64_t levels)
{
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    hypervisor.has_os = hypervisor.for_os = true;
    v = fake_cpu_vcpu(0);
    v->levels = (struct levels){.sce = true};
    assert_true(msr_write(v->model, 0x186, BRANCHES | levels));
    assert_true(msr_write(v->model, 0x38F, levels != 0));
    levels_choose(v);
    return v;
}

static void push(struct vcpu *v, uint64_t value)
{
    v->vmcb->rsp -= 8;
    *(uint64_t *)v->vmcb->rsp = value;
}

static void own_tf_traps(void **state)
{
    struct vcpu *v = start(OS);
    uint64_t at = v->vmcb->rip;

    (void)state;
    CODE(v, POPFQ_, NOP_, NOP_);
    push(v, RFLAGS_TF | 2);
    assert_int_equal(v->mode, MODE_STEP);
    assert_true(fake_cpu_until(v, FAKE_CPU_HANDLER));
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_true(fake_cpu.events[0] == DB_);
    assert_int_equal(fake_cpu.frame_rip - at, 2); /* after the next one */
    assert_true((fake_cpu.frame_rflags & RFLAGS_TF) != 0);
    assert_true((v->vmcb->dr6 & DR6_BS) != 0);
    assert_true(fake_cpu_rounds(v, 1)); /* it is caught there */
    assert_false(v->levels.tf);
}

static void host_tf_is_not_seen(void **state)
{
    struct vcpu *v = start(OS);

    (void)state;
    CODE(v, PUSHFQ_, NOP_);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->mode, MODE_STEP);
    assert_int_equal(*(uint64_t *)v->vmcb->rsp & RFLAGS_TF, 0);
    assert_true(msr_write(v->model, 0x38F, 0));
    levels_stale(v);
    levels_choose(v);
    assert_int_equal(v->mode, MODE_FREE);
    assert_int_equal(v->vmcb->rflags & RFLAGS_TF, 0);
}

/* DEC ECX, JNZ: 49H is a prefix of 64-bit mode, and so the same bytes are the
 * branch alone. */
static void inc_is_no_prefix_of_32_bits(void **state)
{
    static const uint8_t bytes[INSTRUCTION_BYTES_MAX] = {0x49, 0x75, 0xFC};
    struct vcpu *v = start(OS);

    (void)state;
    v->vmcb->cs.attributes |= CS_L;
    assert_true(decoded_find(v, bytes, sizeof(bytes))->instruction.flags != 0);
    v->vmcb->cs.attributes &= (uint16_t)~CS_L;
    assert_int_equal(decoded_find(v, bytes, sizeof(bytes))->instruction.flags,
                     0);
}

static void gates_where_levels_differ(void **state)
{
    struct vcpu *v = start(USR);
    uint32_t gates = INTERCEPT1_IRET | INTERCEPT1_INTN | INTERCEPT1_INTR;

    (void)state;
    assert_int_equal(v->mode, MODE_FREE);
    assert_int_equal(v->vmcb->intercept_misc1 & gates, gates);
    assert_int_equal(v->vmcb->efer & EFER_SCE, 0);
    assert_int_equal(levels_efer(v, true) & EFER_SCE, EFER_SCE);
    assert_true(levels_passes_gate(v));
    assert_int_equal(v->mode, MODE_STEP);
    assert_int_equal(v->vmcb->efer & EFER_SCE, EFER_SCE);
    v = start(0);
    assert_int_equal(v->vmcb->intercept_misc1 & gates, 0);
    assert_int_equal(v->vmcb->efer & EFER_SCE, EFER_SCE);
}

#define NMI_ (EVENT_VALID | EVENT_TYPE_NMI | VECTOR_NMI)

static void nmi_waits_for_iret(void **state)
{
    struct vcpu *v = start(0);

    (void)state;
    memcpy(FAKE_CPU_HANDLER, (const uint8_t[]){NOP_, CPUID_, IRETQ_, NOP_}, 6);
    CODE(v, NOP_, NOP_);
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_until(v, FAKE_CPU_HANDLER + 3));
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_true(fake_cpu.events[0] == NMI_);
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 3)); /* the second one, up to IRET */
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_int_equal(v->vmcb->exit_code, EXIT_IRET);
    for (unsigned n = 0; n < 8 && fake_cpu.events_delivered == 1; n++)
        assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(fake_cpu.events_delivered, 2);
    assert_true(fake_cpu.events[1] == NMI_);
    assert_int_equal(fake_cpu.frame_rip, FAKE_CPU_HANDLER + 5);
    assert_false(levels_nmi_is_due(v)); /* the third was one too many */
}

static void reserved_bits_of_cr4(void **state)
{
    struct vcpu *v = start(0);
    const uint8_t *at = (const uint8_t *)v->vmcb->rip;

    (void)state;
    memcpy(FAKE_CPU_HANDLER, (const uint8_t[]){CPUID_}, 2);
    CODE(v, MOV_CR4_, MOV_CR4_);
    v->vmcb->rax = 0x6A0;
    assert_true(fake_cpu_until(v, at + 3));
    assert_int_equal(v->vmcb->cr4, 0x6A0);
    v->vmcb->rax = UINT64_C(1) << 31;
    assert_true(fake_cpu_until(v, FAKE_CPU_HANDLER + 2));
    assert_int_equal(fake_cpu.events_delivered, 1);
    assert_int_equal(fake_cpu.events[0] & 0xFF, VECTOR_GP);
    assert_true((fake_cpu.frame_rflags & RFLAGS_RF) != 0);
    assert_int_equal(v->vmcb->cr4, 0x6A0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_tf_traps),
        cmocka_unit_test(host_tf_is_not_seen),
        cmocka_unit_test(inc_is_no_prefix_of_32_bits),
        cmocka_unit_test(gates_where_levels_differ),
        cmocka_unit_test(nmi_waits_for_iret),
        cmocka_unit_test(reserved_bits_of_cr4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
