/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assist.c - what happens after an instruction: interrupts for the
 * local APIC, and PEBS records; the APIC's registers in x2APIC mode; which
 * pages of an image are watched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/model/msr.h"

#define LVT      (0x340 / 4)
#define ICR_LOW  (0x300 / 4)
#define ICR_HIGH (0x310 / 4)
#define MASKED   0x10000u

static struct vcpu *start(void)
{
    fake_cpu_start("haswell", "none");
    fake_cpu_vcpu(0)->gprs.rdi = (uint64_t)fake_cpu_page(8);
    return fake_cpu_vcpu(0);
}

/* --- Interrupts ---------------------------------------------------------- */

static void interrupt_by_lvt(void **state)
{
    static const struct {
        uint32_t lvt, command;
        bool nmi;
    } rows[] = {
        {0x000F0, 0x040F0, false},
        {0x00400, 0x04400, true},
        {0x100F0, 0, false}, /* masked */
        {0x00200, 0, false}, /* SMI: not simulated */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct vcpu *v = start();

        fake_cpu.apic[LVT] = rows[n].lvt;
        fake_cpu.apic[ICR_HIGH] = 0x5000000;
        pmi_send(v);
        assert_int_equal(fake_cpu.apic[LVT], rows[n].lvt | MASKED);
        assert_int_equal(fake_cpu.apic[ICR_LOW], rows[n].command);
        assert_int_equal(fake_cpu.apic[ICR_HIGH], 0x5000000);
        assert_int_equal(v->guest_nmi, rows[n].nmi);
    }
}

static void no_interrupt_without_apic(void **state)
{
    struct vcpu *v = start();

    (void)state;
    fake_cpu.apic_mode = 0;
    fake_cpu.apic[LVT] = 0xF0;
    pmi_send(v);
    assert_int_equal(fake_cpu.apic[LVT], 0xF0);
}

/* --- PEBS ---------------------------------------------------------------- */

static void set_msr(struct vcpu *v, uint32_t number, uint64_t value)
{
    assert_true(msr_write(v->model, number, value));
}

/* The buffer begins in the middle of page 10; its area is at the start. One
 * record at the `after`-th instruction, or the next. */
static void arm(struct vcpu *v, unsigned after)
{
    uint64_t *area = (uint64_t *)fake_cpu_page(10);

    area[4] = area[5] = (uint64_t)fake_cpu_page(10) + 0x800;
    area[6] = (uint64_t)fake_cpu_page(11);
    area[7] = area[6];
    v->model->choices.pebs_imprecise = true;
    v->model->choices.pebs_skid = 1;
    set_msr(v, 0x600, (uint64_t)area);
    set_msr(v, 0x186, 0x4200C0);
    set_msr(v, 0xC1, (uint32_t) - (int)after);
    set_msr(v, 0x3F1, 1);
    set_msr(v, 0x38F, 1);
    step_end(v);
}

/* Its eighteen registers begin with RFLAGS and RIP. */
static const uint64_t *record(void)
{
    const uint64_t *area = (const uint64_t *)fake_cpu_page(10);

    assert_true(area[5] > area[4]);
    return (const uint64_t *)area[4];
}

static void record_of_a_step(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, NOP_, NOP_, NOP_, NOP_, NOP_);
    arm(v, 2);
    v->gprs.rbx = 0x77;
    assert_true(fake_cpu_until(v, fake_cpu_at(2)));
    assert_int_equal(((uint64_t *)fake_cpu_page(10))[5],
                     (uint64_t)fake_cpu_page(10) + 0x800);
    assert_true(fake_cpu_until(v, fake_cpu_at(4)));
    assert_int_equal(record()[0], RFLAGS_IF | 2); /* no TF of ours */
    assert_in_range(record()[1], (uint64_t)fake_cpu_at(3),
                    (uint64_t)fake_cpu_at(4));
    assert_int_equal(record()[3], 0x77);
}

/* A record inside a transaction aborts it first: SDM volume 3B, "Intel TSX and
 * PEBS Support". */
static void record_aborts(void **state)
{
    struct vcpu *v = start();

    (void)state;
    MARKED(v, XBEGIN_, STORE_, NOP_, NOP_, NOP_, NOP_, NOP_, XEND_);
    v->vmcb->rax = 3;
    arm(v, 3);
    assert_true(fake_cpu_until(v, fake_cpu_at(FALLBACK)));
    assert_int_equal(v->tx.depth, 0);
    assert_int_equal(*fake_cpu_page(8), 0);
    assert_int_equal(record()[1], (uint64_t)fake_cpu_at(FALLBACK));
}

/* There is no DS area: no record, and it goes on. */
static void no_area(void **state)
{
    struct vcpu *v = start();

    (void)state;
    CODE(v, NOP_, NOP_, NOP_, NOP_, NOP_);
    arm(v, 1);
    hypervisor.ram[0].end = (uint64_t)fake_cpu_page(10);
    assert_true(fake_cpu_until(v, fake_cpu_at(5)));
    assert_int_equal(((uint64_t *)fake_cpu_page(10))[5],
                     (uint64_t)fake_cpu_page(10) + 0x800);
}

/* --- x2APIC -------------------------------------------------------------- */

static void x2apic_registers(void **state)
{
    static uint8_t map[8192];
    uint64_t value;

    (void)state;
    start();
    hypervisor.msr_map = map;
    hypervisor.x2apic = true;
    assert_true(x2apic_start(fake_cpu_page(20)));
    fake_cpu.apic[0x020 / 4] = 0x13000000;
    assert_true(x2apic_read(fake_cpu_vcpu(0), 0x802, &value));
    assert_int_equal(value, 0x13);
    assert_true(x2apic_read(fake_cpu_vcpu(0), 0x80D,
                            &value)); /* cluster 1, its fourth */
    assert_int_equal(value, 0x10008);
    assert_true(x2apic_write(fake_cpu_vcpu(0), 0x830, UINT64_C(0x2000000C1)));
    assert_int_equal(fake_cpu.apic[ICR_HIGH], 0x2000000);
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0xC1);
    assert_true(x2apic_write(fake_cpu_vcpu(0), 0x83F, 0x41));
    assert_int_equal(fake_cpu.apic[ICR_LOW], 0x40041);
    assert_true(x2apic_read(fake_cpu_vcpu(0), 0x1B, &value));
    assert_int_equal(value & 0xC00, 0xC00);
    assert_false(
        x2apic_write(fake_cpu_vcpu(0), 0x1B, (uint64_t)fake_cpu.apic | 0x800));
    assert_false(x2apic_write(fake_cpu_vcpu(0), 0x802, 0));     /* read-only */
    assert_false(x2apic_read(fake_cpu_vcpu(0), 0x80B, &value)); /* write-only */
    assert_false(x2apic_write(fake_cpu_vcpu(0), 0x80B, 1));
    assert_false(
        x2apic_read(fake_cpu_vcpu(0), 0x80E, &value)); /* there is no DFR */
    /* The guest sees an empty page where the registers are. */
    assert_int_equal(
        npt_entry(&fake_cpu_vcpu(1)->pages_step, (uint64_t)fake_cpu.apic) &
            UINT64_C(0xFFFFFFFFFF000),
        (uint64_t)fake_cpu_page(20));
}

/* --- Images -------------------------------------------------------------- */

/* A PE image of five pages: a header, three of code, one of data. */
static uint8_t *image(unsigned page)
{
    uint8_t *b = fake_cpu_page(page), *pe = b + 0x80;
    uint32_t section[2][10] = {
        {0, 0, 3 * PAGE_BYTES, PAGE_BYTES, 0, 0, 0, 0, 0, 0x60000020},
        {0, 0, PAGE_BYTES, 4 * PAGE_BYTES, 0, 0, 0, 0, 0, 0xC0000040},
    };

    b[0x3C] = 0x80;
    memcpy(pe, "PE\0\0", 4);
    pe[6] = 2;
    memcpy(pe + 24, section, sizeof(section));
    return b;
}

static bool is_marked(unsigned page)
{
    return (npt_entry(&fake_cpu_vcpu(1)->pages_free,
                      (uint64_t)fake_cpu_page(page)) &
            NPT_NX) != 0;
}

static void pages_marked(void **state)
{
    static const struct {
        const char *cpu;
        uint8_t bytes[6];
        bool marked;
    } rows[] = {
        {"haswell", {XBEGIN_}, true},
        {"haswell", {XEND_}, true},
        {"haswell", {XTEST_}, true},
        {"haswell", {XABORT_}, false}, /* no XBEGIN is near */
        {"haswell", {XACQUIRE_, XCHG_}, true},
        {"haswell", {0xF0, XACQUIRE_, 0x01, 0x07}, true},
        {"haswell", {XRELEASE_, XCHG_}, false},
        {"skylake-2018", {XACQUIRE_, XCHG_}, false},
        {"haswell", {0xC7, 0xF8, 0xFF, 0xFF, 0xFF, 0x7F}, false},
        {"haswell", {NOP_}, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint8_t *b;

        fake_cpu_start(rows[n].cpu, "none");
        b = image(30);
        memcpy(b + 2 * PAGE_BYTES + 0x100, rows[n].bytes, 6);
        memcpy(b + 4 * PAGE_BYTES, rows[n].bytes, 6); /* data */
        code_pages_mark(b, 5 * PAGE_BYTES);
        assert_int_equal(is_marked(32), rows[n].marked);
        assert_false(is_marked(31) || is_marked(33) || is_marked(34));
        /* The next image: what was marked is not any more. */
        code_pages_mark(image(40), 5 * PAGE_BYTES);
        assert_false(is_marked(32));
    }
}

/* No PE, cut short anywhere: the sanitizer watches. */
static void images_cut(void **state)
{
    (void)state;
    start();
    code_pages_mark(fake_cpu_page(50), 5 * PAGE_BYTES);
    code_pages_mark(image(30), 0x3C);
    code_pages_mark(image(30), 0x200);
    assert_false(is_marked(30));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupt_by_lvt),
        cmocka_unit_test(no_interrupt_without_apic),
        cmocka_unit_test(record_of_a_step),
        cmocka_unit_test(record_aborts),
        cmocka_unit_test(no_area),
        cmocka_unit_test(x2apic_registers),
        cmocka_unit_test(pages_marked),
        cmocka_unit_test(images_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
