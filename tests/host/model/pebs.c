/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.c - arming, records, the DS area. */
#include "tests/host/model/pebs_fixture.h"

static void next_event_is_recorded(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 4, 4);
    arm(0, BRANCHES, 2);
    set(0x38F, 1);
    branch();
    assert_int_equal(processor.pebs.armed, 0);
    branch();
    assert_int_equal(processor.pebs.armed, 1);
    assert_int_equal(get(0x38E), 1);
    other();
    assert_int_equal(processor.pebs.triggered, 0);
    branch();
    assert_true(make_record());
    assert_int_equal(get(0x38E), 0);
    assert_int_equal(get(0xC1), 0xFFFFFFFFFFFE);
    assert_int_equal(record.at, BASE);
    assert_int_equal(ds.index, BASE + 0xC8);
    assert_false(took_interrupt());
}

static void prec_dist_has_no_skid(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 4, 4);
    arm(1, PREC_DIST, 3);
    set(0x38F, 2);
    other();
    other();
    assert_int_equal(processor.pebs.triggered, 0);
    other();
    assert_true(make_record());
    assert_int_equal(get(0xC2), 0xFFFFFFFFFFFD);
}

static void layout_of_each_format(void **state)
{
    static const struct {
        const char *cpu;
        unsigned bytes;
        uint64_t word_90h;
    } rows[] = {
        {"sandybridge", 0xB0, 1},    {"ivybridge", 0xB0, 1},
        {"haswell", 0xC0, 1},        {"skylake-2017", 0xC8, 1},
        {"cometlake-2022", 0xC8, 1},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        start(rows[k].cpu, "none", rows[k].bytes, 4, 4);
        arm(0, BRANCHES, 1);
        set(0x38F, 1);
        branch();
        branch();
        assert_true(make_record());
        assert_int_equal(record.bytes, rows[k].bytes);
        for (unsigned n = 0; n < PEBS_REGISTERS; n++)
            assert_int_equal(record.words[n], 0x100 + n);
        assert_int_equal(record.words[0x90 / 8], rows[k].word_90h);
        assert_int_equal(record.words[0x98 / 8], 0);
        assert_int_equal(record.words[0xA8 / 8], 0);
        assert_int_equal(record.words[0xB0 / 8], 0x200);
        assert_int_equal(record.words[0xB8 / 8], 0);
        assert_int_equal(record.words[0xC0 / 8], 0x202);
    }
}

/* Counters 0 and 2 have overflowed; only counter 0's event happens. */
static void several_counters(const char *cpu, unsigned bytes)
{
    start(cpu, "none", bytes, 4, 4);
    arm(0, BRANCHES, 1);
    arm(2, NEAR_TAKEN, 1);
    set(0x38F, 5);
    branch();
    branch_to(false);
    assert_true(make_record());
}

static void status_image_in_format_2(void **state)
{
    (void)state;
    several_counters("haswell", 0xC0);
    assert_int_equal(record.words[0x90 / 8], 5);
    assert_int_equal(get(0x38E), 0);
    assert_int_equal(get(0xC3), 0xFFFFFFFFFFFC);
}

static void applicable_counter_in_format_3(void **state)
{
    (void)state;
    several_counters("skylake-2017", 0xC8);
    assert_int_equal(record.words[0x90 / 8], 1);
    assert_int_equal(get(0x38E), 4);
    start("skylake-2017", "none", 0xC8, 4, 4);
    arm(0, BRANCHES, 1);
    arm(3, BRANCHES, 1);
    set(0x38F, 9);
    branch();
    branch();
    assert_true(make_record());
    assert_int_equal(record.words[0x90 / 8], 9);
    assert_int_equal(get(0xC4), 0xFFFFFFFFFFFB);
}

static void threshold_interrupts_once(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 4, 2);
    arm(0, BRANCHES, 2);
    set(0x38F, 1);
    for (unsigned n = 1; n <= 4; n++) {
        while (processor.pebs.triggered == 0)
            branch();
        assert_true(make_record());
        assert_int_equal(took_interrupt(), n == 2);
        assert_int_equal(get(0x38E), n >= 2 ? STATUS_62 : 0);
    }
}

static void nothing_beyond_the_maximum(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 2, 100);
    arm(0, BRANCHES, 2);
    set(0x38F, 1);
    for (unsigned n = 1; n <= 3; n++) {
        while (processor.pebs.triggered == 0)
            branch();
        assert_int_equal(make_record(), n <= 2);
        assert_int_equal(get(0x38E) & STATUS_62, n >= 2 ? STATUS_62 : 0);
    }
    assert_int_equal(ds.index, BASE + 2 * 0xC8);
    assert_false(took_interrupt());
    /* Skipped entirely: neither reloaded nor cleared. */
    assert_int_equal(get(0x38E) & 1, 1);
    assert_int_equal(get(0xC1), 1);
}

static void index_out_of_bounds(void **state)
{
    (void)state;
    start("haswell", "none", 0xC0, 2, 2);
    ds.index = ds.base - 8;
    arm(0, BRANCHES, 1);
    set(0x38F, 1);
    branch();
    branch();
    assert_false(make_record());
    start("haswell", "none", 0xC0, 2, 2);
    ds.index = (uint64_t)-8;
    arm(0, BRANCHES, 1);
    set(0x38F, 1);
    branch();
    branch();
    assert_false(make_record());
}

static void only_precise_events(void **state)
{
    static const struct {
        const char *cpu;
        uint64_t select;
        unsigned n;
        bool records;
    } rows[] = {
        {"skylake-2017", BRANCHES, 0, true},
        {"skylake-2017", BRANCHES, 3, true},
        {"skylake-2017", BRANCHES | BIT(18), 0, false}, /* edge */
        {"skylake-2017", BRANCHES | BIT(21), 0, false}, /* any thread */
        {"skylake-2017", BRANCHES | BIT(23), 0, false}, /* invert */
        {"skylake-2017", BRANCHES | BIT(24), 0, false}, /* cmask */
        {"skylake-2017", 0x4200C4, 0, false},
        {"skylake-2017", 0x42003C, 0, false},
        {"skylake-2017", PREC_DIST, 1, true},
        {"skylake-2017", PREC_DIST, 0, false},
        {"sandybridge", BRANCHES, 0, true},
        {"sandybridge", 0x4240C4, 0, false},
        {"skylake-2017", 0x4240C4, 0, true},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        start(rows[k].cpu, "none", 0xC8, 2, 2);
        set(0x186 + rows[k].n, rows[k].select);
        assert_int_equal(pebs_makes_record(&processor, rows[k].n),
                         rows[k].records);
        processor.choices.pebs_imprecise = true;
        assert_true(pebs_makes_record(&processor, rows[k].n));
    }
}

static void residual_record(void **state)
{
    (void)state;
    start("skylake-2017", "none", 0xC8, 2, 2);
    processor.choices.pebs_residual_one_in = 1;
    set(0x600, 0x8000);
    arm(0, BRANCHES, 1);
    set(0x38F, 1);
    branch();
    set(0x3F1, 0); /* while it counts */
    set(0x600, 0x9000);
    assert_int_equal(processor.pebs.armed, 0);
    assert_in_range(processor.pebs.residual_in, 1, 64);
    set(0x38F, 0);
    while (processor.pebs.triggered == 0)
        other();
    assert_int_equal(pebs_ds_area(&processor), 0x8000);
    assert_true(make_record());
    assert_int_equal(pebs_ds_area(&processor), 0x9000);
    assert_int_equal(processor.pebs.residual_in, 0);
    /* The documented order leaves none. */
    arm(0, BRANCHES, 1);
    set(0x38F, 1);
    branch();
    set(0x38F, 0);
    set(0x3F1, 0);
    assert_int_equal(processor.pebs.residual_in, 0);
    assert_int_equal(processor.pebs.armed, 0);
}

static void abort_is_recorded(void **state)
{
    uint64_t information = TX_INFO_RTM | TX_INFO_INSTRUCTION | 6;

    (void)state;
    start("haswell", "none", 0xC0, 4, 4);
    arm(0, RTM_ABORTED, 1);
    arm(1, BRANCHES, 2);
    set(0x38F, 3);
    abort_transaction(TX_CAUSE_XABORT);
    branch();
    branch();
    abort_transaction(TX_CAUSE_XABORT);
    assert_true(make_record());
    assert_int_equal(record.words[PEBS_RAX], 0x102);
    assert_int_equal(record.words[PEBS_RIP], 0x400);
    assert_int_equal(record.words[0xB0 / 8], 0x300);
    assert_int_equal(record.words[0xB8 / 8], information);
    /* The next is of no abort; the cycles stay. Counter 1, which had
     * overflowed, starts again from its reset value. */
    branch();
    branch();
    branch();
    branch();
    assert_true(make_record());
    assert_int_equal(record.words[PEBS_RIP], 0x101);
    assert_int_equal(record.words[0xB0 / 8], 0x200);
    assert_int_equal(record.words[0xB8 / 8], 6);
}

static void rest_of_an_abort_record_is_open(void **state)
{
    (void)state;
    start("haswell", "none", 0xC0, 4, 4);
    processor.choices.pebs_abort_garbles = true;
    arm(0, RTM_ABORTED, 1);
    set(0x38F, 1);
    abort_transaction(TX_CAUSE_XABORT);
    abort_transaction(TX_CAUSE_XABORT);
    assert_true(make_record());
    assert_int_not_equal(record.words[PEBS_RAX], 0x102);
    assert_int_equal(record.words[PEBS_RIP], 0x400);
    assert_int_equal(record.words[0xB0 / 8], 0x300);
}

static void counter_3_may_go_wrong(void **state)
{
    uint64_t forced;

    (void)state;
    for (forced = 0; forced < 2; forced++) {
        start("skylake-2018", "none", 0xC8, 100, 100);
        processor.choices.garble = GARBLE_COUNT_JUMPS;
        processor.choices.garble_one_in = 1;
        set(0x10F, forced);
        arm(3, BRANCHES, 1);
        set(0x38F, 8);
        branch();
        branch();
        assert_true(make_record());
        assert_int_equal(get(0xC4) == 0xFFFFFFFFFFFB, forced);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_event_is_recorded),
        cmocka_unit_test(prec_dist_has_no_skid),
        cmocka_unit_test(layout_of_each_format),
        cmocka_unit_test(status_image_in_format_2),
        cmocka_unit_test(applicable_counter_in_format_3),
        cmocka_unit_test(threshold_interrupts_once),
        cmocka_unit_test(nothing_beyond_the_maximum),
        cmocka_unit_test(index_out_of_bounds),
        cmocka_unit_test(only_precise_events),
        cmocka_unit_test(residual_record),
        cmocka_unit_test(abort_is_recorded),
        cmocka_unit_test(rest_of_an_abort_record_is_open),
        cmocka_unit_test(counter_3_may_go_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
