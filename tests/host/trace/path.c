/* SPDX-License-Identifier: BSD-2-Clause */
/* path.c - traces followed along a path: the forms that the manual leaves to
 * the processor, and each way of leaving the path. */
#include "src/trace/path.h"
#include "tests/pt/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define A UINT64_C(0x401000)
#define B UINT64_C(0x401080)
#define C UINT64_C(0x4010c0)

static uint8_t bytes[1024];
static struct stream out;
static struct path_seen seen;

static void put_start(void)
{
    out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
    put_psb(&out);
    put(&out, 0x00220302, 4); /* CBR */
    put2(&out, 0x02, 0x23);
    put2(&out, 0x99, 0x01);
    put_ip(&out, 0x11, 2, A);
}

static void put_finish(void)
{
    put_fup(&out, 2, C);
    put_ip(&out, 0x01, 0, 0);
}

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

/* What may and what has to have an address; NR of a PIP. */
static void pgd_and_pip(void **state)
{
    static struct path_step two[] = {{PATH_PGE, A}, {PATH_PGD_MAY, B}};
    static const struct path_list pair = {two, 2};
    static struct path local = {.step = path_list_step, .source = &pair};
    static const struct {
        enum path_kind kind;
        unsigned ip_bytes;
        uint64_t ip;
        bool right, missing;
    } rows[] = {
        {PATH_PGD_MAY, 0, 0, true, false},
        {PATH_PGD_MAY, 2, B, true, false},
        {PATH_PGD_MAY, 2, C, false, false},
        {PATH_PGD_DIRECT, 0, 0, true, true},
        {PATH_PGD_DIRECT, 2, B, true, false},
        {PATH_PGD_DIRECT, 2, C, false, false},
        {PATH_PGD, 0, 0, false, false},
        {PATH_PGD, 2, B, true, false},
        {PATH_PGD_HIDDEN, 2, B, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_start();
        put_ip(&out, 0x01, rows[i].ip_bytes, rows[i].ip);
        two[1].kind = rows[i].kind;
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, rows[i].right);
        assert_int_equal(seen.addresses_missing, rows[i].missing);
    }
    two[1] = (struct path_step){PATH_PIP, path_pip(0x1234000)};
    put_start();
    put2(&out, 0x02, 0x43);
    put(&out, path_pip(0x1234000) | 1, 6);
    path_follow(bytes, out.size, &local, 0, &seen);
    assert_string_equal(seen.wrong, "another value");
    local.any_nr = true;
    path_follow(bytes, out.size, &local, 0, &seen);
    assert_null(seen.wrong);
    two[1].value += 1 << 8;
    path_follow(bytes, out.size, &local, 0, &seen);
    assert_non_null(seen.wrong);
}

/* A call whose return is known to a decoder, forgotten at a PSB, or neither:
 * the PSB next to the call. */
static void calls_over_psb(void **state)
{
    static const struct path_step steps_of_calls[] = {
        {PATH_PGE, A},    {PATH_CALL, C},    {PATH_TIP, B},
        {PATH_CALL, A},   {PATH_TIP, B + 8}, {PATH_RET_OF, A},
        {PATH_RET_OF, C}, {PATH_TIP, B},     {PATH_PGD_HIDDEN, 0}};
    static const struct path_list calls = {steps_of_calls, 9};
    static const struct path local = {.step = path_list_step, .source = &calls};
    /* PSB: after which step; how many results are of returns, then TIPs. */
    static const struct {
        int psb;
        unsigned compressed, over;
        bool right;
    } rows[] = {
        {-1, 2, 0, true}, {-1, 1, 0, true}, {-1, 0, 0, true},
        {0, 2, 0, true}, /* perhaps before the call */
        {2, 2, 1, false}, {2, 1, 1, true},  {2, 0, 1, true},
        {4, 1, 2, false}, {4, 0, 2, true},
    };
    const struct path_step *step = steps_of_calls;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_start();
        for (int n = 0; n < 7; n++) {
            const bool ret = step[n].kind == PATH_RET_OF;
            if (ret && (unsigned)(n - 5) < rows[i].compressed)
                put_tnt(&out, 1, 1);
            else if (step[n].kind == PATH_TIP || ret)
                put_tip(&out, 2, step[n].value);
            if (n == rows[i].psb) {
                put_psb(&out);
                put2(&out, 0x02, 0x23);
            }
        }
        put_tip(&out, 2, B);
        put_ip(&out, 0x01, 0, 0);
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, rows[i].right);
        if (rows[i].right)
            assert_int_equal(seen.compressed, rows[i].compressed);
        if (rows[i].right)
            assert_int_equal(seen.over_psb, rows[i].over);
    }
}

/* So many calls deep are kept, and the oldest are forgotten. */
static void calls_deep(void **state)
{
    static struct path_step deep[2 * 65 + 2];
    static const struct path_list list_of_deep = {deep, 2 * 65 + 2};
    static const struct path local = {.step = path_list_step,
                                      .source = &list_of_deep};

    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        deep[0] = (struct path_step){PATH_PGE, A};
        for (unsigned n = 0; n < 65; n++) {
            deep[1 + n] = (struct path_step){PATH_CALL, A + n};
            deep[1 + 65 + n] = (struct path_step){PATH_RET_OF, A + 64 - n};
        }
        deep[1 + 2 * 65] = (struct path_step){PATH_PGD_HIDDEN, 0};
        put_start();
        for (unsigned n = 0; n < 64 + lost; n++)
            put_tnt(&out, 1, 1);
        if (lost == 0)
            put_tip(&out, 2, A);
        put_ip(&out, 0x01, 0, 0);
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, lost == 0);
        assert_int_equal(seen.compressed, 64 + lost);
    }
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
        cmocka_unit_test(pgd_and_pip),
        cmocka_unit_test(calls_over_psb),
        cmocka_unit_test(calls_deep),
        cmocka_unit_test(changes_of_mode),
        cmocka_unit_test(overflow_and_ratio),
        cmocka_unit_test(goes_on_after_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
