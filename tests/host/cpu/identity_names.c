/* SPDX-License-Identifier: BSD-2-Clause */
/* identity_names.c - what a processor is called: family and model, brand, named
 * bits, generation. */
#include "tests/host/cpu/identity_fixture.h"

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
        {GOLDEN_COVE, {0x8f, 0xcf, 0xad, 0xae, 0x97, 0x9a, 0xb7, 0xba, 0xbf}},
        {GRACEMONT, {0xbe}},
        {LION_COVE, {0xbd, 0xc5, 0xc6}},
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
        cmocka_unit_test(families_and_models),
        cmocka_unit_test(brands),
        cmocka_unit_test(named_bits),
        cmocka_unit_test(generations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
