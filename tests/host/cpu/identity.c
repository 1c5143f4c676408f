/* SPDX-License-Identifier: BSD-2-Clause */
/* identity.c - CPUID and MSRs as fields, on full and on poor
 * processors. */
#include "src/cpu/identity.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void skylake_field_by_field(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(7, 0)->edx |= 1u << 29 | 1u << 11;
    fake_msr(IA32_ARCH_CAPABILITIES)->value = 0x80;
    identity_read(&id);
    assert_string_equal(id.vendor, "GenuineIntel");
    assert_string_equal(id.brand, "Fake(R) CPU @ 3.40GHz");
    assert_true(identity_is_intel(&id));
    assert_int_equal(id.family, 6);
    assert_int_equal(id.model, 0x5e);
    assert_int_equal(id.stepping, 3);
    assert_true(id.microcode_known);
    assert_int_equal(id.microcode, 0xc6);
    assert_false(id.hypervisor);
    assert_string_equal(id.hypervisor_name, "");
    assert_true(id.hle && id.rtm && id.rtm_always_abort && id.tsx_force_abort);
    assert_true(id.arch_capabilities_present);
    assert_int_equal(id.arch_capabilities, 0x80);
    assert_int_equal(id.perfmon_version, 4);
    assert_int_equal(id.counters, 4);
    assert_int_equal(id.counter_bits, 48);
    assert_int_equal(id.fixed_counters, 3);
    assert_int_equal(id.fixed_bits, 48);
    assert_true(id.pdcm && id.full_width_writes);
    assert_int_equal(id.pebs_format, 3);
    assert_true(id.ds);
    assert_false(id.dtes64);
    assert_true(id.pebs_unavailable); /* 1A0H is not there */
    assert_int_equal(id.apic_id, 0);
    assert_int_equal(id.smt_shift, 1);
    assert_int_equal(id.core_shift, 4);
    assert_true(id.topology_known);
    assert_int_equal(id.core_type, 0);
}

/* Fixed counters after a hole, and what later leaves say. */
static void later_counters(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(0, 0)->eax = 0x23;
    fake_leaf(7, 0)->ecx |= 1u << 16;
    fake_leaf(7, 0)->edx |= 1u << 19;
    fake_leaf(0xa, 0)->ecx = 0x77;
    fake_leaf(0x1c, 0)->ecx = 1u << 17;
    fake_leaf(0x23, 0)->eax = 1u << 1;
    fake_leaf(0x23, 1)->ebx = 0x100;
    fake_leaf(0x23, 1)->eax = 0x3f;
    identity_read(&id); /* version 4: of these leaves nothing */
    assert_int_equal(id.fixed_set, 7);
    assert_int_equal(id.counters, 4);
    assert_true(id.la57 && id.arch_lbr && id.select_counts_lbr);
    fake_leaf(0xa, 0)->eax += 1; /* version 5 */
    identity_read(&id);
    assert_int_equal(id.fixed_counters, 3);
    assert_int_equal(id.fixed_set, 0x177);
    assert_int_equal(id.counters, 6);
    fake_leaf(0x23, 1)->eax = 0x7b; /* not those after a hole */
    identity_read(&id);
    assert_int_equal(id.counters, 2);
    fake_leaf(0x23, 1)->eax = 0;
    identity_read(&id);
    assert_int_equal(id.counters, 4);
    fake_leaf(0x23, 0)->eax = 0;
    identity_read(&id);
    assert_int_equal(id.fixed_set, 0x77);
    fake_leaf(7, 0)->edx &= ~(1u << 19);
    identity_read(&id);
    assert_false(id.arch_lbr || id.select_counts_lbr);
}

/* A hybrid processor's cores by their type. */
static void core_types(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(0, 0)->eax = 0x23;
    fake_leaf(1, 0)->eax = 0x90672;
    fake_leaf(0x1a, 0)->eax = 0x20000001;
    identity_read(&id); /* not enumerated as hybrid */
    assert_int_equal(id.model, 0x97);
    assert_int_equal(identity_generation(&id), GOLDEN_COVE);
    fake_leaf(7, 0)->edx |= 1u << 15;
    identity_read(&id);
    assert_int_equal(id.core_type, 0x20);
    assert_int_equal(identity_generation(&id), GRACEMONT);
    assert_true(identity_known(&id));
    fake_leaf(1, 0)->eax = 0xc06c2; /* of which no E core is known */
    identity_read(&id);
    assert_int_equal(identity_generation(&id), GENERATION_UNKNOWN);
    assert_false(identity_known(&id));
    fake_leaf(1, 0)->eax = 0x90672;
    fake_leaf(0x1a, 0)->eax = 0x40000001;
    identity_read(&id);
    assert_int_equal(identity_generation(&id), GOLDEN_COVE);
}

/* Leaf 0AH of both is what the E cores have; leaf 23H is the core's own. */
static void hybrid_counters(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(0, 0)->eax = 0x20;
    fake_leaf(1, 0)->eax = 0x90672;
    fake_leaf(7, 0)->edx |= 1u << 15;
    fake_leaf(0xa, 0)->eax += 1; /* version 5 */
    fake_leaf(0x1a, 0)->eax = 0x20000001;
    identity_read(&id);
    assert_false(counters_told_in_part(&id));
    assert_true(counters_all_known(&id));
    fake_leaf(0x1a, 0)->eax = 0x40000001;
    identity_read(&id);
    assert_true(counters_told_in_part(&id));
    assert_false(counters_all_known(&id));
    fake_leaf(0, 0)->eax = 0x23;
    identity_read(&id);
    assert_false(counters_told_in_part(&id));
    fake_leaf(0, 0)->eax = 0x20;
    fake_leaf(7, 0)->edx &= ~(1u << 15);
    identity_read(&id);
    assert_false(counters_told_in_part(&id));
}

/* Two more on cores of the first kind, where 0AH tells six and no leaf 23H
 * is there; ten by that leaf, and fixed counters with a hole. */
static void more_counters(void **state)
{
    static const struct {
        uint32_t signature, type, told, last;
        unsigned want;
    } rows[] = {
        {0x90672, 0x40000001, 6, 0x20, 8}, {0x90672, 0x20000001, 6, 0x20, 6},
        {0x90672, 0x40000001, 8, 0x20, 8}, {0x90672, 0x40000001, 6, 0x23, 10},
        {0xc0662, 0x40000001, 6, 0x20, 6}, {0xc0662, 0x40000001, 6, 0x23, 10},
    };
    struct identity id;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake_reset();
        fake_leaf(0, 0)->eax = rows[i].last;
        fake_leaf(1, 0)->eax = rows[i].signature;
        fake_leaf(7, 0)->edx |= 1u << 15;
        fake_leaf(0xa, 0)->eax = 0x07300006 | rows[i].told << 8;
        fake_leaf(0x1a, 0)->eax = rows[i].type;
        fake_cpuid(0x23, 0, 2, 3, 0, 0);
        fake_cpuid(0x23, 1, 0x3ff, 0x77, 0, 0);
        identity_read(&id);
        assert_int_equal(id.counters, rows[i].want);
        if (rows[i].last == 0x23) {
            assert_int_equal(id.leaf23_ebx, 3);
            assert_int_equal(id.fixed_set, 0x77);
        }
    }
}

static void debug_store(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(1, 0)->ecx |= 1u << 2;
    fake_msr(IA32_MISC_ENABLE)->value = ~(uint64_t)(1u << 12);
    identity_read(&id);
    assert_true(id.ds && id.dtes64);
    assert_false(id.pebs_unavailable);
    fake_leaf(1, 0)->edx = 0;
    fake_msr(IA32_MISC_ENABLE)->value = 1u << 12;
    fake_msr(IA32_MISC_ENABLE)->reads = 0;
    identity_read(&id);
    assert_false(id.ds);
    assert_true(id.pebs_unavailable);
    assert_int_equal(fake_msr(IA32_MISC_ENABLE)->reads, 0);
}

/* Each bit of TSX goes to its own field. */
static void tsx_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct identity id;
        fake_reset();
        fake_leaf(7, 0)->ebx = (i & 1) << 4 | (i >> 1 & 1) << 11;
        fake_leaf(7, 0)->edx = (i >> 2 & 1) << 11 | (i >> 3 & 1) << 13;
        identity_read(&id);
        assert_int_equal(id.hle, i & 1);
        assert_int_equal(id.rtm, i >> 1 & 1);
        assert_int_equal(id.rtm_always_abort, i >> 2 & 1);
        assert_int_equal(id.tsx_force_abort, i >> 3 & 1);
    }
}

/* Leaf 14H where there is a trace, and its second subleaf where there is one.
 */
static void trace(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_cpuid(0x14, 0, 0, 0xb, 0x7, 0);
    fake_cpuid(0x14, 1, 0x1234, 0x003f1fff, 0, 0);
    identity_read(&id);
    assert_false(id.pt);
    assert_int_equal(id.leaf14_ebx | id.leaf14_ecx | id.leaf14_1_ebx, 0);
    fake_leaf(7, 0)->ebx |= 1u << 25;
    identity_read(&id);
    assert_true(id.pt);
    assert_int_equal(id.leaf14_ebx, 0xb);
    assert_int_equal(id.leaf14_ecx, 0x7);
    assert_int_equal(id.leaf14_1_ebx, 0);
    fake_leaf(0x14, 0)->eax = 1;
    identity_read(&id);
    assert_int_equal(id.leaf14_1_ebx, 0x003f1fff);
    fake_leaf(0, 0)->eax = 0x13;
    identity_read(&id);
    assert_false(id.pt);
}

/* IA32_BIOS_SIGN_ID keeps its value unless 0 is written before CPUID.1. */
static void microcode_the_documented_way(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    identity_read(&id);
    assert_int_equal(fake_written_count, 1);
    assert_int_equal(fake_written[0], IA32_BIOS_SIGN_ID);
    fake_msr(IA32_BIOS_SIGN_ID)->write_vector = HW_GP;
    identity_read(&id);
    assert_false(id.microcode_known);
}

static void leaves_that_are_absent(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(0, 0)->eax = 4; /* IA32_MISC_ENABLE[22] hides the rest */
    fake_leaf(0x80000000, 0)->eax = 0;
    fake_leaf(1, 0)->ebx = 0x05000000;
    identity_read(&id);
    assert_int_equal(id.leaf7_ebx | id.leaf7_edx | id.leaf0a_eax, 0);
    assert_false(id.rtm || id.tsx_force_abort || id.topology_known);
    assert_int_equal(id.perfmon_version, 0);
    assert_int_equal(id.apic_id, 5);
    assert_string_equal(id.brand, "");
}

static void msrs_that_fault(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(7, 0)->edx |= 1u << 29;
    fake_msr_remove(IA32_PERF_CAPABILITIES);
    fake_msr_remove(IA32_BIOS_SIGN_ID);
    identity_read(&id);
    assert_int_equal(id.perf_capabilities, 0);
    assert_false(id.full_width_writes || id.microcode_known);
    assert_int_equal(id.arch_capabilities, 0);
}

static void amd_is_not_touched(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_cpuid(0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65);
    fake_leaf(1, 0)->eax = 0x00a20f12; /* family 19H */
    identity_read(&id);
    assert_string_equal(id.vendor, "AuthenticAMD");
    assert_false(identity_is_intel(&id));
    assert_int_equal(id.family, 0x19);
    assert_int_equal(id.model, 0x21);
    assert_int_equal(fake_written_count, 0);
    assert_int_equal(fake_msr(IA32_BIOS_SIGN_ID)->reads, 0);
    assert_int_equal(fake_msr(IA32_PERF_CAPABILITIES)->reads, 0);
}

static void hypervisor_and_hybrid(void **state)
{
    struct identity id;

    (void)state;
    fake_reset();
    fake_leaf(0, 0)->eax = 0x1a;
    fake_leaf(1, 0)->ecx |= 1u << 31;
    fake_leaf(7, 0)->edx |= 1u << 15;
    fake_leaf(0x1a, 0)->eax = 0x40000001;
    memcpy(&fake_leaf(0x40000000, 0)->ebx, IDENTITY_SIMULATED, 12);
    identity_read(&id);
    assert_true(id.hypervisor);
    assert_string_equal(id.hypervisor_name, IDENTITY_SIMULATED);
    assert_int_equal(id.core_type, 0x40);
}

static void siblings(void **state)
{
    struct identity a = {.apic_id = 2, .smt_shift = 1};
    struct identity b = {.apic_id = 3, .smt_shift = 1};
    struct identity c = {.apic_id = 4, .smt_shift = 1};

    (void)state;
    assert_true(identity_siblings(&a, &b));
    assert_false(identity_siblings(&b, &c));
    a.smt_shift = b.smt_shift = 0;
    assert_false(identity_siblings(&a, &b));
    assert_true(identity_one_package(&a, &c)); /* it does not tell */
    a.core_shift = c.core_shift = 2;
    assert_false(identity_one_package(&a, &c));
    a.core_shift = c.core_shift = 3;
    assert_true(identity_one_package(&a, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake_field_by_field),
        cmocka_unit_test(later_counters),
        cmocka_unit_test(core_types),
        cmocka_unit_test(hybrid_counters),
        cmocka_unit_test(more_counters),
        cmocka_unit_test(debug_store),
        cmocka_unit_test(tsx_bits),
        cmocka_unit_test(trace),
        cmocka_unit_test(microcode_the_documented_way),
        cmocka_unit_test(leaves_that_are_absent),
        cmocka_unit_test(msrs_that_fault),
        cmocka_unit_test(amd_is_not_touched),
        cmocka_unit_test(hypervisor_and_hybrid),
        cmocka_unit_test(siblings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
