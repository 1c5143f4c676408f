/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_cases.c - the off-core and uncore cases over a device that does
 * as the manual says, and over the same with one deviation at a time: each is
 * caught, by the case that it concerns. */
#include "tests/host/cases/uncore/uncore_device.h"

extern const struct test test_offcore_counts, test_offcore_reserved,
    test_uncore_clock, test_uncore_cboxes, test_uncore_arb, test_uncore_pmi,
    test_uncore_reserved, test_uncore_overflow;

/* Which of the cases sees it. */
static const struct {
    enum deviation deviation;
    const struct test *catcher;
} catchers[] = {
    {OFFCORE_CACHED, &test_offcore_counts},
    {OFFCORE_ZERO_IS_ALL, &test_offcore_counts},
    {OFFCORE_TWICE, &test_offcore_counts},
    {OFFCORE_BBH_DEAD, &test_offcore_counts},
    {OFFCORE_PMC2_DEAD, &test_offcore_counts},
    {OFFCORE_LOSES, &test_offcore_counts},
    {OFFCORE_REQUEST_IGNORED, &test_offcore_counts},
    {OFFCORE_SUPPLIER_IGNORED, &test_offcore_counts},
    {OFFCORE_RESPONSE_IGNORED, &test_offcore_counts},
    {OFFCORE_RESERVED_TAKEN, &test_offcore_reserved},
    {OFFCORE_SNOOP_IGNORED, &test_offcore_counts},
    {OFFCORE_STORES_ARE_READS, &test_offcore_counts},
    {OFFCORE_BIT_LOST, &test_offcore_reserved},
    {CLOCK_DEAD, &test_uncore_clock},
    {CLOCK_WITHOUT_GLOBAL, &test_uncore_clock},
    {CLOCK_WITHOUT_OWN, &test_uncore_clock},
    {CLOCK_UNSTEADY, &test_uncore_clock},
    {CBOX_NONE, &test_uncore_cboxes},
    {CBOX_DEAD, &test_uncore_cboxes},
    {CBOX_CACHED, &test_uncore_cboxes},
    {CBOX_NO_STATE, &test_uncore_cboxes},
    {CBOX_TWICE, &test_uncore_cboxes},
    {CBOX_FIRST, &test_uncore_cboxes},
    {ARB_COUNTER1_DEAD, &test_uncore_arb},
    {ARB_CACHED, &test_uncore_arb},
    {ARB_NO_OCCUPANCY, &test_uncore_arb},
    {ARB_OCCUPANCY_IS_REQUESTS, &test_uncore_arb},
    {ARB_READS_ARE_WRITES, &test_uncore_arb},
    {ARB_NO_WRITES, &test_uncore_arb},
    {CTRL_WAKE_LOST, &test_uncore_reserved},
    {CTRL_CORES_LOST, &test_uncore_reserved},
    {PMI_WITHOUT_DEBUGCTL, &test_uncore_pmi},
    {PMI_WITHOUT_CORE, &test_uncore_pmi},
    {PMI_NOT_FORWARDED, &test_uncore_pmi},
    {STATUS_NONE, &test_uncore_pmi},
    {STATUS_ALL, &test_uncore_pmi},
    {FREEZE_IGNORED, &test_uncore_pmi},
    {FREEZE_ALWAYS, &test_uncore_pmi},
};
_Static_assert(sizeof(catchers) / sizeof(catchers[0]) == DEVIATIONS - 1,
               "a catcher for each");

static const uint16_t models[] = {0x2a, 0x3c, 0x5e};
#define MODELS (sizeof(models) / sizeof(models[0]))

static void as_the_manual_says(void **state)
{
    static const struct test *const cases[] = {
        &test_offcore_counts,  &test_offcore_reserved, &test_uncore_clock,
        &test_uncore_cboxes,   &test_uncore_arb,       &test_uncore_pmi,
        &test_uncore_reserved, &test_uncore_overflow};

    (void)state;
    for (unsigned m = 0; m < MODELS; m++)
        for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            if (verdict_of(cases[c], models[m], NONE) != VERDICT_PASS)
                fail_msg("%s on 06_%XH: %s", cases[c]->name, models[m],
                         all[0].text);
        }
    clock_bits = 48; /* as Linux has it */
    for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        if (verdict_of(cases[c], 0x5e, NONE) != VERDICT_PASS)
            fail_msg("%s: %s", cases[c]->name, all[0].text);
    clock_bits = 0;
}

static void every_deviation(void **state)
{
    (void)state;
    for (unsigned m = 0; m < MODELS; m++)
        for (unsigned d = 0; d < DEVIATIONS - 1; d++)
            if (verdict_of(catchers[d].catcher, models[m],
                           catchers[d].deviation) != VERDICT_FAIL)
                fail_msg("%s on 06_%XH, deviation %d: %s",
                         catchers[d].catcher->name, models[m],
                         catchers[d].deviation, all[0].text);
}

/* Those of the status and of FREEZE, by the counters one by one as well. */
static void overflows(void **state)
{
    static const enum deviation seen[] = {STATUS_NONE, STATUS_ALL,
                                          FREEZE_IGNORED, FREEZE_ALWAYS,
                                          CLOCK_WITHOUT_GLOBAL};

    (void)state;
    for (unsigned m = 0; m < MODELS; m++)
        for (unsigned i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
            if (verdict_of(&test_uncore_overflow, models[m], seen[i]) !=
                VERDICT_FAIL)
                fail_msg("on 06_%XH, deviation %d: %s", models[m], seen[i],
                         all[0].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says),
        cmocka_unit_test(every_deviation),
        cmocka_unit_test(overflows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
