/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_counters.c - records of format 6: counters and metrics in them. */
#include "tests/host/pebs/adaptive_fixture.h"

static void golden_record_6(void **state)
{
    uint8_t *bytes = malloc(120);
    struct pebs_record record;
    char text[PEBS_QUADWORD_TEXT];
    unsigned rows = 0;

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(pebs_golden_bytes(6, bytes, 120), 120);
    assert_int_equal(pebs_decode(bytes, 120, 6, &record), PEBS_OK);
    assert_int_equal(record.format, 4);
    assert_int_equal(record.size, 120);
    assert_int_equal(record.selection, 0x0009020100000038);
    for (size_t i = 0; i < pebs_golden_rows; i++) {
        const struct pebs_golden *row = &pebs_golden[i];
        if (row->format != 6)
            continue;
        assert_int_equal(row->offset, 8 * rows++);
        assert_string_equal(pebs_quadword_name(&record, row->offset, text),
                            row->name);
    }
    assert_int_equal(rows, 15);
    assert_int_equal(pebs_group_value(bytes, &record, PEBS_GROUP_COUNTERS,
                                      pebs_counter_at(record.selection, 9)),
                     2);
    assert_int_equal(pebs_decode(bytes, 120, 5, &record), PEBS_UNKNOWN_GROUPS);
    assert_int_equal(pebs_decode(bytes, 119, 6, &record),
                     PEBS_RECORD_CUT_SHORT);
    free(bytes);
}

/* Each set of counters by itself, and metrics: the size, and who is where. */
static void counters_by_selection(void **state)
{
    (void)state;
    for (unsigned bit = 32; bit < 56; bit++)
        for (unsigned metrics = 0; metrics < 2; metrics++) {
            const uint64_t selection =
                BIT(4) | BIT(bit) | BIT(39) | (metrics != 0 ? BIT(5) : 0);
            const unsigned place = bit < 48 ? bit - 32 : bit - 16;
            const size_t values = bit == 39 ? 1 : 2;
            size_t size;

            assert_int_equal(pebs_record_size(6, selection, &size), PEBS_OK);
            assert_int_equal(size, 32 + 16 + 8 * (values + 2 * metrics));
            assert_int_equal(pebs_counter_at(selection, place),
                             bit > 39 ? 3 : 2);
            assert_int_equal(pebs_counter_at(selection, 7), bit < 39 ? 3 : 2);
            assert_int_equal(pebs_counter_at(selection, PEBS_METRICS_BASE),
                             metrics != 0 ? 2 + values : 0);
            assert_int_equal(pebs_counter_at(selection, PEBS_METRICS_DATA),
                             metrics != 0 ? 3 + values : 0);
            for (unsigned other = 0; other < PEBS_METRICS_BASE; other++)
                if (other != place && other != 7)
                    assert_int_equal(pebs_counter_at(selection, other), 0);
            assert_int_equal(pebs_record_size(5, selection, &size),
                             PEBS_UNKNOWN_GROUPS);
        }
}

/* A header that is not of the groups, or has sets that nothing selects. */
static void counters_header(void **state)
{
    static const struct {
        uint64_t form, sets, metrics;
        size_t size;
        enum pebs_error want;
    } rows[] = {
        {0x10, 1, 0, 56, PEBS_OK},
        {0x10, 0, 0, 48, PEBS_OK},
        {0x20, 0, 3, 64, PEBS_OK},
        {0x30, UINT64_C(0xff0000ffff), 3, 32 + 16 + 8 * 26, PEBS_OK},
        {0x10, 1, UINT64_C(0xffffffff00000000), 56, PEBS_OK}, /* reserved */
        {0x10, 1, 3, 72, PEBS_COUNTERS_HEADER},
        {0x20, 0, 0, 48, PEBS_COUNTERS_HEADER},
        {0x20, 0, 1, 64, PEBS_COUNTERS_HEADER},
        {0x20, 1, 3, 72, PEBS_COUNTERS_HEADER},
        {0x10, BIT(16), 0, 56, PEBS_COUNTERS_HEADER},
        {0x10, BIT(40), 0, 56, PEBS_COUNTERS_HEADER},
        {0x10, 3, 0, 56, PEBS_SIZE_NOT_OF_GROUPS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t *bytes = made(rows[i].form, rows[i].size);
        struct pebs_record record;
        memcpy(bytes + 32, &rows[i].sets, 8);
        memcpy(bytes + 40, &rows[i].metrics, 8);
        assert_int_equal(pebs_decode(bytes, rows[i].size, 6, &record),
                         rows[i].want);
        assert_int_equal(pebs_decode(bytes, 47, 6, &record),
                         PEBS_RECORD_CUT_SHORT);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_record_6),
        cmocka_unit_test(counters_by_selection),
        cmocka_unit_test(counters_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
