/* SPDX-License-Identifier: BSD-2-Clause */
/* precise.c - which processors have which precise events, and since which
 * microcode. */
#include "src/pebs/precise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void by_model(void **state)
{
    static const struct {
        uint16_t family, model;
        uint8_t stepping;
        bool precise;
        uint32_t microcode;
    } rows[] = {
        {6, 0x8f, 8, true, 0},     {6, 0xcc, 1, false, 0}, /* later ones */
        {6, 0x1a, 5, true, 0},     {6, 0x2a, 7, true, 0x28},
        {6, 0x2a, 6, true, 0},     {6, 0x2d, 6, true, 0x618},
        {6, 0x2d, 7, true, 0x70c}, {6, 0x3a, 9, true, 0},
        {6, 0x3c, 3, true, 0},     {6, 0x4f, 1, true, 0},
        {6, 0x5e, 3, true, 0},     {6, 0x9e, 12, true, 0},
        {6, 0xa5, 5, true, 0},     {6, 0x37, 8, false, 0},  /* Silvermont */
        {6, 0x5c, 9, false, 0},                             /* Goldmont */
        {6, 0x6a, 6, true, 0},     {6, 0x7e, 5, true, 0},   /* Ice Lake */
        {15, 0x2a, 7, false, 0},   {6, 0x0f, 11, false, 0}, /* Core 2 */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = rows[i].family,
                                    .model = rows[i].model,
                                    .stepping = rows[i].stepping};
        assert_int_equal(precise_conditional_branches(&id), rows[i].precise);
        assert_int_equal(precise_microcode(&id), rows[i].microcode);
    }
}

static void selects(void **state)
{
    static const struct {
        uint8_t model, core_type;
        uint64_t branches, instructions;
    } rows[] = {
        {0x5e, 0, 0x01c4, 0x01c0},    {0x6a, 0, 0x11c4, 0x00c0},
        {0x8f, 0, 0x11c4, 0x00c0},    {0x97, 0x40, 0x11c4, 0x00c0},
        {0x97, 0x20, 0x7ec4, 0x00c0}, {0xbe, 0, 0x7ec4, 0x00c0},
    };
    const uint64_t flags = UINT64_C(0x100430000);

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = 6,
                                    .model = rows[i].model,
                                    .core_type = rows[i].core_type};
        assert_int_equal(
            precise_select(&id, flags | PRECISE_CONDITIONAL_BRANCHES),
            flags | rows[i].branches);
        assert_int_equal(precise_select(&id, flags | PRECISE_INSTRUCTIONS),
                         flags | rows[i].instructions);
        assert_int_equal(precise_select(&id, PRECISE_RTM_ABORTED),
                         PRECISE_RTM_ABORTED);
    }
}

/* PDist; reduced skid, of Gracemont alone. */
static void without_skid(void **state)
{
    static const struct {
        uint8_t model, core_type;
        unsigned distribution, counters;
    } rows[] = {
        {0x5e, 0, 0, 0},    {0x6a, 0, 0, 0},    {0x8f, 0, 1, 1},
        {0x97, 0x40, 1, 1}, {0x97, 0x20, 0, 1}, {0xbe, 0, 0, 1},
        {0xbd, 0x40, 2, 2}, {0xcc, 0x40, 0, 0}, /* not known */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = 6,
                                    .model = rows[i].model,
                                    .core_type = rows[i].core_type};
        assert_int_equal(precise_distribution(&id), rows[i].distribution);
        assert_int_equal(precise_without_skid(&id), rows[i].counters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_model),
                                       cmocka_unit_test(selects),
                                       cmocka_unit_test(without_skid)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
