/* SPDX-License-Identifier: BSD-2-Clause */
/* needs.c - each need met and missing, and the line that names it. */
#include "src/session/needs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct identity id;
static char text[NEEDS_TEXT_BYTES];

static bool met(struct needs needs, enum regime regime, unsigned processors)
{
    strcpy(text, "nothing");
    return needs_met(&needs, &id, regime, processors, text);
}

static void regimes(void **state)
{
    (void)state;
    id = (struct identity){.vendor = "GenuineIntel"};
    assert_true(met((struct needs){0, 0, 0}, REGIME_NONE, 1));
    assert_true(met((struct needs){REGIME_B | REGIME_C, 0, 0}, REGIME_C, 1));
    assert_string_equal(text, "nothing");
    assert_false(met((struct needs){REGIME_B, 0, 0}, REGIME_C, 1));
    assert_string_equal(text, "needs regime B; this one is C");
    assert_false(met((struct needs){REGIME_A | REGIME_F, 0, 0}, REGIME_B, 1));
    assert_string_equal(text, "needs regime A or F; this one is B");
    assert_false(met((struct needs){REGIME_C | REGIME_C_PRIME | REGIME_D, 0, 0},
                     REGIME_CONTRADICTORY, 1));
    assert_string_equal(text, "needs regime C, C' or D; this one is "
                              "contradictory");
    assert_false(met((struct needs){0x1fe, 0, 0}, REGIME_A, 1));
    assert_non_null(strstr(text, "this one is A"));
}

static void features(void **state)
{
    static const struct {
        enum feature feature;
        const char *line;
    } rows[] = {
        {NEED_RTM, "RTM (CPUID.7.0:EBX[11])"},
        {NEED_PMU, "version 2"},
        {NEED_PERFMON_4, "version 4"},
        {NEED_FULL_WIDTH, "IA32_PERF_CAPABILITIES[13]"},
        {NEED_TWO_PROCESSORS, "two logical processors"},
        {NEED_PEBS, "the debug store (CPUID.1:EDX[21])"},
        {NEED_PEBS_2, "format 2 to 6"},
        {NEED_PEBS_3, "needs PEBS records of format 3 to 6"},
        {NEED_ADAPTIVE_PEBS, "needs adaptive PEBS records"},
        {NEED_PT, "Processor Trace (CPUID.7.0:EBX[25])"},
        {NEED_PT_TOPA, "trace output by ToPA (CPUID.14H.0:ECX[0])"},
        {NEED_PT_RANGE, "single range (CPUID.14H.0:ECX[2])"},
        {NEED_OFFCORE, "off-core response bits"},
        {NEED_UNCORE, "needs the uncore of a client processor"},
        {NEED_LBR, "needs last branch records of a known format"},
        {NEED_INTEL, "an Intel processor; this one is \"Other\""},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct needs needs = {0, rows[i].feature, 0};
        id = (struct identity){.vendor = "Other",
                               .perfmon_version =
                                   rows[i].feature == NEED_PMU ? 1 : 3};
        assert_false(met(needs, REGIME_A, 1));
        assert_non_null(strstr(text, rows[i].line));
        id = (struct identity){
            .vendor = "GenuineIntel",
            .family = 6,
            .model = 0x5e,
            .rtm = true,
            .perfmon_version = rows[i].feature == NEED_PMU ? 2 : 4,
            .ds = true,
            .dtes64 = true,
            .counters = 4,
            .pebs_format = rows[i].feature == NEED_ADAPTIVE_PEBS ? 4 : 3,
            .pt = true,
            .leaf14_ecx = LEAF14_TOPA | LEAF14_RANGE,
            .pdcm = true,
            .perf_capabilities = 0x4005, /* with PEBS_BASELINE */
            .full_width_writes = true};
        assert_true(met(needs, REGIME_A, 2));
        id.arch_lbr = true;
        assert_int_equal(met(needs, REGIME_A, 2), rows[i].feature != NEED_LBR);
    }
}

/* Each thing that PEBS needs, missing alone. */
static void pebs(void **state)
{
    static const struct {
        bool ds, dtes64, unavailable;
        uint8_t format;
        const char *line;
    } rows[] = {
        {true, true, false, 1, "nothing"},
        {true, true, false, 3, "nothing"},
        {false, true, false, 3, "needs the debug store (CPUID.1:EDX[21])"},
        {true, false, false, 3, "needs a 64-bit DS area (CPUID.1:ECX[2])"},
        {true, true, true, 3,
         "needs PEBS; IA32_MISC_ENABLE (1A0H)[12] (PEBS unavailable) is 1"},
        {true, true, false, 0,
         "needs PEBS records of format 1 to 6 (IA32_PERF_CAPABILITIES[11:8])"},
        {true, true, false, 4,
         "needs adaptive PEBS (IA32_PERF_CAPABILITIES[14])"},
        {true, true, false, 7,
         "needs PEBS records of format 1 to 6, not later ones "
         "(IA32_PERF_CAPABILITIES[11:8])"},
    };
    const struct needs needs = {.features = NEED_PEBS};

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        id = (struct identity){.vendor = "GenuineIntel",
                               .ds = rows[i].ds,
                               .dtes64 = rows[i].dtes64,
                               .counters = 4,
                               .pebs_unavailable = rows[i].unavailable,
                               .pebs_format = rows[i].format};
        assert_int_equal(met(needs, REGIME_A, 1), i < 2);
        assert_string_equal(text, rows[i].line);
        id.counters = 3;
        assert_false(met(needs, REGIME_A, 1));
    }
    assert_int_equal(id.pebs_format, 7);
    id.pebs_format = 3;
    assert_false(met(needs, REGIME_A, 1));
    assert_string_equal(
        text, "needs the four general-purpose counters that PEBS has");
}

/* In a guest: not where it is the project's own simulator's. */
static void guest(void **state)
{
    static const struct {
        enum feature feature;
        bool asks;
    } rows[] = {
        {NEED_HLE, true},     {NEED_PEBS, true}, {NEED_UNCORE, true},
        {NEED_OFFCORE, true}, {NEED_RTM, false}, {NEED_PMU, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct needs needs = {.features = rows[i].feature};
        id = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = 0x5e,
                               .rtm = true,
                               .hle = true,
                               .perfmon_version = 4,
                               .ds = true,
                               .dtes64 = true,
                               .counters = 4,
                               .pebs_format = 3,
                               .hypervisor = true,
                               .hypervisor_name = "KVMKVMKVM"};
        assert_int_equal(met(needs, REGIME_A, 1), !rows[i].asks);
        if (rows[i].asks)
            assert_non_null(strstr(text, "needs a bare machine"));
        strcpy(id.hypervisor_name, IDENTITY_SIMULATED);
        assert_true(met(needs, REGIME_A, 1));
    }
}

/* A trace may go to one of two kinds of memory, or to neither. */
static void trace(void **state)
{
    const struct needs needs = {.features = NEED_PT};

    (void)state;
    id = (struct identity){.vendor = "GenuineIntel", .pt = true};
    assert_false(met(needs, REGIME_A, 1));
    assert_string_equal(
        text, "needs a trace in memory (CPUID.14H.0:ECX[0] or ECX[2])");
    id.leaf14_ecx = LEAF14_RANGE;
    assert_true(met(needs, REGIME_A, 1));
    id.leaf14_ecx = LEAF14_TOPA;
    assert_true(met(needs, REGIME_A, 1));
}

/* Needs that one bit alone decides: of CPUID.14H.0, of 345H, or of the fixed
 * counters. */
static void bits(void **state)
{
    static const struct {
        enum feature feature;
        enum { LEAF14_EBX, LEAF14_ECX, CAPABILITIES, FIXED } word;
        unsigned bit;
        const char *line;
    } rows[] = {
        {NEED_PT_TOPA, LEAF14_ECX, 0, "ToPA (CPUID.14H.0:ECX[0])"},
        {NEED_PT_RANGE, LEAF14_ECX, 2, "range (CPUID.14H.0:ECX[2])"},
        {NEED_PT_EVENT, LEAF14_EBX, 7, "event trace (CPUID.14H.0:EBX[7])"},
        {NEED_PT_DISTNT, LEAF14_EBX, 8, "without TNT (CPUID.14H.0:EBX[8])"},
        {NEED_PT_PTWRITE, LEAF14_EBX, 4, "PTWRITE (CPUID.14H.0:EBX[4])"},
        {NEED_METRICS, CAPABILITIES, 15, "IA32_PERF_CAPABILITIES[15]"},
        {NEED_METRICS, FIXED, 3, "IA32_FIXED_CTR3"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        for (unsigned bit = 0; bit < 32; bit++) {
            const uint32_t one = 1u << bit;

            id = (struct identity){.vendor = "GenuineIntel",
                                   .perf_capabilities = 0x8000,
                                   .fixed_set = 8};
            if (rows[n].word == LEAF14_EBX)
                id.leaf14_ebx = one;
            if (rows[n].word == LEAF14_ECX)
                id.leaf14_ecx = one;
            if (rows[n].word == CAPABILITIES)
                id.perf_capabilities = one;
            if (rows[n].word == FIXED)
                id.fixed_set = one;
            assert_int_equal(
                met((struct needs){.features = rows[n].feature}, REGIME_A, 1),
                bit == rows[n].bit);
            assert_true((strstr(text, rows[n].line) == NULL) ==
                        (bit == rows[n].bit));
        }
    for (unsigned n = 0; n < 8; n++) {
        id = (struct identity){.vendor = "GenuineIntel",
                               .rtm = n & 1,
                               .hle = n & 2,
                               .tsxldtrk = n & 4};
        assert_int_equal(met((struct needs){0, NEED_RTM, 0}, REGIME_A, 1),
                         n & 1);
        assert_int_equal(met((struct needs){0, NEED_HLE, 0}, REGIME_A, 1),
                         n >> 1 & 1);
        assert_int_equal(met((struct needs){0, NEED_TSXLDTRK, 0}, REGIME_A, 1),
                         n >> 2);
    }
}

/* PEBS records of which format are enough for which need. */
static void formats(void **state)
{
    static const struct {
        enum feature feature;
        uint8_t least, most;
    } rows[] = {{NEED_PEBS, 1, 4},
                {NEED_PEBS_2, 2, 15},
                {NEED_PEBS_3, 3, 15},
                {NEED_ADAPTIVE_PEBS, 4, 4}};

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        for (uint8_t format = 0; format < 16; format++) {
            id = (struct identity){.vendor = "GenuineIntel",
                                   .ds = true,
                                   .dtes64 = true,
                                   .counters = 4,
                                   .pebs_format = format,
                                   .perf_capabilities = 0x4000};
            assert_int_equal(
                met((struct needs){0, rows[n].feature, 0}, REGIME_A, 1),
                format >= rows[n].least && format <= rows[n].most);
        }
    for (uint8_t version = 0; version < 6; version++) {
        id = (struct identity){.vendor = "GenuineIntel",
                               .perfmon_version = version};
        assert_int_equal(met((struct needs){0, NEED_PMU, 0}, REGIME_A, 1),
                         version >= 2);
        assert_int_equal(met((struct needs){0, NEED_PERFMON_4, 0}, REGIME_A, 1),
                         version >= 4);
    }
}

static void counters(void **state)
{
    (void)state;
    for (unsigned there = 0; there < 10; there++)
        for (unsigned needed = 0; needed < 10; needed++) {
            id = (struct identity){.vendor = "GenuineIntel",
                                   .family = 6,
                                   .model = 0x2a,
                                   .counters = (uint8_t)there};
            assert_int_equal(met((struct needs){0, 0, needed}, REGIME_A, 1),
                             there >= needed);
            /* A core has 8 for two threads, or for one. */
            assert_true((strstr(text, "with Hyper-Threading off") != NULL) ==
                        (there == 4 && needed > 4 && needed <= 8));
        }
    /* Not those of other generations, nor what a hypervisor has for a guest. */
    for (unsigned n = 0; n < 3; n++) {
        static const uint8_t models[] = {0x2c, 0x5c, 0x5e};

        id = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = models[n],
                               .hypervisor = n == 2,
                               .counters = 4};
        assert_false(met((struct needs){0, 0, 5}, REGIME_A, 1));
        assert_string_equal(text,
                            "needs 5 general-purpose counters; there are 4");
    }
    id = (struct identity){
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .counters = 4};
    assert_true(met((struct needs){0, 0, 4}, REGIME_A, 1));
    assert_false(met((struct needs){0, 0, 5}, REGIME_A, 1));
    assert_string_equal(
        text, "needs 5 general-purpose counters; there are 4, and may "
              "be 8 with Hyper-Threading off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regimes), cmocka_unit_test(features),
        cmocka_unit_test(pebs),    cmocka_unit_test(guest),
        cmocka_unit_test(trace),   cmocka_unit_test(bits),
        cmocka_unit_test(formats), cmocka_unit_test(counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
