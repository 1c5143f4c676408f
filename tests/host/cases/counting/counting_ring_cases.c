/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_ring_cases.c - what counts at which ring, where each counter counts
 * as it has to, or one does not. */
#include "tests/host/cases/counting/counting_body.h"

#include <stdio.h>

extern const struct test test_counter_inner_rings, test_counter_privilege;

static void begin_inner(void)
{
    counting_begin(&test_counter_inner_rings, 4, 0);
}

static void inner_rings(void **state)
{
    /* Counters 0 and 2 are for rings 1 to 3, the others for ring 0. */
    static const struct {
        unsigned place, ring;
        int64_t more;
        bool ignores;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {0, 1, 3, false, VERDICT_FAIL, "counted 69 of a body at ring 1"},
        {2, 2, 3, false, VERDICT_FAIL, "counted 69 of a body at ring 2"},
        {0, 2, 2, false, VERDICT_PASS, ""},
        {0, 1, -2, false, VERDICT_PASS, ""},
        {0, 1, -11, false, VERDICT_FAIL, "rings 1 to 3 alone, counted 55"},
        {0, 1, -10, false, VERDICT_KNOWN, "CPL"},
        {2, 1, -66, false, VERDICT_FAIL, "wanted 64 to 68, as at ring 3"},
        {1, 1, 66, true, VERDICT_FAIL, "IA32_PMC1 (C2H), for ring 0 alone"},
        {3, 2, 66, true, VERDICT_FAIL, "IA32_PMC3 (C4H), for ring 0 alone"},
        {FIXED(0), 1, -200, false, VERDICT_FAIL, "309H), for rings 1 to 3"},
        {FIXED(0), 2, 3, false, VERDICT_FAIL, "309H), for rings 1 to 3"},
        {0, 3, -3, false, VERDICT_FAIL,
         "counted 63 branches of a body at ring 3; wanted 64 or more"},
    };

    (void)state;
    begin_inner();
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 4 + 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_inner();
        set_wrong(rows[i].place, EVERY, rows[i].ring, rows[i].more);
        device.wrong.levels_ignored = rows[i].ignores;
        expect_case(counting_end(), rows[i].verdict,
                    rows[i].verdict == VERDICT_KNOWN ? "ring 1" : rows[i].line);
    }
    /* 32 more once, of four times at ring 3, are left out. */
    begin_inner();
    set_wrong(FIXED(0), EVERY, 3, 32);
    device.wrong.window = 2;
    expect_case(counting_end(), VERDICT_PASS, "");
    begin_inner();
    ring3_raises = 13;
    expect_case(rings_end(), VERDICT_ERROR, "at ring 3");
    assert_int_equal(device.windows, 1);
    ring3_raises = HW_NO_FAULT;
}

static void begin_privilege(unsigned place, uint64_t event, unsigned ring,
                            int64_t more)
{
    counting_begin(&test_counter_privilege, 4, 8);
    set_wrong(place, event, ring, more);
}

/* In the first four windows counter 0 has neither, 1 OS, 2 USR, 3 both. */
static void privilege(void **state)
{
    static const struct {
        unsigned place;
        uint64_t event;
        unsigned ring;
        int64_t more;
        bool ignores;
        unsigned window;
        const char *line; /* NULL: it passes */
    } rows[] = {
        {0, 0xc4, 0, 1, true, 1, "C1H) with neither OS nor USR counted 1"},
        {0, 0xc4, 3, 1, true, 2, "C1H) with neither OS nor USR counted 1"},
        {1, 0xc4, 3, 5, true, 2, "C2H) with OS alone counted"},
        {2, 0xc4, 0, 1, true, 1, "C3H) with USR alone counted 1 branches"},
        {1, 0xc4, 0, 1, false, 1,
         "C2H) with OS alone counted 9 branches of "
         "a window at ring 0; wanted 8 to 8"},
        {1, 0xc4, 0, -1, false, 1, "wanted 8 to 8"},
        {3, 0xc4, 0, 1, false, 1, "C4H) with OS and USR counted 9"},
        {3, 0xc4, 3, 1, false, 2, "wanted 27 to 27"},
        {3, 0xc4, 3, -1, false, 2, "wanted 27 to 27"},
        {2, 0xc4, 3, 3, false, 2,
         "C3H) with USR alone counted 25 branches of "
         "a window at ring 0 and ring 3; wanted 20 "
         "to 24"},
        {2, 0xc4, 3, 1, false, 2, "a change of ring counts once"},
        {2, 0xc0, 3, 5, false, 4, "with USR alone counted 57 instructions"},
        {3, 0xc0, 0, 2, false, 3, "with OS and USR counted 141 instructions"},
        {3, 0xc0, 0, -1, false, 3, "wanted 139 to 140"},
        {3, 0xc0, 0, 1, false, 3, NULL},
        {FIXED(0), EVERY, 0, 1, true, 1, "309H) with neither OS nor USR"},
        {FIXED(0), EVERY, 0, 2, false, 5, "309H) with OS alone counted 141"},
        {FIXED(1), EVERY, 0, 1, true, 5, "30AH) with USR alone counted 1 "},
        {FIXED(1), EVERY, 0, -1390, false, 1, "OS alone counted 0 cycles"},
        {1, 0x3c, 0, 1, true, 7, "C2H) with USR alone counted 1 cycles"},
        {FIXED(2), EVERY, 0, 1, true, 1, "30BH) with USR alone counted 1 "},
        {FIXED(2), EVERY, 0, 1, true, 3, "30BH) with USR alone counted 1 "},
        {1, 0x3c, 0, 300, false, 3, "core cycles of a window at ring 0; "},
        {1, 0x3c, 0, -300, false, 3, "core cycles of a window at ring 0; "},
        {1, 0x3c, 0, 100, false, 3, NULL},
        {0, 0x40c4, 0, 3, true, EVERY, "neither OS nor USR counted 3 far"},
        {3, 0x40c4, 3, 1, false, EVERY, "counted 5 far branches (C4H/40H)"},
        {1, 0x40c4, 0, 1, false, EVERY, "OS alone and USR alone together"},
    };

    (void)state;
    begin_privilege(0, EVERY, 0, 0);
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 8 + 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_privilege(rows[i].place, rows[i].event, rows[i].ring,
                        rows[i].more);
        device.wrong.levels_ignored = rows[i].ignores;
        device.wrong.window = rows[i].window;
        expect_case(counting_end(),
                    rows[i].line == NULL ? VERDICT_PASS : VERDICT_FAIL,
                    rows[i].line == NULL ? "" : rows[i].line);
    }
    /* SKL117: too few by some, of one level alone. */
    begin_privilege(2, 0xc4, 3, -4);
    device.wrong.window = 2;
    expect_case(counting_end(), VERDICT_KNOWN, "USR alone");
    begin_privilege(2, 0xc4, 3, -11);
    device.wrong.window = 2;
    expect_case(counting_end(), VERDICT_FAIL, "USR alone");
    begin_privilege(0, EVERY, 0, 0);
    device.pmi_is_usr = true;
    expect_case(counting_end(), VERDICT_FAIL, "with OS alone");
    begin_privilege(0, EVERY, 0, 0);
    ring3_raises = 14;
    expect_case(rings_end(), VERDICT_ERROR, "#PF at ring 3");
    ring3_raises = HW_NO_FAULT;
}

/* BDM126: counters 4 to 7 with USR alone do not count at all. */
static void privilege_of_more_counters(void **state)
{
    (void)state;
    for (unsigned model = 0x3d; model <= 0x5e; model += 0x21)
        for (unsigned place = 2; place < 8; place += 4)
            for (int64_t more = -22; more <= -21; more++) {
                char line[16];

                counting_begin(&test_counter_privilege, 8, 8);
                set_model((uint16_t)model, 0);
                all[1].cpu.apic_id = 2;
                set_wrong(place, 0xc4, 3, more);
                device.wrong.window = 2;
                snprintf(line, sizeof(line), "IA32_PMC%u", place);
                const bool known = model == 0x3d && more == -22 && place >= 4;
                expect_case(counting_end(),
                            known ? VERDICT_KNOWN : VERDICT_FAIL, line);
            }
}

/* BDD101: too many where the core's other thread counts; SKL117: too few. */
static void far_branches(void **state)
{
    static const struct {
        uint16_t model;
        bool siblings;
        int64_t more; /* at ring 3, of IA32_PMC3 */
        enum verdict verdict;
    } rows[] = {
        {0x47, true, 1, VERDICT_KNOWN},   {0x3d, true, 1, VERDICT_KNOWN},
        {0x47, false, 1, VERDICT_FAIL},   {0x5e, true, 1, VERDICT_FAIL},
        {0x5e, false, -1, VERDICT_KNOWN}, {0x3c, false, -1, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_privilege(3, 0x40c4, 3, rows[i].more);
        set_model(rows[i].model, 0);
        all[1].cpu.apic_id = rows[i].siblings ? 1 : 2;
        expect_case(counting_end(), rows[i].verdict,
                    rows[i].more > 0 ? "counted 5 far branches (C4H/40H)"
                                     : "counted 3 far branches (C4H/40H)");
    }
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin_inner();
    hit_by_smis();
    begin_privilege(0, EVERY, 0, 0);
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_rings),
        cmocka_unit_test(privilege),
        cmocka_unit_test(privilege_of_more_counters),
        cmocka_unit_test(far_branches),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
