/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_events.c - loads and stores in counters and in PEBS records. */
#include "tests/host/model/pebs_fixture.h"

#include <stdlib.h>

#define EVENT(event, umask) \
    (UINT64_C(0x420000) | (uint64_t)(umask) << 8 | (uint64_t)(event))
#define LATENCY       EVENT(0xCD, 0x01)
#define PRECISE_STORE EVENT(0xCD, 0x02)
#define LD_LAT        0x3F6u
#define ENABLE        0x3F1u
#define AT            UINT64_C(0x200000)

static struct cache_state *memory;
static unsigned counter;

static void begin(const char *cpu, const char *fault, unsigned n,
                  uint64_t select)
{
    unsigned bytes = strcmp(cpu, "sandybridge") == 0 ? 0xB0
                     : strcmp(cpu, "haswell") == 0   ? 0xC0
                                                     : 0xC8;

    start(cpu, fault, bytes, 100, 100);
    memset(memory, 0, cache_bytes(1));
    cache_start(&machine, memory);
    processor.choices.loads_tagged_one_in = 1;
    processor.choices.source_dram = 0x0C;
    processor.choices.data_hit_of_loads = false;
    for (unsigned k = 0; k < 4; k++)
        ds.reset[k] = (uint64_t)-1;
    counter = n;
    arm(n, select, 1);
    set(0x38F, BIT(n));
}

static void access_at(uint64_t at, enum data_kind kind, bool locked)
{
    struct data_access a = {at, 8, kind, locked};
    struct data_result result;
    struct retirement r = {
        .instructions = 1, .cycles = 1, .data = &result, .data_count = 1};

    assert_true(processor.memory.watched);
    memory_access(&processor, &a, at, true, &result);
    counters_retire(&processor, &r);
}

static void load(uint64_t at)
{
    access_at(at, DATA_LOAD, false);
}

static void store(uint64_t at)
{
    access_at(at, DATA_STORE, false);
}

static void assert_record(uint64_t address, uint64_t status)
{
    assert_true(make_record());
    assert_int_equal(record.words[0x98 / 8], address);
    assert_int_equal(record.words[0xA0 / 8], status);
}

static void precise_store(const char *fault)
{
    begin("sandybridge", fault, 3, PRECISE_STORE);
    set(ENABLE, BIT(63) | BIT(3));
    store(AT); /* overflows */
}

static void precise_store_fields(void **state)
{
    (void)state;
    precise_store("none");
    load(AT + 64);
    assert_int_equal(processor.pebs.triggered, 0);
    store(AT + 8);
    assert_record(AT + 8, 1);
    assert_int_equal(record.words[0xA8 / 8], 0);
    store(AT + 8);
    store(AT + 64); /* loaded above */
    assert_record(AT + 64, 1);
    store(AT);
    store(AT + 128);
    assert_record(AT + 128, 0);
    store(AT);
    store(AT + 4096);
    assert_record(AT + 4096, 1 << 4);
    store(AT);
    access_at(AT + 8, DATA_STORE, true);
    assert_record(AT + 8, 1 | 1 << 5);
}

static void precise_store_needs_bit_63_and_counter_3(void **state)
{
    (void)state;
    begin("sandybridge", "none", 3, PRECISE_STORE);
    store(AT);
    store(AT);
    assert_record(0, 0);
    begin("sandybridge", "none", 1, PRECISE_STORE);
    set(ENABLE, BIT(63) | BIT(1));
    store(AT);
    store(AT);
    assert_int_equal(processor.pebs.triggered, 0);
    processor.choices.pebs_imprecise = true;
    store(AT);
    set(0xC2, 0xFFFFFFFF);
    store(AT);
    store(AT);
    assert_record(0, 0);
}

static void latency(const char *fault, uint64_t threshold)
{
    begin("haswell", fault, 0, LATENCY);
    set(LD_LAT, threshold);
    set(ENABLE, BIT(32) | BIT(0));
    load(AT + 0x10000); /* overflows, from memory */
}

static void load_latency_fields(void **state)
{
    (void)state;
    latency("none", 3);
    store(AT);
    assert_int_equal(processor.pebs.triggered, 0);
    load(AT + 64);
    assert_record(AT + 64, 0x0C);
    assert_in_range(record.words[0xA8 / 8], 180, 400);
    set(0xC1, 0xFFFFFFFF);
    load(AT);
    load(AT + 8);
    assert_record(AT + 8, 1);
    assert_in_range(record.words[0xA8 / 8], 4, 11);
    set(0xC1, 0xFFFFFFFF);
    load(AT);
    access_at(AT + 0x5000, DATA_LOAD, true);
    assert_record(AT + 0x5000, 0x0C | 1 << 4 | 1 << 5);
}

/* "Loads with latencies greater than this value". */
static void threshold_is_exceeded(void **state)
{
    struct data_access a = {AT, 8, DATA_LOAD, false};
    struct data_result r = {.access = a, .tagged = true};
    struct retirement retired = {
        .instructions = 1, .cycles = 1, .data = &r, .data_count = 1};

    (void)state;
    latency("none", 100);
    set(0xC1, 0);
    r.outcome.latency = 100;
    counters_retire(&processor, &retired);
    assert_int_equal(get(0xC1), 0);
    r.outcome.latency = 101;
    counters_retire(&processor, &retired);
    assert_int_equal(get(0xC1), 1);
    r.tagged = false;
    counters_retire(&processor, &retired);
    assert_int_equal(get(0xC1), 1);
    r.tagged = true;
    set(ENABLE, BIT(0)); /* without LL_EN_PMC0 */
    counters_retire(&processor, &retired);
    assert_int_equal(get(0xC1), 1);
    assert_false(msr_write(&processor, LD_LAT, BIT(16)));
}

static void data_address_fields(void **state)
{
    static const char *const cpus[] = {"haswell", "skylake-2018"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        begin(cpus[k], "none", 2, EVENT(0xD0, 0x82));
        store(AT);
        load(AT + 64);
        store(AT + 8);
        assert_record(AT + 8, 1);
        assert_int_equal(record.words[0xA8 / 8], 0);
        store(AT);
        access_at(AT + 0x5000, DATA_STORE, true);
        assert_record(AT + 0x5000, 0);
        begin(cpus[k], "none", 1, EVENT(0xD1, 0x02));
        processor.choices.data_hit_of_loads = true;
        load(AT);
        for (unsigned n = 1; n <= 8; n++)
            load(AT + 4096 * n);
        set(0xC2, 0xFFFFFFFF);
        load(AT); /* left the first level */
        load(AT + 4096);
        assert_record(AT + 4096, 1);
    }
    begin("sandybridge", "none", 2, EVENT(0xD0, 0x82));
    store(AT);
    store(AT);
    assert_record(0, 0);
}

/* How often each event counts these loads and stores. */
static void events(void **state)
{
    static const struct {
        uint8_t event, umask, count;
    } rows[] = {
        {0xD0, 0x81, 6}, {0xD0, 0x82, 2}, {0xD0, 0x11, 2}, {0xD0, 0x12, 1},
        {0xD0, 0x21, 1}, {0xD0, 0x41, 1}, {0xD0, 0x42, 0}, {0xD1, 0x01, 1},
        {0xD1, 0x40, 2}, {0xD1, 0x02, 0}, {0xD1, 0x04, 0}, {0xD1, 0x08, 3},
        {0xD1, 0x10, 3}, {0xD1, 0x20, 3}, {0xD3, 0x01, 3}, {0xD2, 0x08, 0},
        {0xCD, 0x02, 0}, {0xCD, 0x01, 0},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        start("haswell", "none", 0xC0, 4, 4);
        memset(memory, 0, cache_bytes(1));
        cache_start(&machine, memory);
        set(0x187, EVENT(0xD0, 0x81)); /* to be watched in any case */
        set(0x186, EVENT(rows[k].event, rows[k].umask));
        set(0x38F, 1);
        load(AT);     /* memory, STLB miss */
        load(AT + 8); /* on its way */
        access_at(AT + 16, DATA_LOAD, true);
        access_at(AT + 16, DATA_STORE, true);
        load(AT + 60); /* split */
        load(AT + 64 + 16);
        store(AT + 0x5000);
        load(AT + 0x6000);
        if (get(0xC1) != rows[k].count)
            fail_msg("%x/%x: %u", rows[k].event, rows[k].umask,
                     (unsigned)get(0xC1));
    }
}

static void watched_while_selected(void **state)
{
    (void)state;
    start("haswell", "none", 0xC0, 4, 4);
    assert_false(processor.memory.watched);
    set(0x187, EVENT(0xD0, 0x81) & ~BIT(22));
    assert_false(processor.memory.watched);
    set(0x187, EVENT(0xD0, 0x81));
    assert_true(processor.memory.watched);
    set(0x187, BRANCHES);
    assert_false(processor.memory.watched);
}

static void faults(void **state)
{
    (void)state;
    precise_store("precise_store_previous");
    store(AT + 8);
    assert_record(AT, 1);
    precise_store("precise_store_off");
    store(AT + 8);
    assert_record(AT + 16, 1);
    precise_store("precise_store_hit_inverted");
    store(AT + 8);
    assert_record(AT + 8, 0);
    precise_store("precise_store_stlb_never");
    store(AT + 0x5000);
    assert_record(AT + 0x5000, 0);
    precise_store("precise_store_lock_misplaced");
    access_at(AT, DATA_STORE, true);
    assert_record(AT, 1 | 1 << 4);
    precise_store("precise_store_latency_junk");
    store(AT);
    assert_record(AT, 1);
    assert_int_not_equal(record.words[0xA8 / 8], 0);

    latency("load_threshold_ignored", 1000);
    load(AT);
    assert_record(AT, 0x0C | 1 << 4);
    latency("load_latency_low", 100);
    load(AT);
    assert_record(AT, 0x0C | 1 << 4);
    assert_int_equal(record.words[0xA8 / 8], 99);
    latency("load_source_shifted", 3);
    load(AT + 0x10040);
    assert_record(AT + 0x10040, 0xC0);
    latency("load_source_always_l1", 3);
    load(AT + 0x10040);
    assert_record(AT + 0x10040, 1);
    latency("load_address_line", 3);
    load(AT + 0x10048);
    assert_record(AT + 0x10040, 0x0C);

    begin("haswell", "data_address_stale", 0, EVENT(0xD0, 0x81));
    load(AT);
    load(AT);
    assert_record(AT, 0);
    load(AT + 8);
    load(AT + 8);
    assert_record(AT, 0);
    begin("haswell", "data_address_store_missing", 0, EVENT(0xD0, 0x82));
    store(AT);
    store(AT);
    assert_record(0, 1);
    begin("haswell", "data_address_hit_inverted", 0, EVENT(0xD0, 0x82));
    store(AT);
    store(AT);
    assert_record(AT, 0);
    begin("haswell", "data_address_status_set", 0, EVENT(0xD0, 0x82));
    store(AT);
    store(AT);
    assert_record(AT, 1 | 1 << 5);
    begin("haswell", "data_address_latency_set", 0, EVENT(0xD0, 0x82));
    store(AT);
    store(AT);
    assert_record(AT, 1);
    assert_int_not_equal(record.words[0xA8 / 8], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precise_store_fields),
        cmocka_unit_test(precise_store_needs_bit_63_and_counter_3),
        cmocka_unit_test(load_latency_fields),
        cmocka_unit_test(threshold_is_exceeded),
        cmocka_unit_test(data_address_fields),
        cmocka_unit_test(events),
        cmocka_unit_test(watched_while_selected),
        cmocka_unit_test(faults),
    };
    int failed;

    memory = malloc(cache_bytes(1));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
