/* SPDX-License-Identifier: BSD-2-Clause */
/* apic_base.c - the local APIC off, on again and elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

#define ENABLE UINT64_C(0x800)
#define SVR    (0xF0 / 4)
#define LVT_PC (0x340 / 4)

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

static uint64_t seen_at(struct vcpu *v, uint64_t address)
{
    return npt_entry(&v->pages_free, address) & ~UINT64_C(0xFFF) & ~NPT_NX;
}

static void off_and_on(void **state)
{
    struct vcpu *v = start();
    uint64_t base = v->apic_base;
    uint64_t at = base & ~UINT64_C(0xFFF);

    (void)state;
    assert_true((base & ENABLE) != 0);
    fake_cpu.apic[SVR] = 0x1FF;
    fake_cpu.apic[LVT_PC] = 0x40;
    assert_true(apic_base_write(v, base & ~ENABLE));
    assert_true(apic_base_is_off(v));
    assert_int_equal(v->apic_base, base & ~ENABLE);
    assert_int_equal(fake_cpu.apic[SVR], 0xFF);
    assert_int_equal(fake_cpu.apic[LVT_PC], 0x10000);
    assert_true(seen_at(v, at) == (uint64_t)page);
    assert_int_equal(page[0x30], 0xFF);
    assert_true(apic_base_write(v, base));
    assert_false(apic_base_is_off(v));
    assert_true(seen_at(v, at) == at);
}

static void elsewhere(void **state)
{
    struct vcpu *v = start();
    uint64_t base = v->apic_base;
    uint64_t at = base & ~UINT64_C(0xFFF);
    uint64_t other = (base >> 39 << 39) + 0xFED40000;

    (void)state;
    assert_true(apic_base_write(v, other | ENABLE));
    assert_true(seen_at(v, other) == at);
    assert_true(seen_at(v, at) == (uint64_t)page);
    assert_true(apic_base_write(v, base));
    assert_true(seen_at(v, other) == other);
    assert_true(seen_at(v, at) == at);
}

static void refused(void **state)
{
    struct vcpu *v = start();
    uint64_t base = v->apic_base;

    (void)state;
    assert_false(apic_base_write(v, base | 1));
    assert_false(apic_base_write(v, base | 0x400));
    assert_false(apic_base_write(v, base ^ UINT64_C(1) << 39));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_and_on),
        cmocka_unit_test(elsewhere),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
