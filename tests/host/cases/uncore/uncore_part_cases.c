/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_part_cases.c - an overflow that deviates in one part alone: of each
 * unit, or where one core is selected. */
#include "tests/host/cases/uncore/uncore_device.h"

extern const struct test test_uncore_pmi;

static const struct {
    enum deviation deviation;
    bool parts[PARTS]; /* in which it is to be seen */
} rows[] = {
    {STATUS_NONE, {true, true, true, true, true}},
    {STATUS_ALL, {true, true, true, true, true}},
    {FREEZE_IGNORED, {true, true, true, true, true}},
    /* FREEZE = 0 is asked of the fixed counter, with all cores. */
    {FREEZE_ALWAYS, {true, true, false, false, false}},
    {PMI_NOT_FORWARDED, {true, true, false, false, false}},
};

static void overflows_of_each_part(void **state)
{
    static const uint16_t models[] = {0x2a, 0x3c, 0x5e};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (next_part = EVERYWHERE; next_part < PARTS; next_part++)
            for (unsigned m = 0; m < 3; m++)
                if (verdict_of(&test_uncore_pmi, models[m],
                               rows[i].deviation) !=
                    (rows[i].parts[next_part] ? VERDICT_FAIL : VERDICT_PASS))
                    fail_msg("row %zu, part %u, 06_%XH: %s", i, next_part,
                             models[m], all[0].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflows_of_each_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
