/* SPDX-License-Identifier: BSD-2-Clause */
/* identity_fields.c - each field of an identity has its own bits, of its own
 * leaf or MSR, and no others; and which model is of which generation. */
#include "src/base/msr.h"
#include "src/cpu/cpuid_bits.h"
#include "src/cpu/identity.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum reg { EAX, EBX, ECX, EDX };

static uint32_t *leaf_register(uint32_t leaf, uint32_t subleaf, enum reg reg)
{
    struct hw_cpuid *r = fake_leaf(leaf, subleaf);

    return reg == EAX   ? &r->eax
           : reg == EBX ? &r->ebx
           : reg == ECX ? &r->ecx
                        : &r->edx;
}

/* A processor that has all of the leaves. */
static void make(void)
{
    fake_reset();
    fake_leaf(0, 0)->eax = 0x23;
    fake_leaf(0x80000000, 0)->eax = 0x80000008;
    fake_leaf(7, 0)->edx |= 1u << 15 | 1u << 19; /* hybrid, LBRs */
    fake_leaf(7, 0)->ebx |= 1u << 25;
    fake_leaf(1, 0)->ecx |= 1u << 15;
    fake_leaf(0x14, 0)->eax = 1;
    fake_leaf(0xb, 0)->ebx = fake_leaf(0xb, 1)->ebx = 1;
    fake_leaf(0xb, 0)->ecx = 0x100;
    fake_leaf(0xb, 1)->ecx = 0x201;
    fake_msr(IA32_PLATFORM_ID)->value = 0;
    fake_msr(IA32_MISC_ENABLE)->value = 0;
}

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

/* "Version Information Returned by CPUID in EAX": of families 6 and 15 the
 * model is extended, of 15 the family. */
static void families_and_models(void **state)
{
    struct identity id;

    (void)state;
    for (unsigned family = 0; family < 16; family++)
        for (unsigned i = 0; i < 4; i++) {
            const unsigned more = i & 1 ? 0xb5 : 0, model = i & 2 ? 0xf : 0;
            const bool extended = family == 6 || family == 15;

            make();
            fake_leaf(1, 0)->eax = more << 20 | (i & 1 ? 0xa0000u : 0) |
                                   family << 8 | model << 4 | 0x3003;
            identity_read(&id);
            assert_int_equal(id.family, family + (family == 15 ? more : 0));
            assert_int_equal(id.model, model + (extended && i & 1 ? 0xa0 : 0));
            assert_int_equal(id.stepping, 3);
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

/* 48 characters, of which blanks before the first are none of the name. */
static void brands(void **state)
{
    static const char text[] =
        "  abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
    struct identity id;

    (void)state;
    make();
    for (uint32_t i = 0; i < 3; i++)
        memcpy(fake_leaf(0x80000002 + i, 0), text + 16 * i, 16);
    identity_read(&id);
    assert_string_equal(id.brand, text + 2);
    assert_int_equal(strlen(id.brand), 46);
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

/* Where each bit stands, as a report says it, and that it is that one. */
static void named_bits(void **state)
{
    static const struct {
        enum cpuid_bit bit;
        enum reg reg;
        unsigned number;
        const char *place;
    } rows[] = {
        {CPUID_DTES64, ECX, 2, "CPUID.1:ECX[2]"},
        {CPUID_PDCM, ECX, 15, "CPUID.1:ECX[15]"},
        {CPUID_HYPERVISOR, ECX, 31, "CPUID.1:ECX[31]"},
        {CPUID_DS, EDX, 21, "CPUID.1:EDX[21]"},
        {CPUID_HLE, EBX, 4, "CPUID.7.0:EBX[4]"},
        {CPUID_RTM, EBX, 11, "CPUID.7.0:EBX[11]"},
        {CPUID_PT, EBX, 25, "CPUID.7.0:EBX[25]"},
        {CPUID_RTM_ALWAYS_ABORT, EDX, 11, "CPUID.7.0:EDX[11]"},
        {CPUID_TSX_FORCE_ABORT, EDX, 13, "CPUID.7.0:EDX[13]"},
        {CPUID_HYBRID, EDX, 15, "CPUID.7.0:EDX[15]"},
        {CPUID_LA57, ECX, 16, "CPUID.7.0:ECX[16]"},
        {CPUID_TSXLDTRK, EDX, 16, "CPUID.7.0:EDX[16]"},
        {CPUID_ARCH_LBR, EDX, 19, "CPUID.7.0:EDX[19]"},
        {CPUID_ARCH_CAPABILITIES, EDX, 29, "CPUID.7.0:EDX[29]"},
        {CPUID_PT_TOPA, ECX, 0, "CPUID.14H.0:ECX[0]"},
        {CPUID_PT_RANGE, ECX, 2, "CPUID.14H.0:ECX[2]"},
        {CPUID_PT_EVENT, EBX, 7, "CPUID.14H.0:EBX[7]"},
        {CPUID_PT_DISTNT, EBX, 8, "CPUID.14H.0:EBX[8]"},
        {CPUID_PT_PTWRITE, EBX, 4, "CPUID.14H.0:EBX[4]"},
    };
    char out[CPUID_BIT_BYTES];

    (void)state;
    assert_int_equal(sizeof(rows) / sizeof(rows[0]), CPUID_BITS);
    for (size_t n = 0; n < CPUID_BITS; n++) {
        assert_string_equal(cpuid_bit_place(rows[n].bit, out), rows[n].place);
        assert_string_equal(cpuid_bit_register(rows[n].bit, out),
                            strchr(rows[n].place, ':') + 1);
        for (unsigned r = 0; r < 4; r++)
            for (unsigned bit = 0; bit < 32; bit++) {
                const uint32_t one = 1u << bit;
                const struct hw_cpuid leaf = {
                    r == EAX ? one : 0, r == EBX ? one : 0, r == ECX ? one : 0,
                    r == EDX ? one : 0};
                assert_int_equal(cpuid_bit_set(rows[n].bit, &leaf),
                                 r == rows[n].reg && bit == rows[n].number);
            }
    }
}

/* README, "Your machine"; SDM 4, table "CPUID Signature Values of
 * DisplayFamily_DisplayModel"; each other model is of none. */
static void generations(void **state)
{
    static const struct {
        enum generation generation;
        uint8_t models[16]; /* ended by 0 */
    } rows[] = {
        {NEHALEM, {0x1a, 0x1e, 0x1f, 0x25, 0x2c, 0x2e, 0x2f}},
        {SANDY_BRIDGE, {0x2a, 0x2d}},
        {IVY_BRIDGE, {0x3a, 0x3e}},
        {HASWELL, {0x3c, 0x3f, 0x45, 0x46}},
        {BROADWELL, {0x3d, 0x47, 0x4f, 0x56}},
        {SKYLAKE, {0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6}},
        {ICE_LAKE, {0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7}},
        {GOLDEN_COVE, {0x8f, 0xcf, 0xad, 0x97, 0x9a, 0xb7, 0xba, 0xbf}},
        {GRACEMONT, {0xbe}},
        {LION_COVE, {0xbd, 0xc6}},
    };

    (void)state;
    for (unsigned model = 0; model < 0x200; model++) {
        enum generation want = GENERATION_UNKNOWN;

        for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
            for (unsigned i = 0; rows[n].models[i] != 0; i++)
                if (rows[n].models[i] == model)
                    want = rows[n].generation;
        for (unsigned family = 5; family < 8; family++) {
            const enum generation here =
                family == 6 ? want : GENERATION_UNKNOWN;
            assert_int_equal(generation_of(family, model, 0), here);
            assert_int_equal(generation_of(family, model, CORE_TYPE_CORE),
                             here);
            assert_int_equal(generation_of(family, model, CORE_TYPE_ATOM),
                             here == GOLDEN_COVE ? GRACEMONT
                                                 : GENERATION_UNKNOWN);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_of_a_leaf),
        cmocka_unit_test(each_field_of_an_msr),
        cmocka_unit_test(pebs_formats),
        cmocka_unit_test(families_and_models),
        cmocka_unit_test(up_to_the_last_leaf),
        cmocka_unit_test(brands),
        cmocka_unit_test(topology),
        cmocka_unit_test(named_bits),
        cmocka_unit_test(generations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
