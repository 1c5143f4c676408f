/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_event_cases.c - the cases of which events there are, by CPUID.0AH,
 * of memory and of slots: each counts what it has to, or one does not. */
#include "tests/host/cases/counting/counting_events.h"

#include <stdio.h>

/* --- CPUID.0AH ----------------------------------------------------------- */

static void begin_enumeration(void)
{
    begin(&test_counter_enumeration, 0x5e);
}

static void enumeration(void **state)
{
    static const struct {
        uint64_t event;
        int64_t count; /* it */
        const char *name;
    } events[] = {
        {0x003c, 1390, "UnHalted Core Cycles (3CH/00H)"},
        {0x00c0, 139, "Instruction Retired (C0H/00H)"},
        {0x013c, 57, "UnHalted Reference Cycles (3CH/01H)"},
        {0x4f2e, 16, "LLC Reference (2EH/4FH)"},
        {0x412e, 16, "LLC Misses (2EH/41H)"},
        {0x00c4, 8, "Branch Instruction Retired (C4H/00H)"},
        {0x00c5, 30, "Branch Misses Retired (C5H/00H)"},
    };

    (void)state;
    begin_enumeration();
    expect_case(counting_end(), VERDICT_PASS, "0x00000603: 7 events");
    assert_int_equal(device.windows, 7 + 3 + 4 + 4 + 2);
    for (unsigned bit = 0; bit < 7; bit++) {
        char line[90];

        for (unsigned n = 0; n < 4; n++) {
            snprintf(line, sizeof(line), "EBX[%u] = 0, so there is %s; IA32",
                     bit, events[bit].name);
            begin_enumeration();
            set_wrong(n, events[bit].event, -events[bit].count, 1 + bit);
            /* SKL057. */
            expect_case(counting_end(),
                        bit == 3 || bit == 4 ? VERDICT_KNOWN : VERDICT_FAIL,
                        line);
        }
        snprintf(line, sizeof(line), "EBX[%u] = 1, so there is no %s; IA32_P",
                 bit, events[bit].name);
        begin_enumeration();
        t->cpu.leaf0a_ebx = 1u << bit;
        expect_case(counting_end(), VERDICT_FAIL, line);
        begin_enumeration();
        t->cpu.leaf0a_ebx = 1u << bit;
        set_wrong(0, events[bit].event, -events[bit].count, 1 + bit);
        expect_case(counting_end(), VERDICT_PASS, ": 6 events");
        begin_enumeration(); /* Nehalem denies what is there */
        t->cpu.model = 0x1a;
        *msr(0xce) = 1 << 8;
        t->cpu.leaf0a_ebx = 1u << bit;
        expect_case(counting_end(), bit == 2 ? VERDICT_PASS : VERDICT_FAIL,
                    bit == 2 ? "" : "3CH/01H");
    }
}

static void slots_are_an_event(void **state)
{
    (void)state;
    begin_enumeration();
    t->cpu.leaf0a_eax = 0x08300404;
    expect_case(counting_end(), VERDICT_PASS, ": 8 events");
    begin_enumeration();
    t->cpu.leaf0a_eax = 0x08300404;
    set_wrong(2, 0x01a4, -5560, 8);
    expect_case(counting_end(), VERDICT_FAIL, "Topdown Slots (A4H/01H)");
    begin_enumeration();
    t->cpu.leaf0a_eax = 0x06300404;
    expect_case(counting_end(), VERDICT_FAIL,
                "EAX[31:24], the length of the list of architectural events, "
                "is 6; wanted 7 or more");
}

static void last_level(void **state)
{
    static const struct {
        unsigned place, event, window;
        int64_t more;
        const char *line; /* "": right */
    } rows[] = {
        {1, 0x412e, 8, 2, ""}, /* prefetches under way before */
        {1, 0x412e, 8, 3, "wanted no more of these, but for 2"},
        {0, 0x4f2e, 9, 14, ""},
        {0, 0x4f2e, 9, 15, "16 by 16 loads that the caches have, 16 by as"},
        {0, 0x4f2e, EVERY, 20, "21 by 16 loads that the caches"}, /* in both */
        {0, 0x4f2e, 10, -8, ""},
        {0, 0x4f2e, 10, -9, "16 stores to flushed lines: 7 references"},
        {1, 0x412e, 10, -8, ""},
        {1, 0x412e, 10, -9, "(2EH/4FH) and 7 misses"},
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        const unsigned k = (unsigned)i / 2;
        const enum verdict wrong = i % 2 == 0 ? VERDICT_FAIL : VERDICT_KNOWN;

        begin(&test_counter_enumeration, i % 2 == 0 ? 0x3c : 0x5e);
        set_wrong(rows[k].place, rows[k].event, rows[k].more, rows[k].window);
        expect_case(counting_end(), *rows[k].line == 0 ? VERDICT_PASS : wrong,
                    rows[k].line);
    }
}

static void mispredicted(void **state)
{
    (void)state;
    for (unsigned window = 15; window <= 18; window++) {
        begin_enumeration();
        set_wrong(0, 0xc5, 38, window);
        expect_case(counting_end(), VERDICT_PASS, "");
        begin_enumeration();
        set_wrong(0, 0xc5, 39, window);
        expect_case(counting_end(), VERDICT_FAIL,
                    "Branch Misses Retired (C5H/00H) is 69 on IA32_PMC0 (C1H); "
                    "wanted 68 at most");
    }
    begin_enumeration();
    set_wrong(1, 0xc4, -39, 18);
    expect_case(counting_end(), VERDICT_FAIL,
                "wanted no more misses than branches");
}

/* Jumps that were taken before. */
static void predicted(void **state)
{
    (void)state;
    for (int64_t more = 7; more <= 8; more++) {
        begin_enumeration();
        set_wrong(0, 0xc5, more, 14);
        device.wrong.levels_ignored = true;
        expect_case(counting_end(), more == 7 ? VERDICT_PASS : VERDICT_FAIL,
                    more == 7 ? "" : "counted 8 of 8 direct jumps, taken for");
    }
}

static void cycles(void **state)
{
    (void)state;
    begin_enumeration();
    set_wrong(FIXED(1), EVERY, 3500, 19);
    expect_case(counting_end(), VERDICT_FAIL,
                "IA32_FIXED_CTR1 (30AH) counted 27500 core cycles, IA32_PMC0 "
                "(C1H) 24000");
    begin_enumeration();
    set_wrong(FIXED(1), EVERY, -3500, 19);
    expect_case(counting_end(), VERDICT_FAIL, "30AH) counted 20500 core");
    begin_enumeration();
    set_wrong(FIXED(1), EVERY, 2500, 19);
    expect_case(counting_end(), VERDICT_PASS, "");
    for (int64_t more = -2000; more <= 2000; more += 4000) {
        begin_enumeration();
        set_wrong(FIXED(2), EVERY, more, 19);
        expect_case(counting_end(), VERDICT_FAIL,
                    "wanted 24 times as many (MSR_PLATFORM_INFO, CEH[15:8]) "
                    "or 0 times (CPUID.15H)");
        begin_enumeration();
        set_wrong(FIXED(2), EVERY, more / 2, 19);
        expect_case(counting_end(), VERDICT_PASS, "");
    }
    /* By either, and by none. */
    begin_enumeration();
    *msr(0xce) = 20 << 8;
    fake_cpuid(0x15, 0, 2, 48, 0, 0);
    expect_case(counting_end(), VERDICT_PASS, "");
    begin_enumeration();
    *msr(0xce) = 20 << 8;
    fake_cpuid(0x15, 0, 2, 60, 0, 0);
    expect_case(counting_end(), VERDICT_FAIL, "or 30 times (CPUID.15H)");
    begin_enumeration();
    fake_msr_remove(0xce);
    expect_case(counting_end(), VERDICT_PASS, "");
}

static void registers_enumerated(void **state)
{
    static const uint32_t beyond[] = {0xc9, 0xca, 0x18e, 0x18f, 0x30c};

    (void)state;
    /* More than the ten that are used. */
    for (unsigned there = 0; there < 3; there++) {
        counting_begin(&test_counter_enumeration, 10, 2);
        *msr(0x1a0) = 0x81;
        t->cpu.counters = 11;
        if (there != 0)
            fake_msr(0xcb);
        if (there == 2)
            fake_msr(0x190);
        expect_case(counting_end(), there == 2 ? VERDICT_PASS : VERDICT_FAIL,
                    there == 0   ? "RDMSR of MSR CBH got #GP"
                    : there == 1 ? "RDMSR of MSR 190H got #GP"
                                 : "counters above IA32_PMC9 are read here");
    }
    for (unsigned i = 0; i < 5; i++) {
        char line[40];

        snprintf(line, sizeof(line), "RDMSR of %XH, which", beyond[i]);
        begin_enumeration();
        fake_msr(beyond[i]);
        expect_case(counting_end(), VERDICT_FAIL, line);
        begin_enumeration();
        fake_msr(beyond[i]);
        t->cpu.perfmon_version = 7; /* not known */
        expect_case(counting_end(), VERDICT_PASS, "");
        assert_null(strstr(t->text, "OBSERVED"));
    }
    /* The other thread's four: a figure. */
    begin_enumeration();
    fake_msr(0xc6);
    fake_msr(0x18b);
    expect_case(counting_end(), VERDICT_PASS,
                "OBSERVED registers of counters "
                "that a core without hyper-");
    assert_non_null(strstr(t->text, "can be read: 2 of 8"));
    begin_enumeration();
    t->cpu.model = 0x97;
    t->cpu.core_type = 0x40;
    t->cpu.perfmon_version = 5;
    *msr(0xce) = 1 << 8;
    expect_case(counting_end(), VERDICT_FAIL, "3CH/01H");
    assert_non_null(strstr(t->text, "that a hybrid's CPUID.0AH need not tell"));
}

static void leaf(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        begin_enumeration();
        struct hw_cpuid *const other = fake_leaf(0x0a, 1);
        uint32_t *const changed[] = {&other->eax, &other->ebx, &other->ecx,
                                     &other->edx};
        *changed[n] ^= 1;
        expect_case(counting_end(), VERDICT_FAIL, "0AH with ECX = 1");
    }
    begin_enumeration();
    t->cpu.counter_bits = 31;
    fake_body(t);
    expect_case(case_close(), VERDICT_FAIL, "the width of a counter, is 31");
    begin_enumeration();
    t->cpu.fixed_bits = 31;
    fake_body(t);
    expect_case(case_close(), VERDICT_FAIL, "the 3 fixed counters, is 31");
    begin_enumeration();
    *msr(0x1a0) = 1;
    expect_case(counting_end(), VERDICT_FAIL, "1A0H) is 0x1: [7]");
}

/* --- Loads and stores ---------------------------------------------------- */

static void memory_events(void **state)
{
    static const uint64_t events[] = {0x81d0, 0x82d0, 0x21d0, 0xc0, 0xc4};
    static const char *const names[] = {
        "retired loads (D0H/81H)", "retired stores (D0H/82H)",
        "retired locked loads (D0H/21H)", "retired instructions (C0H)",
        "retired branches (C4H)"};
    const unsigned each = 3 * 5, splits = 11 * 3 * 2; /* after 24 rows */

    (void)state;
    begin(&test_memory_counts, 0x5e);
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 24 * each + splits + 3 * 3);
    begin(&test_memory_counts, 0x5e);
    t->cpu.leaf7_ebx = BIT(3); /* ANDN */
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 25 * each + splits + 3 * 3);
    for (unsigned e = 0; e < 5; e++)
        for (unsigned row = 0; row < 25; row++)
            for (int64_t more = -1; more <= 1; more += 2) {
                const unsigned n = (e + row) % 4;
                const unsigned twice =
                    each * row + 3 * e + 3 + (row == 24 ? splits : 0);

                begin(&test_memory_counts, 0x5e);
                t->cpu.leaf7_ebx = BIT(3);
                set_wrong(n, events[e], more, twice);
                device.wrong.levels_ignored = true;
                expect_case(counting_end(), VERDICT_FAIL, names[e]);
                /* What both walks have more is not theirs; nor the first. */
                begin(&test_memory_counts, 0x5e);
                t->cpu.leaf7_ebx = BIT(3);
                set_wrong(n, events[e], more, twice - 2);
                device.wrong.levels_ignored = true;
                expect_case(counting_end(), VERDICT_PASS, "");
            }
}

static void memory_splits(void **state)
{
    (void)state;
    for (unsigned e = 0; e < 2; e++)
        for (unsigned row = 0; row < 11; row++)
            for (int64_t more = -1; more <= 1; more += 2) {
                const bool may = more > 0 && row == 9 + e; /* over a page */
                begin(&test_memory_counts, 0x5e);
                set_wrong((e + row) % 4, e == 0 ? 0x41d0 : 0x42d0, more,
                          24 * 3 * 5 + 3 * (2 * row + e) + 3);
                device.wrong.levels_ignored = true;
                expect_case(counting_end(), may ? VERDICT_PASS : VERDICT_FAIL,
                            may ? "" : "of two lines (D0H");
            }
}

/* Before the 6th generation they are of operations. */
static void memory_operations(void **state)
{
    static const struct {
        uint16_t model;
        enum verdict verdict;
    } rows[] = {{0x5e, VERDICT_FAIL},
                {0x6a, VERDICT_FAIL},
                {0x3d, VERDICT_PASS},
                {0x2a, VERDICT_PASS},
                {0x3a, VERDICT_PASS}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_memory_counts, rows[i].model);
        machine.locked_operations = 2;
        expect_case(counting_end(), rows[i].verdict,
                    rows[i].verdict == VERDICT_PASS
                        ? ""
                        : "IA32_PMC0 (C1H) counted 32 more of 32 locked "
                          "additions than of 16; wanted 16");
    }
    begin(&test_memory_counts, 0x1a);
    expect_case(counting_end(), VERDICT_SKIP, "events of memory are known");
    assert_int_equal(device.windows, 0);
    begin(&test_memory_counts, 0x97);
    t->cpu.core_type = 0x20;
    expect_case(counting_end(), VERDICT_PASS, "");
}

/* Of locked additions there may be more operations, of loads and stores not;
 * with one thread a core no erratum of events of memory is left. */
static void operations_of_others(void **state)
{
    static const struct {
        uint64_t event;
        unsigned twice; /* the window of the longer walk */
        bool passes;
    } rows[] = {
        {0x81d0, 3, false},  {0x82d0, 6, false},  {0x21d0, 9, false},
        {0x81d0, 18, false}, {0x82d0, 21, false}, {0x21d0, 24, false},
        {0x81d0, 33, true},  {0x82d0, 36, true},  {0x21d0, 39, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int64_t more = -1; more <= 1; more += 2) {
            begin(&test_memory_counts, 0x3d);
            all[1].cpu.apic_id = 2;
            set_wrong(3, rows[i].event, more, rows[i].twice);
            device.wrong.levels_ignored = true;
            const enum verdict verdict = counting_end();
            const bool passes = rows[i].passes && more > 0;
            /* BDM035: too few locked loads. */
            if (verdict == VERDICT_KNOWN && rows[i].event == 0x21d0 && more < 0)
                continue;
            expect_case(verdict, passes ? VERDICT_PASS : VERDICT_FAIL, "");
        }
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin_enumeration();
    hit_by_smis();
    begin(&test_memory_counts, 0x5e);
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumeration),
        cmocka_unit_test(slots_are_an_event),
        cmocka_unit_test(last_level),
        cmocka_unit_test(mispredicted),
        cmocka_unit_test(predicted),
        cmocka_unit_test(cycles),
        cmocka_unit_test(registers_enumerated),
        cmocka_unit_test(leaf),
        cmocka_unit_test(memory_events),
        cmocka_unit_test(memory_splits),
        cmocka_unit_test(memory_operations),
        cmocka_unit_test(operations_of_others),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
