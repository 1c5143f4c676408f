/* SPDX-License-Identifier: BSD-2-Clause */
/* identity_fields.c - each field of an identity is its bits of CPUID or of an
 * MSR, up to the last leaf that there is. */
#include "tests/host/cpu/identity_fixture.h"

static uint64_t field_of(const struct identity *id, size_t at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)id + at, bytes);
    return value;
}

#define AT(field) \
    offsetof(struct identity, field), sizeof(((struct identity *)0)->field)

/* SDM 2A, CPUID, "Information Returned by CPUID Instruction". */
static const struct {
    uint32_t leaf, subleaf;
    enum reg reg;
    unsigned high, low;
    size_t at, bytes;
} fields[] = {
    {0, 0, EAX, 31, 0, AT(leaf_max)},
    {1, 0, EAX, 3, 0, AT(stepping)},
    {1, 0, EAX, 31, 0, AT(signature)},
    {1, 0, ECX, 2, 2, AT(dtes64)},
    {1, 0, ECX, 15, 15, AT(pdcm)},
    {1, 0, ECX, 31, 31, AT(hypervisor)},
    {1, 0, EDX, 21, 21, AT(ds)},
    {7, 0, EBX, 31, 0, AT(leaf7_ebx)},
    {7, 0, EDX, 31, 0, AT(leaf7_edx)},
    {7, 0, EBX, 4, 4, AT(hle)},
    {7, 0, EBX, 11, 11, AT(rtm)},
    {7, 0, EBX, 25, 25, AT(pt)},
    {7, 0, ECX, 16, 16, AT(la57)},
    {7, 0, EDX, 11, 11, AT(rtm_always_abort)},
    {7, 0, EDX, 13, 13, AT(tsx_force_abort)},
    {7, 0, EDX, 16, 16, AT(tsxldtrk)},
    {7, 0, EDX, 19, 19, AT(arch_lbr)},
    {7, 0, EDX, 29, 29, AT(arch_capabilities_present)},
    {0xa, 0, EAX, 31, 0, AT(leaf0a_eax)},
    {0xa, 0, EBX, 31, 0, AT(leaf0a_ebx)},
    {0xa, 0, EDX, 31, 0, AT(leaf0a_edx)},
    {0xa, 0, EAX, 7, 0, AT(perfmon_version)},
    {0xa, 0, EAX, 15, 8, AT(counters)},
    {0xa, 0, EAX, 23, 16, AT(counter_bits)},
    {0xa, 0, EDX, 4, 0, AT(fixed_counters)},
    {0xa, 0, EDX, 12, 5, AT(fixed_bits)},
    {0xb, 0, EAX, 4, 0, AT(smt_shift)},
    {0xb, 1, EAX, 4, 0, AT(core_shift)},
    {0xb, 1, EDX, 31, 0, AT(apic_id)},
    {0x14, 0, EBX, 31, 0, AT(leaf14_ebx)},
    {0x14, 0, ECX, 31, 0, AT(leaf14_ecx)},
    {0x14, 1, EAX, 31, 0, AT(leaf14_1_eax)},
    {0x14, 1, EBX, 31, 0, AT(leaf14_1_ebx)},
    {0x15, 0, EAX, 31, 0, AT(leaf15_eax)},
    {0x15, 0, EBX, 31, 0, AT(leaf15_ebx)},
    {0x1a, 0, EAX, 31, 24, AT(core_type)},
    {0x1c, 0, EAX, 31, 0, AT(leaf1c_eax)},
    {0x1c, 0, EBX, 31, 0, AT(leaf1c_ebx)},
    {0x1c, 0, ECX, 31, 0, AT(leaf1c_ecx)},
    {0x80000008, 0, EAX, 7, 0, AT(physical_bits)},
};

static void each_field_of_a_leaf(void **state)
{
    struct identity id;

    (void)state;
    for (size_t n = 0; n < sizeof(fields) / sizeof(fields[0]); n++)
        for (unsigned bit = 0; bit < 32; bit++) {
            const bool in = bit >= fields[n].low && bit <= fields[n].high;

            make();
            uint32_t *r =
                leaf_register(fields[n].leaf, fields[n].subleaf, fields[n].reg);
            if (fields[n].leaf == 0 && bit < 3)
                continue; /* leaves are missing then */
            /* One bit set, and in a field that is a number one clear. */
            *r = 1u << bit;
            if (fields[n].leaf == 0xa && fields[n].reg == EDX)
                fake_leaf(0xa, 0)->eax = 0x07300402;
            identity_read(&id);
            const uint64_t got = field_of(&id, fields[n].at, fields[n].bytes);
            if (got != (in ? UINT64_C(1) << (bit - fields[n].low) : 0))
                fail_msg("field %zu, bit %u: 0x%lx", n, bit, got);
        }
}

static const struct {
    uint32_t msr;
    unsigned high, low;
    size_t at, bytes;
} msr_fields[] = {
    {IA32_PLATFORM_ID, 52, 50, AT(platform)},
    {IA32_BIOS_SIGN_ID, 63, 32, AT(microcode)},
    {IA32_MISC_ENABLE, 12, 12, AT(pebs_unavailable)},
    {IA32_PERF_CAPABILITIES, 63, 0, AT(perf_capabilities)},
    {IA32_PERF_CAPABILITIES, 11, 8, AT(pebs_format)},
    {IA32_PERF_CAPABILITIES, 13, 13, AT(full_width_writes)},
    {IA32_ARCH_CAPABILITIES, 63, 0, AT(arch_capabilities)},
    {IA32_TME_ACTIVATE, 35, 32, AT(key_bits)},
};

static int keeps(uint32_t msr, const uint64_t *written)
{
    return msr == IA32_BIOS_SIGN_ID && written != NULL && *written != 0
               ? HW_GP
               : HW_NO_FAULT;
}

static void each_field_of_an_msr(void **state)
{
    struct identity id;

    (void)state;
    for (size_t n = 0; n < sizeof(msr_fields) / sizeof(msr_fields[0]); n++)
        for (unsigned bit = 0; bit < 64; bit++) {
            const bool in =
                bit >= msr_fields[n].low && bit <= msr_fields[n].high;

            make();
            fake_leaf(7, 0)->edx |= 1u << 29;
            fake_leaf(7, 0)->ecx |= 1u << 13;
            fake_device = keeps;
            fake_msr(msr_fields[n].msr)->value = UINT64_C(1) << bit;
            fake_msr(msr_fields[n].msr)->writable = 0;
            identity_read(&id);
            fake_device = NULL;
            assert_int_equal(
                field_of(&id, msr_fields[n].at, msr_fields[n].bytes),
                in ? UINT64_C(1) << (bit - msr_fields[n].low) : 0);
            assert_true(id.platform_known && id.microcode_known);
        }
    make();
    fake_msr_remove(IA32_PLATFORM_ID);
    identity_read(&id);
    assert_false(id.platform_known);
}

/* Of records; 5 is that of the DS area, of 6 too, whose have counters. */
static void pebs_formats(void **state)
{
    struct identity id;

    (void)state;
    for (unsigned format = 0; format < 16; format++) {
        make();
        fake_msr(IA32_PERF_CAPABILITIES)->value = format << 8;
        identity_read(&id);
        const bool area_5 = format == 5 || format == 6;
        assert_int_equal(id.pebs_format, area_5 ? 4 : format);
        assert_int_equal(id.pebs_area_5, area_5);
        assert_int_equal(id.pebs_counters, format == 6);
    }
}

/* A leaf above the last is not read. */
static void up_to_the_last_leaf(void **state)
{
    struct identity id;

    (void)state;
    for (uint32_t last = 1; last < 0x30; last++) {
        make();
        fake_leaf(0, 0)->eax = last;
        fake_leaf(1, 0)->ebx = 0x07000000;
        fake_leaf(0xa, 0)->eax = 0x07300405;
        fake_leaf(0xb, 0)->edx = fake_leaf(0xb, 1)->edx = 9;
        fake_leaf(0x15, 0)->ebx = 5;
        fake_leaf(0x1a, 0)->eax = 0x40000000;
        fake_leaf(0x1c, 0)->eax = 6;
        fake_leaf(0x23, 0)->eax = 2;
        fake_leaf(0x23, 0)->ebx = 8;
        identity_read(&id);
        assert_int_equal(id.leaf7_ebx != 0, last >= 7);
        assert_int_equal(id.perfmon_version, last >= 0xa ? 5 : 0);
        assert_int_equal(id.topology_known, last >= 0xb);
        assert_int_equal(id.apic_id, last >= 0xb ? 9 : 7);
        assert_int_equal(id.pt, last >= 0x14);
        assert_int_equal(id.leaf15_ebx, last >= 0x15 ? 5 : 0);
        assert_int_equal(id.core_type, last >= 0x1a ? 0x40 : 0);
        assert_int_equal(id.leaf1c_eax, last >= 0x1c ? 6 : 0);
        assert_int_equal(id.leaf23_ebx, last >= 0x23 ? 8 : 0);
    }
    /* Those from 80000000H on; what is no such number there is no last one. */
    static const struct {
        uint32_t last;
        bool brand, bits;
    } rows[] = {{0, false, false},          {0x80000003, false, false},
                {0x80000004, true, false},  {0x80000007, true, false},
                {0x80000008, true, true},   {0x8000ffff, true, true},
                {0x80010000, false, false}, {0xffffffff, false, false}};
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        make();
        fake_leaf(0x80000000, 0)->eax = rows[n].last;
        fake_leaf(0x80000008, 0)->eax = 0x3029;
        identity_read(&id);
        assert_int_equal(id.brand[0] != '\0', rows[n].brand);
        assert_int_equal(id.physical_bits, rows[n].bits ? 0x29 : 36);
    }
}

/* Levels in any order, as far as there are some. */
static void topology(void **state)
{
    struct identity id;

    (void)state;
    make();
    fake_leaf(0xb, 0)->ecx = 0x200;
    fake_leaf(0xb, 0)->eax = 4;
    fake_leaf(0xb, 1)->ecx = 0x101;
    fake_leaf(0xb, 1)->eax = 1;
    identity_read(&id);
    assert_int_equal(id.smt_shift, 1);
    assert_int_equal(id.core_shift, 4);
    for (unsigned n = 0; n < 4; n++) { /* no type, or no processors: the end */
        make();
        fake_leaf(0xb, 0)->eax = 1;
        fake_leaf(0xb, 1)->eax = 4;
        if ((n & 1) != 0)
            fake_leaf(0xb, n >> 1)->ecx = 0;
        else
            fake_leaf(0xb, n >> 1)->ebx = 0;
        identity_read(&id);
        assert_int_equal(id.topology_known, n >> 1);
        assert_int_equal(id.smt_shift, n >> 1);
        assert_int_equal(id.core_shift, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_of_a_leaf),
        cmocka_unit_test(each_field_of_an_msr),
        cmocka_unit_test(pebs_formats),
        cmocka_unit_test(up_to_the_last_leaf),
        cmocka_unit_test(topology),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
