/* SPDX-License-Identifier: BSD-2-Clause */
/* found.c - a processor as it was found: what is read, what is not, and the
 * types of memory. */
#include "src/cpu/found.h"
#include "src/base/msr.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BYTES (4u * 4096)

static struct found found;

static void read_it(void)
{
    memset(&found, 0xa5, sizeof(found));
    found_read(&found, 0, NULL, BYTES);
}

static int fault_of(uint32_t msr)
{
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        if (found_msrs[i] == msr)
            return found.fault[i];
    fail();
    return 0;
}

static void nothing_is_written(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(IA32_DEBUGCTL)->value = 0x1234;
    read_it();
    assert_int_equal(fake_written_count, 0);
    assert_true(found_has(&found, IA32_DEBUGCTL));
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        if (found_msrs[i] == IA32_DEBUGCTL)
            assert_int_equal(found.value[i], 0x1234);
}

/* An MSR that CPUID does not enumerate is not touched; one that it does, and
 * that faults, is said to. */
static void what_is_enumerated(void **state)
{
    (void)state;
    fake_reset();
    read_it();
    assert_int_equal(fault_of(IA32_RTIT_CTL), FOUND_NOT_READ);
    assert_int_equal(fault_of(IA32_PEBS_ENABLE), HW_GP);
    assert_int_equal(fault_of(IA32_PERF_GLOBAL_INUSE), HW_NO_FAULT);
    assert_int_equal(fault_of(IA32_PERF_CAPABILITIES), HW_NO_FAULT);
    assert_int_equal(fault_of(MSR_SMI_COUNT), HW_GP);
    assert_false(found_has(&found, MSR_SMI_COUNT));
    fake_leaf(0xa, 0)->eax = 0x07300403;
    fake_leaf(1, 0)->edx = 0;
    fake_leaf(1, 0)->ecx = 0;
    fake_leaf(7, 0)->ebx |= 1u << 25;
    read_it();
    assert_int_equal(fault_of(IA32_PERF_GLOBAL_INUSE), FOUND_NOT_READ);
    assert_int_equal(fault_of(IA32_PERF_GLOBAL_CTRL), HW_NO_FAULT);
    assert_int_equal(fault_of(IA32_PEBS_ENABLE), FOUND_NOT_READ);
    assert_int_equal(fault_of(IA32_PERF_CAPABILITIES), FOUND_NOT_READ);
    assert_int_equal(fault_of(IA32_RTIT_CTL), HW_GP);
    fake_leaf(0xa, 0)->eax = 0x07300401;
    read_it();
    assert_int_equal(fault_of(IA32_PERF_GLOBAL_CTRL), FOUND_NOT_READ);
    fake_leaf(0, 0)->ebx = 0x68747541; /* "Auth" */
    read_it();
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        assert_int_equal(found.fault[i], FOUND_NOT_READ);
}

static void leaves_up_to_the_last(void **state)
{
    (void)state;
    fake_reset();
    fake_cpuid(0x14, 0, 0, 1, 2, 3);
    read_it();
    assert_int_equal(found.leaves[3].value.edx, 3);
    assert_false(found.leaves[4].present); /* EAX: there is no subleaf 1 */
    assert_false(found.leaves[5].present); /* above leaf 0's EAX */
    fake_leaf(0x14, 0)->eax = 1;
    fake_cpuid(0x14, 1, 9, 0, 0, 0);
    fake_leaf(0, 0)->eax = 0x23;
    read_it();
    assert_int_equal(found.leaves[4].value.eax, 9);
    assert_true(found.leaves[5].present);
    fake_leaf(0, 0)->eax = 0xa;
    read_it();
    assert_true(found.leaves[2].present);
    assert_false(found.leaves[3].present);
}

static void with_mtrrs(void)
{
    fake_reset();
    fake_leaf(1, 0)->edx |= 1u << 12 | 1u << 16;
    fake_msr(IA32_MTRRCAP)->value = 0x502;
    fake_msr(IA32_MTRR_DEF_TYPE)->value = 0xc06;
    fake_msr(IA32_PAT)->value = 0x0007040600070106;
    for (unsigned i = 0; i < 2; i++) {
        fake_msr(IA32_MTRR_PHYSBASE(i));
        fake_msr(IA32_MTRR_PHYSMASK(i));
    }
    /* 80000000H on uncacheable; of it 80001000H write-through too. */
    fake_msr(IA32_MTRR_PHYSBASE(0))->value = 0x80000000;
    fake_msr(IA32_MTRR_PHYSMASK(0))->value = 0x7f80000800;
    fake_msr(IA32_MTRR_PHYSBASE(1))->value = 0x80001004;
    fake_msr(IA32_MTRR_PHYSMASK(1))->value = 0x7ffffff800;
}

static void types(void **state)
{
    (void)state;
    with_mtrrs();
    read_it();
    assert_string_equal(found_mtrr_type(&found, 0x7ffff000), "WB");
    assert_string_equal(found_mtrr_type(&found, 0x80000000), "UC");
    assert_string_equal(found_mtrr_type(&found, 0x80001000), "UC");
    fake_msr(IA32_MTRR_PHYSMASK(0))->value &= ~UINT64_C(0x800);
    read_it();
    assert_string_equal(found_mtrr_type(&found, 0x80000000), "WB");
    assert_string_equal(found_mtrr_type(&found, 0x80001fff), "WT");
    fake_msr(IA32_MTRR_DEF_TYPE)->value = 0x406; /* E = 0 */
    read_it();
    assert_string_equal(found_mtrr_type(&found, 0x7ffff000), "UC");
    assert_string_equal(found_pat_type(&found, 0), "WB");
    assert_string_equal(found_pat_type(&found, 1), "WC");
    assert_string_equal(found_pat_type(&found, 2), "UC-");
    assert_string_equal(found_pat_type(&found, 5), "WT");
    assert_string_equal(found_pat_type(&found, 8), "?");
    fake_msr_remove(IA32_MTRR_PHYSMASK(1));
    read_it();
    assert_string_equal(found_mtrr_type(&found, 0x7ffff000), "?");
    fake_leaf(1, 0)->edx &= ~(1u << 12);
    read_it();
    assert_string_equal(found_pat_type(&found, 0), "?");
}

/* Where one of the registers cannot be read, no type is known. */
static void types_that_cannot_be_read(void **state)
{
    static const uint32_t msrs[] = {
        IA32_MTRRCAP,          IA32_MTRR_DEF_TYPE,    IA32_PAT,
        IA32_MTRR_PHYSBASE(0), IA32_MTRR_PHYSBASE(1), IA32_MTRR_PHYSMASK(0),
        IA32_MTRR_PHYSMASK(1)};

    (void)state;
    with_mtrrs();
    read_it();
    assert_true(found.types_known);
    assert_int_equal(found.ranges, 2);
    for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
        with_mtrrs();
        fake_msr(msrs[i])->read_vector = HW_GP;
        read_it();
        assert_false(found.types_known);
        assert_string_equal(found_mtrr_type(&found, 0x1000), "?");
        assert_string_equal(found_pat_type(&found, 0), "?");
    }
    for (unsigned bit = 12; bit <= 16; bit += 4) { /* CPUID.1:EDX: either */
        with_mtrrs();
        fake_leaf(1, 0)->edx &= ~(1u << bit);
        read_it();
        assert_false(found.types_known);
    }
    with_mtrrs(); /* more ranges than there is room for */
    fake_msr(IA32_MTRRCAP)->value = 0x5ff;
    for (unsigned i = 0; i < FOUND_VAR; i++) {
        fake_msr(IA32_MTRR_PHYSBASE(i))->value = 0x1000 * (i + 1) + 6;
        fake_msr(IA32_MTRR_PHYSMASK(i))->value = 0x7ffffff800;
    }
    fake_msr(IA32_MTRR_PHYSBASE(FOUND_VAR - 1))->value -= 2;
    read_it();
    assert_int_equal(found.ranges, FOUND_VAR);
    assert_string_equal(found_mtrr_type(&found, 0x1000 * FOUND_VAR), "WT");
}

/* SDM 3A, "Memory Types That Can Be Encoded With PAT": 2 and 3 are reserved. */
static void type_names(void **state)
{
    static const char *const names[] = {"UC", "WC", "?",   "?", "WT",
                                        "WP", "WB", "UC-", "?", "?"};

    (void)state;
    with_mtrrs();
    for (unsigned type = 0; type < 10; type++)
        for (unsigned entry = 0; entry < 8; entry++) {
            fake_msr(IA32_PAT)->value = (uint64_t)type << 8 * entry;
            read_it();
            assert_string_equal(found_pat_type(&found, entry), names[type]);
            assert_string_equal(found_pat_type(&found, entry ^ 1), "UC");
        }
}

/* What is not among them, or has raised an exception, has no value. */
static void values(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(IA32_DEBUGCTL)->value = 0x1234;
    read_it();
    assert_int_equal(found_value(&found, IA32_DEBUGCTL), 0x1234);
    assert_int_equal(found_value(&found, IA32_PMC(0)), 0);
    assert_false(found_has(&found, IA32_PMC(0)));
    fake_msr(IA32_DEBUGCTL)->read_vector = HW_GP;
    read_it();
    assert_int_equal(found_value(&found, IA32_DEBUGCTL), 0);
    assert_false(found_has(&found, IA32_DEBUGCTL));
}

static void memory(void **state)
{
    (void)state;
    with_mtrrs();
    fake_physical = 0x40000000;
    read_it();
    assert_true(found.memory.mapped && found.memory.contiguous &&
                found.memory.alike);
    assert_int_equal(found.memory.physical, 0x40000000);
    assert_int_equal(fake_physical, 0x40000000 + BYTES);
    assert_string_equal(found.memory.mtrr, "WB");
    fake_physical = 0x80000000 - 4096; /* into what is uncacheable */
    read_it();
    assert_string_equal(found.memory.mtrr, "WB");
    assert_false(found.memory.alike);
    fake_physical = 0x40000000;
    fake_pat = 1; /* WC */
    read_it();
    assert_string_equal(found.memory.pat, "WC");
    assert_true(found.memory.alike);
    fake_pat = 0;
    fake_mapped = false;
    read_it();
    assert_false(found.memory.mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written),
        cmocka_unit_test(what_is_enumerated),
        cmocka_unit_test(leaves_up_to_the_last),
        cmocka_unit_test(types),
        cmocka_unit_test(types_that_cannot_be_read),
        cmocka_unit_test(type_names),
        cmocka_unit_test(values),
        cmocka_unit_test(memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
