/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * step.c - one instruction at a time: what is counted, in which
 * mode it goes on, and instructions whose hint the host processor refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define GLOBAL_CTRL 0x38Fu
#define FIXED_CTRL  0x38Du
#define FIXED_0     0x309u
#define UD_         (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_UD)

static struct vcpu *start(const char *cpu)
{
    fake_cpu_start(cpu, "none");
    return fake_cpu_vcpu(0);
}

/* The guest's next instruction is a WRMSR of this. */
static void set_msr(struct vcpu *v, uint32_t number, uint64_t value)
{
    v->gprs.rcx = number;
    v->vmcb->rax = (uint32_t)value;
    v->gprs.rdx = value >> 32;
}

/* From the WRMSR that opens a window to the one that closes it. */
static void window_is_exact(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    v->model->choices.closing_write_counts = false;
    CODE(v, WRMSR_, WRMSR_, NOP_, CPUID_, NOP_, WRMSR_, NOP_);
    set_msr(v, FIXED_CTRL, 3);
    assert_true(fake_cpu_until(v, fake_cpu_at(2)));
    set_msr(v, GLOBAL_CTRL, UINT64_C(1) << 32);
    assert_int_equal(v->mode, MODE_FREE);
    assert_true(fake_cpu_until(v, fake_cpu_at(4)));
    assert_int_equal(v->mode, MODE_STEP);
    assert_true(fake_cpu_until(v, fake_cpu_at(8)));
    set_msr(v, GLOBAL_CTRL, 0);
    assert_true(fake_cpu_until(v, fake_cpu_at(10)));
    assert_int_equal(v->mode, MODE_FREE);
    assert_int_equal(v->model->pmu.fixed[0], 3);
}

/* So is one without a counter on: nothing is stepped, nothing counted. */
static void free_is_not_stepped(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    CODE(v, NOP_, NOP_, NOP_, CPUID_);
    assert_true(fake_cpu_until(v, fake_cpu_at(5)));
    assert_int_equal(v->steps, 0);
    assert_int_equal(v->vmcb->rflags & RFLAGS_TF, 0);
}

/* PUSHFQ must not show TF, which is not the guest's. */
static void pushed_flags_are_the_guests(void **state)
{
    struct vcpu *v = start("skylake-2018");
    uint64_t pushed;

    (void)state;
    MARKED(v, NOP_, PUSHFQ_, NOP_);
    assert_true(fake_cpu_until(v, fake_cpu_at(2)));
    memcpy(&pushed, (const void *)v->vmcb->rsp, sizeof(pushed));
    assert_int_equal(pushed, RFLAGS_IF | 2);
}

/* A round of REP is not an instruction until the last. */
static void repeated_counts_once(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    v->model->pmu.fixed_ctrl = 3;
    v->model->pmu.global_ctrl = UINT64_C(1) << 32;
    pmu_update(v->model);
    step_end(v);
    CODE(v, 0xF3, 0xA4, NOP_);
    for (unsigned n = 0; n < 3; n++) {
        fake_cpu_exit(EXIT_EXCEPTION_0 + VECTOR_DB, 0, 0, 0);
        v->vmcb->dr6 = DR6_BS;
        assert_true(fake_cpu_rounds(v, 1));
        assert_int_equal(v->model->pmu.fixed[0], 0);
    }
    assert_int_equal(step_begin(v).kind, ACTION_EXECUTE);
    v->vmcb->rip += 2;
    step_retire(v);
    assert_int_equal(v->model->pmu.fixed[0], 1);
}

/* QEMU's PAUSE would be stepped with the instruction after it. */
static void pause_is_intercepted(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    step_set_mode(v, MODE_STEP);
    assert_int_not_equal(v->vmcb->intercept_misc1 & INTERCEPT1_PAUSE, 0);
    step_set_mode(v, MODE_FREE);
    assert_int_equal((v->vmcb->intercept_misc1 & INTERCEPT1_PAUSE) != 0,
                     turns_enabled());
}

static void unmarked_page_runs_free(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    v->vmcb->rip += PAGE_BYTES - 1; /* the next page is not marked */
    MARKED(v, NOP_);
    memcpy(fake_cpu_page(1), "\x90\x0F\xA2", 3);
    assert_true(fake_cpu_until(v, fake_cpu_page(1)));
    assert_int_equal(v->mode, MODE_FREE);
    assert_true(fake_cpu_until(v, fake_cpu_page(1) + 3));
    assert_int_equal(fake_cpu.run_rflags & RFLAGS_TF, 0);
    assert_int_equal(v->mode, MODE_FREE);
}

/* --- Hints --------------------------------------------------------------- */

/* On which processor, and where the instruction begins: within a page, with
 * its prefix at the end of one, and further back. */
static const struct {
    const char *cpu;
    bool marked;
    uint8_t bytes[7];
    unsigned length;
    uint64_t at;
} hints[] = {
    {"skylake-2018", false, {XACQUIRE_, PAIR_}, 5, 0},
    {"skylake-2018", true, {XACQUIRE_, PAIR_}, 5, 0},
    {"skylake-2018", true, {0xF0, XRELEASE_, 0x0F, 0xC7, 0x0F}, 5, 0},
    {"skylake-2018", true, {XACQUIRE_, PAIR_}, 5, PAGE_BYTES - 1},
    {"skylake-2018",
     true,
     {0xF0, XACQUIRE_, 0x0F, 0xC7, 0x0F},
     5,
     PAGE_BYTES - 1},
    {"skylake-2018", true, {XACQUIRE_, PAIR_}, 5, PAGE_BYTES - 3},
    {"skylake-2018", false, {XACQUIRE_, XRELEASE_, PAIR_}, 6, PAGE_BYTES - 1},
    {"skylake-2018", true, {XACQUIRE_, XRELEASE_, PAIR_}, 6, 0},
    {"skylake-2018", true, {XACQUIRE_, XRELEASE_, XACQUIRE_, PAIR_}, 7, 0},
    {"sandybridge", false, {XRELEASE_, PAIR_}, 5, 0},
    {"haswell", true, {XRELEASE_, PAIR_}, 5, 0},
};

/* The instruction runs, and its code in memory is as it was. */
static void refused_hint_is_ignored(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(hints) / sizeof(hints[0]); n++) {
        struct vcpu *v = start(hints[n].cpu);
        uint8_t *at = fake_cpu_page(0) + hints[n].at;
        uint64_t *data = (uint64_t *)fake_cpu_page(8);

        fake_cpu.refuses_hints = true;
        v->vmcb->rip += hints[n].at;
        if (hints[n].marked)
            fake_cpu_marked(v, hints[n].bytes, hints[n].length);
        else
            fake_cpu_code(v, hints[n].bytes, hints[n].length);
        at[hints[n].length] = 0x90;
        memcpy(at + hints[n].length + 1, ((uint8_t[]){CPUID_}), 2);
        v->gprs.rdi = (uint64_t)data;
        v->gprs.rbx = 0x11;
        v->gprs.rcx = 0x22;
        assert_true(fake_cpu_until(v, at + hints[n].length + 3));
        assert_int_equal(*data, UINT64_C(0x2200000011));
        assert_memory_equal(at, hints[n].bytes, hints[n].length);
        assert_int_equal(fake_cpu.events_delivered, 0);
        assert_int_equal(v->overlay_count, 0);
    }
}

/* It is counted once, however often it was tried. */
static void refused_hint_counts_once(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    fake_cpu.refuses_hints = true;
    v->model->pmu.fixed_ctrl = 3;
    v->model->pmu.global_ctrl = UINT64_C(1) << 32;
    pmu_update(v->model);
    step_end(v);
    CODE(v, XACQUIRE_, PAIR_, NOP_);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    assert_true(fake_cpu_until(v, fake_cpu_at(5)));
    assert_int_equal(v->model->pmu.fixed[0], 1);
}

/* Its operand is on the page that it is on itself. */
static void refused_hint_on_its_own_page(void **state)
{
    struct vcpu *v = start("skylake-2018");
    uint64_t *data = (uint64_t *)(fake_cpu_page(0) + 0x800);

    (void)state;
    fake_cpu.refuses_hints = true;
    MARKED(v, XACQUIRE_, PAIR_, LOAD_, LOAD_, NOP_);
    v->gprs.rdi = (uint64_t)data;
    v->gprs.rbx = 0x33;
    assert_true(fake_cpu_until(v, fake_cpu_at(8)));
    assert_int_equal(*data, 0x33);
    assert_int_equal(v->vmcb->rax, 0x33);
    assert_memory_equal(fake_cpu_page(0), ((uint8_t[]){XACQUIRE_, PAIR_}), 5);
    v->gprs.rdi = (uint64_t)fake_cpu_at(0);
    assert_true(fake_cpu_until(v, fake_cpu_at(11)));
    assert_int_equal(v->vmcb->rax & 0xFF, XACQUIRE_);
}

/* #UD that has another reason is the guest's; so is one that stays. */
static void other_invalid_opcodes(void **state)
{
    static const uint8_t bytes[][6] = {
        {UD2_},
        {0xF3, 0x0F, 0x0B},
        {0xF2, 0xF0, 0x01, 0x07},
    };

    (void)state;
    for (size_t n = 0; n < 3; n++)
        for (unsigned marked = 0; marked < 2; marked++) {
            struct vcpu *v = start("skylake-2018");

            fake_cpu.refuses_hints = true;
            if (marked != 0)
                fake_cpu_marked(v, bytes[n], sizeof(bytes[n]));
            else
                fake_cpu_code(v, bytes[n], sizeof(bytes[n]));
            v->gprs.rdi = (uint64_t)fake_cpu_page(8);
            memcpy(FAKE_CPU_HANDLER, ((uint8_t[]){CPUID_}), 2);
            assert_true(fake_cpu_until(v, FAKE_CPU_HANDLER + 2));
            assert_int_equal(fake_cpu.events[0], UD_);
            assert_int_equal(fake_cpu.frame_rip, (uint64_t)fake_cpu_page(0));
            assert_int_equal(v->overlay_count, 0);
        }
}

/* An NMI comes between: the overlay is made once more. */
static void refused_hint_interrupted(void **state)
{
    struct vcpu *v = start("skylake-2018");

    (void)state;
    fake_cpu.refuses_hints = true;
    MARKED(v, XACQUIRE_, PAIR_, NOP_);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    v->gprs.rbx = 0x44;
    while (v->overlay_count == 0)
        assert_true(fake_cpu_rounds(v, 1));
    fake_cpu_exit(EXIT_NMI, 0, 0, 0);
    assert_true(fake_cpu_rounds(v, 1));
    assert_int_equal(v->overlay_count, 0);
    assert_true(fake_cpu_until(v, fake_cpu_at(5)));
    assert_int_equal(*fake_cpu_page(8), 0x44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_is_exact),
        cmocka_unit_test(free_is_not_stepped),
        cmocka_unit_test(pushed_flags_are_the_guests),
        cmocka_unit_test(repeated_counts_once),
        cmocka_unit_test(pause_is_intercepted),
        cmocka_unit_test(unmarked_page_runs_free),
        cmocka_unit_test(refused_hint_is_ignored),
        cmocka_unit_test(refused_hint_counts_once),
        cmocka_unit_test(refused_hint_on_its_own_page),
        cmocka_unit_test(other_invalid_opcodes),
        cmocka_unit_test(refused_hint_interrupted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
