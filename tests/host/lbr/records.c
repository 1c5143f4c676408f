/* SPDX-License-Identifier: BSD-2-Clause */
/* records.c - models of last branch records, what selects them, and their bits.
 */
#include "tests/host/lbr/records_fixture.h"

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

/* CPUID.1CH: 32 deep, or it is not known; filters have to be. */
static void models_arch(void **state)
{
    static const struct {
        uint32_t eax, ebx, ecx;
        unsigned depth; /* 0: not known */
        uint64_t select;
    } rows[] = {
        {0x0b, 7, 7, 32, 0x3ff}, {0x01, 7, 7, 0, 0},
        {0x8a, 3, 0, 32, 0x1ff}, {0x08, 7, 1, 32, 0x3ff},
        {0x07, 7, 7, 0, 0},      {0xf0, 7, 7, 0, 0},
        {0x00, 7, 7, 0, 0},      {0x0b, 6, 7, 0, 0},
        {0x0b, 5, 7, 0, 0},      {0xc000000b, 7, 0xf0007, 32, 0x3ff},
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

/* Where linear addresses have 57 bits, bit 56 is the sign. */
static void wide(void **state)
{
    const struct lbr_model model = {.info = true, .la57 = true, .depth = 32};
    const uint64_t ring3 = UINT64_C(0x00ff000000001234);

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        const struct lbr_entry from = {ring3 ^ BIT(bit), ring3, 0},
                               to = {ring3, ring3 ^ BIT(bit), 0};
        struct lbr_record r = lbr_decode(&model, &from);
        assert_int_equal(r.malformed, bit >= 56);
        assert_true(r.to == ring3);
        assert_true(bit >= 56 || r.from == from.from);
        r = lbr_decode(&model, &to);
        assert_int_equal(r.malformed, bit >= 56);
        assert_true(r.from == ring3);
        assert_true(bit >= 56 || r.to == to.to);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),   cmocka_unit_test(models_arch),
        cmocka_unit_test(controls), cmocka_unit_test(infos),
        cmocka_unit_test(wide),     cmocka_unit_test(formats),
        cmocka_unit_test(filters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
