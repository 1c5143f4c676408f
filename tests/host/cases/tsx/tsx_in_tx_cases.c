/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_in_tx_cases.c - counts with IN_TX and IN_TXCP, over counters that count
 * what runs, and over the same with one count otherwise. */
#include "tests/host/cases/in_tx_device.h"

extern const struct test test_tsx_in_tx_counts;

static const struct row {
    const uint8_t *body;
    int tx, place;
    uint64_t percent;
    int64_t add;
    const char *line;
} rows[] = {
    {tsx_body_long, IN_TX, 1, 100, 100, "instructions inside (IN_TX = 1): got"},
    {tsx_body_long, IN_TX, 1, 50, 0, "instructions inside (IN_TX = 1): got"},
    {tsx_body_long_xabort, IN_TX, 1, 0, 0,
     "inside (IN_TX = 1): got 340, wanted "
     "640 to 820"},
    {tsx_body_long, IN_TX | IN_TXCP, 2, 0, 0,
     "instructions committed (IN_TX = IN_TXCP = 1): got 0, wanted 320 to 410"},
    {tsx_body_long, IN_TX | IN_TXCP, 2, 100, 30, "instructions committed"},
    {tsx_body_long_xabort, IN_TX | IN_TXCP, 2, 0, 68, "instructions committed"},
    {tsx_body_long_xabort, IN_TXCP, 2, 100, 68,
     "instructions aborted (all - IN_TXCP = 1): got 0, wanted 320 to 410"},
    {tsx_body_long, IN_TXCP, 2, 100, -68, "instructions aborted"},
    {tsx_body_long, 0, 32, 0, 0, "IA32_FIXED_CTR0 (309H) counted 78"},
    {tsx_body_long_xabort, 0, 32, 0, 0, "IA32_FIXED_CTR0 (309H) counted 78"},
    {tsx_body_long_xabort, IN_TX, 0, 0, 0,
     "IA32_PMC0 (C1H), IN_TX = 1: instructions of"},
    {tsx_body_long_xabort, IN_TX, 2, 0, 0,
     "IA32_PMC2 (C3H), IN_TX = 1: instructions of"},
    {tsx_body_long, IN_TX, 3, 100, 30,
     "IA32_PMC3 (C4H), IN_TX = 1: instructions of"},
    {tsx_body_long_xabort, IN_TX | IN_TXCP, 2, 0, 3,
     "with IN_TX = IN_TXCP = 1 IA32_PMC2 (C3H) counted 12; wanted 8 at most"},
    {tsx_body_write_lines, IN_TX | IN_TXCP, 2, 0, 3,
     "stores to many lines: instructions of 3 aborted transactions with IN_TX "
     "= IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_write_lines, IN_TX, 1, 0, 2,
     "stores to many lines: instructions of 3 aborted transactions with IN_TX "
     "= 1: 6, of 1830 in all; wanted 8 at least"},
    {tsx_body_write_lines, IN_TX, 1, 100, 20,
     "IN_TX = 1: 1860, of 1830 in all"},
    {tsx_body_nest_deep, IN_TX | IN_TXCP, 2, 0, 3,
     "XABORT in the innermost: instructions of 3 aborted transactions with "
     "IN_TX = IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_nest_xend_xabort, IN_TX | IN_TXCP, 2, 0, 3,
     "XABORT after an inner one: instructions of 3 aborted transactions with "
     "IN_TX = IN_TXCP = 1: 9; wanted 6 at most"},
    {tsx_body_nest_deep, IN_TX, 1, 0, 2,
     "XABORT in the innermost: instructions "
     "of 3 aborted transactions with IN_TX "
     "= 1: 6, of 72 in all"},
};

/* IN_TX is of each event, inside and outside. */
static void each_event(void **state)
{
    static const struct {
        const uint8_t *body;
        uint64_t event, percent;
        int64_t add;
        const char *line;
    } events[] = {
        {tsx_body_spin, EVENT_INST_RETIRED, 100, 1,
         "IN_TX = 1: instructions outside of them: got 1, wanted 0 to 0"},
        {tsx_body_spin, CORE_CYCLES, 100, 1,
         "core cycles outside of them: got"},
        {tsx_body_spin, 0xc4, 100, 1, "branches outside of them: got 1"},
        {tsx_body_long_xabort, 0xc4, 0, 0,
         "branches of two transactions: got 2, wanted 3"},
        {NULL, CORE_CYCLES, 0, 0, "core cycles of two transactions: got 0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        begin(&test_tsx_in_tx_counts);
        wrong.body = events[i].body;
        wrong.only = events[i].event;
        wrong.tx = IN_TX;
        wrong.percent = events[i].percent;
        wrong.add = events[i].add;
        expect_case(case_end(), VERDICT_FAIL, events[i].line);
    }
}

/* And of such as are not exact. */
static void each_rough_event(void **state)
{
    static const struct {
        const uint8_t *body;
        uint64_t event;
        int tx;
        int64_t add, outside;
        const char *line; /* NULL: it passes */
    } events[] = {
        {NULL, 0, IN_TX, 0, 25, NULL},
        {NULL, 0, IN_TX, 0, 26, "mispredicted branches (C5H) outside of"},
        {NULL, 0, IN_TXCP, 0, 25, NULL},
        {NULL, 0, IN_TXCP, 0, -25, NULL},
        {NULL, 0, IN_TXCP, 0, 26, "stores (D0H/82H) outside of transactions"},
        {NULL, 0, IN_TXCP, 0, -26, "loads (D0H/81H) outside of transactions"},
        {tsx_body_write_lines, 0x82d0, IN_TX, -198, 0, NULL},
        {tsx_body_write_lines, 0x82d0, IN_TX, -199, 0, "wanted 8 at least"},
        {tsx_body_write_lines, 0x81d0, IN_TX | IN_TXCP, 51, 0, NULL},
        {tsx_body_write_lines, 0x81d0, IN_TX | IN_TXCP, 52, 0,
         "loads (D0H/81H) of 4 aborted transactions: with IN_TX = 1 800"},
        {tsx_body_write_lines, 0xc5, IN_TX | IN_TXCP, 52, 0,
         "mispredicted branches (C5H) of 4 aborted transactions"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        begin(&test_tsx_in_tx_counts);
        wrong.body = events[i].body;
        wrong.only = events[i].event;
        wrong.tx = events[i].tx;
        wrong.add = events[i].body != NULL ? events[i].add : 0;
        wrong.outside = events[i].outside;
        expect_case(case_end(),
                    events[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    events[i].line == NULL ? "" : events[i].line);
    }
}

static void set_row(const struct row *row)
{
    begin(&test_tsx_in_tx_counts);
    wrong.body = row->body;
    wrong.tx = row->tx;
    wrong.place = row->place;
    wrong.percent = row->percent;
    wrong.add = row->add;
}

static void each_count(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    expect_case(case_end(), VERDICT_PASS,
                "instructions: 780 = outside 100 + committed 340 + aborted 340,"
                " in 10 transactions");
    assert_null(strstr(t->text, "(nearly)"));
    assert_non_null(
        strstr(t->text, "OBSERVED a transaction with RDPMC commits: 1 of 1"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_row(&rows[i]);
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
    }
}

/* Of what is at the edges of a transaction no manual says on which side. */
static void edges(void **state)
{
    static const struct {
        int64_t add;
        enum verdict verdict;
    } sums[] = {{2, VERDICT_PASS}, {-4, VERDICT_PASS}, {5, VERDICT_FAIL}};
    static const struct {
        const uint8_t *body;
        unsigned tx;
        int64_t add;
    } least[] = {
        {tsx_body_write_lines, IN_TX, 0}, /* 8 of three transactions */
        {tsx_body_nest_deep, IN_TX, 0},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) { /* of each that commits: 20 in all */
        begin(&test_tsx_in_tx_counts);
        wrong.body = tsx_body_long;
        wrong.tx = IN_TX | IN_TXCP;
        wrong.add = sums[i].add;
        wrong.place = 2;
        expect_case(case_end(), sums[i].verdict,
                    sums[i].verdict == VERDICT_PASS ? "(nearly)"
                                                    : "wanted 780, +- 20");
    }
    for (size_t i = 0; i < 2; i++) {
        begin(&test_tsx_in_tx_counts);
        wrong.body = least[i].body;
        wrong.tx = (int)least[i].tx;
        wrong.place = 1;
        wrong.percent = 0;
        wrong.add = 3;
        expect_case(case_end(), VERDICT_PASS, "");
        begin(&test_tsx_in_tx_counts);
        wrong.body = least[i].body;
        wrong.tx = IN_TX | IN_TXCP;
        wrong.place = 2;
        wrong.percent = 0;
        wrong.add = 2;
        expect_case(case_end(), VERDICT_PASS, "");
    }
    begin(&test_tsx_in_tx_counts); /* errata of the fixed one are small */
    wrong.place = 32;
    wrong.add = -16;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_tsx_in_tx_counts);
    wrong.place = 32;
    wrong.add = -17;
    expect_case(case_end(), VERDICT_FAIL, "IA32_FIXED_CTR0 (309H) counted 122");
}

static void nesting_and_edge(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        begin(&test_tsx_in_tx_counts); /* of each level half, once or always */
        wrong.body = tsx_body_nest;
        wrong.place = 0;
        wrong.from = 3;
        wrong.to = more != 0 ? LATER : 5;
        wrong.percent = 50;
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "with one inside: 21, with 5 in one another "
                                "inside: 93; wanted 144 more"
                              : "");
        begin(&test_tsx_in_tx_counts);
        wrong.edge = true;
        wrong.add = 1 + more;
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "IN_TX = 1: 6; with EDGE = 1 too IA32_PMC1 "
                                "(C2H) counted 9"
                              : "");
    }
    begin(&test_tsx_in_tx_counts); /* one that aborts shows nothing */
    wrong.body = tsx_body_nest;
    wrong.add = -1;
    tsx_wrong(tsx_body_nest, aborted(0), 5);
    expect_case(case_end(), VERDICT_PASS, "");
}

static void overflow(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    wrong.status_lost = true;
    expect_case(case_end(), VERDICT_FAIL,
                "IA32_PERF_GLOBAL_STATUS (38EH)[0] is 0: it has overflowed");
    begin(&test_tsx_in_tx_counts);
    wrong.select_lost = true;
    expect_case(case_end(), VERDICT_FAIL,
                "IA32_PERFEVTSEL0 (186H) after a window: got 0x");
}

/* One more or less; each of the counters there are. */
static void reads(void **state)
{
    static const uint32_t indices[] = {0, 1, 2, 3, RDPMC_FIXED};
    static const char *const names[] = {"IA32_PMC0 (C1H), read", "IA32_PMC1",
                                        "IA32_PMC2", "IA32_PMC3",
                                        "IA32_FIXED_CTR0 (309H), read"};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (int64_t by = -2; by <= 2; by++) {
            const bool fails = by == -2 || by == 2;
            begin(&test_tsx_in_tx_counts);
            wrong.index = indices[i];
            wrong.read = by;
            expect_case(case_end(), fails ? VERDICT_FAIL : VERDICT_PASS,
                        fails ? names[i] : "");
            if (fails)
                assert_non_null(strstr(t->text, "in 3 of 3; wanted as many"));
        }
    begin(&test_tsx_in_tx_counts);
    tsx_wrong(tsx_body_rdpmc, aborted(0), 0);
    device.to = 2;
    expect_case(case_end(), VERDICT_PASS,
                "OBSERVED a transaction with RDPMC commits: 0 of 1");
}

/* Other aborts: such a window is made again. */
static void clean_windows(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_in_tx_counts);
        tsx_wrong(n == 0 ? tsx_body_long : tsx_body_long_xabort, aborted(0), 0);
        device.to = CLEAN - 2;
        expect_case(case_end(), VERDICT_PASS, "in 10 transactions");
        begin(&test_tsx_in_tx_counts);
        tsx_wrong(n == 0 ? tsx_body_long : tsx_body_long_xabort, aborted(0), 0);
        device.to = CLEAN - 1;
        expect_case(case_end(), VERDICT_SKIP, "in none of 100 windows");
    }
    begin(&test_tsx_in_tx_counts);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* Counter 2 after aborts, by errata of Skylake and Haswell (SKL194, HSD176). */
static void invalid(void **state)
{
    static const struct {
        uint16_t model;
        enum verdict verdict;
    } models[] = {
        {0x5e, VERDICT_KNOWN}, {0x6a, VERDICT_KNOWN}, {0x3d, VERDICT_FAIL}};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        static const struct {
            const uint8_t *body;
            int tx;
            unsigned to;
            const char *line;
        } bodies[] = {
            {tsx_body_long_xabort, IN_TXCP, 1,
             "in 2 of 12 windows with aborts"},
            {tsx_body_long_xabort, IN_TX, 0,
             "IA32_PMC2 (C3H), IN_TX = 1: instr"},
            {tsx_body_write_lines, IN_TX | IN_TXCP, 0, "stores to many lines"},
        };
        for (unsigned n = 0; n < 3; n++) {
            begin(&test_tsx_in_tx_counts);
            t->cpu.model = models[i].model;
            wrong.body = bodies[n].body;
            wrong.tx = bodies[n].tx;
            wrong.place = 2;
            wrong.add = INT64_C(1) << 40;
            wrong.to = bodies[n].to;
            expect_case(case_end(), models[i].verdict, bodies[n].line);
        }
    }
}

/* Where counter 3 is promised to work, and no fixed ones. */
static void fewer(void **state)
{
    (void)state;
    begin(&test_tsx_in_tx_counts);
    t->regime = REGIME_B;
    t->cpu.tsx_force_abort = true;
    wrong.place = 3;
    wrong.add = 1000;
    wrong.index = 3;
    wrong.read = 1000;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(&test_tsx_in_tx_counts);
    t->cpu.fixed_set = 0;
    wrong.place = 32;
    wrong.percent = 0;
    wrong.index = RDPMC_FIXED;
    wrong.read = 1000;
    expect_case(case_end(), VERDICT_PASS, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_count),
        cmocka_unit_test(each_event),
        cmocka_unit_test(each_rough_event),
        cmocka_unit_test(edges),
        cmocka_unit_test(nesting_and_edge),
        cmocka_unit_test(overflow),
        cmocka_unit_test(reads),
        cmocka_unit_test(clean_windows),
        cmocka_unit_test(invalid),
        cmocka_unit_test(fewer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
