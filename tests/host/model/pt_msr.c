/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_msr.c - registers of Processor Trace, and where packets go. */
#include "tests/host/model/pt_fixture.h"

#include "tests/silicon/model/counters/pmu_msr.h"

#define TABLE (RAM + 0x8000)
#define END   BIT(0)
#define INT   BIT(2)
#define STOP  BIT(4)

static void leaf_14_decides(void **state)
{
    uint64_t value;

    (void)state;
    start("haswell", "none");
    assert_false(msr_read(&processor, IA32_RTIT_CTL, &value));
    assert_true(refused(IA32_RTIT_CTL, 0));
    start("broadwell", "none");
    assert_false(msr_read(&processor, IA32_RTIT_ADDR0_A, &value));
    set(IA32_RTIT_CR3_MATCH, 0x1000);
    assert_true(refused(IA32_RTIT_CTL, RTIT_CYC_EN));
    assert_true(refused(IA32_RTIT_CTL, BIT(24)));
    assert_true(refused(IA32_RTIT_CTL, RTIT_MTC_EN));
    assert_true(refused(IA32_RTIT_STATUS, OFFSET(1)));
    start("skylake-2017", "none");
    assert_false(msr_read(&processor, IA32_RTIT_ADDR0_A + 4, &value));
    set(IA32_RTIT_CTL, RTIT_CYC_EN | RTIT_MTC_EN | UINT64_C(9) << 14 |
                           UINT64_C(5) << 24 | UINT64_C(2) << 36);
}

static void no_mtc_under_an_operating_system(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    assert_true((pt_leaf(&processor, 0).ebx & PT_EBX_MTC) != 0);
    assert_true(pt_leaf(&processor, 1).eax >> 16 != 0);
    machine.os = true;
    assert_true((pt_leaf(&processor, 0).ebx & PT_EBX_MTC) == 0);
    assert_int_equal(pt_leaf(&processor, 1).eax >> 16, 0);
    assert_true(refused(IA32_RTIT_CTL, RTIT_MTC_EN));
}

static void reserved_bits_and_encodings(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    assert_true(refused(IA32_RTIT_CTL, BIT(4)));  /* PwrEvtEn */
    assert_true(refused(IA32_RTIT_CTL, BIT(6)));  /* FabricEn */
    assert_true(refused(IA32_RTIT_CTL, BIT(12))); /* PTWEn */
    assert_true(refused(IA32_RTIT_CTL, BIT(18)));
    assert_true(refused(IA32_RTIT_CTL, UINT64_C(1) << 14)); /* MTC period */
    assert_true(refused(IA32_RTIT_CTL, UINT64_C(6) << 24)); /* PSB period */
    assert_true(refused(IA32_RTIT_CTL, UINT64_C(14) << 19));
    assert_true(refused(IA32_RTIT_CTL, UINT64_C(3) << 32));
    assert_true(refused(IA32_RTIT_CTL, UINT64_C(1) << 40)); /* no range 2 */
    assert_true(refused(IA32_RTIT_OUTPUT_BASE, RAM + 1));
    assert_true(refused(IA32_RTIT_OUTPUT_BASE, BIT(39)));
    assert_true(refused(IA32_RTIT_STATUS, BIT(3)));
    assert_true(refused(IA32_RTIT_STATUS, BIT(6)));
    assert_true(refused(IA32_RTIT_CR3_MATCH, 1));
    assert_true(refused(IA32_RTIT_ADDR0_A, BIT(47)));
    set(IA32_RTIT_STATUS, BITS(2, 0)); /* ignored */
    assert_int_equal(get(IA32_RTIT_STATUS), 0);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, 0);
    assert_int_equal(get(IA32_RTIT_OUTPUT_MASK_PTRS), 0x7F);
}

static void locked_while_enabled(void **state)
{
    static const uint32_t numbers[] = {
        IA32_RTIT_OUTPUT_BASE, IA32_RTIT_OUTPUT_MASK_PTRS, IA32_RTIT_STATUS,
        IA32_RTIT_CR3_MATCH,   IA32_RTIT_ADDR0_A,
    };

    (void)state;
    start("skylake-2017", "none");
    range_on(USUAL);
    for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
        assert_true(refused(numbers[n], 0));
    assert_true(refused(IA32_RTIT_CTL, USUAL | RTIT_TSC_EN));
    set(IA32_RTIT_CTL, USUAL); /* as it is */
    assert_int_equal(get(IA32_RTIT_STATUS) & 7, 7);
    set(IA32_RTIT_CTL, 0);
    assert_int_equal(get(IA32_RTIT_STATUS) & 7, 0);
    set(IA32_RTIT_OUTPUT_BASE, 0);
}

static void broadwell_needs_topa_and_branches(void **state)
{
    (void)state;
    start("broadwell", "none");
    assert_true(refused(IA32_RTIT_CTL, USUAL));
    assert_true(refused(IA32_RTIT_CTL, RTIT_TRACE_EN | RTIT_OS | RTIT_TOPA));
    set(IA32_RTIT_CTL, USUAL | RTIT_TOPA);
}

static void a_range_wraps(void **state)
{
    unsigned from;

    (void)state;
    start("skylake-2017", "none");
    set(IA32_RTIT_OUTPUT_BASE, RAM + 0x80);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, 0x7F);
    trace_on(USUAL);
    from = offset_now();
    for (unsigned n = 0; n < 43; n++) /* 129 bytes */
        jump_to(CODE, CODE + n);
    assert_int_equal(offset_now(), (from + 129) % 128);
    for (unsigned n = 0; n < 0x80; n++)
        assert_true(ram[n] == 0 && ram[0x100 + n] == 0);
}

static uint64_t error_of(uint64_t ctl)
{
    trace_on(ctl);
    return get(IA32_RTIT_STATUS) & (RTIT_ERROR | RTIT_TRIGGER_EN);
}

static void errors_of_a_range(void **state)
{
    static const struct {
        uint64_t base, pointers;
    } rows[] = {
        {RAM, 0x0FFF | OFFSET(0x1000)},
        {RAM, 0x17FF},
        {RAM + 0x80, 0xFFF},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start("skylake-2017", "none");
        set(IA32_RTIT_OUTPUT_BASE, rows[n].base);
        set(IA32_RTIT_OUTPUT_MASK_PTRS, rows[n].pointers);
        assert_int_equal(error_of(USUAL), RTIT_ERROR);
        for (unsigned k = 0; k < 0x2000; k++)
            assert_int_equal(ram[k], 0);
    }
}

/* A table of these entries, and on. */
static void table_on(const char *cpu, uint64_t first, uint64_t second,
                     uint64_t third, uint64_t pointers)
{
    start(cpu, "none");
    put_word(TABLE, first);
    put_word(TABLE + 8, second);
    put_word(TABLE + 16, third);
    set(IA32_RTIT_OUTPUT_BASE, TABLE);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, pointers);
    trace_on(USUAL | RTIT_TOPA);
}

static void fill(unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n += 3)
        jump_to(CODE, CODE + n % 0x1000);
}

static void from_region_to_region(void **state)
{
    (void)state;
    table_on("skylake-2017", RAM, RAM + 0x2000, TABLE | END, OFFSET(0xF00));
    fill(0x200);
    assert_int_equal(get(IA32_RTIT_OUTPUT_MASK_PTRS) & 0xFFFFFFFF, 0xFF);
    assert_true(ram[0xFFF] != 0 && ram[0x1000] == 0 && ram[0x2000] != 0);
    fill(0x1000);
    assert_int_equal(get(IA32_RTIT_OUTPUT_MASK_PTRS) & 0xFFFFFFFF, 0x7F);
    assert_int_equal(get(IA32_RTIT_OUTPUT_BASE), TABLE);
    assert_true(ram[0] != 0);
    assert_int_equal(get(IA32_RTIT_STATUS) & (RTIT_ERROR | RTIT_STOPPED), 0);
}

static void stop_and_int(void **state)
{
    (void)state;
    table_on("skylake-2017", RAM | STOP | INT, RAM + 0x2000, TABLE | END,
             OFFSET(0xF00));
    fill(0xC0);
    assert_false(processor.pmu.pmi);
    fill(0x100);
    assert_true(processor.pmu.pmi);
    assert_true((get(0x38E) & STATUS_TOPA_PMI) != 0);
    assert_int_equal(get(IA32_RTIT_STATUS) & (RTIT_STOPPED | RTIT_TRIGGER_EN),
                     RTIT_STOPPED);
    assert_int_equal(offset_now(), 0x1000);
    assert_int_equal(ram[0x2000], 0);
    set(0x390, STATUS_TOPA_PMI);
    assert_int_equal(get(0x38E), 0);
}

static void one_entry(void **state)
{
    (void)state;
    table_on("broadwell", RAM | INT, TABLE | END, 0, OFFSET(0xE00));
    fill(0x90);
    assert_false(processor.pmu.pmi);
    fill(0x90); /* 256 bytes before it is full */
    assert_true(processor.pmu.pmi);
    assert_true(offset_now() > 0xE00);
    set(0x390, STATUS_TOPA_PMI);
    fill(0x180);
    assert_true(offset_now() < 0xE00);
    assert_int_equal(get(0x38E), 0);
}

static void malformed_tables(void **state)
{
    static const struct {
        const char *cpu;
        uint64_t first, second, pointers;
    } rows[] = {
        {"skylake-2017", RAM | BIT(1), TABLE | END, 0},
        {"skylake-2017", RAM | BIT(3), TABLE | END, 0},
        {"skylake-2017", RAM | BIT(5), TABLE | END, 0},
        {"skylake-2017", RAM | BIT(10), TABLE | END, 0},
        {"skylake-2017", RAM | BIT(39), TABLE | END, 0},
        {"skylake-2017", (RAM + 0x1000) | BIT(6), TABLE | END, 0},
        {"skylake-2017", TABLE | END, 0, 0},
        {"skylake-2017", RAM, TABLE | END, OFFSET(0x1000)},
        {"skylake-2017", RAM, TABLE | END | INT, 0x80},
        {"broadwell", RAM, RAM + 0x1000, 0},
        {"broadwell", RAM, RAM | END, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        table_on(rows[n].cpu, rows[n].first, rows[n].second, 0,
                 rows[n].pointers);
        assert_int_equal(get(IA32_RTIT_STATUS) & (RTIT_ERROR | RTIT_TRIGGER_EN),
                         RTIT_ERROR);
        assert_int_equal(ram[0], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_14_decides),
        cmocka_unit_test(no_mtc_under_an_operating_system),
        cmocka_unit_test(reserved_bits_and_encodings),
        cmocka_unit_test(locked_while_enabled),
        cmocka_unit_test(broadwell_needs_topa_and_branches),
        cmocka_unit_test(a_range_wraps),
        cmocka_unit_test(errors_of_a_range),
        cmocka_unit_test(from_region_to_region),
        cmocka_unit_test(stop_and_int),
        cmocka_unit_test(one_entry),
        cmocka_unit_test(malformed_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
