/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_adaptive.c - records of formats 4 and 5: groups in any selection, cut at
 * each length, and what is refused. */
#include "tests/host/pebs/adaptive_fixture.h"

static void golden_record(void **state)
{
    uint8_t *bytes = malloc(512);
    struct pebs_record record;
    char text[PEBS_QUADWORD_TEXT];
    unsigned rows = 0;

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(pebs_golden_bytes(4, bytes, 512), 512);
    assert_int_equal(pebs_decode(bytes, 512, 4, &record), PEBS_OK);
    assert_int_equal(record.format, 4);
    assert_int_equal(record.size, 512);
    for (size_t i = 0; i < pebs_golden_rows; i++) {
        const struct pebs_golden *row = &pebs_golden[i];
        if (row->format != 4)
            continue;
        assert_int_equal(row->offset, 8 * rows++);
        assert_string_equal(pebs_quadword_name(&record, row->offset, text),
                            row->name);
        assert_int_equal(pebs_quadword(bytes + row->offset), row->value);
    }
    assert_int_equal(rows, 64);
    assert_int_equal(pebs_group_value(bytes, &record, PEBS_GROUP_XMM, 31),
                     0x9f7700af1fee010f);
    assert_int_equal(pebs_group_value(bytes, &record, PEBS_GROUP_LBRS, 3),
                     0x401020);
    free(bytes);
}

/* The members by name, typed once more. */
static void members(void **state)
{
    uint8_t *bytes = malloc(512);
    struct pebs_record r;

    (void)state;
    assert_non_null(bytes);
    pebs_golden_bytes(4, bytes, 512);
    assert_int_equal(pebs_decode(bytes, 512, 4, &r), PEBS_OK);
    assert_int_equal(r.record_format, 0x20000000100000f);
    assert_int_equal(r.eventing_ip, 0x401147);
    assert_int_equal(r.applicable_counter, 0x20);
    assert_int_equal(r.tsc, 0x123456789abcdef);
    assert_int_equal(r.data_linear_address, 0x5555b67f12c8);
    assert_int_equal(r.data_source, 0x42);
    assert_int_equal(r.latency, 0x19);
    assert_int_equal(r.tx_abort, 0x3a0000008e);
    assert_int_equal(r.rflags, 0x246);
    assert_int_equal(r.rip, 0x401160);
    assert_int_equal(r.rax, 0xe);
    assert_int_equal(r.rcx, 0xc4c3c2c1);
    assert_int_equal(r.rdx, 0xd8d7d6d5d4d3d2d1);
    assert_int_equal(r.rbx, 0xffffffffffffffb1);
    assert_int_equal(r.rsp, 0x7ffeffffe390);
    assert_int_equal(r.rbp, 0x7ffeffffe3c0);
    assert_int_equal(r.rsi, 0x5101);
    assert_int_equal(r.rdi, 0xd102);
    assert_int_equal(r.r8, 0x8008800880088008);
    assert_int_equal(r.r15, 0x5115511551155115);
    assert_int_equal(r.global_status, 0);
    free(bytes);
}

/* All 16 selections: the size, what is present, and each value from the place
 * that the groups before it leave it. */
static void selections(void **state)
{
    static const struct {
        uint64_t bit;
        size_t size;
        enum pebs_field first, last; /* PEBS_FIELD_COUNT: it has no fields */
    } groups[] = {
        {0, 32, PEBS_RECORD_FORMAT, PEBS_TSC},
        {BIT(0), 32, PEBS_DATA_LINEAR_ADDRESS, PEBS_TX_ABORT},
        {BIT(1), 144, PEBS_RFLAGS, PEBS_R15},
        {BIT(2), 256, PEBS_FIELD_COUNT, PEBS_FIELD_COUNT},
        {BIT(3), 48, PEBS_FIELD_COUNT, PEBS_FIELD_COUNT},
    };

    (void)state;
    for (uint64_t selection = LBRS_2; selection < LBRS_2 + 16; selection++) {
        struct pebs_record record;
        size_t at = 0, size, want = 0;
        unsigned fields = 0, present = 0;
        for (unsigned g = 0; g < 5; g++)
            if (g == 0 || (selection & groups[g].bit) != 0)
                want += groups[g].size;
        assert_int_equal(pebs_record_size(4, selection, &size), PEBS_OK);
        assert_int_equal(size, want);
        uint8_t *bytes = made(selection, want);
        assert_int_equal(pebs_decode(bytes, want, 4, &record), PEBS_OK);
        assert_int_equal(record.size, want);
        for (unsigned g = 0; g < 5; g++) {
            assert_int_equal(pebs_group_at(selection, (enum pebs_group)g), at);
            if (g != 0 && (selection & groups[g].bit) == 0) {
                assert_int_equal(pebs_group_size(selection, (enum pebs_group)g),
                                 0);
                if (groups[g].first != PEBS_FIELD_COUNT) {
                    assert_false(pebs_has(&record, groups[g].first));
                    assert_int_equal(pebs_field_offset(&record, groups[g].last),
                                     -1);
                    assert_int_equal(pebs_field_value(&record, groups[g].last),
                                     0);
                }
                continue;
            }
            if (groups[g].first != PEBS_FIELD_COUNT) {
                assert_int_equal(pebs_field_offset(&record, groups[g].first),
                                 at);
                assert_int_equal(pebs_field_value(&record, groups[g].last),
                                 0x1000 + at + groups[g].size - 8);
                fields += (unsigned)groups[g].size / 8;
            } else
                assert_int_equal(
                    pebs_group_value(bytes, &record, (enum pebs_group)g, 5),
                    0x1000 + at + 40);
            at += groups[g].size;
        }
        for (unsigned f = 0; f < PEBS_FIELD_COUNT; f++)
            present += pebs_has(&record, (enum pebs_field)f);
        assert_int_equal(present, fields);
        free(bytes);
    }
}

/* [31:24] counts entries where there are any; else it says nothing. */
static void entries(void **state)
{
    size_t size;

    (void)state;
    for (unsigned n = 1; n <= 256; n++) {
        uint64_t selection = BIT(3) | PEBS_DATA_ENTRIES_OF(n);
        assert_int_equal(selection >> 24, n - 1);
        assert_int_equal(pebs_record_size(4, selection, &size), PEBS_OK);
        assert_int_equal(size, 32 + 24 * n);
        assert_int_equal(pebs_record_size(4, selection & ~BIT(3), &size),
                         PEBS_OK);
        assert_int_equal(size, 32);
    }
    assert_int_equal(pebs_record_size(4, 0xff00000f, &size), PEBS_OK);
    assert_int_equal(size, 32 + 32 + 144 + 256 + 256 * 24);
    assert_int_equal(
        pebs_record_size(6, UINT64_C(0xffffffff00003f) | 0xff000000, &size),
        PEBS_OK);
    assert_int_equal(size, PEBS_SIZE_MAX);
}

/* Three records of different sizes, and every prefix of them. */
static void prefixes(void **state)
{
    static const uint64_t selection[] = {0, 3, LBRS_2 | 8};
    static const size_t sizes[] = {32, 208, 80};
    uint8_t all[320];
    size_t at = 0;

    (void)state;
    for (unsigned i = 0; i < 3; at += sizes[i++]) {
        uint8_t *bytes = made(selection[i], sizes[i]);
        memset(bytes + 56, 0, sizes[i] > 32 ? 8 : 0); /* TX abort */
        memcpy(all + at, bytes, sizes[i]);
        free(bytes);
    }
    for (size_t size = 0; size <= sizeof(all); size++) {
        uint8_t *bytes = malloc(size != 0 ? size : 1);
        struct pebs_reader reader;
        struct pebs_record record;
        size_t next = 0;
        assert_non_null(bytes);
        memcpy(bytes, all, size);
        pebs_open(&reader, bytes, size, 4);
        for (unsigned i = 0; i < 3 && next + sizes[i] <= size; i++) {
            assert_int_equal(pebs_next(&reader, &record), PEBS_OK);
            assert_int_equal(reader.at, next);
            assert_int_equal(record.size, sizes[i]);
            next += sizes[i];
        }
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(pebs_next(&reader, &record),
                             next == size ? PEBS_END : PEBS_RECORD_CUT_SHORT);
            assert_int_equal(reader.at, next);
        }
        free(bytes);
    }
}

/* Each reserved bit of the selection, each other size. */
static void refused(void **state)
{
    uint8_t *bytes = made(3, 208);
    struct pebs_record record = {.rip = 77};
    size_t size;

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        const bool reserved = (bit >= 4 && bit < 24) || (bit >= 32 && bit < 48);
        const uint64_t form = (3 | UINT64_C(208) << 48) ^ BIT(bit);
        memcpy(bytes, &form, 8);
        if (bit >= 24 && bit < 32)
            continue;                /* entries of no group */
        if (bit < 32 || bit >= 48) { /* Retire Latency */
            assert_int_equal(pebs_decode(bytes, 208, 4, &record),
                             reserved ? PEBS_UNKNOWN_GROUPS
                                      : PEBS_SIZE_NOT_OF_GROUPS);
            assert_int_equal(record.rip, 77);
        }
        if (bit >= 48)
            continue;
        assert_int_equal(pebs_record_size(4, BIT(bit), &size),
                         reserved ? PEBS_UNKNOWN_GROUPS : PEBS_OK);
        assert_int_equal(size == 0, reserved);
    }
    free(bytes);
}

/* The first quadword's third field is neither of the groups nor of the size. */
static void retire_latency(void **state)
{
    uint8_t *bytes = made(3, 208);
    const uint64_t form = UINT64_C(0x00d0123400000003);
    struct pebs_record record;

    (void)state;
    memcpy(bytes, &form, 8);
    assert_int_equal(pebs_decode(bytes, 208, 4, &record), PEBS_OK);
    assert_int_equal(record.size, 208);
    assert_int_equal((record.record_format & PEBS_RETIRE_LATENCY) >> 32,
                     0x1234);
    assert_int_equal(record.data_linear_address, 0x1020);
    assert_int_equal(record.r15, 0x10c8);
    assert_int_equal(pebs_group_value(bytes, &record, PEBS_GROUP_GPRS, 1),
                     record.rip);
    free(bytes);
}

/* Reserved bits of TSX Auxiliary Info are said, and one may read on. */
static void reserved_abort(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint8_t *bytes = made(1, 64);
        const uint64_t info = BIT(bit);
        struct pebs_record record;
        memcpy(bytes + 56, &info, 8);
        assert_int_equal(pebs_decode(bytes, 64, 4, &record),
                         bit < 40 ? PEBS_OK : PEBS_TX_ABORT_RESERVED);
        assert_int_equal(record.tx_abort, info);
        free(bytes);
    }
}

/* A size that is not of the groups is that, and no cut, however few of the
 * bytes are there: zeros after the last record are not one cut short. */
static void size_before_cut(void **state)
{
    static const struct {
        unsigned format;
        uint64_t form;
    } rows[] = {{4, 0},
                {4, UINT64_C(8) << 48},
                {5, UINT64_C(31) << 48},
                {6, 0},
                {6, UINT64_C(40) << 48 | 0x10},
                {6, UINT64_C(47) << 48 | 0x20},
                {6, UINT64_C(79) << 48 | 0x11}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t size = 8; size <= 32; size++) {
            uint8_t *bytes = calloc(1, size);
            struct pebs_record record;
            assert_non_null(bytes);
            memcpy(bytes, &rows[i].form, 8);
            assert_int_equal(pebs_decode(bytes, size, rows[i].format, &record),
                             PEBS_SIZE_NOT_OF_GROUPS);
            free(bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_record),   cmocka_unit_test(members),
        cmocka_unit_test(selections),      cmocka_unit_test(entries),
        cmocka_unit_test(prefixes),        cmocka_unit_test(refused),
        cmocka_unit_test(retire_latency),  cmocka_unit_test(reserved_abort),
        cmocka_unit_test(size_before_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
