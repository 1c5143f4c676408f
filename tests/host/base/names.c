/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c - what reports call registers, exceptions and bits. */
#include "src/base/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Typed from the SDM, volume 4, by address. */
static const struct {
    uint32_t number;
    const char *name;
} rows[] = {
    {0x17, "IA32_PLATFORM_ID (17H)"},
    {0x34, "MSR_SMI_COUNT (34H)"},
    {0x3b, "IA32_TSC_ADJUST (3BH)"},
    {0x8b, "IA32_BIOS_SIGN_ID (8BH)"},
    {0xc1, "IA32_PMC0 (C1H)"},
    {0xc8, "IA32_PMC7 (C8H)"},
    {0xce, "MSR_PLATFORM_INFO (CEH)"},
    {0x10a, "IA32_ARCH_CAPABILITIES (10AH)"},
    {0x10f, "TSX_FORCE_ABORT (10FH)"},
    {0x122, "IA32_TSX_CTRL (122H)"},
    {0x123, "IA32_MCU_OPT_CTRL (123H)"},
    {0x186, "IA32_PERFEVTSEL0 (186H)"},
    {0x189, "IA32_PERFEVTSEL3 (189H)"},
    {0x18d, "IA32_PERFEVTSEL7 (18DH)"},
    {0x198, "IA32_PERF_STATUS (198H)"},
    {0x1a0, "IA32_MISC_ENABLE (1A0H)"},
    {0x1a6, "MSR_OFFCORE_RSP_0 (1A6H)"},
    {0x1a7, "MSR_OFFCORE_RSP_1 (1A7H)"},
    {0x1ad, "MSR_TURBO_RATIO_LIMIT (1ADH)"},
    {0x1c8, "MSR_LBR_SELECT (1C8H)"},
    {0x1c9, "MSR_LASTBRANCH_TOS (1C9H)"},
    {0x1d9, "IA32_DEBUGCTL (1D9H)"},
    {0x309, "IA32_FIXED_CTR0 (309H)"},
    {0x30c, "IA32_FIXED_CTR3 (30CH)"},
    {0x329, "MSR_PERF_METRICS (329H)"},
    {0x345, "IA32_PERF_CAPABILITIES (345H)"},
    {0x38d, "IA32_FIXED_CTR_CTRL (38DH)"},
    {0x38e, "IA32_PERF_GLOBAL_STATUS (38EH)"},
    {0x38f, "IA32_PERF_GLOBAL_CTRL (38FH)"},
    {0x390, "IA32_PERF_GLOBAL_STATUS_RESET (390H)"},
    {0x391, "IA32_PERF_GLOBAL_STATUS_SET or MSR_UNC_PERF_GLOBAL_CTRL (391H)"},
    {0x392, "IA32_PERF_GLOBAL_INUSE or MSR_UNC_PERF_GLOBAL_STATUS (392H)"},
    {0x394, "MSR_UNC_PERF_FIXED_CTRL (394H)"},
    {0x395, "MSR_UNC_PERF_FIXED_CTR (395H)"},
    {0x396, "MSR_UNC_CBO_CONFIG (396H)"},
    {0x3b0, "MSR_UNC_ARB_PERFCTR0 (3B0H)"},
    {0x3b1, "MSR_UNC_ARB_PERFCTR1 (3B1H)"},
    {0x3b2, "MSR_UNC_ARB_PERFEVTSEL0 (3B2H)"},
    {0x3b3, "MSR_UNC_ARB_PERFEVTSEL1 (3B3H)"},
    {0x3f1, "IA32_PEBS_ENABLE (3F1H)"},
    {0x3f2, "MSR_PEBS_DATA_CFG (3F2H)"},
    {0x3f6, "MSR_PEBS_LD_LAT (3F6H)"},
    {0x4c1, "IA32_A_PMC0 (4C1H)"},
    {0x4c8, "IA32_A_PMC7 (4C8H)"},
    {0x560, "IA32_RTIT_OUTPUT_BASE (560H)"},
    {0x561, "IA32_RTIT_OUTPUT_MASK_PTRS (561H)"},
    {0x570, "IA32_RTIT_CTL (570H)"},
    {0x571, "IA32_RTIT_STATUS (571H)"},
    {0x572, "IA32_RTIT_CR3_MATCH (572H)"},
    {0x580, "IA32_RTIT_ADDR register 0 (580H)"},
    {0x587, "IA32_RTIT_ADDR register 7 (587H)"},
    {0x600, "IA32_DS_AREA (600H)"},
    {0x680, "MSR_LASTBRANCH_FROM_IP of record 0 (680H)"},
    {0x69f, "MSR_LASTBRANCH_FROM_IP of record 31 (69FH)"},
    {0x6c0, "MSR_LASTBRANCH_TO_IP of record 0 (6C0H)"},
    {0x6df, "MSR_LASTBRANCH_TO_IP of record 31 (6DFH)"},
    {0xdc0, "MSR_LBR_INFO_0 (DC0H)"},
    {0xddf, "MSR_LBR_INFO_31 (DDFH)"},
    {0xe01, "MSR_UNC_PERF_GLOBAL_CTRL (E01H)"},
    {0xe02, "MSR_UNC_PERF_GLOBAL_STATUS (E02H)"},
    {0x1200, "IA32_LBR_INFO of record 0 (1200H)"},
    {0x123f, "IA32_LBR_INFO of record 63 (123FH)"},
    {0x14ce, "IA32_LBR_CTL (14CEH)"},
    {0x14cf, "IA32_LBR_DEPTH (14CFH)"},
    {0x1500, "IA32_LBR_FROM_IP of record 0 (1500H)"},
    {0x153f, "IA32_LBR_FROM_IP of record 63 (153FH)"},
    {0x1600, "IA32_LBR_TO_IP of record 0 (1600H)"},
    {0x163f, "IA32_LBR_TO_IP of record 63 (163FH)"},
    {0xc0000080, "IA32_EFER (C0000080H)"},
    {0xc0000081, "IA32_STAR (C0000081H)"},
    {0xc0000082, "IA32_LSTAR (C0000082H)"},
    {0xc0000084, "IA32_FMASK (C0000084H)"},
    {0xc0000100, "IA32_FS_BASE (C0000100H)"},
    {0xc0000101, "IA32_GS_BASE (C0000101H)"},
};

static void registers(void **state)
{
    char out[MSR_NAME_BYTES];

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        assert_string_equal(msr_name(rows[n].number, out), rows[n].name);
}

/* One beside those that there are is not one of them. */
static void neighbours(void **state)
{
    static const uint32_t others[] = {
        0x3a,       0x3c,       0x8a,   0x8c,       0xc0,       0xcb,
        0xcd,       0xcf,       0x109,  0x10b,      0x10e,      0x110,
        0x121,      0x124,      0x185,  0x190,      0x197,      0x199,
        0x19f,      0x1a1,      0x1a5,  0x1a8,      0x1ac,      0x1ae,
        0x1c7,      0x1ca,      0x1d8,  0x1da,      0x308,      0x30d,
        0x328,      0x32a,      0x344,  0x346,      0x38c,      0x393,
        0x397,      0x3af,      0x3b4,  0x3f0,      0x3f3,      0x3f5,
        0x3f7,      0x4c0,      0x4cb,  0x55f,      0x562,      0x56f,
        0x573,      0x57f,      0x588,  0x5ff,      0x601,      0x67f,
        0x6a0,      0x6bf,      0x6e0,  0xdbf,      0xde0,      0xe00,
        0xe03,      0x11ff,     0x1240, 0x14cd,     0x14d0,     0x14ff,
        0x1540,     0x15ff,     0x1640, 0xc000007f, 0xc0000083, 0xc0000085,
        0xc00000ff, 0xc0000102,
    };
    char out[MSR_NAME_BYTES];

    (void)state;
    for (size_t n = 0; n < sizeof(others) / sizeof(others[0]); n++)
        assert_memory_equal(msr_name(others[n], out), "MSR ", 4);
    assert_string_equal(msr_name(0xc0000102, out), "MSR C0000102H");
}

/* SDM volume 3A, table "Protected-Mode Exceptions and Interrupts". */
static void exceptions(void **state)
{
    (void)state;
    assert_string_equal(vector_name(0), "#DE");
    assert_string_equal(vector_name(1), "#DB");
    assert_string_equal(vector_name(2), "NMI");
    assert_string_equal(vector_name(3), "#BP");
    assert_string_equal(vector_name(6), "#UD");
    assert_string_equal(vector_name(7), "#NM");
    assert_string_equal(vector_name(8), "#DF");
    assert_string_equal(vector_name(12), "#SS");
    assert_string_equal(vector_name(13), "#GP");
    assert_string_equal(vector_name(14), "#PF");
    assert_string_equal(vector_name(16), "#MF");
    assert_string_equal(vector_name(17), "#AC");
    assert_string_equal(vector_name(18), "#MC");
    assert_string_equal(vector_name(19), "#XM");
    assert_string_equal(vector_name(21), "#CP");
    assert_string_equal(vector_name(31), "vector 31");
    assert_string_equal(vector_name(32), "no exception");
    assert_string_equal(fault_name(13), "#GP");
    assert_string_equal(fault_name(-1), "no exception");
}

static void bits(void **state)
{
    char out[BITS_NAME_BYTES];

    (void)state;
    assert_string_equal(bits_name(0, out), "none");
    assert_string_equal(bits_name(1, out), "[0]");
    assert_string_equal(bits_name(UINT64_MAX, out), "[63:0]");
    assert_string_equal(bits_name(UINT64_C(3) << 62, out), "[63:62]");
    assert_string_equal(bits_name(UINT64_C(0x8000000000000006), out),
                        "[63] [2:1]");
    assert_string_equal(bits_name(0x15, out), "[4] [2] [0]");
    /* More than there is room for: the end says so, and stays inside. */
    bits_name(UINT64_C(0x5555555555555555), out);
    assert_memory_equal(out, "[62] [60] [58]", 14);
    assert_string_equal(out + strlen(out) - 2, "..");
    assert_true(strlen(out) < BITS_NAME_BYTES);
}

static void changes(void **state)
{
    char out[BITS_CHANGE_BYTES];

    (void)state;
    assert_string_equal(bits_change(5, 5, out), "no change");
    assert_string_equal(bits_change(0x832, 0x812, out), "[5] cleared");
    assert_string_equal(bits_change(0, 3, out), "[1:0] set");
    assert_string_equal(bits_change(0x13, UINT64_C(1) << 63, out),
                        "[63] set, [4] [1:0] cleared");
    bits_change(UINT64_C(0x5555555555555555), ~UINT64_C(0x5555555555555555),
                out);
    assert_memory_equal(out, "[63] [61] [59]", 14);
    assert_true(strlen(out) < BITS_CHANGE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers),  cmocka_unit_test(neighbours),
        cmocka_unit_test(exceptions), cmocka_unit_test(bits),
        cmocka_unit_test(changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
