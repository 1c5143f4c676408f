/* SPDX-License-Identifier: BSD-2-Clause */
/* path_calls.c - how a path ends, what of PIP may differ, and calls whose
 * returns a decoder knows; a PSB amid the packets of one event. */
#include "tests/host/trace/path_fixture.h"

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
    /* A PIP may come before a TIP.PGE alone, as what led to it. */
    local.any_nr = false;
    for (unsigned n = 0; n < 3; n++) {
        out = (struct stream){.bytes = bytes, .room = sizeof(bytes)};
        put_psb(&out);
        put(&out, 0x00220302, 4);
        put2(&out, 0x02, 0x23);
        for (unsigned pip = 0; pip < 2; pip++) {
            if (n == pip) {
                put2(&out, 0x02, 0x43);
                put(&out, path_pip(0x1234000), 6);
            }
            if (pip == 0) {
                put2(&out, 0x99, 0x01);
                put_ip(&out, 0x11, 2, A);
            }
        }
        put_ip(&out, 0x01, 2, B);
        two[1] = (struct path_step){PATH_PGD, B};
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, n != 1);
        if (n == 1)
            assert_string_equal(seen.wrong, "another packet");
    }
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

static void put_psb_of_mode(uint8_t mode)
{
    put_psb(&out);
    put2(&out, 0x99, mode);
    put2(&out, 0x02, 0x23);
}

/* A PSB before the nth packet of an event, or after the last; and MODE.Exec in
 * PSB+ is of the mode before the change that comes after it. */
static void psb_amid(void **state)
{
    static const struct {
        uint64_t tx; /* bits of MODE.TSX, where there is one; or 8 */
        bool mode;   /* MODE.Exec before the TIP */
        unsigned psb;
        uint8_t said;
        bool right;
    } rows[] = {
        {8, false, 1, 1, true}, {8, false, 2, 1, false},
        {8, false, 4, 1, true}, {0, false, 2, 1, true},
        {1, false, 2, 1, true}, {2, false, 2, 1, false},
        {2, false, 4, 1, true}, {8, true, 1, 1, true},
        {8, true, 1, 2, false}, {8, true, 2, 1, false},
        {8, true, 3, 1, false}, {8, true, 4, 2, true},
        {8, true, 4, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct path_step step[6] = {{PATH_PGE, A}};
        const struct path_list one = {step, 6};
        const struct path local = {.step = path_list_step, .source = &one};

        step[1] = rows[i].tx == 8
                      ? (struct path_step){PATH_NOT_TAKEN, 0}
                      : (struct path_step){PATH_MODE_TSX, rows[i].tx};
        step[2] = (struct path_step){PATH_FUP, B};
        step[3] =
            (struct path_step){PATH_MODE_EXEC, rows[i].mode ? UINT64_C(2) : 1};
        step[4] = (struct path_step){PATH_TIP, C};
        step[5] = (struct path_step){PATH_PGD_HIDDEN, 0};
        put_start();
        if (rows[i].tx == 8)
            put_tnt(&out, 0, 1);
        else
            put2(&out, 0x99, (uint8_t)(0x20 | rows[i].tx));
        for (unsigned n = 1; n <= 4; n++) {
            if (n == rows[i].psb)
                put_psb_of_mode(rows[i].said);
            if (n == 1)
                put_fup(&out, 6, B);
            if (n == 2 && rows[i].mode)
                put2(&out, 0x99, 0x02);
            if (n == 3)
                put_tip(&out, 6, C);
        }
        put_ip(&out, 0x01, 0, 0);
        path_follow(bytes, out.size, &local, 0, &seen);
        assert_int_equal(seen.wrong == NULL, rows[i].right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pgd_and_pip),
        cmocka_unit_test(calls_over_psb),
        cmocka_unit_test(calls_deep),
        cmocka_unit_test(psb_amid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
