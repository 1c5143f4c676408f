/* SPDX-License-Identifier: BSD-2-Clause */
/* host_msr.c - which values the MSRs take that stay in the host. */
#include "tests/silicon/hypervisor/guest/host_msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

/* SDM volume 3A, "Page Attribute Table", "Memory Type Range Registers"; volume
 * 2C, "WRMSR". MAXPHYADDR is 39. */
static const struct {
    uint32_t number;
    uint64_t value;
    bool taken;
} rows[] = {
    {0x277, 0x0007040600070406, true}, /* IA32_PAT, as at reset */
    {0x277, 0x0707070705050501, true},
    {0x277, 0x0007040600070206, false}, /* 2, 3 and 8 are reserved */
    {0x277, 0x0307040600070406, false},
    {0x277, 0x0807040600070406, false},
    {0x277, 0x0007040600070416, false},
    {0x2FF, 0xC06, true}, /* IA32_MTRR_DEF_TYPE */
    {0x2FF, 0xC07, false},
    {0x2FF, 0x1C06, false},
    {0x2FF, 0x106, false},
    {0x200, 0x00000000C0000006, true}, /* IA32_MTRR_PHYSBASE0 */
    {0x200, 0x7FFFFFF000, true},
    {0x200, 0xC0000002, false},
    {0x200, 0xC0000106, false},
    {0x200, 0x8000000006, false},
    {0x20F, 0x7FC0000800, true}, /* IA32_MTRR_PHYSMASK7 */
    {0x20F, 0x7FC0000801, false},
    {0x20F, 0xFFC0000800, false},
    {0x26F, 0x0505050505050505, true},  /* IA32_MTRR_FIX4K_F8000 */
    {0x26F, 0x0505050705050505, false}, /* UC- is the PAT's alone */
    {0x259, 0x0605040100000006, true},
    {0x250, 0x0200000000000000, false},
    {0x0FE, 0x508, false},                  /* IA32_MTRRCAP */
    {0x179, 0, false},                      /* IA32_MCG_CAP */
    {0xC0000082, 0xFFFF800000000000, true}, /* IA32_LSTAR */
    {0xC0000082, 0x0000800000000000, false},
    {0xC0000100, 0x00007FFFFFFFFFFF, true},
    {0x175, 0xFFFF7FFFFFFFFFFF, false},
};

static struct vcpu *start(bool os)
{
    static uint8_t msr_map[8192];

    fake_cpu_start("skylake-2018", "none");
    hypervisor.has_os = os;
    hypervisor.msr_map = msr_map;
    return fake_cpu_vcpu(0);
}

static void values(void **state)
{
    struct vcpu *v = start(true);

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        bool taken;

        fake_cpu.msr = 0;
        assert_true(host_msr_has(rows[n].number));
        taken = host_msr_write(v, rows[n].number, rows[n].value);
        if (taken != rows[n].taken ||
            fake_cpu.msr != (taken ? rows[n].number : 0))
            fail_msg("WRMSR of %x, %lx", rows[n].number, rows[n].value);
    }
}

/* Those of the model are not the host's; nor is any, before an operating
 * system has taken over. */
static void whose(void **state)
{
    (void)state;
    start(true);
    assert_true(host_msr_has(IA32_APIC_BASE));
    assert_false(host_msr_has(0x186));
    assert_false(host_msr_has(0x257));
    assert_false(host_msr_has(0x25A));
    assert_false(host_msr_has(0x210));
    start(false);
    assert_false(host_msr_has(0x277));
    assert_false(host_msr_has(IA32_APIC_BASE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(whose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
