/* SPDX-License-Identifier: BSD-2-Clause */
/* msr.c - reserved bits and missing MSRs of each personality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/msr.h"

struct fixture {
    struct machine machine;
    struct processor processor;
};

static struct processor *start(struct fixture *b, const char *cpu, bool smt)
{
    struct machine_config config = {
        .cpu = personality_find(cpu),
        .seed = 1,
        .smt = smt,
    };

    assert_non_null(config.cpu);
    machine_start(&b->machine, &config, 2);
    processor_start(&b->processor, &b->machine, 0, 0);
    return &b->processor;
}

static void select_has_reserved_bits(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t number;
        uint64_t value;
        bool good;
    } rows[] = {
        {"skylake-2018", 0x186, BITS(31, 0), true},
        {"skylake-2018", 0x189, BIT(32), true},
        {"skylake-2018", 0x189, BIT(33), false},
        {"skylake-2018", 0x188, BIT(33), true},
        {"skylake-2018", 0x188, BIT(34), false},
        {"skylake-2018", 0x18A, 0, false},
        {"sandybridge", 0x186, BIT(32), false},
        {"sandybridge", 0x188, BIT(33), false},
        {"haswell", 0x188, BIT(33), true},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct fixture b;
        struct processor *p = start(&b, rows[n].cpu, true);

        assert_int_equal(msr_write(p, rows[n].number, rows[n].value),
                         rows[n].good);
    }
}

static void every_personality_checks_its_masks(void **state)
{
    const struct personality *cpu;

    (void)state;
    for (size_t n = 0; (cpu = personality_at(n)) != NULL; n++) {
        struct fixture b;
        struct processor *p = start(&b, cpu->name, n % 2 == 0);
        bool v4 = cpu->perfmon_version >= 4, v5 = cpu->perfmon_version >= 5;
        unsigned fixed = cpu->fixed_counters;
        uint64_t all = (BIT(p->counters) - 1) | (BIT(fixed) - 1) << 32 |
                       (fixed > 3 ? BIT(48) : 0),
                 value;

        assert_true(msr_write(p, 0x38F, all));
        assert_false(msr_write(p, 0x38F, BIT(p->counters)));
        assert_false(msr_write(p, 0x38F, BIT(32 + fixed)));
        assert_true(
            msr_write(p, 0x38D, (v5 ? 0xBBBBu : 0xFFFFu) >> 4 * (4 - fixed)));
        assert_false(msr_write(p, 0x38D, BIT(4 * fixed)));
        assert_true(msr_write(p, 0x390, all | BITS(62, 61)));
        assert_int_equal(msr_write(p, 0x390, BIT(59)), v4);
        assert_false(msr_write(p, 0x390, BIT(40)));
        assert_false(msr_write(p, 0x38E, 0));
        assert_false(msr_write(p, 0x345, 0));
        assert_true(msr_read(p, 0x345, &value));
        assert_true(value & BIT(13));
        assert_false(msr_write(p, 0x600, UINT64_C(0x800000000000)));
        assert_true(msr_write(p, 0x600, UINT64_C(0xFFFF800000000000)));
        assert_false(msr_write(p, IA32_DEBUGCTL, BIT(5)));
        assert_false(msr_read(p, 0x999, &value));
        assert_false(msr_write(p, 0x999, 0));
        assert_int_equal(msr_write(p, 0x392, 0), !v4);
        assert_int_equal(msr_write(p, 0x391, BIT(4)), v4 && p->counters > 4);
    }
}

static void microcode_revision_needs_cpuid(void **state)
{
    struct fixture b;
    struct processor *p = start(&b, "skylake-2018", true);
    struct cpuid_result out;
    uint64_t value;

    (void)state;
    assert_false(msr_write(p, 0x8B, 1));
    assert_true(msr_write(p, 0x8B, 0));
    assert_true(msr_read(p, 0x8B, &value));
    assert_int_equal(value, 0);
    cpuid_execute(p, 1, 0, &out);
    assert_int_equal(out.eax, 0x506E3);
    assert_true((out.ecx & BIT(31)) != 0);
    assert_true(msr_read(p, 0x8B, &value));
    assert_int_equal(value >> 32, b.machine.cpu->microcode);
}

static void inuse_follows_the_selects(void **state)
{
    struct fixture b;
    struct processor *p = start(&b, "skylake-2018", true);
    uint64_t value;

    (void)state;
    assert_true(msr_read(p, 0x392, &value));
    assert_int_equal(value, 0);
    assert_true(msr_write(p, 0x189, 0xC0 | BIT(20)));
    assert_true(msr_write(p, 0x38D, 0x020));
    assert_true(msr_read(p, 0x392, &value));
    assert_true(value == (BIT(63) | BIT(33) | BIT(3)));
    assert_true(msr_write(p, 0x189, 0));
    assert_true(msr_write(p, 0x38D, 0x048)); /* no level of either: not used */
    assert_true(msr_read(p, 0x392, &value));
    assert_true(value == BIT(63));
    assert_true(msr_write(p, 0x38D, 0x140));
    assert_true(msr_write(p, 0x3F1, 2));
    assert_true(msr_read(p, 0x392, &value));
    assert_true(value == (BIT(63) | BIT(34)));
}

/* SDM volume 4, "IA-32 Architectural MSRs": each bit with its own of CPUID. */
static void speculation_is_as_enumerated(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t number;
        uint64_t value;
        bool read, write;
    } rows[] = {
        {"skylake-2017", 0x48, 0, false, false},
        {"skylake-2017", 0x49, 1, false, false},
        {"haswell", 0x10B, 1, false, false},
        {"skylake-2018", 0x48, 7, true, true},
        {"skylake-2018", 0x48, 8, true, false},
        {"skylake-2018", 0x49, 1, false, true},
        {"skylake-2018", 0x49, 2, false, false},
        {"icelake-client", 0x48, 5, true, true},
        {"sapphirerapids", 0x10B, 1, false, true},
        {"icelake-server", 0x10B, 2, false, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct fixture b;
        struct processor *p = start(&b, rows[n].cpu, true);
        uint64_t value;

        assert_int_equal(msr_write(p, rows[n].number, rows[n].value),
                         rows[n].write);
        assert_int_equal(msr_read(p, rows[n].number, &value), rows[n].read);
        if (rows[n].read)
            assert_int_equal(value, rows[n].write ? rows[n].value : 0);
    }
}

static void check_status_is_only_cleared(void **state)
{
    struct fixture b;
    struct processor *p = start(&b, "skylake-2018", true);
    uint64_t value;

    (void)state;
    for (uint32_t number = 0x401; number < 0x428; number += 4) {
        assert_true(msr_write(p, number, 0));
        assert_false(msr_write(p, number, 1));
        assert_false(msr_write(p, number, BIT(63)));
        assert_true(msr_read(p, number, &value));
        assert_int_equal(value, 0);
    }
    assert_false(msr_read(p, 0x429, &value));
}

/* SDM volume 4: what each generation has added, by one that has it not. */
static void power_is_of_the_generation(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t number;
        bool there;
    } rows[] = {
        {"sandybridge", 0x642, true},     {"sandybridge", 0x648, false},
        {"ivybridge", 0x64C, true},       {"ivybridge", 0x619, false},
        {"haswell", 0x6B1, true},         {"haswell", 0x630, false},
        {"broadwell", 0x635, true},       {"broadwell", 0x65B, false},
        {"skylake-2018", 0x65B, true},    {"skylake-2018", 0x61C, false},
        {"icelake-server", 0x64F, true},  {"icelake-server", 0x61C, true},
        {"icelake-server", 0x3FE, false}, {"arrowlake", 0x65B, true},
    };
    const struct personality *cpu;
    struct fixture b;
    uint64_t value;

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        assert_int_equal(
            msr_read(start(&b, rows[n].cpu, true), rows[n].number, &value),
            rows[n].there);
    for (size_t n = 0; (cpu = personality_at(n)) != NULL; n++) {
        struct processor *p = start(&b, cpu->name, true);

        assert_true(msr_read(p, 0x0E2, &value));
        assert_false(msr_write(p, 0x0E2, value)); /* it is locked */
        assert_true(msr_read(p, 0x1AD, &value));
        assert_true(msr_write(p, 0x1A4, 0xF));
        assert_false(msr_write(p, 0x1A4, 0x10));
        assert_true(msr_write(p, 0x199, 0xA00));
        assert_false(msr_read(p, 0, &value));
    }
}

static void leaves_beyond_the_highest(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t asked, leaf;
    } rows[] = {
        {"skylake-2018", 0x16, 0x16},
        {"skylake-2018", 0x17, 0x16},
        {"skylake-2018", 0x3FFFFFFF, 0x16},
        {"skylake-2018", 0x40000000, 0x40000000},
        {"skylake-2018", 0x4FFFFFFF, 0x4FFFFFFF},
        {"skylake-2018", 0x50000000, 0x16},
        {"skylake-2018", 0x80000008, 0x80000008},
        {"skylake-2018", 0x80000009, 0x16},
        {"skylake-2018", UINT32_MAX, 0x16},
        {"haswell", 0x14, 0x0D},
        {"sapphirerapids", 0x1C, 0x1C},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct fixture b;
        struct processor *p = start(&b, rows[n].cpu, true);
        struct cpuid_result asked, leaf;

        assert_int_equal(cpuid_leaf(p, rows[n].asked), rows[n].leaf);
        cpuid_execute(p, rows[n].asked, 1, &asked);
        cpuid_execute(p, rows[n].leaf, 1, &leaf);
        assert_memory_equal(&asked, &leaf, sizeof(leaf));
        cpuid_execute(p, 2, 0, &leaf);
        assert_int_equal(leaf.eax & 0xFF, 1);
    }
}

/* Size in KB, associativity, bytes of a line; 7 where only leaf 04H tells it.
 */
static void second_level_cache(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t ecx;
    } rows[] = {
        {"skylake-2018", 0x01004040},
        {"haswell", 0x01006040},
        {"icelake-server", 0x05007040},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct fixture b;
        struct cpuid_result out;

        cpuid_execute(start(&b, rows[n].cpu, true), 0x80000006, 0, &out);
        assert_int_equal(out.ecx, rows[n].ecx);
    }
}

static void topology_pairs_siblings(void **state)
{
    struct fixture b;
    struct processor *p = start(&b, "skylake-2018", true);
    struct cpuid_result out;

    (void)state;
    cpuid_execute(p, 0x0B, 0, &out);
    assert_int_equal(out.eax, 1);
    assert_int_equal(out.ebx, 2);
    cpuid_execute(p, 0x0A, 0, &out);
    assert_int_equal(out.eax, 0x07300404);
    p = start(&b, "skylake-2018", false);
    cpuid_execute(p, 0x0B, 0, &out);
    assert_int_equal(out.eax, 0);
    assert_int_equal(out.ebx, 1);
    cpuid_execute(p, 0x0A, 0, &out);
    assert_int_equal(out.eax, 0x07300804);
    assert_int_equal(out.edx, 0x603);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(select_has_reserved_bits),
        cmocka_unit_test(every_personality_checks_its_masks),
        cmocka_unit_test(microcode_revision_needs_cpuid),
        cmocka_unit_test(inuse_follows_the_selects),
        cmocka_unit_test(speculation_is_as_enumerated),
        cmocka_unit_test(check_status_is_only_cleared),
        cmocka_unit_test(power_is_of_the_generation),
        cmocka_unit_test(leaves_beyond_the_highest),
        cmocka_unit_test(second_level_cache),
        cmocka_unit_test(topology_pairs_siblings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
