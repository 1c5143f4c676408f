/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_buffer_cases.c - the cases of records' buffer, its end, its threshold
 * and interrupt, and of what a record says of where it was made. */
#include "tests/host/cases/pebs/pebs_fixture.h"

extern const struct test test_lbr_freeze_on_pebs, test_pebs_buffer_bounds,
    test_pebs_buffer_full, test_pebs_decode_golden, test_pebs_eventing_ip,
    test_pebs_stop_order, test_pebs_threshold_pmi;

static void healthy(void **state)
{
    (void)state;
    passes(&test_pebs_buffer_bounds, "");
    passes(&test_pebs_buffer_full, "");
    assert_int_equal(device.nearest, 20);
    passes(&test_pebs_decode_golden, "format 3: 25 fields");
    passes(&test_pebs_eventing_ip, " records");
    passes(&test_pebs_stop_order, "");
    passes(&test_pebs_threshold_pmi, "");
}

#define RECORD ((int)sizeof(struct pebs_format3))

static void deviations(void **state)
{
    static const struct row rows[] = {
        ROW(buffer_bounds, FAIL, "DS area: ", .beyond = 1),
        ROW(buffer_bounds, FAIL, "DS area: ", .beyond = RECORD),
        ROW(buffer_bounds, FAIL, "a buffer of one record: ", .beyond = -1),
        ROW(buffer_bounds, FAIL, "a buffer of one record: ", .silent = true),
        ROW(buffer_bounds, FAIL, "a byte was written", .from_base = true),
        ROW(buffer_bounds, FAIL, "a byte was written", .goes_round = true),
        ROW(buffer_bounds, FAIL, "another area", .holds = OLD_AREA),
        ROW(buffer_bounds, FAIL, "", .cut = true),
        ROW(buffer_bounds, FAIL, "after IA32_PEBS_ENABLE (3F1H) was 0",
            .writes_late = true),
        ROW(buffer_bounds, FAIL, "90H of record 0", .field = 2),
        ROW(buffer_bounds, FAIL, "TSC (C0H)", .tsc = -0x1000000, .only = 30),
        ROW(buffer_bounds, FAIL, "TSC (C0H)", .tsc = 0x1000000, .only = 30),
        ROW(buffer_bounds, FAIL, "record 1 is of event", .backwards = true),
        ROW(buffer_full, FAIL, "DS area: ", .beyond = RECORD),
        ROW(buffer_full, FAIL, "room for 3 records", .beyond = -1),
        ROW(buffer_full, FAIL, "a byte was written", .goes_round = true),
        ROW(buffer_full, FAIL, "a record that is skipped reloads nothing",
            .reloads_skipped = true),
        ROW(buffer_full, FAIL, "IA32_PEBS_ENABLE (3F1H) after the buffer",
            .disables_full = true),
        ROW(buffer_full, FAIL, "DS area: ", .moves_index = true),
        ROW(buffer_full, PASS, "OBSERVED the overflow of a record",
            .stays_armed = true),
        ROW(buffer_full, FAIL, "wanted [62] = 1", .threshold = 1),

        ROW(buffer_full, FAIL, "a later event", .backwards = true),
        ROW(buffer_full, FAIL, "which makes no records", .plain_silent = true),

        ROW(buffer_full, FAIL, "wanted that bit 0", .clears_too = BIT(1)),
        ROW(buffer_full, FAIL, "wanted that bit 0", .clears_too = BIT(32)),
        ROW(buffer_full, FAIL, "PEBS absolute maximum was set",
            .holds = OLD_END),
        ROW(buffer_full, FAIL, "counter 0 reset was set", .holds = OLD_RESET),
        ROW(buffer_full, PASS, "", .late = {0, 20}),
        ROW(buffer_full, FAIL, "record 1 is of event", .late = {0, 65}),
        ROW(stop_order, FAIL, "made no record", .silent = true),
        ROW(stop_order, PASS, "", .after_stop = 32),
        ROW(stop_order, KNOWN, "are of events after", .after_stop = 33),
        ROW(stop_order, FAIL, "holds 0x", .overflow_lost = true),
        ROW(stop_order, FAIL, "a record changed after", .writes_late = true),
        ROW(stop_order, FAIL, "records came after", .without_bit = true),
        ROW(threshold_pmi, FAIL, "records of IA32_PMC1 too: 3 records",
            .no_pmi_beside = true),
        ROW(threshold_pmi, SKIP, "needs the local APIC", .no_apic = true),
        ROW(threshold_pmi, FAIL, "raised 0 performance", .no_pmi = true),
        ROW(threshold_pmi, FAIL, "with the threshold at 2 raised 2",
            .pmi_each = true),
        ROW(threshold_pmi, FAIL, "left the mask flag", .pmi_open = true),
        ROW(threshold_pmi, FAIL, "RFLAGS (00H) of a record", .rflags = BIT(9)),
        ROW(threshold_pmi, FAIL, "masked in the local APIC: 2 records",
            .pmi_through = true),
        ROW(threshold_pmi, FAIL, "and no performance-monitoring",
            .overflow_silent = true),
        ROW(threshold_pmi, FAIL, "wanted [62] = 1", .threshold = 1),
        ROW(threshold_pmi, FAIL, "(OvfBuf) is 1", .threshold = -RECORD),
        ROW(threshold_pmi, FAIL, "overflowed 1 times at least", .lost = 1),
        ROW(threshold_pmi, FAIL, "overflowed 2 times at least", .lost = 6),
        ROW(threshold_pmi, FAIL, "IA32_PMC3 (C4H) overflowed", .lost = 92),
        ROW(threshold_pmi, FAIL, "it to stop before the last",
            .freezes = FREEZES_NOT),
        ROW(threshold_pmi, FAIL, "the threshold at 3",
            .freezes = FREEZES_FIRST),
        ROW(threshold_pmi, FAIL, "wanted CTR_Frz [59] = 1",
            .freezes = FREEZES_UNSAID),
        ROW(threshold_pmi, FAIL, "the last of the window too",
            .freezes = FREEZES_OTHERS),
        ROW(threshold_pmi, PASS, "", .freezes = FREEZES_LATE),
        ROW(eventing_ip, FAIL, "made no record", .silent = true),
        ROW(eventing_ip, FAIL, "RIP (08H) of the record", .rip = 1, .only = 3),
        ROW(eventing_ip, FAIL, "that is taken: RIP (08H)", .rip = -1,
            .only = 200),
        ROW(eventing_ip, FAIL, "EventingIP (B0H) of the record", .ip = 1),
        ROW(eventing_ip, FAIL, "that is taken: EventingIP (B0H)", .ip = -1,
            .only = 200),
        ROW(eventing_ip, FAIL, "that is taken backwards: RIP (08H)", .rip = 14,
            .only = 400),
        ROW(eventing_ip, FAIL, "EventingIP (B0H) of the record",
            .ip = -PEBS_EVENT_BRANCH),
        ROW(eventing_ip, KNOWN, "EventingIP (B0H) of the record",
            .ip = -PEBS_EVENT_BRANCH, .only = 3),
    };

    (void)state;
    expect_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void begin_branches(unsigned version)
{
    begin(&test_lbr_freeze_on_pebs);
    t->cpu.perf_capabilities |= 5;
    t->cpu.pdcm = true;
    t->cpu.perfmon_version = (uint8_t)version;
    fake_msr(MSR_LBR_SELECT);
    fake_msr(MSR_LASTBRANCH_TOS);
    for (unsigned n = 0; n < 32; n++)
        *msr(MSR_LASTBRANCH_FROM_IP(n)) = *msr(MSR_LASTBRANCH_TO_IP(n)) =
            *msr(MSR_LBR_INFO(n)) = n + 1;
}

/* FREEZE_LBRS_ON_PMI, and the interrupt of the buffer. */
static void branches(void **state)
{
    static const struct {
        unsigned version;
        const char *line; /* NULL: PASS */
        struct device device;
    } rows[] = {
        {4, NULL, {.branches = BRANCHES_FREEZE}},
        {3, NULL, {.branches = BRANCHES_FREEZE}},
        {4, "[58], is 0 after it; wanted 1", {.branches = BRANCHES_GO_ON}},
        {3, "LBR, is 1 after it; wanted 0", {.branches = BRANCHES_GO_ON}},
        {4,
         "FREEZE_LBRS_ON_PMI = 0, the threshold reached, 1 records: LBR_Frz",
         {.branches = BRANCHES_FREEZE_UNASKED}},
        {3,
         "FREEZE_LBRS_ON_PMI = 0, the threshold reached, 1 records: IA32",
         {.branches = BRANCHES_FREEZE_UNASKED}},
        {4,
         "the threshold not reached, 2 records: LBR_Frz",
         {.branches = BRANCHES_FREEZE_EARLY}},
        {3,
         "the threshold not reached, 2 records: IA32",
         {.branches = BRANCHES_FREEZE_EARLY}},
        {4,
         "[58], is 0 after it; wanted 1",
         {.branches = BRANCHES_FREEZE_UNSAID}},
        {4, "LBR, is 0 after it; wanted 1", {.branches = BRANCHES_OTHERWISE}},
        {3, "LBR, is 1 after it; wanted 0", {.branches = BRANCHES_OTHERWISE}},
        {4,
         "both FREEZE bits = 1, the threshold reached, 1 records: IA32_PMC1",
         {.branches = BRANCHES_FREEZE, .freezes = FREEZES_NOT}},
        {3,
         "both FREEZE bits = 1, the threshold reached, 1 records: IA32_PMC1",
         {.branches = BRANCHES_FREEZE, .freezes = FREEZES_NOT}},
        {3,
         NULL,
         {.branches = BRANCHES_FREEZE,
          .freezes = FREEZES_NOT,
          .pmi_behind = true}},
        {3,
         "both FREEZE bits = 1, the threshold not reached, 1 records: IA32",
         {.branches = BRANCHES_FREEZE, .freezes = FREEZES_FIRST}},
        {4,
         "[59], is 0 after it; wanted 1",
         {.branches = BRANCHES_FREEZE, .freezes = FREEZES_UNSAID}},
        {4, "the branch record", {.not_taken_recorded = true}},
        {4, "no record was made", {.silent = true}},
        {4, "RAX (10H) of a record", {.rax = BITS(63, 0)}},
        {4, "RIP (08H) of the record", {.rip = 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_branches(rows[i].version);
        device = rows[i].device;
        expect_case(case_end(),
                    rows[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    rows[i].line == NULL ? "" : rows[i].line);
        for (unsigned n = 0; n < 32; n++)
            assert_int_equal(*msr(MSR_LASTBRANCH_FROM_IP(n)), n + 1);
        assert_int_equal(*msr(IA32_DEBUGCTL), 0);
    }
}

/* Two rows have it delivered as an NMI, and no other. */
static void as_an_nmi(void **state)
{
    (void)state;
    begin(&test_pebs_threshold_pmi);
    device.no_nmi = true;
    expect_case(case_end(), VERDICT_FAIL, "FAIL: NMI: 2 records of IA32_PMC0");
    assert_null(strstr(t->text, "FAIL: fixed"));
    assert_null(strstr(t->text, "FAIL: FREEZE"));
}

#define AT_2 "fixed vector: 2 records of IA32_PMC0 with the threshold at 2"

/* BJ101: one more of a buffer that is full, and of no other; HSD091: more. */
static void interrupts_of_a_full_buffer(void **state)
{
    static const struct {
        uint16_t model;
        bool each; /* record interrupts */
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {0x2a, false, VERDICT_KNOWN, "KNOWN BJ101: no room for more"},
        {0x3a, false, VERDICT_KNOWN, "KNOWN BV051: no room for more"},
        {0x2a, true, VERDICT_FAIL, "FAIL: " AT_2},
        {0x3c, true, VERDICT_FAIL, "KNOWN HSD091: " AT_2},
        {0x5e, false, VERDICT_FAIL, "FAIL: no room for more"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_pebs_threshold_pmi);
        t->cpu.model = rows[i].model;
        device.pmi_full = !rows[i].each;
        device.pmi_each = rows[i].each;
        expect_case(case_end(), rows[i].verdict, rows[i].line);
    }
}

/* Where nothing is promised of counter 3, it is not used. */
static void without_counter_3(void **state)
{
    static const struct test *const cases[] = {
        &test_pebs_buffer_bounds, &test_pebs_buffer_full,
        &test_pebs_eventing_ip,   &test_pebs_stop_order,
        &test_pebs_threshold_pmi, &test_lbr_freeze_on_pebs};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i] == &test_lbr_freeze_on_pebs)
            begin_branches(4);
        else
            begin(cases[i]);
        t->regime = REGIME_E;
        expect_case(case_end(), VERDICT_PASS, "");
        assert_int_equal(device.third, 0);
        assert_int_not_equal(device.windows, 0);
        assert_false(pmi.on);
    }
}

/* Nothing is known of it then. */
static void without_apic(void **state)
{
    (void)state;
    begin_branches(4);
    device.no_apic = true;
    expect_case(case_end(), VERDICT_SKIP, "needs the local APIC");
    assert_int_equal(device.windows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(deviations),
        cmocka_unit_test(branches),
        cmocka_unit_test(as_an_nmi),
        cmocka_unit_test(interrupts_of_a_full_buffer),
        cmocka_unit_test(without_counter_3),
        cmocka_unit_test(without_apic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
