/* SPDX-License-Identifier: BSD-2-Clause */
/* apic.c - the local APIC in x2APIC mode, masked and given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "efi/apic.c"

static uint32_t registers[0x40];
static uint64_t deadline, icr;

int hw_msr_read(uint32_t msr, uint64_t *value)
{
    if (msr == IA32_APIC_BASE)
        *value = IA32_APIC_BASE_ENABLE | IA32_APIC_BASE_EXTD;
    else if (msr == IA32_TSC_DEADLINE)
        *value = deadline;
    else
        *value = registers[msr - X2APIC_FIRST];
    return HW_NO_FAULT;
}

int hw_msr_write(uint32_t msr, uint64_t value)
{
    if (msr == IA32_TSC_DEADLINE)
        deadline = value;
    else if (msr == X2APIC_FIRST + APIC_ICR)
        icr = value;
    else
        registers[msr - X2APIC_FIRST] = (uint32_t)value;
    return HW_NO_FAULT;
}

void hw_cpuid(uint32_t leaf, uint32_t subleaf, struct hw_cpuid *out)
{
    (void)leaf, (void)subleaf;
    memset(out, 0, sizeof(*out));
}

static struct apic_saved saved;

static void mask(uint32_t timer, uint32_t current)
{
    memset(registers, 0, sizeof(registers));
    registers[APIC_VERSION] = 6 << 16;
    registers[0x32] = timer;
    registers[0x35] = 0x700;
    registers[APIC_TIMER_CURRENT] = current;
    apic_mask(&saved);
    assert_int_equal(registers[0x32], timer | LVT_MASKED);
    assert_int_equal(registers[0x35], 0x10700);
    assert_int_equal(registers[APIC_LVT_COUNTERS], LVT_MASKED);
}

static void given_back(void **state)
{
    (void)state;
    mask(0x20020, 5); /* periodic */
    registers[APIC_TIMER_CURRENT] = 0;
    apic_restore(&saved);
    assert_int_equal(registers[0x32], 0x20020);
    assert_int_equal(registers[0x35], 0x700);
    assert_int_equal(registers[APIC_LVT_COUNTERS], 0);
    assert_int_equal(registers[APIC_TIMER_INITIAL], 0);
}

/* It would have fired meanwhile: it does then. */
static void one_shot(void **state)
{
    (void)state;
    mask(0x20, 5);
    registers[APIC_TIMER_CURRENT] = 0;
    apic_restore(&saved);
    assert_int_equal(registers[APIC_TIMER_INITIAL], 1);
    mask(0x20, 5); /* not yet */
    registers[APIC_TIMER_CURRENT] = 2;
    apic_restore(&saved);
    assert_int_equal(registers[APIC_TIMER_INITIAL], 0);
    mask(0x20, 0); /* before */
    apic_restore(&saved);
    assert_int_equal(registers[APIC_TIMER_INITIAL], 0);
    mask(0x10020, 5); /* masked by firmware */
    registers[APIC_TIMER_CURRENT] = 0;
    apic_restore(&saved);
    assert_int_equal(registers[APIC_TIMER_INITIAL], 0);
}

static void deadlines(void **state)
{
    (void)state;
    deadline = 1234;
    mask(0x40020, 0);
    deadline = 0;
    apic_restore(&saved);
    assert_int_equal(deadline, 1234);
}

/* Thermal, as firmware may have it. */
static void smis(void **state)
{
    (void)state;
    memset(registers, 0, sizeof(registers));
    registers[APIC_VERSION] = 6 << 16;
    registers[0x33] = 0x200;
    apic_mask(&saved);
    assert_int_equal(registers[0x33], 0x200);
    assert_int_equal(registers[0x36], LVT_MASKED);
    apic_restore(&saved);
    assert_int_equal(registers[0x33], 0x200);
}

/* One that is disabled by software keeps all entries masked. */
static void disabled(void **state)
{
    uint32_t old = 0;

    (void)state;
    memset(registers, 0, sizeof(registers));
    registers[APIC_LVT_COUNTERS] = 0x10005;
    registers[APIC_SVR] = 0xff;
    assert_false(apic_swap_counters_entry(0xfd, &old));
    assert_int_equal(registers[APIC_LVT_COUNTERS], 0x10005);
    registers[APIC_SVR] = 0x1ff;
    assert_true(apic_swap_counters_entry(0xfd, &old));
    assert_int_equal(old, 0x10005);
    assert_int_equal(registers[APIC_LVT_COUNTERS], 0xfd);
}

static void nmis(void **state)
{
    (void)state;
    apic_send_nmi(0x1234);
    assert_true(icr == UINT64_C(0x0000123400004400));
    apic_send_vector(0x1234, 0xfd);
    assert_true(icr == UINT64_C(0x00001234000040fd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_back), cmocka_unit_test(one_shot),
        cmocka_unit_test(deadlines),  cmocka_unit_test(smis),
        cmocka_unit_test(disabled),   cmocka_unit_test(nmis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
