/* SPDX-License-Identifier: BSD-2-Clause */
/* path_outside.c - MODE.TSX while FilterEn is 0: what may be left out. */
#include "tests/host/trace/path_fixture.h"

#define NONE 0xff
#define ROOM 4

/* Begun and ended outside, TIP.PGE, TIP.PGD; begun outside, TIP.PGE, committed
 * inside. */
static struct path_step steps[] = {
    {PATH_MODE_TSX_MAY, 1}, {PATH_MODE_TSX_MAY, 2}, {PATH_PGE, A},
    {PATH_PGD, B},          {PATH_MODE_TSX_MAY, 1}, {PATH_PGE, A},
    {PATH_MODE_TSX, 0},     {PATH_FUP, C},          {PATH_PGD, B}};
static const struct path_list list = {steps, 9};
static const struct path path = {.step = path_list_step, .source = &list};

static void put_psb_of(uint8_t in_psb)
{
    put_psb(&out);
    if (in_psb != NONE)
        put2(&out, 0x99, 0x20 | in_psb);
    put2(&out, 0x02, 0x23);
}

static void put_statuses(const uint8_t statuses[ROOM])
{
    for (unsigned i = 0; i < ROOM && statuses[i] != NONE; i++)
        put2(&out, 0x99, 0x20 | statuses[i]);
}

static void left_out(void **state)
{
    /* In PSB+ before the first TIP.PGE; MODE.TSX before each TIP.PGE, and of
     * the commit. */
    static const struct {
        uint8_t in_psb, first[ROOM], second[ROOM], commit[ROOM];
        const char *wrong;
    } rows[] = {
        {NONE, {1, 2, NONE}, {1, NONE}, {0, NONE}, NULL},
        {NONE, {NONE}, {1, NONE}, {0, NONE}, NULL},
        {0, {NONE}, {1, NONE}, {0, NONE}, NULL},
        {NONE, {2, NONE}, {1, NONE}, {0, NONE}, NULL},
        {1, {2, NONE}, {1, NONE}, {0, NONE}, NULL},
        /* A decoder takes another status for the current one. */
        {NONE,
         {1, NONE},
         {1, NONE},
         {0, NONE},
         "TIP.PGE with another status of the transaction"},
        {1,
         {NONE},
         {1, NONE},
         {0, NONE},
         "TIP.PGE with another status of the transaction"},
        {NONE,
         {1, 2, NONE},
         {NONE},
         {0, NONE},
         "TIP.PGE with another status of the transaction"},
        {NONE,
         {NONE},
         {NONE},
         {0, NONE},
         "TIP.PGE with another status of the transaction"},
        /* What is there is wrong. */
        {NONE, {1, 0, NONE}, {1, NONE}, {0, NONE}, "another packet"},
        {NONE, {2, 1, NONE}, {1, NONE}, {0, NONE}, "another packet"},
        {NONE, {1, 1, 2, NONE}, {1, NONE}, {0, NONE}, "another packet"},
        {NONE, {1, 2, NONE}, {1, 1, NONE}, {0, NONE}, "another packet"},
        /* Inside it is firm. */
        {NONE, {1, 2, NONE}, {1, NONE}, {NONE}, "another packet"},
        {NONE, {1, 2, NONE}, {1, NONE}, {2, NONE}, "another value"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
        put_psb_of(rows[i].in_psb);
        put_statuses(rows[i].first);
        put2(&out, 0x99, 0x01); /* MODE.Exec */
        put_ip(&out, 0x11, 2, A);
        put_ip(&out, 0x01, 2, B);
        put_statuses(rows[i].second);
        put_ip(&out, 0x11, 2, A);
        put_statuses(rows[i].commit);
        put_fup(&out, 2, C);
        put_ip(&out, 0x01, 2, B);
        path_follow(bytes, out.size, &path, 0, &seen);
        if (rows[i].wrong == NULL)
            assert_null(seen.wrong);
        else
            assert_string_equal(seen.wrong, rows[i].wrong);
    }
}

/* Which one is wanted, in words; no erratum of MODE.Exec is it. */
static void wanted(void **state)
{
    (void)state;
    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb_of(1);
    put_ip(&out, 0x11, 2, A);
    path_follow(bytes, out.size, &path, 0, &seen);
    assert_int_equal(seen.want.kind, PATH_MODE_TSX);
    assert_int_equal(seen.want.value, 2);
    assert_int_equal(seen.got, PT_TIP_PGE);
    assert_string_equal(path_step_name(PATH_MODE_TSX_MAY), "MODE.TSX");
}

/* No TIP.PGE comes; a FUP never does. */
static void never_inside(void **state)
{
    static const struct path_list outside = {steps, 2};
    static const struct path local = {.step = path_list_step,
                                      .source = &outside};

    (void)state;
    for (unsigned sent = 0; sent < 4; sent++) {
        out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
        put_psb_of(NONE);
        for (unsigned n = 0; n < 2; n++)
            if ((sent >> n & 1) != 0)
                put2(&out, 0x99, 0x21 + n);
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_null(seen.wrong);
        put_fup(&out, 2, A);
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_string_equal(seen.wrong, "more packets");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_out),
        cmocka_unit_test(wanted),
        cmocka_unit_test(never_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
