/* SPDX-License-Identifier: BSD-2-Clause */
/* records.c - entries decoded by each format, filters, and records compared
 * with the branches that they have to be of. */
#include "asm/trace_window.h"
#include "src/lbr/branches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BODY  UINT64_C(0x401000)
#define DEPTH 16
#define HIGH  UINT64_C(0xffff800000001000)

static struct identity processor(unsigned model, unsigned format)
{
    struct identity id = {.vendor = "GenuineIntel",
                          .family = 6,
                          .model = (uint16_t)model,
                          .pdcm = true,
                          .perf_capabilities = 0x33c0 | format};

    return id;
}

static void models(void **state)
{
    static const struct {
        unsigned model, format, depth; /* 0: not known */
        uint64_t select;
    } rows[] = {
        {0x1a, 3, 16, 0x1ff}, {0x2a, 3, 16, 0x1ff}, {0x3a, 3, 16, 0x1ff},
        {0x3c, 4, 16, 0x3ff}, {0x3d, 4, 16, 0x3ff}, {0x5e, 5, 32, 0x3ff},
        {0xa5, 5, 32, 0x3ff}, {0x5e, 2, 0, 0},      {0x5e, 6, 0, 0},
        {0x5e, 63, 0, 0},     {0xcc, 5, 0, 0},
    };
    struct lbr_model model;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct identity id = processor(rows[i].model, rows[i].format);

        assert_int_equal(lbr_of(&id, &model), rows[i].depth != 0);
        if (rows[i].depth == 0)
            continue;
        assert_int_equal(model.format, rows[i].format);
        assert_int_equal(model.depth, rows[i].depth);
        assert_int_equal(model.select, rows[i].select);
        assert_int_equal(model.tsx, rows[i].format > 3);
        assert_int_equal(model.info, rows[i].format == 5);
    }
    struct identity id = processor(0x5e, 5);
    id.arch_lbr = true;
    assert_false(lbr_of(&id, &model));
    id = processor(0x5e, 5);
    id.pdcm = false;
    assert_false(lbr_of(&id, &model));
    memcpy(id.vendor, "AuthenticAMD", 12);
    id.pdcm = true;
    assert_false(lbr_of(&id, &model));
}

/* CPUID.1CH: the deepest of 8 to 32; filters there have to be. */
static void models_arch(void **state)
{
    static const struct {
        uint32_t eax, ebx, ecx;
        unsigned depth; /* 0: not known */
        uint64_t select;
    } rows[] = {
        {0x0b, 7, 7, 32, 0x3ff},
        {0x01, 7, 7, 8, 0x3ff},
        {0x8a, 3, 0, 32, 0x1ff},
        {0x04, 7, 1, 24, 0x3ff},
        {0xf0, 7, 7, 0, 0},
        {0x00, 7, 7, 0, 0},
        {0x0b, 6, 7, 0, 0},
        {0x0b, 5, 7, 0, 0},
        {0xc000000b, 7, 0xf0007, 32, 0x3ff},
    };
    struct lbr_model model;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct identity id = processor(0x97, 0x3f);

        id.arch_lbr = true;
        id.core_type = i % 2 == 0 ? 0x20 : 0x40;
        id.rtm = i % 3 == 0;
        id.leaf1c_eax = rows[i].eax;
        id.leaf1c_ebx = rows[i].ebx;
        id.leaf1c_ecx = rows[i].ecx;
        assert_int_equal(lbr_of(&id, &model), rows[i].depth != 0);
        if (rows[i].depth == 0)
            continue;
        assert_int_equal(model.depth, rows[i].depth);
        assert_int_equal(model.select, rows[i].select);
        assert_int_equal(model.mispredicts, rows[i].ecx & 1);
        assert_int_equal(model.cycles, rows[i].ecx >> 1 & 1);
        assert_int_equal(model.types, rows[i].ecx >> 2 & 1);
        assert_int_equal(model.tsx, id.rtm);
        assert_true(model.arch && model.info);
    }
}

/* IA32_LBR_CTL captures where MSR_LBR_SELECT leaves out. */
static void controls(void **state)
{
    static const uint64_t without[] = {
        0x7f0004, 0x7f0002, 0x7e0006, 0x770006, 0x6f0006,
        0x5f0006, 0x7b0006, 0x7d0006, 0x3f0006,
    };

    (void)state;
    assert_int_equal(lbr_control(0), 0x7f0006);
    for (unsigned bit = 0; bit < 9; bit++)
        assert_int_equal(lbr_control(BIT(bit)), without[bit]);
    assert_int_equal(lbr_control(0x3c4), 0x38000e);
}

/* IA32_LBR_x_INFO: cycles, BR_TYPE, CYC_CNT_VALID, TSX_ABORT, IN_TSX, MISPRED;
 * the others are not defined. */
static void infos(void **state)
{
    const struct lbr_model model = {
        .arch = true, .info = true, .tsx = true, .types = true, .depth = 32};
    const struct lbr_entry entry = {BODY, HIGH, UINT64_C(0x35ffffffffff8001)};
    struct lbr_record r = lbr_decode(&model, &entry);

    (void)state;
    assert_true(r.from == BODY && r.to == HIGH && !r.malformed);
    assert_int_equal(r.cycles, 0x8001);
    assert_int_equal(r.type, 5);
    assert_true(!r.untimed && r.abort && !r.in_tx && !r.mispredicted);
    for (unsigned bit = 56; bit < 64; bit++) {
        const struct lbr_entry one = {BODY, HIGH, BIT(bit)};

        r = lbr_decode(&model, &one);
        assert_int_equal(r.type, bit < 60 ? 1 << (bit - 56) : 0);
        assert_int_equal(r.untimed, bit != 60);
        assert_int_equal(r.abort, bit == 61);
        assert_int_equal(r.in_tx, bit == 62);
        assert_int_equal(r.mispredicted, bit == 63);
    }
}

static struct lbr_model model_of(unsigned format)
{
    struct identity id = processor(format == 3   ? 0x2a
                                   : format == 4 ? 0x3c
                                                 : 0x5e,
                                   format);
    struct lbr_model model;

    assert_true(lbr_of(&id, &model));
    return model;
}

/* The bits that are flags are, in each format, and no part of the address; the
 * others are its sign. */
static void formats(void **state)
{
    (void)state;
    for (unsigned format = 3; format <= 5; format++)
        for (unsigned bit = 48; bit < 64; bit++) {
            const struct lbr_model model = model_of(format);
            const bool flag = bit == 63 || (format == 4 && bit >= 61);
            const struct lbr_entry low = {BODY | BIT(bit), HIGH, 0},
                                   high = {HIGH ^ BIT(bit), BODY, 0},
                                   to = {BODY, BODY | BIT(bit), 0};
            const bool in_from = format != 5 && flag;

            struct lbr_record r = lbr_decode(&model, &low);
            assert_int_equal(r.malformed, !in_from);
            assert_int_equal(r.from, BODY);
            assert_int_equal(r.to, HIGH);
            assert_int_equal(r.mispredicted, in_from && bit == 63);
            assert_int_equal(r.in_tx, in_from && bit == 62);
            assert_int_equal(r.abort, in_from && bit == 61);
            r = lbr_decode(&model, &high);
            assert_int_equal(r.malformed, !in_from);
            assert_int_equal(r.from, HIGH);
            assert_true(lbr_decode(&model, &to).malformed);
        }
    const struct lbr_model model = model_of(5);
    for (unsigned bit = 61; bit < 64; bit++) {
        const struct lbr_entry entry = {BODY, HIGH, BIT(bit) | 0x8001};
        struct lbr_record r = lbr_decode(&model, &entry);
        assert_false(r.malformed);
        assert_int_equal(r.mispredicted, bit == 63);
        assert_int_equal(r.in_tx, bit == 62);
        assert_int_equal(r.abort, bit == 61);
        assert_int_equal(r.cycles, 0x8001);
    }
}

/* Each bit takes its kind, and no other; of a change of level either. */
static void filters(void **state)
{
    static const uint32_t of_bit[] = {
        [2] = LBR_JCC, [3] = LBR_REL_CALL, [4] = LBR_IND_CALL,
        [5] = LBR_RET, [6] = LBR_IND_JMP,  [7] = LBR_REL_JMP,
        [8] = LBR_FAR};
    struct lbr_branches b;

    (void)state;
    for (unsigned bit = 2; bit <= 8; bit++)
        for (uint32_t kind = LBR_JCC; kind < LBR_KINDS; kind++) {
            lbr_branches_clear(&b, NULL);
            lbr_branches_add(&b, kind | LBR_IN_TX, 1, 2);
            lbr_branches_select(&b, BIT(bit), false);
            assert_int_equal(b.count, of_bit[bit] != kind);
        }
    static const struct {
        uint32_t levels, select, count, may;
        bool architectural;
        uint64_t from;
    } rows[] = {
        {0, 1, 0, 0, false, 0},
        {0, 2, 1, 0, false, 1},
        {LBR_FROM_USR | LBR_TO_USR, 1, 1, 0, false, 1},
        {LBR_FROM_USR | LBR_TO_USR, 2, 0, 0, false, 0},
        {LBR_FROM_USR, 1, 1, LBR_MAY, false, 1},
        {LBR_TO_USR, 2, 1, LBR_MAY, false, 1},
        {LBR_TO_USR, 0, 1, 0, false, 1},
        {LBR_TO_USR, 3, 0, 0, false, 0},
        /* Ring 0 left out, then ring 3: by where they lead. */
        {LBR_TO_USR, 1, 1, 0, true, UINT64_MAX},
        {LBR_FROM_USR, 1, 0, 0, true, 0},
        {LBR_FROM_USR, 2, 1, 0, true, UINT64_MAX},
        {LBR_TO_USR, 2, 0, 0, true, 0},
        {LBR_TO_USR, 0, 1, 0, true, 1},
        {LBR_FROM_USR | LBR_TO_USR, 1, 1, 0, true, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lbr_branches_clear(&b, NULL);
        lbr_branches_add(&b, LBR_JCC | rows[i].levels, 1, 2);
        lbr_branches_select(&b, rows[i].select, rows[i].architectural);
        assert_int_equal(b.count, rows[i].count);
        if (b.count != 0) {
            assert_int_equal(b.at[0].kind & LBR_MAY, rows[i].may);
            assert_true(b.at[0].from == rows[i].from);
        }
    }
}

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
        cmocka_unit_test(models),     cmocka_unit_test(models_arch),
        cmocka_unit_test(controls),   cmocka_unit_test(infos),
        cmocka_unit_test(formats),    cmocka_unit_test(filters),
        cmocka_unit_test(comparison), cmocka_unit_test(loose),
        cmocka_unit_test(depth),      cmocka_unit_test(window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
