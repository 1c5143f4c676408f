/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_cases.c - the cases of records of the window's branches, over a
 * processor that makes those of format 3, and over the same with one thing
 * otherwise: at each bound, and one beyond. */
#include "tests/host/cases/pebs/pebs_fixture.h"

extern const struct test test_pebs_adaptive_groups,
    test_pebs_applicable_counter, test_pebs_counter3, test_pebs_enable_bits,
    test_pebs_events, test_pebs_record_layout, test_pebs_reload, test_pebs_tsc;

static void healthy(void **state)
{
    (void)state;
    passes(&test_pebs_applicable_counter, "");
    passes(&test_pebs_counter3, "25 windows, ");
    passes(&test_pebs_enable_bits, "");
    passes(&test_pebs_events, "");
    passes(&test_pebs_record_layout, "format 3: 48 records of 200 bytes");
    passes(&test_pebs_reload, "very next event after the overflow: 8 of 8");
    passes(&test_pebs_tsc, "");
}

static void deviations(void **state)
{
    static const struct row rows[] = {
        ROW(reload, PASS, "very next event after the overflow: 0 of 8",
            .late = {64, 63}),
        ROW(reload, PASS, "very next event after the overflow: 0 of 8",
            .late = {1, 0}),
        ROW(reload, PASS, "very next event after the overflow: 8 of 8",
            .late = {0, 1}),
        ROW(reload, FAIL, "record 0 is of event 116", .late = {65, 0}),
        ROW(reload, FAIL, "record 1 is of event", .late = {0, 64}),
        ROW(reload, FAIL, "record 0 is of event 50", .late = {-1, 0}),
        ROW(reload, PASS, "", .over = 1),
        ROW(reload, FAIL, "or one more", .over = 2),
        ROW(reload, FAIL, "or one more", .over = MASK),
        ROW(reload, FAIL, "counted 255 of 256 events", .misses = 1),
        ROW(reload, FAIL, "did not overflow, and is", .idle_moves = true),
        ROW(reload, FAIL, "which did not overflow since", .status_stays = true),
        ROW(reload, FAIL, "made 0 records; wanted 1", .lost = 7),
        ROW(reload, FAIL, "IA32_FIXED_CTR0 (309H) counted 3001 instructions",
            .instructions = 1),
        ROW(reload, FAIL, "RIP (08H) of the record of event", .rip = -1,
            .of = 8),
        ROW(reload, FAIL, "RIP (08H) of the record of event", .rip = 1,
            .of = 2),
        ROW(reload, KNOWN, "EventingIP (B0H) of the record of event",
            .ip = -PEBS_EVENT_BRANCH, .only = 7),
        ROW(reload, FAIL, "EventingIP (B0H) of the record of event", .ip = 1,
            .of = 4),
        ROW(reload, FAIL, "wanted [33:32] = 0, it is of no abort",
            .tx_abort = BIT(33), .of = 2),
        ROW(reload, FAIL, "wanted [33:32] = 0, it is of no abort",
            .tx_abort = BIT(32), .of = 1),
        ROW(reload, PASS, "", .tx_abort = BITS(31, 0)),
        ROW(reload, FAIL, "TSC (C0H) of the record of event", .of = 4,
            .tsc = -0x1000000),
        ROW(reload, FAIL, "TSC (C0H) of the record of event", .of = 8,
            .tsc = 0x1000000),
        ROW(reload, FAIL, "the counters that make records", .field = 16),
        ROW(record_layout, FAIL, "RAX (10H) of a record", .rax = 1),
        ROW(record_layout, FAIL, "RAX (10H) of a record", .rax = BIT(63)),
        ROW(record_layout, FAIL, "RFLAGS (00H) of a record", .rflags = BIT(10)),
        ROW(events, FAIL, "RFLAGS (00H) of a record", .rflags = BIT(11)),
        ROW(enable_bits, FAIL, "counted, which overflowed later",
            .needs_stop = true),
        ROW(enable_bits, FAIL, "started 60 events before", .without_bit = true),
        ROW(enable_bits, FAIL, "0 records made; wanted 1", .lost = 1),
        ROW(enable_bits, FAIL, "0 records made; wanted 1", .lost = 4),
        ROW(enable_bits, FAIL, "no value of the DS area",
            .plain_reloads = true),
        ROW(enable_bits, FAIL, "", .misses = 1),
        ROW(enable_bits, FAIL, "wanted none, and no change",
            .counts_while = GLOBAL_OFF),
        ROW(enable_bits, FAIL, "wanted none, and no change",
            .counts_while = SELECT_OFF),
        ROW(enable_bits, FAIL, "wanted none, and no change",
            .counts_while = RING_OFF),
        ROW(enable_bits, FAIL, "(3F1H) after records were made: got 0x0",
            .disables = true),
        ROW(counter3, FAIL, "are wrong", .field = 1),
        ROW(counter3, FAIL, "are wrong", .field = 8),
        ROW(counter3, PASS, "", .field = BIT(32)),
        ROW(record_layout, FAIL, "(B8H) of a record outside",
            .tx_abort = BIT(32)),
        ROW(record_layout, FAIL, "(B8H) of a record outside",
            .tx_abort = BIT(33)),
        ROW(record_layout, PASS, "", .tx_abort = BIT(34)),
        ROW(events, FAIL,
            "IA32_PMC1 (C2H), which makes no records, counted "
            "255 of 256",
            .misses = 1),
        ROW(events, FAIL, "wanted none", .any_kind = true),
        ROW(events, FAIL, "wanted a later one", .backwards = true),
        ROW(tsc, FAIL, "wanted more than", .time = AT_BEGIN),
        ROW(tsc, FAIL, "wanted more than", .time = AT_END),
        ROW(tsc, FAIL, "[15:0] is 0 in all of them", .time = LOW_ZERO),
        ROW(applicable_counter, FAIL, "counters one by one", .field = 1),
        ROW(applicable_counter, FAIL, "counters one by one", .field = 16),
        ROW(applicable_counter, FAIL, "counters one by one", .field = 1,
            .of = 8),
        ROW(applicable_counter, FAIL, "and 0 records were made", .lost = 1),
        ROW(applicable_counter, FAIL, "started 21 events before its overflow",
            .clears_all = true),
        ROW(applicable_counter, PASS, "OBSERVED all counters overflow with",
            .status_stays = true),
        ROW(applicable_counter, FAIL, "and the events since", .over = 300),
    };

    (void)state;
    expect_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

/* What IA32_PERF_CAPABILITIES has to say of such records. */
static void capabilities(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 14; bit++) {
        begin(&test_pebs_record_layout);
        t->cpu.perf_capabilities &= ~BIT(bit);
        expect_case(
            case_end(), bit == 6 || bit == 7 ? VERDICT_FAIL : VERDICT_PASS,
            bit == 6 || bit == 7 ? "IA32_PERF_CAPABILITIES (345H)" : "");
    }
}

/* Where the user says nothing of trials. */
static void usual_trials(void **state)
{
    (void)state;
    begin(&test_pebs_counter3);
    t->trials = 0;
    expect_case(case_end(), VERDICT_PASS, "50 windows");
    begin(&test_pebs_counter3);
    t->trials = 10;
    expect_case(case_end(), VERDICT_PASS, "10 windows");
    assert_null(strstr(t->text, "is fewer than"));
    begin(&test_pebs_counter3);
    t->trials = 9;
    expect_case(case_end(), VERDICT_PASS, "is fewer than the 10");
}

/* Which events there are, and one that an erratum makes unsure. */
static void generations(void **state)
{
    static const struct {
        uint16_t model;
        bool any_kind;
        enum verdict verdict;
        unsigned windows;
    } rows[] = {
        {0x5e, false, VERDICT_PASS, 10}, {0x3c, false, VERDICT_PASS, 10},
        {0x3a, false, VERDICT_PASS, 10}, {0x2a, false, VERDICT_PASS, 10},
        {0x1a, false, VERDICT_SKIP, 0},  {0x5e, true, VERDICT_FAIL, 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_pebs_events);
        t->cpu.model = rows[i].model;
        t->cpu.microcode_known = false;
        device.any_kind = rows[i].any_kind;
        expect_case(case_end(), rows[i].verdict, "");
        assert_int_equal(device.windows, rows[i].windows);
    }
}

/* Linux, arch/x86/events/core.c, x86_perf_event_set_period(): some do not like
 * it. */
static void one_event_left(void **state)
{
    (void)state;
    for (unsigned model = 0x1a; model <= 0x2a; model += 0x10) {
        begin(&test_pebs_reload);
        t->cpu.model = (uint16_t)model;
        device.not_highest = true;
        expect_case(case_end(), model == 0x1a ? VERDICT_PASS : VERDICT_FAIL,
                    model == 0x1a ? "" : "0xffffffffffff by each record, made");
    }
}

/* BDD101: all branches, where two threads share the core. */
static void branches_of_thread_1(void **state)
{
    static const struct {
        uint8_t apic_id;
        uint16_t select;
        enum verdict verdict;
    } rows[] = {{1, 0x04c4, VERDICT_KNOWN},
                {2, 0x04c4, VERDICT_FAIL},
                {1, 0x01c4, VERDICT_FAIL}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_pebs_events);
        t->cpu.model = 0x3d;
        t->cpu.microcode_known = false;
        all[1].cpu.apic_id = rows[i].apic_id;
        device.misses = 1;
        device.misses_of = rows[i].select;
        expect_case(case_end(), rows[i].verdict, "which makes no records");
    }
}

/* Branch records of adaptive records: the firmware, which may have the
 * processor before each window, is not recorded (hw_poll()). No record is made
 * here. */
static void branches_apart(void **state)
{
    (void)state;
    begin(&test_pebs_adaptive_groups);
    t->cpu.model = 0x6a;
    t->cpu.stepping = 6;
    t->cpu.pebs_format = 4;
    t->cpu.perf_capabilities = 0x34c5;
    for (uint32_t n = 0; n < 32; n++) {
        fake_msr(0x680 + n);
        fake_msr(0x6c0 + n);
        fake_msr(0xdc0 + n);
    }
    fake_msr(0x1c8);
    fake_msr(0x1c9);
    fake_msr(MSR_PEBS_DATA_CFG);
    device.silent = true;
    expect_case(case_end(), VERDICT_FAIL, "and made no record");
    assert_int_equal(device.windows, 43);
    assert_true(window.taken);
    assert_int_equal(device.recorded, 8);
    assert_int_equal(*msr(IA32_DEBUGCTL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(deviations),
        cmocka_unit_test(capabilities),
        cmocka_unit_test(usual_trials),
        cmocka_unit_test(generations),
        cmocka_unit_test(one_event_left),
        cmocka_unit_test(branches_of_thread_1),
        cmocka_unit_test(branches_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
