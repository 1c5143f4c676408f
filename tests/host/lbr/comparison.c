/* SPDX-License-Identifier: BSD-2-Clause */
/* comparison.c - records compared with the branches of a window. */
#include "tests/host/lbr/records_fixture.h"

/* Three branches, the second inside of a transaction, then an abort. */
static struct lbr_branches wanted;
static struct lbr_record records[LBR_DEPTH_MAX];

static void begin(void)
{
    static const struct lbr_row rows[] = {{LBR_JCC, 1, 2},
                                          {LBR_RET | LBR_IN_TX, 3, 4},
                                          {LBR_ABORT, 5, 6},
                                          {LBR_END, 0, 0}};

    lbr_branches_clear(&wanted, (const uint8_t *)(uintptr_t)BODY);
    for (const struct lbr_row *row = rows; row->kind != LBR_END; row++)
        lbr_branches_row(&wanted, row, 0);
    memset(records, 0, sizeof(records));
    records[0] = (struct lbr_record){BODY + 5, BODY + 6, .abort = true};
    records[1] = (struct lbr_record){BODY + 3, BODY + 4, .in_tx = true};
    records[2] = (struct lbr_record){BODY + 1, BODY + 2, .mispredicted = true};
}

static struct lbr_difference compare(unsigned *count)
{
    const struct lbr_model model = model_of(4);

    return lbr_compare(&wanted, &model, records, count);
}

static void assert_same(unsigned records_wanted)
{
    unsigned count;

    assert_null(compare(&count).wrong);
    assert_int_equal(count, records_wanted);
}

static void assert_differs(unsigned record)
{
    unsigned count;
    struct lbr_difference d = compare(&count);

    assert_non_null(d.wrong);
    assert_int_equal(d.record, record);
}

static void comparison(void **state)
{
    (void)state;
    begin();
    assert_same(3);
    records[0].in_tx = true; /* an abort's own is not said */
    assert_same(3);
    for (unsigned i = 0; i < 3; i++) {
        begin();
        records[i].from++;
        assert_differs(i);
        begin();
        records[i].to--;
        assert_differs(i);
        begin();
        records[i].malformed = true;
        assert_differs(i);
        begin();
        records[i].abort = !records[i].abort;
        assert_differs(i);
        begin();
        records[i].in_tx = !records[i].in_tx;
        if (i != 0)
            assert_differs(i);
        begin();
        memmove(&records[i], &records[i + 1], 8 * sizeof(records[0]));
        assert_differs(i);
    }
    begin();
    records[3] = (struct lbr_record){.from = 1};
    assert_differs(3);
    wanted.taken_back = true;
    assert_same(3);
}

/* Records that may be missing, and abort's sources within the body. */
static void loose(void **state)
{
    (void)state;
    begin();
    wanted.at[1].kind |= LBR_MAY;
    assert_same(3);
    records[1].in_tx = false;
    assert_same(3);
    memmove(&records[1], &records[2], sizeof(records[0]));
    records[2] = records[3];
    assert_same(2);
    begin();
    wanted.at[2].kind |= LBR_INSIDE;
    records[0].from = BODY;
    assert_same(3);
    records[0].from = BODY + LBR_BODY_BYTES - 1;
    assert_same(3);
    records[0].from = BODY + LBR_BODY_BYTES;
    assert_differs(0);
    records[0].from = BODY - 1;
    assert_differs(0);
}

/* More branches than entries: the newest are looked at. */
static void depth(void **state)
{
    (void)state;
    lbr_branches_clear(&wanted, (const uint8_t *)(uintptr_t)BODY);
    for (unsigned i = 0; i < DEPTH + 3; i++)
        lbr_branches_add(&wanted, LBR_REL_JMP, i, i + 1);
    for (unsigned i = 0; i < DEPTH; i++)
        records[i] =
            (struct lbr_record){.from = DEPTH + 2 - i, .to = DEPTH + 3 - i};
    assert_same(DEPTH);
    records[DEPTH - 1].from = 2;
    assert_differs(DEPTH - 1);
}

/* All of a window. */
static void window(void **state)
{
    static const struct lbr_row rows[] = {{LBR_JCC, 1, 2}, {LBR_END, 7, 7}};
    static const uint8_t body[8];
    const uint64_t at = (uintptr_t)body;
    struct lbr_branches b;

    (void)state;
    lbr_branches_of(&b, body, rows);
    assert_int_equal(b.count, 3);
    assert_int_equal(b.at[0].kind, LBR_IND_JMP);
    assert_int_equal(b.at[0].from, (uintptr_t)trace_window_on_next);
    assert_int_equal(b.at[0].to, at);
    assert_int_equal(b.at[1].from, at + 1);
    assert_int_equal(b.at[2].kind, LBR_REL_JMP);
    assert_int_equal(b.at[2].from, at + 7);
    assert_int_equal(b.at[2].to, (uintptr_t)trace_window_off);
    for (unsigned i = 0; i < 2 * LBR_BRANCHES_MAX; i++)
        lbr_branches_add(&b, LBR_JCC, 1, 2);
    assert_int_equal(b.count, LBR_BRANCHES_MAX);
    assert_string_equal(lbr_kind_name(LBR_ABORT), "an abort");
    assert_string_equal(lbr_kind_name(LBR_RET | LBR_IN_TX), "a near return");
    assert_string_equal(lbr_kind_name(LBR_KINDS), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison),
        cmocka_unit_test(loose),
        cmocka_unit_test(depth),
        cmocka_unit_test(window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
