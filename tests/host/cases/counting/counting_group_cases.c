/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_group_cases.c - events counted in groups of three and of four: each
 * counts what it has to, or one does not. */
#include "tests/host/cases/counting/counting_events.h"

#include <stdio.h>

static const struct listed {
    uint16_t model;
    uint8_t core_type;
    unsigned events, threes, fours;
} listed[] = {
    {0x5e, 0, 8, 3, 2}, {0x6a, 0, 7, 3, 2},    {0x8f, 0, 7, 3, 2},
    {0x2a, 0, 8, 4, 3}, {0x97, 0x20, 6, 2, 2}, {0xcc, 0, 2, 1, 1},
};

static void begin_groups(const struct listed *l)
{
    begin(&test_events_in_groups, l->model);
    t->cpu.core_type = l->core_type;
}

static void groups(void **state)
{
    static const struct {
        uint64_t event;
        const char *name;
    } events[] = {
        {0x00c0, "INST_RETIRED.ANY_P (C0H/00H)"},
        {0x00c4, "ALL_BRANCHES (C4H/00H)"},
        {0x01c4, "CONDITIONAL (C4H/01H)"},
        {0x02c4, "NEAR_CALL (C4H/02H)"},
        {0x08c4, "NEAR_RETURN (C4H/08H)"},
        {0x10c4, "NOT_TAKEN (C4H/10H)"},
        {0x20c4, "NEAR_TAKEN (C4H/20H)"},
        {0x01c0, "INST_RETIRED.ALL (C0H/01H)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
        char line[80];

        snprintf(line, sizeof(line), "%u events in %u groups of three and %u",
                 listed[i].events, listed[i].threes, listed[i].fours);
        begin_groups(&listed[i]);
        expect_case(counting_end(), VERDICT_PASS, line);
        assert_int_equal(device.windows,
                         2 * (listed[i].threes + listed[i].fours));
    }
    for (unsigned e = 0; e < 8; e++)
        for (int64_t more = -1; more <= 2; more += 3) {
            begin_groups(&listed[0]);
            for (unsigned n = 0; n < 4; n++) {
                begin_groups(&listed[0]);
                set_wrong(n, events[e].event, more, EVERY);
                const enum verdict verdict = counting_end();
                if (verdict == VERDICT_PASS) /* it is on another one */
                    continue;
                expect_case(verdict, VERDICT_FAIL, events[e].name);
                break;
            }
            assert_int_equal(t->verdict, VERDICT_FAIL);
        }
}

/* One instruction more in one of the ways is in each one's bounds. */
static void groups_differ(void **state)
{
    bool fails = false;

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        begin_groups(&listed[0]);
        set_wrong(n, 0xc0, 1, 1);
        if (counting_end() == VERDICT_FAIL)
            fails = strstr(t->text, "in 2 windows: 43 in groups of three, 42 "
                                    "in groups of four") != NULL;
    }
    assert_true(fails);
    begin_groups(&listed[3]);
    for (unsigned n = 0; n < 4; n++) { /* BJ090 */
        begin_groups(&listed[3]);
        set_wrong(n, 0x20c4, 1, EVERY);
        expect_case(counting_end(), VERDICT_PASS, "");
    }
    begin_groups(&listed[0]);
    t->regime = REGIME_E;
    expect_case(counting_end(), VERDICT_SKIP, "needs counter 3");
    assert_int_equal(device.windows, 0);
}

/* BDM061: instructions, by a few; wherever they are counted. */
static void groups_inconsistent(void **state)
{
    static const struct {
        int64_t more;
        enum verdict verdict;
    } rows[] = {{-5, VERDICT_FAIL},
                {-4, VERDICT_KNOWN},
                {0, VERDICT_PASS},
                {5, VERDICT_KNOWN},
                {6, VERDICT_FAIL}};
    const struct listed broadwell = {.model = 0x3d};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum verdict worst = VERDICT_PASS;

        for (unsigned n = 0; n < 4; n++) {
            begin_groups(&broadwell);
            t->cpu.stepping = 4;
            set_wrong(n, 0xc0, rows[i].more, EVERY);
            const enum verdict found = counting_end();
            worst = found > worst ? found : worst;
        }
        if (worst != rows[i].verdict)
            fail_msg("%d more: %d: %s", (int)rows[i].more, (int)worst, t->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(groups_differ),
        cmocka_unit_test(groups_inconsistent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
