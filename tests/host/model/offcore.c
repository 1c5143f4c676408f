/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore.c - which requests off-core response counts, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/msr.h"

#define RSP_0   UINT64_C(0x4301B7) /* EN, OS, USR */
#define RSP_1   UINT64_C(0x4301BB)
#define DATA_RD BIT(0)
#define RFO     BIT(1)
#define OTHER   BIT(15)
#define ANY     BIT(16)
#define LLC_ALL BITS(20, 18)
#define LOCAL   BIT(22)
#define DRAM    BIT(26)
#define SNP_ALL BITS(37, 31)

static struct machine machine;
static struct processor processor;

static void start(const char *cpu, const char *fault)
{
    struct machine_config config = {.cpu = personality_find(cpu), .seed = 1};

    assert_non_null(config.cpu);
    assert_true(fault_find(fault, &config.fault));
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    processor.choices.snoop_not_needed = false;
}

static void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

static uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

static void retire(void)
{
    struct retirement r = {.instructions = 1, .cycles = 1};

    counters_retire(&processor, &r);
}

static void access(enum offcore_kind kind, enum cache_level level,
                   enum cache_snoop snoop)
{
    struct cache_outcome out = {.level = level, .snoop = snoop};

    out.requests = level >= CACHE_LLC;
    out.request[0].level = level;
    out.request[0].snoop = snoop;
    offcore_access(&processor, kind, &out);
    retire();
}

/* What counter 0 counts of one access with this in MSR_OFFCORE_RSP_0. */
static uint64_t counted(uint64_t response, enum offcore_kind kind,
                        enum cache_level level, enum cache_snoop snoop)
{
    uint64_t before = get(0xC1);

    set(0x186, RSP_0);
    set(0x1A6, response);
    set(0x38F, 1);
    access(kind, level, snoop);
    retire(); /* counts nothing more */
    set(0x38F, 0);
    return get(0xC1) - before;
}

static uint64_t read_counted(uint64_t response, enum cache_level level,
                             enum cache_snoop snoop)
{
    return counted(DATA_RD | response, OFFCORE_READ, level, snoop);
}

static void requests_choose(void **state)
{
    (void)state;
    start("haswell", "none");
    assert_int_equal(read_counted(ANY, CACHE_DRAM, 0), 1);
    assert_int_equal(read_counted(ANY, CACHE_LLC, 0), 1);
    assert_int_equal(read_counted(ANY, CACHE_L2, 0), 0);
    assert_int_equal(read_counted(ANY, CACHE_PENDING, 0), 0);
    assert_int_equal(counted(DATA_RD | ANY, OFFCORE_RFO, CACHE_DRAM, 0), 0);
    assert_int_equal(counted(RFO | ANY, OFFCORE_RFO, CACHE_DRAM, 0), 1);
    assert_int_equal(counted(RFO | ANY, OFFCORE_READ, CACHE_DRAM, 0), 0);
    assert_int_equal(counted(ANY, OFFCORE_READ, CACHE_DRAM, 0), 0);
    assert_int_equal(counted(OTHER | ANY, OFFCORE_READ, CACHE_NONE, 0), 1);
    assert_int_equal(read_counted(ANY, CACHE_NONE, 0), 0);
}

static void suppliers_and_snoops_choose(void **state)
{
    static const struct {
        uint64_t response;
        enum cache_level level;
        enum cache_snoop snoop;
        bool counts;
    } rows[] = {
        {LOCAL | SNP_ALL, CACHE_DRAM, CACHE_SNOOP_MISS, true},
        {LOCAL | SNP_ALL, CACHE_LLC, CACHE_SNOOP_MISS, false},
        {LLC_ALL | SNP_ALL, CACHE_LLC, CACHE_SNOOP_NONE, true},
        {LLC_ALL | SNP_ALL, CACHE_DRAM, CACHE_SNOOP_NONE, false},
        {LOCAL, CACHE_DRAM, CACHE_SNOOP_MISS, false}, /* no snoop bit */
        {SNP_ALL, CACHE_DRAM, CACHE_SNOOP_MISS, false},
        {LLC_ALL | BIT(31), CACHE_LLC, CACHE_SNOOP_NONE, true},
        {LLC_ALL | BIT(32), CACHE_LLC, CACHE_SNOOP_NONE, false},
        {LLC_ALL | BIT(33), CACHE_LLC, CACHE_SNOOP_MISS, true},
        {LLC_ALL | BIT(34), CACHE_LLC, CACHE_SNOOP_HIT, true},
        {LLC_ALL | BIT(34), CACHE_LLC, CACHE_SNOOP_HITM, false},
        {LLC_ALL | BIT(36), CACHE_LLC, CACHE_SNOOP_HITM, true},
        {BIT(18) | SNP_ALL, CACHE_LLC, CACHE_SNOOP_HITM, true},
        {BIT(18) | SNP_ALL, CACHE_LLC, CACHE_SNOOP_HIT, false},
        {BIT(20) | SNP_ALL, CACHE_LLC, CACHE_SNOOP_HIT, true},
    };

    (void)state;
    start("haswell", "none");
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        assert_int_equal(
            read_counted(rows[k].response, rows[k].level, rows[k].snoop),
            rows[k].counts);
    processor.choices.snoop_not_needed = true;
    assert_int_equal(
        read_counted(LLC_ALL | BIT(32), CACHE_LLC, CACHE_SNOOP_NONE), 1);
}

static void local_memory_of_each_generation(void **state)
{
    static const struct {
        const char *cpu;
        bool local, dram;
    } rows[] = {
        {"sandybridge", true, false},  {"ivybridge", true, false},
        {"haswell", true, false},      {"broadwell", true, true},
        {"skylake-2018", false, true}, {"skylake-server-2019", false, true},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        start(rows[k].cpu, "none");
        assert_int_equal(read_counted(LOCAL | SNP_ALL, CACHE_DRAM, 0),
                         rows[k].local);
        if (k < 2) /* bits 30:23 are reserved */
            assert_false(msr_write(&processor, 0x1A6, DRAM));
        else
            assert_int_equal(read_counted(DRAM | SNP_ALL, CACHE_DRAM, 0),
                             rows[k].dram);
    }
}

/* Two reads and a store, on all eight counters: of even ones, B7H. */
static void both_events(const char *fault)
{
    start("haswell", fault);
    set(0x1A6, DATA_RD | ANY);
    set(0x1A7, RFO | ANY);
    for (unsigned n = 0; n < 8; n++)
        set(0x186 + n, n % 2 == 0 ? RSP_0 : RSP_1);
    set(0x38F, 0xFF);
    access(OFFCORE_READ, CACHE_DRAM, 0);
    access(OFFCORE_READ, CACHE_DRAM, 0);
    access(OFFCORE_RFO, CACHE_DRAM, 0);
}

static void each_event_has_its_register(void **state)
{
    (void)state;
    both_events("none");
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(get(0xC1 + n), n > 3 ? 0 : n % 2 == 0 ? 2 : 1);
    assert_false(msr_write(&processor, 0x1A6, BIT(38)));
    assert_false(msr_write(&processor, 0x1A7, BIT(12)));
}

static void faults_show(void **state)
{
    (void)state;
    start("haswell", "offcore_counts_cached");
    assert_int_equal(read_counted(ANY, CACHE_L1, 0), 1);
    start("haswell", "offcore_ignores_request");
    assert_int_equal(counted(RFO | ANY, OFFCORE_READ, CACHE_DRAM, 0), 1);
    start("haswell", "offcore_ignores_supplier");
    assert_int_equal(read_counted(LLC_ALL | SNP_ALL, CACHE_DRAM, 0), 1);
    both_events("offcore_rsp1_is_rsp0");
    assert_int_equal(get(0xC2), 2);
    start("haswell", "offcore_reserved_accepted");
    set(0x1A6, BIT(38));
    assert_int_equal(get(0x1A6), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_choose),
        cmocka_unit_test(suppliers_and_snoops_choose),
        cmocka_unit_test(local_memory_of_each_generation),
        cmocka_unit_test(each_event_has_its_register),
        cmocka_unit_test(faults_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
