/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.c - what the MSRs of Processor Trace take, by numbers from SDM 3C,
 * "IA32_RTIT_CTL MSR" and the tables of CPUID leaf 14H. */
#include "src/trace/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Leaf 14H of Broadwell and of Skylake; 39 bits of physical address. */
static const struct identity broadwell = {
    .physical_bits = 39, .leaf14_ebx = 0x1, .leaf14_ecx = 0x1};
static const struct identity skylake = {.physical_bits = 39,
                                        .leaf14_ebx = 0xf,
                                        .leaf14_ecx = 0x7,
                                        .leaf14_1_eax = 0x02490002,
                                        .leaf14_1_ebx = 0x003f1fff};

static void control_takes(void **state)
{
    static const struct {
        uint64_t value;
        enum register_answer skylake, broadwell;
    } rows[] = {
        {0, REGISTER_TAKES, REGISTER_TAKES},
        {0x2d0c, REGISTER_TAKES, REGISTER_TAKES},   /* the plain bits */
        {0x2, REGISTER_TAKES, REGISTER_REFUSES},    /* CYCEn: EBX[1] */
        {0x80, REGISTER_TAKES, REGISTER_TAKES},     /* CR3Filter: EBX[0] */
        {0x200, REGISTER_TAKES, REGISTER_REFUSES},  /* MTCEn: EBX[3] */
        {0x10, REGISTER_REFUSES, REGISTER_REFUSES}, /* PwrEvtEn: EBX[5] */
        {0x20, REGISTER_REFUSES, REGISTER_REFUSES}, /* FUPonPTW: EBX[4] */
        {0x40, REGISTER_REFUSES, REGISTER_REFUSES}, /* FabricEn: ECX[3] */
        {0x40000, REGISTER_REFUSES, REGISTER_REFUSES},
        {0x800000, REGISTER_REFUSES, REGISTER_REFUSES},
        {UINT64_C(1) << 31, REGISTER_REFUSES, REGISTER_REFUSES},
        {UINT64_C(1) << 48, REGISTER_REFUSES, REGISTER_REFUSES},
        {3 << 14, REGISTER_TAKES, REGISTER_REFUSES}, /* MTCFreq: 0, 3, 6, 9 */
        {4 << 14, REGISTER_REFUSES, REGISTER_REFUSES},
        {9 << 14, REGISTER_TAKES, REGISTER_REFUSES},
        {12 << 19, REGISTER_TAKES, REGISTER_REFUSES}, /* CycThresh: to 12 */
        {13 << 19, REGISTER_REFUSES, REGISTER_REFUSES},
        {5 << 24, REGISTER_TAKES, REGISTER_REFUSES}, /* PSBFreq: to 5 */
        {6 << 24, REGISTER_REFUSES, REGISTER_REFUSES},
        {UINT64_C(2) << 32, REGISTER_TAKES, REGISTER_REFUSES}, /* two ranges */
        {UINT64_C(2) << 36, REGISTER_TAKES, REGISTER_REFUSES},
        {UINT64_C(3) << 32, REGISTER_REFUSES, REGISTER_REFUSES},
        {UINT64_C(1) << 40, REGISTER_REFUSES, REGISTER_REFUSES},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(registers_control(&skylake, rows[i].value),
                         rows[i].skylake);
        assert_int_equal(registers_control(&broadwell, rows[i].value),
                         rows[i].broadwell);
    }
}

/* What a later edition gives a meaning is open where it is enumerated. */
static void control_open(void **state)
{
    struct identity id = skylake;

    (void)state;
    id.leaf14_ebx |= 1 << 7; /* event trace */
    assert_int_equal(registers_control(&id, UINT64_C(1) << 31), REGISTER_OPEN);
    assert_int_equal(registers_control(&id, UINT64_C(1) << 55),
                     REGISTER_REFUSES);
    id.leaf14_ebx |= 1 << 20; /* unknown here */
    assert_int_equal(registers_control(&id, UINT64_C(1) << 63), REGISTER_OPEN);
}

static void others(void **state)
{
    static const struct {
        uint32_t msr;
        uint64_t writable, ignored, open;
        bool of_broadwell; /* present there, too */
    } rows[] = {
        {0x560, 0x7fffffff80, 0, 0, true},
        {0x561, 0xffffffffffffff80, 0x7f, 0, true},
        {0x571, 0x1ffff00000030, 0x7, 0, true},
        {0x572, 0x7fffffffe0, 0, 0xffffff8000000000, true},
        {0x580, 0x7fffffffffff, 0, 0, false},
        {0x581, 0x7fffffffffff, 0, 0, false},
        {0x582, 0x7fffffffffff, 0, 0, false},
        {0x583, 0x7fffffffffff, 0, 0, false},
    };

    (void)state;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        struct register_rule rule = registers_rule(&skylake, i);
        struct register_rule older = registers_rule(&broadwell, i);
        if (i >= sizeof(rows) / sizeof(rows[0])) { /* the third range on */
            assert_int_equal(rule.msr, 0x580 + (i - 4));
            assert_false(rule.present);
            continue;
        }
        assert_int_equal(rule.msr, rows[i].msr);
        assert_true(rule.present);
        assert_int_equal(rule.writable, rows[i].writable);
        assert_int_equal(rule.ignored, rows[i].ignored);
        assert_int_equal(rule.open, rows[i].open);
        assert_int_equal(rule.canonical, i >= 4);
        assert_int_equal(older.present, rows[i].of_broadwell);
    }
    /* Without cycles there is no PacketByteCnt. */
    assert_int_equal(registers_rule(&broadwell, 2).writable, 0x30);
    assert_int_equal(registers_ranges(&skylake), 2);
    assert_int_equal(registers_ranges(&broadwell), 0);
}

/* CPUID.7.0:ECX[16]: an MSR takes addresses of 57 bits. */
static void wide_addresses(void **state)
{
    struct identity id = skylake;

    (void)state;
    assert_int_equal(registers_linear_bits(&id), 48);
    id.la57 = true;
    assert_int_equal(registers_linear_bits(&id), 57);
    assert_int_equal(registers_rule(&id, 4).writable, 0xffffffffffffff);
    assert_int_equal(registers_rule(&id, 7).writable, 0xffffffffffffff);
    assert_int_equal(registers_rule(&id, 0).writable, 0x7fffffff80);
}

/* Upper bits of a physical address that choose a key. */
static void keys_of_memory(void **state)
{
    struct identity id = skylake;

    (void)state;
    id.key_bits = 6;
    assert_int_equal(registers_rule(&id, 0).writable, 0x1ffffff80);
    assert_int_equal(registers_rule(&id, 0).open, 0x7e00000000);
    assert_int_equal(registers_rule(&id, 3).writable, 0x1ffffffe0);
    assert_int_equal(registers_rule(&id, 3).open, 0xfffffffe00000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_takes),  cmocka_unit_test(control_open),
        cmocka_unit_test(others),         cmocka_unit_test(wide_addresses),
        cmocka_unit_test(keys_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
