/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_adaptive.c - adaptive records: their groups and sizes, extended PEBS. */
#include "tests/host/model/pebs_fixture.h"

#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/counters/metrics.h"

#define ADAPTIVE     BIT(34)
#define INSTRUCTIONS UINT64_C(0x4200C0)
#define ICX_BRANCHES UINT64_C(0x4200C4) /* EN, OS, ALL_BRANCHES */
#define CYCLES       UINT64_C(0x42003C)
#define ROOM         4096

static void start_icx(const char *fault)
{
    start("icelake-server", fault, ROOM, 16, 15);
}

/* A record of counter 0, of taken branches. */
static void record_of(uint64_t cfg, uint64_t select)
{
    set(0x3F2, cfg);
    arm(0, select, 1);
    set(0x38F, 1);
    branch();
    branch();
    assert_true(make_record());
    set(0x38F, 0);
}

static void size_by_groups(void **state)
{
    static const unsigned bytes[] = {32, 144, 256, 24};

    (void)state;
    for (uint64_t cfg = 0; cfg < 16; cfg++)
        for (uint64_t entries = 1; entries <= 32; entries += 31) {
            uint64_t all = cfg | (entries - 1) << 24;
            unsigned size = 32;

            for (unsigned n = 0; n < 4; n++)
                if ((cfg & BIT(n)) != 0)
                    size += bytes[n] * (n == 3 ? (unsigned)entries : 1);
            start_icx("none");
            record_of(all, ICX_BRANCHES | ADAPTIVE);
            assert_int_equal(record.bytes, size);
            assert_int_equal(record.words[0], all | (uint64_t)size << 48);
            assert_int_equal(ds.index, BASE + size);
        }
}

static void basic_group_alone_by_default(void **state)
{
    (void)state;
    start_icx("none");
    record_of(0xF, ICX_BRANCHES);
    assert_int_equal(record.bytes, 32);
    assert_int_equal(record.words[0], UINT64_C(32) << 48);
    assert_int_equal(record.words[1], 0x200); /* EventingIP */
    assert_int_equal(record.words[2], 1);
    assert_int_equal(record.words[3], 0x202); /* TSC */
}

static void registers_in_their_order(void **state)
{
    /* 100H + the place in an older record. */
    static const uint8_t order[] = {0, 1,  2,  4,  5,  3,  9,  8,  6,
                                    7, 10, 11, 12, 13, 14, 15, 16, 17};

    (void)state;
    start_icx("none");
    record_of(2, ICX_BRANCHES | ADAPTIVE);
    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        assert_int_equal(record.words[4 + n], 0x100 + order[n]);
}

static void last_branches_newest_first(void **state)
{
    (void)state;
    start_icx("none");
    for (unsigned n = 0; n < LBR_DEPTH_MAX; n++) {
        processor.lbr.from[n] = 0x1000 + n;
        processor.lbr.to[n] = 0x2000 + n;
        processor.lbr.info[n] = n;
    }
    processor.lbr.tos = 1;
    record_of(8 | 2 << 24, ICX_BRANCHES | ADAPTIVE);
    assert_int_equal(record.bytes, 32 + 3 * 24);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(record.words[4 + 3 * n], 0x1000 + (33 - n) % 32);
        assert_int_equal(record.words[5 + 3 * n], 0x2000 + (33 - n) % 32);
        assert_int_equal(record.words[6 + 3 * n], (33 - n) % 32);
    }
}

static void abort_in_memory_group(void **state)
{
    (void)state;
    start_icx("none");
    processor.tsx.last_abort.information = UINT64_C(0x1600000020);
    processor.tsx.last_abort.eventing_ip = 0x77;
    set(0x3F2, 1);
    arm(0, RTM_ABORTED | ADAPTIVE, 1);
    set(0x38F, 1);
    for (unsigned n = 0; n < 2; n++) {
        struct retirement r = {.tx_events = TX_EVENT_ABORTED, .cycles = 5};

        counters_retire(&processor, &r);
    }
    assert_true(make_record());
    assert_int_equal(record.words[1], 0x77);
    assert_int_equal(record.words[7], UINT64_C(0x1600000020));
}

/* Every counter and any event; resets at 40H to 78H and 80H to 98H. */
static void all_counters_and_events(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        start_icx("none");
        processor.choices.pebs_skid = 1;
        ds.reset[n] = (uint64_t)-100 - n;
        arm(n, CYCLES, 2);
        set(0x38F, BIT(n));
        other();
        other();
        assert_true(make_record());
        assert_int_equal(record.words[2], BIT(n));
        assert_int_equal(get(0xC1 + n), (BIT(48) - 100 - n));
        assert_int_equal(get(0x38E), 0);
    }
    for (unsigned n = 0; n < 4; n++) {
        start_icx("none");
        processor.choices.pebs_skid = 1;
        ds.reset[8 + n] = (uint64_t)-100 - n;
        set(0x38D, UINT64_C(1) << (4 * n) | BIT(32 + 4 * n));
        set(0x309 + n, BIT(48) - 1);
        set(0x3F1, BIT(32 + n));
        set(0x3F2, 1);
        set(0x38F, BIT(32 + n));
        for (unsigned k = 0; processor.pebs.triggered == 0; k++) {
            assert_in_range(k, 0, 10);
            other();
        }
        assert_true(make_record());
        assert_int_equal(record.words[0], 1 | UINT64_C(64) << 48);
        assert_int_equal(record.words[2], BIT(32 + n));
        assert_int_equal(get(0x309 + n), (BIT(48) - 100 - n));
        assert_int_equal(get(0x38E), 0);
    }
}

/* The instruction that overflows fixed counter 0 is the one of the record. */
static void pdir_of_fixed_counter_0(void **state)
{
    (void)state;
    start_icx("none");
    set(0x38D, 1);
    set(0x309, BIT(48) - 2);
    set(0x3F1, BIT(32));
    set(0x38F, BIT(32));
    other();
    assert_int_equal(processor.pebs.triggered, 0);
    other();
    assert_int_equal(processor.pebs.triggered, BIT(32));
}

/* The branch that overflows counter 0 is the one of the record, with a period
 * of 128; on another it is the next one. */
static void pdist_of_counter_0(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 2; n++) {
        start("sapphirerapids", "none", ROOM, 16, 15);
        set((uint32_t)(0x186 + n), ICX_BRANCHES);
        set((uint32_t)(0x4C1 + n), BIT(48) - 128);
        set(0x3F1, BIT(n));
        set(0x38F, BIT(n));
        for (unsigned i = 0; i < 127; i++)
            branch();
        assert_int_equal(processor.pebs.armed, 0);
        branch();
        assert_int_equal(processor.pebs.triggered, n == 0 ? 1 : 0);
        assert_int_equal(processor.pebs.armed, BIT(n));
    }
}

static void registers_of_version_5(void **state)
{
    static const struct {
        uint32_t number;
        uint64_t value;
        bool good;
    } rows[] = {
        {0x3F1, BITS(35, 32) | BITS(7, 0), true},
        {0x3F1, BIT(36), false},
        {0x3F1, BIT(8), false},
        {0x3F2, BITS(31, 24) | BITS(3, 0), true},
        {0x3F2, BIT(4), false},
        {0x3F2, BIT(32), false},
        {0x38D, UINT64_C(0x111100000000) | 0xBBBB, true},
        {0x38D, BIT(33), false},
        {0x38D, BIT(16), false},
        {0x38F, BIT(48) | BITS(35, 32) | BITS(7, 0), true},
        {0x38F, BIT(36), false},
        {0x38F, BIT(8), false},
        {0x391, BIT(48) | BIT(35), true},
        {0x329, BITS(31, 0), true},
        {0x329, BIT(32), false},
        {0x30C, BITS(47, 0), true},
        {0x30D, 0, false},
        {0x18D, INSTRUCTIONS | ADAPTIVE, true},
        {0x18D, BIT(35), false},
    };

    (void)state;
    start_icx("none");
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        assert_int_equal(msr_write(&processor, rows[n].number, rows[n].value),
                         rows[n].good);
    start("skylake-2018", "none", 200, 1, 1);
    assert_false(msr_write(&processor, 0x3F2, 0));
    assert_false(msr_write(&processor, 0x329, 0));
    assert_false(msr_write(&processor, 0x186, ADAPTIVE));
    assert_false(msr_write(&processor, 0x30C, 0));
}

static unsigned sum_of(uint64_t metrics)
{
    return (unsigned)((metrics & 0xFF) + (metrics >> 8 & 0xFF) +
                      (metrics >> 16 & 0xFF) + (metrics >> 24));
}

static void metrics_are_shares_of_slots(void **state)
{
    uint64_t value;

    (void)state;
    start_icx("none");
    set(0x38D, 1 << 12);
    set(0x38F, BIT(35));
    other();
    assert_int_equal(get(0x329), 0); /* not enabled */
    set(0x30C, 0);
    set(0x38F, BIT(48) | BIT(35));
    for (unsigned n = 0; n < 30; n++)
        n % 3 == 0 ? branch() : other();
    set(0x38F, 0);
    assert_int_equal(get(0x30C), 30 * 2 * 5);
    value = get(0x329);
    assert_int_equal(sum_of(value), 0xFF);
    assert_int_equal(value & 0xFF, 30 * 255 / 300);
    assert_true(counters_rdpmc(&processor, 0x20000000, &value));
    assert_int_equal(value, get(0x329));
    set(0x329, 0);
    assert_int_equal(get(0x329), 0);
}

/* D0H to D3H have the first four counters alone. */
static void events_of_some_counters(void **state)
{
    const struct data_result load = {.access = {.kind = DATA_LOAD}};
    struct retirement r = {
        .instructions = 1, .cycles = 1, .data = &load, .data_count = 1};

    (void)state;
    start_icx("none");
    for (unsigned n = 0; n < 8; n++)
        set(0x186 + n, 0x4281D0);
    set(0x38F, 0xFF);
    counters_retire(&processor, &r);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(get(0xC1 + n), n < 4);
}

/* Counters as they are, those that there are alone. */
static void counters_in_records(void **state)
{
    const uint64_t all = BITS(5, 4) | BITS(41, 32) | BITS(51, 48);

    (void)state;
    start("arrowlake", "none", ROOM, 16, 15);
    for (unsigned n = 1; n < 10; n++)
        set(0x4C1 + n, 1000 + n);
    set(0x38D, 1 << 12);
    set(0x309, 77);
    record_of(all, ICX_BRANCHES | ADAPTIVE);
    assert_int_equal(record.bytes, 32 + 16 + 8 * 16);
    assert_int_equal(record.words[0],
                     0x30 | UINT64_C(2) << 32 | UINT64_C(176) << 48);
    assert_int_equal(record.words[4], 0xF000003FF);
    assert_int_equal(record.words[5], 3);
    assert_int_equal(record.words[6], 1); /* since the overflow */
    for (unsigned n = 1; n < 10; n++)
        assert_int_equal(record.words[6 + n], 1000 + n);
    assert_int_equal(record.words[16], 77);
    assert_int_equal(record.words[20], get(0x30C));
    assert_int_equal(record.words[21], get(0x329));
    record_of(BIT(4) | BIT(33), ICX_BRANCHES | ADAPTIVE);
    assert_int_equal(record.bytes, 32 + 16 + 8);
    assert_int_equal(record.words[4], 2);
    assert_int_equal(record.words[5], 0);
    assert_int_equal(record.words[6], 1001);
    assert_false(msr_write(&processor, 0x3F2, BIT(6)));
}

/* UMASK2, EQ, and the other addresses. */
static void registers_of_version_6(void **state)
{
    const uint64_t conditional = BIT(40) | UINT64_C(0x4211C4);
    const struct retirement taken = {.instructions = 1,
                                     .branch = INSTRUCTION_BRANCH |
                                               INSTRUCTION_CONDITIONAL,
                                     .taken = true,
                                     .cycles = 2};

    (void)state;
    start("arrowlake", "none", ROOM, 16, 15);
    assert_true(msr_write(&processor, 0x18F, BIT(36) | BITS(47, 40)));
    assert_false(msr_write(&processor, 0x18F, BIT(48)));
    assert_false(msr_write(&processor, 0x190, 0));
    set(0x186, conditional);
    set(0x1905, UINT64_C(0x4211C4)); /* PERFEVTSEL1: no such event */
    assert_int_equal(get(0x187), 0x4211C4);
    set(0x38F, 3);
    counters_retire(&processor, &taken);
    set(0x38F, 0);
    assert_int_equal(get(0x1900), 1);
    assert_int_equal(get(0x1904), 0);
    set(0x1980, UINT64_C(0x123456789ABC));
    assert_int_equal(get(0x309), 0x123456789ABC);
    assert_false(msr_write(&processor, 0x1902, 0));
    assert_false(msr_write(&processor, 0x1928, 0));
    assert_false(msr_write(&processor, 0x1990, 0));
    start_icx("none");
    assert_false(msr_write(&processor, 0x1900, 0));
    assert_false(msr_write(&processor, 0x186, BIT(40)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_by_groups),
        cmocka_unit_test(basic_group_alone_by_default),
        cmocka_unit_test(registers_in_their_order),
        cmocka_unit_test(last_branches_newest_first),
        cmocka_unit_test(abort_in_memory_group),
        cmocka_unit_test(all_counters_and_events),
        cmocka_unit_test(pdir_of_fixed_counter_0),
        cmocka_unit_test(pdist_of_counter_0),
        cmocka_unit_test(registers_of_version_5),
        cmocka_unit_test(metrics_are_shares_of_slots),
        cmocka_unit_test(events_of_some_counters),
        cmocka_unit_test(counters_in_records),
        cmocka_unit_test(registers_of_version_6),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
