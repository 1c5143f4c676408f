/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - the counters of the C-Boxes and of the ARB, and their clock. */
#include "tests/host/model/uncore_fixture.h"

static void registers_of_each_personality(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t ctrl, status;
        unsigned cores, boxes, config;
    } rows[] = {
        {"sandybridge", 0x391, 0x392, 4, 5, 5},
        {"ivybridge", 0x391, 0x392, 4, 5, 5},
        {"haswell", 0x391, 0x392, 4, 4, 5},
        {"broadwell", 0x391, 0x392, 4, 2, 3},
        {"skylake-2018", 0xE01, 0xE02, 5, 5, 5},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        struct processor *p = &processors[1];
        uint32_t end = 0x700 + 0x10 * rows[k].boxes;
        uint64_t value;

        start(rows[k].cpu, "none");
        set(rows[k].ctrl, BITS(31, 29) | (BIT(rows[k].cores) - 1));
        assert_false(msr_write(p, rows[k].ctrl, BIT(rows[k].cores)));
        assert_false(msr_write(p, rows[k].ctrl, BIT(28)));
        assert_false(msr_write(p, rows[k].ctrl, BIT(32)));
        set(rows[k].status, 0xB);
        assert_false(msr_write(p, rows[k].status, BIT(2)));
        set(0x394, EN | OVF_EN);
        assert_false(msr_write(p, 0x394, BIT(21)));
        set(0x395, BITS(rows[k].ctrl == 0xE01 ? 43 : 47, 0));
        assert_false(msr_write(p, 0x395, BIT(rows[k].ctrl == 0xE01 ? 44 : 48)));
        assert_int_equal(get(0x396), rows[k].config);
        assert_false(msr_write(p, 0x396, 1));
        for (uint32_t n = 0x3B2; n <= end - 16;
             n = n == 0x3B2 ? 0x700 : n + 16) {
            uint32_t counter = n == 0x3B2 ? 0x3B0 : n + 6;

            set(n + 1, BITS(15, 0) | BITS(28, 22) | OVF_EN | BIT(18));
            assert_false(msr_write(p, n + 1, BIT(16)));
            assert_false(msr_write(p, n + 1, BIT(29)));
            set(counter + 1, BITS(43, 0));
            assert_int_equal(get(counter + 1), BITS(43, 0));
            assert_int_equal(get(counter), 0);
            assert_false(msr_write(p, counter, BIT(44)));
        }
        assert_false(msr_read(p, 0x702, &value));
        assert_false(msr_read(p, end, &value));
    }
    start("skylake-server-2019", "none");
    for (uint32_t n = 0x394; n <= 0xE02; n = n == 0x396   ? 0x3B0
                                             : n == 0x3B3 ? 0x700
                                             : n == 0x701 ? 0xE01
                                                          : n + 1)
        assert_false(msr_read(&processors[0], n, &(uint64_t){0}));
}

static void clock_follows_time(void **state)
{
    uint64_t was;

    (void)state;
    start("haswell", "none");
    now = 1000;
    set(0x394, EN);
    now = 2000;
    assert_int_equal(get(0x395), 0);
    set(0x391, GLOBAL_EN);
    now = 2700;
    assert_int_equal(get(0x395), 800);
    for (; now < 3400; now++) /* no tick is lost to reading */
        get(0x395);
    was = get(0x395);
    assert_int_equal(was, 1600);
    set(0x394, 0);
    now = 9000;
    assert_int_equal(get(0x395), was);
}

static void lookups_by_state_and_request(void **state)
{
    (void)state;
    start_boxes("none", LOOKUPS_MISS);
    for (unsigned n = 0; n < 4; n++)
        set(0x701 + 0x10 * n, LOOKUPS | EN);
    for (unsigned n = 0; n < 256; n++)
        read_line(n, n % 4 == 0 ? CACHE_DRAM : CACHE_LLC);
    uncore_lookup(&machine, 64, UNCORE_WRITE, CACHE_DRAM, CACHE_SNOOP_NONE, 9);
    assert_int_equal(sum_of_boxes(4), 64);
    for (unsigned n = 0; n < 4; n++)
        assert_in_range(get(0x707 + 0x10 * n), 32, 96);
    set(0x391, 0);
    read_line(0, CACHE_DRAM);
    assert_int_equal(sum_of_boxes(4), 64);
}

static void start_arb(const char *fault)
{
    start("sandybridge", fault);
    set(0x3B2, 0x180 | EN);
    set(0x3B3, 0x181 | EN);
    set(0x391, GLOBAL_EN);
    read_line(1, CACHE_LLC);
    read_line(2, CACHE_DRAM);
    read_line(3, CACHE_NONE);
}

static void arb_takes_what_leaves_the_last_level(void **state)
{
    (void)state;
    start_arb("none");
    assert_int_equal(get(0x3B0), 400);
    assert_int_equal(get(0x3B1), 2);
    set(0x3B3, 0x180 | EN); /* occupancy: on counter 0 alone */
    set(0x3B2, 0x184 | EN);
    set(0x3B0, 0);
    set(0x3B1, 0);
    read_line(3, CACHE_NONE); /* not coherent */
    read_line(3, CACHE_DRAM);
    assert_int_equal(get(0x3B0), 1);
    assert_int_equal(get(0x3B1), 0);
}

static void only_what_needs_every_instruction_counts(void **state)
{
    (void)state;
    start("haswell", "none");
    set(0x394, EN);
    set(0x391, GLOBAL_EN);
    assert_false(machine.uncore.counting);
    set(0x3B2, EN);
    assert_true(machine.uncore.counting);
    set(0x391, 0);
    assert_false(machine.uncore.counting);
}

static void answer(unsigned times, enum uncore_kind kind,
                   enum cache_snoop snoop)
{
    for (unsigned n = 0; n < times; n++)
        uncore_lookup(&machine, n * 64, kind, CACHE_LLC, snoop, 9);
}

/* Responses need a filter; writes invalidate. */
static void snoop_responses(void **state)
{
    static const struct {
        uint64_t umask;
        uint64_t count;
    } rows[] = {
        {0x41, 1}, {0x42, 2},  {0x44, 3}, {0x48, 4},
        {0x50, 5}, {0x5F, 15}, {0x0F, 0}, {0x9F, 0},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start_boxes("none", rows[n].umask << 8 | 0x22);
        answer(1, UNCORE_READ, CACHE_SNOOP_MISS);
        answer(2, UNCORE_WRITE, CACHE_SNOOP_HIT);
        answer(3, UNCORE_READ, CACHE_SNOOP_HIT);
        answer(4, UNCORE_READ, CACHE_SNOOP_HITM);
        answer(5, UNCORE_WRITE, CACHE_SNOOP_HITM);
        answer(6, UNCORE_READ, CACHE_SNOOP_NONE);
        if (sum_of_boxes(4) != rows[n].count)
            fail_msg("row %zu: %lu", n, (unsigned long)sum_of_boxes(4));
    }
}

/* A thousand cycles of the TSC, and what they are of the uncore's clock. */
static void cycles_of_a_box(void **state)
{
    static const struct {
        uint64_t select, count;
    } rows[] = {
        {BIT(24), 3},
        {BIT(25), 0},
        {BIT(18), 3},
        {BIT(18) | BIT(24), 3},
        {BIT(23), 3},
        {BIT(23) | BIT(24), 8000 / 7 - 3},
        {BIT(23) | BIT(25), 8000 / 7},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        now = 0;
        start("haswell", "none");
        for (unsigned k = 0; k < 4; k++)
            set(0x700 + 0x10 * k, LOOKUPS | EN | rows[n].select);
        set(0x391, GLOBAL_EN);
        for (unsigned k = 0; k < 3; k++) /* all in one box */
            read_line(0, CACHE_LLC);
        now = 1000;
        for (unsigned k = 0; k < 4; k++) {
            uint64_t count = get(0x706 + 0x10 * k);
            bool idle = rows[n].count > 3;

            if (count != rows[n].count && count != (idle ? 8000 / 7 : 0))
                fail_msg("row %zu: %lu", n, (unsigned long)count);
        }
        if (rows[n].count <= 3)
            assert_int_equal(sum_of_boxes(4), rows[n].count);
    }
}

static void faults_show(void **state)
{
    (void)state;
    start("haswell", "uncore_clock_stands");
    set(0x394, EN);
    set(0x391, GLOBAL_EN);
    now += 1000;
    assert_int_equal(get(0x395), 0);
    start_boxes("uncore_lookups_halved", LOOKUPS);
    for (unsigned n = 0; n < 256; n++)
        read_line(n, CACHE_LLC);
    assert_int_equal(sum_of_boxes(4), 128);
    start_boxes("uncore_lookups_double", LOOKUPS);
    read_line(0, CACHE_LLC);
    assert_int_equal(sum_of_boxes(4), 2);
    start_boxes("uncore_one_box", LOOKUPS);
    for (unsigned n = 0; n < 256; n++)
        read_line(n, CACHE_LLC);
    assert_int_equal(get(0x706), 256);
    start("haswell", "uncore_reserved_accepted");
    set(0x391, BIT(20));
    assert_int_equal(get(0x391), 0);
    start("haswell", "uncore_config_wrong");
    assert_int_equal(get(0x396), 0);
    start_arb("uncore_arb_silent");
    assert_int_equal(get(0x3B0), 400);
    assert_int_equal(get(0x3B1), 0);
    start_arb("uncore_occupancy_of_requests");
    assert_int_equal(get(0x3B0), 2);
    start_arb("uncore_occupancy_silent");
    assert_int_equal(get(0x3B0), 0);
    assert_int_equal(get(0x3B1), 2);
    overflow("uncore_pmi_missing", 0xF, true);
    assert_int_equal(interrupted(), 0);
    overflow("uncore_status_missing", 0xF, true);
    assert_int_equal(get(0x392), 0);
    overflow("uncore_freeze_ignored", 0xF | FREEZE, true);
    assert_int_equal(get(0x3B0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_each_personality),
        cmocka_unit_test(clock_follows_time),
        cmocka_unit_test(lookups_by_state_and_request),
        cmocka_unit_test(arb_takes_what_leaves_the_last_level),
        cmocka_unit_test(only_what_needs_every_instruction_counts),
        cmocka_unit_test(snoop_responses),
        cmocka_unit_test(cycles_of_a_box),
        cmocka_unit_test(faults_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
