/* SPDX-License-Identifier: BSD-2-Clause */
/* path.c - traces followed along a path: the forms that the manual leaves to
 * the processor, and each way of leaving the path. */
#include "tests/host/trace/path_fixture.h"

/* PGE A; not taken, TIP B, taken, return C; FUP, PGD. */
static const struct path_step steps[] = {
    {PATH_PGE, A}, {PATH_NOT_TAKEN, 0}, {PATH_TIP, B},       {PATH_TAKEN, 0},
    {PATH_RET, C}, {PATH_FUP, C},       {PATH_PGD_HIDDEN, 0}};
static const struct path_list list = {steps, 7};
static struct path path = {.step = path_list_step, .source = &list};

static const char *follow(void)
{
    path_follow(bytes, out.size, &path, 0, &seen);
    return seen.wrong;
}

static void every_form(void **state)
{
    (void)state;
    path.no_ret_compression = false;

    put_start(); /* a partial TNT before each TIP, the return in full */
    put_tnt(&out, 0, 1);
    put_tip(&out, 1, B);
    put_tnt(&out, 1, 1);
    put_tip(&out, 1, C);
    put_finish();
    assert_null(follow());
    assert_int_equal(seen.returns, 1);
    assert_int_equal(seen.compressed, 0);
    assert_int_equal(seen.psbs, 1);
    assert_int_equal(seen.psb[0].packets[PT_CBR], 1);

    put_start(); /* deferred TIP, compressed return, a PSB+ and PADs between */
    put_tnt(&out, 3, 3);
    put(&out, 0, 2);
    put_tip(&out, 1, B);
    put_psb(&out);
    put2(&out, 0x99, 0x01);
    put_fup(&out, 2, B + 4);
    put2(&out, 0x02, 0x23);
    put_finish();
    assert_null(follow());
    assert_int_equal(seen.compressed, 1);
    assert_int_equal(seen.psbs, 2);
    assert_int_equal(seen.psb[1].ip, B + 4);

    path.no_ret_compression = true;
    assert_string_equal(follow(), "a compressed return, which DisRETC forbids");
    path.no_ret_compression = false;
}

/* One packet changed, left out or put in: which step it is, and what is said.
 */
static void one_wrong(void **state)
{
    (void)state;
    put_start();
    put_tnt(&out, 1, 1);
    assert_string_equal(follow(), "another result of the branch");
    assert_int_equal(seen.step, 1);

    put_start();
    put_tip(&out, 1, B);
    assert_string_equal(follow(), "no TNT");

    put_start();
    put_tnt(&out, 0, 1);
    put_tip(&out, 1, B + 1);
    assert_string_equal(follow(), "another address");
    assert_int_equal(seen.step, 2);
    assert_int_equal(seen.value, B + 1);
    assert_int_equal(seen.want.value, B);

    put_start();
    put_tnt(&out, 0, 1);
    put_tip(&out, 0, 0);
    assert_string_equal(follow(), "the address is left out");

    put_start();
    put_tnt(&out, 0, 1);
    put_fup(&out, 1, B);
    assert_string_equal(follow(), "another packet");
    assert_int_equal(seen.got, PT_FUP);

    put_start();
    put_tnt(&out, 0, 1);
    assert_string_equal(follow(), "the trace ends");
    assert_int_equal(seen.got, PT_KINDS);

    put_start();
    put_tnt(&out, 7, 4);
    put_tip(&out, 1, B);
    put_finish();
    assert_string_equal(follow(), "more results than branches");
    assert_int_equal(seen.step, 5);

    put_start();
    put_tnt(&out, 3, 3);
    put_tip(&out, 1, B);
    put_fup(&out, 2, C);
    put_ip(&out, 0x01, 2, C);
    assert_string_equal(follow(), "an address that has to be left out");

    put_start();
    put_tnt(&out, 3, 3);
    put_tip(&out, 1, B);
    put_finish();
    put_tip(&out, 1, B);
    assert_string_equal(follow(), "more packets");
    assert_int_equal(seen.want.kind, PATH_END);

    put_start();
    put_tnt(&out, 3, 3);
    put_tip(&out, 1, B);
    put_finish();
    put_tnt(&out, 1, 1);
    assert_string_equal(follow(), "more packets");
}

static void modes_and_timing(void **state)
{
    (void)state;
    put_start(); /* before a TIP: no mode has changed */
    put_tnt(&out, 0, 1);
    put2(&out, 0x99, 0x01);
    put_tip(&out, 1, B);
    assert_string_equal(follow(), "MODE.Exec without a change of the mode");

    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb(&out);
    put2(&out, 0x02, 0x23);
    put_ip(&out, 0x11, 2, A);
    assert_string_equal(follow(), "the trace ends");
    assert_int_equal(seen.modes_missing, 1);

    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb(&out);
    put2(&out, 0x99, 0x02);
    assert_string_equal(follow(), "MODE.Exec of another mode");

    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb(&out);
    put_tip(&out, 2, A);
    assert_string_equal(follow(), "not a packet of PSB+");

    put_start();
    put(&out, 0x19, 8);
    assert_string_equal(follow(), "a timing packet that is not enabled");
    path.timing = PATH_TIMING_TSC;
    assert_string_equal(follow(), "the trace ends");
    path.timing = PATH_TIMING_CYC | PATH_TIMING_MTC | PATH_TIMING_TMA;
    assert_string_equal(follow(), "a timing packet that is not enabled");
    path.timing = 0;

    put_start();
    put2(&out, 0x02, 0xf3);
    assert_non_null(follow());
    assert_true(seen.overflow);

    put_start();
    put(&out, 0x05, 1);
    assert_string_equal(follow(), pt_result_text(PT_UNDEFINED_OPCODE));
}

/* From the middle of a packet on, and from a step on. */
static void cut(void **state)
{
    (void)state;
    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put(&out, 0x40, 3);
    put_psb(&out);
    put2(&out, 0x02, 0x23);
    put_tnt(&out, 3, 2);
    put_finish();
    path.cut = true;
    path_follow(bytes, out.size, &path, 3, &seen);
    assert_null(seen.wrong);
    path_follow(bytes, out.size, &path, 2, &seen);
    assert_non_null(seen.wrong);
    path.cut = false;
    path_follow(bytes, out.size, &path, 3, &seen);
    assert_non_null(seen.wrong);
    assert_int_equal(path_pip(UINT64_C(0xfff0012345678fff)), 0x1234567800);
}

/* MODE.Exec where the path changes the mode, and nowhere else. */
static void changes_of_mode(void **state)
{
    static const struct path_step changing[] = {
        {PATH_PGE, A}, {PATH_MODE_EXEC, 2}, {PATH_TIP, B},
        {PATH_TIP, C}, {PATH_MODE_EXEC, 1}, {PATH_TIP, B}};
    static const struct path_list modes = {changing, 6};
    static const struct path local = {.step = path_list_step, .source = &modes};
    /* MODE.Exec before each TIP; 0xff: none. */
    static const struct {
        uint8_t before[3];
        bool right;
    } rows[] = {
        {{2, 0xff, 1}, true},     {{2, 2, 1}, false},
        {{0xff, 0xff, 1}, false}, {{2, 0xff, 0xff}, false},
        {{1, 0xff, 1}, false},    {{2, 0xff, 2}, false},
        {{0xff, 2, 1}, false},    {{3, 0xff, 1}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_start();
        for (unsigned n = 0; n < 3; n++) {
            if (rows[i].before[n] != 0xff)
                put2(&out, 0x99, rows[i].before[n]);
            put_tip(&out, 2, n == 1 ? C : B);
        }
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, rows[i].right);
    }
}

/* Before a TIP.PGE: what the MODE.Exec of its PSB+ says is said, and no other.
 */
static void mode_in_psb(void **state)
{
    static const struct path_step visits[] = {{PATH_MODE_EXEC, 1},
                                              {PATH_PGE, A},
                                              {PATH_PGD_HIDDEN, 0},
                                              {PATH_MODE_EXEC, 2},
                                              {PATH_PGE, A}};
    static const struct path_list modes = {visits, 5};
    static const struct path local = {.step = path_list_step, .source = &modes};
    /* MODE.Exec in PSB+, and before each TIP.PGE; 0xff: none. */
    static const struct {
        uint8_t in_psb, before[2];
        bool right;
    } rows[] = {
        {0xff, {1, 2}, true},     {1, {0xff, 2}, true},
        {1, {1, 2}, true},        {0xff, {0xff, 2}, false},
        {1, {0xff, 0xff}, false}, {2, {0xff, 2}, false},
        {2, {1, 2}, false},       {1, {2, 2}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
        put_psb(&out);
        if (rows[i].in_psb != 0xff) {
            put2(&out, 0x99, rows[i].in_psb);
            put_fup(&out, 2, B);
        }
        put2(&out, 0x02, 0x23);
        for (unsigned n = 0; n < 2; n++) {
            if (rows[i].before[n] != 0xff)
                put2(&out, 0x99, rows[i].before[n]);
            put_ip(&out, 0x11, 2, A);
            if (n == 0)
                put_ip(&out, 0x01, 0, 0);
        }
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, rows[i].right);
        if (rows[i].right)
            assert_int_equal(seen.modes_missing, 0);
    }
}

static void overflow_and_ratio(void **state)
{
    static const struct {
        unsigned opcode; /* of the packet with an address; 0: a TNT */
        enum pt_kind kind;
    } rows[] = {{0x1d, PT_FUP},
                {0x11, PT_TIP_PGE},
                {0x0d, PT_TIP},
                {0x01, PT_TIP_PGD},
                {0, PT_TNT_8}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_start();
        put2(&out, 0x02, 0xf3); /* OVF */
        put_psb(&out);
        put_fup(&out, 2, A);
        put2(&out, 0x02, 0x23);
        if (rows[i].opcode == 0)
            put_tnt(&out, 0, 1);
        else
            put_ip(&out, rows[i].opcode, 2, B);
        assert_string_equal(follow(), "packets were lost");
        assert_true(seen.overflow);
        assert_int_equal(seen.after_overflow, rows[i].kind);
    }
    put_start(); /* CBR 22H, then others */
    put(&out, 0x00180302, 4);
    put(&out, 0x00300302, 4);
    put_tnt(&out, 0, 1);
    (void)follow();
    assert_int_equal(seen.times.cbr_least, 0x18);
    assert_int_equal(seen.times.cbr_most, 0x30);
    assert_int_equal(seen.after_overflow, PT_KINDS);
}

/* The address after OVF, and what has to follow it: the rest of the path from
 * where the processor may be at this address. */
static bool at_c(const void *source, uint64_t index, uint64_t address)
{
    (void)source;
    return index >= 5 && address == C;
}

static void goes_on_after_overflow(void **state)
{
    static const struct {
        uint64_t address;
        bool rest, astray;
    } rows[] = {{C, true, false}, {C, false, true}, {B, true, true}};

    (void)state;
    path.at = at_c;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_start();
        put2(&out, 0x02, 0xf3); /* OVF */
        put_fup(&out, 2, rows[i].address);
        if (rows[i].rest)
            put_finish();
        else
            put_tip(&out, 1, A);
        assert_string_equal(follow(), "packets were lost");
        assert_int_equal(seen.astray, rows[i].astray);
    }
    path.at = NULL;
    put_start();
    put2(&out, 0x02, 0xf3);
    put_ip(&out, 0x11, 2, A); /* TIP.PGE: step 0, before the first result */
    put_tnt(&out, 0, 1);
    put_tip(&out, 1, B);
    put_tnt(&out, 3, 2);
    put_finish();
    (void)follow();
    assert_true(seen.astray); /* step 0 is over */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(one_wrong),
        cmocka_unit_test(modes_and_timing),
        cmocka_unit_test(cut),
        cmocka_unit_test(changes_of_mode),
        cmocka_unit_test(mode_in_psb),
        cmocka_unit_test(overflow_and_ratio),
        cmocka_unit_test(goes_on_after_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
