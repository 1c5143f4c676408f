/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_cases.c - the cases of precise store, load latency and data
 * address profiling over a device that does as the manual says, and over its
 * deviations, each of which one case has to see. */
#include "tests/host/cases/memory/memory_fixture.h"

#define STORES  (SANDY_BRIDGE | IVY_BRIDGE)
#define DATALA  (HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE)
#define LATENCY (STORES | DATALA)

static const struct {
    const struct test *test;
    unsigned generations;
} cases[] = {
    {&test_precise_store_address, STORES},
    {&test_precise_store_status, STORES},
    {&test_precise_store_counters, STORES},
    {&test_precise_store_enable, STORES},
    {&test_load_latency_address, LATENCY},
    {&test_load_latency_enable, LATENCY},
    {&test_load_latency_threshold, LATENCY},
    {&test_load_latency_source, LATENCY},
    {&test_data_address, DATALA},
};

/* Nehalem has none of it that is known, and a later processor. */
static const uint16_t models[] = {0x1a, 0x2a, 0x3a, 0x3c, 0x3d,
                                  0x5e, 0x6a, 0x7e, 0x8f, 0xcc};

static void as_the_manual_says(void **state)
{
    (void)state;
    for (unsigned m = 0; m < sizeof(models) / sizeof(models[0]); m++)
        for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            bool has =
                (generation_of(6, models[m], 0) & cases[c].generations) != 0;
            if (verdict_of(cases[c].test, models[m], NONE) !=
                (has ? VERDICT_PASS : VERDICT_SKIP))
                fail_msg("%s on 06_%XH: %s", cases[c].test->name, models[m],
                         t->text);
            /* A facility that is not there is not touched. */
            assert_true(has ||
                        (device.windows == 0 && fake_written_count == 0));
        }
}

static void skip_names_the_successor(void **state)
{
    (void)state;
    verdict_of(&test_precise_store_address, 0x5e, NONE);
    assert_non_null(strstr(t->text, "has data address profiling"));
    verdict_of(&test_data_address, 0x3a, NONE);
    assert_non_null(strstr(t->text, "predecessor, precise store"));
}

static const struct {
    enum deviation deviation;
    enum verdict verdict;
    const struct test *catchers[3];
} catchers[] = {
#define FAILS(deviation, ...)    \
    {                            \
        deviation, VERDICT_FAIL, \
        {                        \
            __VA_ARGS__          \
        }                        \
    }
    FAILS(ADDRESS_OF_PREVIOUS, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_OFF_BY_8, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_OUTSIDE, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_OF_STORES_MISSING, &test_precise_store_address,
          &test_data_address),
    FAILS(ADDRESS_WIDE_OFF_BY_8, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_WITHOUT_FS, &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_WITHOUT_GS, &test_data_address),
    FAILS(ADDRESS_BEFORE_IMMEDIATE, &test_load_latency_address,
          &test_data_address),
    FAILS(ADDRESS_EVEN, &test_precise_store_address, &test_load_latency_address,
          &test_data_address),
    FAILS(ADDRESS_OF_STRING_AFTER, &test_precise_store_address,
          &test_data_address),
    FAILS(ADDRESS_OF_PUSH_BEFORE, &test_precise_store_address,
          &test_data_address),
    FAILS(LATENCY_OF_BYTE_0, &test_load_latency_address),
    FAILS(POP_SILENT, &test_data_address),
    FAILS(ADDRESS_WITHOUT_INDEX, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(ADDRESS_OF_UPDATE_BEHIND, &test_precise_store_address,
          &test_load_latency_address, &test_data_address),
    FAILS(LOCK_OF_BYTE_0, &test_precise_store_address,
          &test_load_latency_address),
    FAILS(DIRECT_SILENT, &test_data_address),
    FAILS(X87_SILENT, &test_data_address),
    FAILS(VEX_SILENT, &test_data_address),
    FAILS(STLB_NOT_OF_L1, &test_load_latency_source),
    FAILS(LOCK_BY_PREFIX, &test_precise_store_address,
          &test_load_latency_address),
    FAILS(L1D_HIT_NOT_RING3, &test_precise_store_status),
    FAILS(LOCK_AT_RING3, &test_precise_store_status),
    FAILS(L1D_HIT_INVERTED, &test_precise_store_status, &test_data_address),
    FAILS(L1D_HIT_NOT_OF_BYTES, &test_precise_store_status, &test_data_address),
    FAILS(L1D_HIT_ALWAYS, &test_precise_store_status, &test_data_address),
    FAILS(L1D_HIT_NEVER, &test_precise_store_status, &test_data_address),
    FAILS(STLB_ALWAYS, &test_precise_store_status, &test_load_latency_source),
    FAILS(STLB_NEVER, &test_precise_store_status, &test_load_latency_source),
    FAILS(LOCK_AT_BIT_4, &test_precise_store_status, &test_load_latency_source),
    FAILS(LOCK_ALWAYS, &test_precise_store_status, &test_load_latency_source),
    FAILS(LOCK_NEVER, &test_precise_store_status, &test_load_latency_source),
    FAILS(STATUS_MORE_BITS, &test_data_address),
    FAILS(LATENCY_JUNK, &test_data_address),
    {LATENCY_JUNK, VERDICT_PASS, {&test_precise_store_address}},
    FAILS(THRESHOLD_IGNORED, &test_load_latency_threshold),
    FAILS(THRESHOLD_LESS_1, &test_load_latency_threshold),
    FAILS(THRESHOLD_REACHED, &test_load_latency_threshold),
    FAILS(LATENCY_IS_THRESHOLD, &test_load_latency_threshold),
    FAILS(LATENCY_OF_8, &test_load_latency_threshold),
    FAILS(THRESHOLD_LOST, &test_load_latency_threshold),
    FAILS(SOURCE_SHIFTED, &test_load_latency_source),
    FAILS(SOURCE_ALWAYS_L1, &test_load_latency_source),
    FAILS(SOURCE_ALWAYS_MEMORY, &test_load_latency_source),
    FAILS(SOURCE_RESERVED_BIT, &test_load_latency_source),
    FAILS(NO_RECORDS, &test_precise_store_address, &test_precise_store_status,
          &test_data_address),
    FAILS(NO_SPLITS, &test_data_address),
    FAILS(LL_EN_IGNORED, &test_load_latency_enable),
    FAILS(ANY_LL_EN, &test_load_latency_enable),
    FAILS(STORES_AS_LOADS, &test_load_latency_enable),
    FAILS(PS_EN_IGNORED, &test_precise_store_enable),
    FAILS(STATE_BEFORE, &test_data_address),
    FAILS(LATENCY_CONSTANT, &test_load_latency_source),
    FAILS(LATENCY_HUGE, &test_load_latency_source, &test_load_latency_address),
    FAILS(EVENTING_IP_IS_RIP, &test_data_address, &test_load_latency_address),
    FAILS(L1_MISSES_WITHOUT_L2, &test_data_address),
    FAILS(COUNTER_2_SILENT, &test_data_address),
    /* What else a window does may have its records too. */
    {SOME_OUTSIDE, VERDICT_PASS, {&test_data_address}},
    /* With Hyper-Threading, as an erratum has it. */
    {EVENTS_OF_ALL_LOADS, VERDICT_KNOWN, {&test_data_address}},
    {L2_HITS_WITH_MEMORY, VERDICT_KNOWN, {&test_data_address}},
    {L2_MISSES_WITH_L2, VERDICT_KNOWN, {&test_data_address}},
    /* Of a few records, and of a later instruction. */
    {EVENTING_IP_ONCE,
     VERDICT_KNOWN,
     {&test_data_address, &test_load_latency_address}},
    {RIP_OF_LATER,
     VERDICT_KNOWN,
     {&test_data_address, &test_load_latency_address}},
    {NO_RECORDS,
     VERDICT_KNOWN,
     {&test_load_latency_address, &test_load_latency_threshold,
      &test_load_latency_source}},
};

/* With one thread a core the erratum is none; nor is that of records of a later
 * instruction where the processor has none of the kind. */
static void no_errata(void **state)
{
    (void)state;
    smt_shift = 0;
    assert_int_equal(verdict_of(&test_data_address, 0x3c, EVENTS_OF_ALL_LOADS),
                     VERDICT_FAIL);
    assert_int_equal(verdict_of(&test_data_address, 0x3c, L2_HITS_WITH_MEMORY),
                     VERDICT_FAIL);
    assert_int_equal(verdict_of(&test_data_address, 0x5e, L2_MISSES_WITH_L2),
                     VERDICT_FAIL);
    smt_shift = 1;
    assert_int_equal(verdict_of(&test_data_address, 0x5e, RIP_OF_LATER),
                     VERDICT_FAIL);
}

/* What records have from format 3 on. */
static void of_the_window(void **state)
{
    (void)state;
    for (enum deviation d = NO_COUNTER; d <= NO_TIME; d++) {
        assert_int_equal(verdict_of(&test_data_address, 0x5e, d), VERDICT_FAIL);
        assert_int_equal(verdict_of(&test_load_latency_address, 0x6a, d),
                         VERDICT_FAIL);
    }
}

static void every_deviation(void **state)
{
    (void)state;
    for (unsigned d = 0; d < sizeof(catchers) / sizeof(catchers[0]); d++)
        for (unsigned c = 0; c < 3 && catchers[d].catchers[c] != NULL; c++) {
            const struct test *test = catchers[d].catchers[c];
            uint16_t model =
                strncmp(test->name, "precise", 7) == 0 ? 0x3a : 0x3c;
            if (verdict_of(test, model, catchers[d].deviation) !=
                catchers[d].verdict)
                fail_msg("%s on 06_%XH, deviation %d: %s", test->name, model,
                         catchers[d].deviation, t->text);
        }
}

/* Adaptive records, and two latencies in them. What is not said of them there:
 * stores' A0H and A8H, blocked loads; and there is no LL_EN. */
static void every_later_deviation(void **state)
{
    static const uint16_t later[] = {0x6a, 0x8f};
    static const enum deviation none[] = {
        L1D_HIT_INVERTED,     L1D_HIT_ALWAYS,   L1D_HIT_NEVER,
        L1D_HIT_NOT_OF_BYTES, STATUS_MORE_BITS, SOURCE_RESERVED_BIT,
        LL_EN_IGNORED,        ANY_LL_EN,        LATENCY_JUNK,
        LATENCY_OF_8};

    (void)state;
    for (unsigned m = 0; m < sizeof(later) / sizeof(later[0]); m++)
        for (unsigned d = 0; d < sizeof(catchers) / sizeof(catchers[0]); d++)
            for (unsigned c = 0; c < 3 && catchers[d].catchers[c] != NULL;
                 c++) {
                const struct test *test = catchers[d].catchers[c];
                bool said = strncmp(test->name, "precise", 7) != 0 &&
                            catchers[d].verdict == VERDICT_FAIL;

                /* Of two latencies that of the access has no least. */
                said = said &&
                       (later[m] != 0x8f || test == &test_load_latency_source ||
                        (catchers[d].deviation != LATENCY_OF_BYTE_0 &&
                         catchers[d].deviation != LATENCY_HUGE));
                for (unsigned n = 0; n < sizeof(none) / sizeof(none[0]); n++)
                    said = said && none[n] != catchers[d].deviation;
                if (said && verdict_of(test, later[m], catchers[d].deviation) !=
                                VERDICT_FAIL)
                    fail_msg("%s on 06_%XH, deviation %d: %s", test->name,
                             later[m], catchers[d].deviation, t->text);
            }
    assert_int_equal(
        verdict_of(&test_load_latency_source, 0x8f, LATENCIES_SWAPPED),
        VERDICT_FAIL);
}

/* Each row of stores by itself. */
static void status_of_stores(void **state)
{
    static const struct {
        enum deviation deviation;
        const char *lines[3];
    } rows[] = {
        {L1D_HIT_NEVER,
         {"FAIL: stores to lines stored to just before: A0H[0]",
          "bytes: stores to lines stored to before and lines just flushed",
          "FAIL: stores to one page at ring 3: A0H[0]"}},
        {L1D_HIT_ALWAYS,
         {"FAIL: stores to lines just flushed (CLFLUSH): A0H",
          "bytes: stores to lines stored to before and lines just flushed"}},
        {STLB_NEVER, {"FAIL: stores to pages just invalidated (INVLPG): A0H"}},
        {STLB_ALWAYS,
         {"FAIL: stores to one page, again and again: A0H[4]",
          "FAIL: stores to 16 pages, locked: A0H[4]"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned lines = 0;

        verdict_of(&test_precise_store_status, 0x3a, rows[i].deviation);
        for (const char *at = t->text; (at = strstr(at, "FAIL: ")) != NULL;
             at++)
            lines++;
        for (unsigned n = 0; n < 3 && rows[i].lines[n] != NULL; n++) {
            const char *at = strstr(t->text, rows[i].lines[n]);
            if (at == NULL)
                fail_msg("not \"%s\": %s", rows[i].lines[n], t->text);
            for (; at != NULL; at = strstr(at + 1, rows[i].lines[n]))
                lines--; /* for each size */
        }
        if (lines != 0)
            fail_msg("%u lines more: %s", lines, t->text);
    }
}

/* A cache of level 3 that need not have what the second one has had no room
 * for: CPUID.04H:EDX[1]. */
static void inclusive(void **state)
{
    static const struct {
        uint32_t edx; /* of level 3, the third of the list */
        uint32_t leaf_max;
        enum verdict verdict;
    } rows[] = {{0, 0x16, VERDICT_PASS},
                {0, 4, VERDICT_PASS},
                {4, 0x16, VERDICT_PASS},
                {2, 0x16, VERDICT_FAIL},
                {0, 3, VERDICT_FAIL}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        power_on(&test_load_latency_source, 0x5e, L3_SAYS_MEMORY);
        fake_cpuid(4, 0, 0x21, 0, 0, 0);
        fake_cpuid(4, 1, 0x43, 0, 0, 2);
        fake_cpuid(4, 2, 0x63, 0, 0, rows[i].edx);
        t->cpu.leaf_max = rows[i].leaf_max;
        fake_body(t);
        restore_msrs(t);
        t->text[t->text_bytes] = '\0';
        if (t->verdict != rows[i].verdict)
            fail_msg("row %u: %s", (unsigned)i, t->text);
    }
    assert_non_null(strstr(t->text, "loads meant for L3: A0H[3:0] says so in "
                                    "0 of"));
}

/* A record that cannot be decoded is said, and nothing is judged by what it
 * would hold. */
static void records_of_no_format(void **state)
{
    static const struct test *const tests[] = {
        &test_load_latency_address,   &test_load_latency_enable,
        &test_load_latency_threshold, &test_load_latency_source,
        &test_load_latency_snoop,     &test_data_address};

    (void)state;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        assert_int_equal(verdict_of(tests[i], 0x6a, GROUP_UNKNOWN),
                         VERDICT_FAIL);
        const char *said = strstr(t->text, "FAIL: ");
        assert_non_null(said);
        if (strstr(said, "record 0: ") == NULL ||
            strstr(said + 1, "FAIL: ") != NULL)
            fail_msg("%s: %s", tests[i]->name, t->text);
    }
}

/* Processor 1 has the lines, and has stored to them, or not. */
static void lines_of_another_core(void **state)
{
    static const struct {
        uint16_t model;
        enum deviation deviation;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {0x2a, NONE, VERDICT_PASS, ""},
        {0x3c, NONE, VERDICT_PASS, ""},
        {0x5e, NONE, VERDICT_PASS, ""},
        {0x6a, NONE, VERDICT_PASS, ""},
        {0x8f, NONE, VERDICT_PASS, ""},
        {0x5e, SNOOP_NEVER, VERDICT_FAIL,
         "another core has modified: A0H[3:0] says that it has in 0 of"},
        {0x5e, SNOOP_ALWAYS, VERDICT_FAIL,
         "has and has not modified: A0H[3:0] says that it has in"},
        {0x8f, SNOOP_NEVER, VERDICT_FAIL, "has modified: A0H[3:0] says"},
        {0x5e, SNOOP_THIRD, VERDICT_FAIL, "wanted the first in more than half"},
        {0x5e, SNOOP_LATER, VERDICT_PASS, ""},
        {0x5e, SNOOP_FORWARDS, VERDICT_FAIL, "has and has not modified"},
        {0x6a, SNOOP_ALWAYS, VERDICT_PASS, ""}, /* 07H may be either */
        /* BDM100, and others like it. */
        {0x5e, SNOOP_MEMORY, VERDICT_FAIL, "most often CH (L3 miss, local"},
        {0x3c, SNOOP_MEMORY, VERDICT_KNOWN, "most often CH (L3 miss, local"},
        {0x3c, SNOOP_NEVER, VERDICT_FAIL, "in 0 of"},
        {0x5e, NO_RECORDS, VERDICT_FAIL, "another core has made no record"},
        {0x3c, NO_RECORDS, VERDICT_KNOWN, "another core has made no record"},
        {0x1a, NONE, VERDICT_SKIP, "load latency facility"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (verdict_of(&test_load_latency_snoop, rows[i].model,
                       rows[i].deviation) != rows[i].verdict ||
            strstr(t->text, rows[i].line) == NULL)
            fail_msg("06_%XH, deviation %d: %d, wanted %d and \"%s\": %s",
                     rows[i].model, rows[i].deviation, t->verdict,
                     rows[i].verdict, rows[i].line, t->text);
    /* What is modified is told in more than half, what is not in no more. */
    assert_null(strstr(t->text, "has and has not modified"));
    power_on(&test_load_latency_snoop, 0x5e, NONE);
    all[1].cpu.apic_id = 1;
    fake_body(t);
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_int_equal(device.windows, 0);
    restore_msrs(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(skip_names_the_successor),
        cmocka_unit_test(no_errata),
        cmocka_unit_test(of_the_window),
        cmocka_unit_test(every_deviation),
        cmocka_unit_test(every_later_deviation),
        cmocka_unit_test(status_of_stores),
        cmocka_unit_test(inclusive),
        cmocka_unit_test(records_of_no_format),
        cmocka_unit_test(lines_of_another_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
