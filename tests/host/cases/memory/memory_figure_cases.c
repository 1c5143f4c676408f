/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_figure_cases.c - the figures that the cases of memory say, the
 * thresholds that they try, and the latencies of the levels. */
#include "tests/host/cases/memory/memory_fixture.h"

/* A window has 96 accesses, of which each third makes a record; of loads one in
 * three is tagged. */
static void figures(void **state)
{
    static const struct {
        const struct test *test;
        uint16_t model;
        enum deviation deviation;
        const char *lines[2];
    } rows[] = {
        {&test_precise_store_address,
         0x3a,
         NONE,
         {"1024 records of stores, 0 of instructions around them"}},
        {&test_precise_store_counters,
         0x3a,
         NONE,
         {"NOT OBSERVED a window of stores makes records of IA32_PMC0 (C1H); 0 "
          "of 0 with the address: 0 of 2",
          "IA32_PMC2 (C3H); 0 of 0 with the address: 0 of 2"}},
        {&test_precise_store_counters,
         0x3a,
         PS_EN_OF_ANY,
         {"\nOBSERVED a window of stores makes records of IA32_PMC1 (C2H); 64 "
          "of 64 with the address: 2 of 2",
          "IA32_PMC2 (C3H); 64 of 64 with the address: 2 of 2"}},
        {&test_load_latency_address,
         0x5e,
         NONE,
         {"180 records of loads, latencies 5 to 5"}},
        {&test_load_latency_threshold,
         0x5e,
         THRESHOLD_SOMETIMES,
         {"just the threshold's latency: 4 of 64"}},
        {&test_load_latency_threshold,
         0x5e,
         BELOW_SOMETIMES,
         {"than the threshold's latency: 2 of 60"}},
        {&test_load_latency_threshold,
         0x5e,
         SLOWER_LATER,
         {"L1 hits: ", "flushed lines: "}},
        {&test_data_address,
         0x5e,
         NONE,
         {"OBSERVED an event of a cache or TLB made records: 2 of 6"}},
        {&test_data_address,
         0x3c,
         NONE,
         {"OBSERVED an event of a cache or TLB made records: 4 of 8"}},
        {&test_load_latency_source,
         0x5e,
         NONE,
         {"L1 L1 data cache, L2 L2, L3 L3 hit, no snoop, flushed L3 miss, "
          "local DRAM, to exclusive state,",
          "from L1 5, L2 12, L3 42, flushed 230 core"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (verdict_of(rows[i].test, rows[i].model, rows[i].deviation) !=
            VERDICT_PASS)
            fail_msg("%s, deviation %d: %s", rows[i].test->name,
                     rows[i].deviation, t->text);
        for (unsigned n = 0; n < 2 && rows[i].lines[n] != NULL; n++)
            if (strstr(t->text, rows[i].lines[n]) == NULL)
                fail_msg("%s says not \"%s\": %s", rows[i].test->name,
                         rows[i].lines[n], t->text);
        if (rows[i].deviation == THRESHOLD_SOMETIMES) /* just it is not less */
            assert_null(strstr(t->text, "than the threshold's latency"));
    }
}

/* Of loads of 5 and of 230 cycles: the least that counts, one more than each
 * takes, and what it takes. */
static void thresholds_tried(void **state)
{
    static const uint64_t tried[] = {3, 6,   32, 128, 512, 5,
                                     3, 231, 32, 128, 512, 230};
    unsigned at = 0;

    (void)state;
    assert_int_equal(verdict_of(&test_load_latency_threshold, 0x5e, NONE),
                     VERDICT_PASS);
    for (unsigned i = 0; i < thresholds_count && at < 12; i++)
        at += thresholds[i] == tried[at];
    assert_int_equal(at, 12);
    assert_null(strstr(t->text, "OBSERVED"));
    assert_int_equal(verdict_of(&test_load_latency_source, 0x5e, NONE),
                     VERDICT_PASS);
    assert_int_equal(thresholds[0], 3);
}

/* Only of the first level it is known that it takes little more than 4. */
static void latencies_of_levels(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(&test_load_latency_source, 0x5e, ALL_SLOWER),
                     VERDICT_FAIL);
    assert_non_null(strstr(t->text, "half of the loads from L1 took 45 core"));
    assert_null(strstr(t->text, "half of those from"));
    assert_int_equal(verdict_of(&test_load_latency_source, 0x5e, L2_SLOWER),
                     VERDICT_PASS);
    assert_int_equal(verdict_of(&test_load_latency_source, 0x5e, L2_SLOWEST),
                     VERDICT_FAIL);
    assert_non_null(strstr(t->text, "half of the loads from L2 took 50 core "
                                    "cycles or more, half of those from L3 "
                                    "42; wanted more"));
}

/* Core cycles, of which there may be more than of the TSC, but not as many. */
static void latencies_of_a_fast_core(void **state)
{
    (void)state;
    assert_int_equal(
        verdict_of(&test_load_latency_address, 0x5e, LATENCY_THREEFOLD),
        VERDICT_PASS);
    assert_int_equal(
        verdict_of(&test_load_latency_address, 0x5e, LATENCY_FIVEFOLD),
        VERDICT_FAIL);
    assert_non_null(strstr(t->text, "its loads waited for each other"));
}

/* Gracemont has an event of its own for the latency of loads, and one for that
 * of stores. */
static void gracemont(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(&test_load_latency_address, 0xbe, NONE),
                     VERDICT_PASS);
    assert_non_null(strstr(t->text, "32 records of stores, latencies 5 to 5"));
    assert_int_equal(
        verdict_of(&test_load_latency_address, 0xbe, STORES_SILENT),
        VERDICT_FAIL);
    assert_non_null(
        strstr(t->text, "96 stores made 0 records, 96 locked ones 0"));
    assert_int_equal(
        verdict_of(&test_load_latency_address, 0xbe, LOCKED_SILENT),
        VERDICT_FAIL);
    assert_int_equal(verdict_of(&test_load_latency_threshold, 0xbe, NONE),
                     VERDICT_PASS);
    assert_int_equal(verdict_of(&test_load_latency_enable, 0xbe, NONE),
                     VERDICT_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(thresholds_tried),
        cmocka_unit_test(latencies_of_levels),
        cmocka_unit_test(latencies_of_a_fast_core),
        cmocka_unit_test(gracemont),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
