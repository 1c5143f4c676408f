/* SPDX-License-Identifier: BSD-2-Clause */
/* ds_area.c - the PEBS part of a DS area: filled in, and each error. */
#include "src/pebs/pebs_ds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BASE 0x10000

/* Room for ten records of format 3, four of them written, threshold nine. */
static struct pebs_ds_area good(void)
{
    struct pebs_ds_area area = {.bts_index = 7, .pebs_reset = {1, 2, 3}};

    assert_int_equal(pebs_ds_set(&area, BASE, 10, 9, 200), PEBS_OK);
    area.pebs_index += 800;
    return area;
}

static void fills_in(void **state)
{
    struct pebs_ds_area area = good();
    uint64_t written = 99;

    (void)state;
    assert_int_equal(area.pebs_buffer_base, BASE);
    assert_int_equal(area.pebs_absolute_maximum, BASE + 2000);
    assert_int_equal(area.pebs_interrupt_threshold, BASE + 1800);
    assert_int_equal(area.bts_index, 7);
    assert_int_equal(area.pebs_reset[2], 3);
    assert_int_equal(pebs_ds_check(&area, 200, &written), PEBS_OK);
    assert_int_equal(written, 4);
}

static void fills_in_no_nonsense(void **state)
{
    struct pebs_ds_area area = {0};

    (void)state;
    assert_int_equal(pebs_ds_set(&area, BASE, 0, 0, 200),
                     PEBS_SIZE_DOES_NOT_DIVIDE);
    assert_int_equal(pebs_ds_set(&area, BASE, UINT64_MAX / 200, 1, 200),
                     PEBS_SIZE_DOES_NOT_DIVIDE);
    assert_int_equal(pebs_ds_set(&area, UINT64_MAX - 199, 1, 1, 200),
                     PEBS_SIZE_DOES_NOT_DIVIDE);
    assert_int_equal(pebs_ds_set(&area, BASE, 10, 0, 200),
                     PEBS_THRESHOLD_OUTSIDE);
    assert_int_equal(pebs_ds_set(&area, BASE, 10, 11, 200),
                     PEBS_THRESHOLD_OUTSIDE);
    assert_int_equal(area.pebs_buffer_base, 0);
    assert_int_equal(pebs_ds_set(&area, UINT64_MAX - 200, 1, 1, 200), PEBS_OK);
    assert_int_equal(area.pebs_absolute_maximum, UINT64_MAX);
}

static void each_error(void **state)
{
    static const struct {
        uint64_t base, index, maximum, threshold;
        enum pebs_error error;
        uint64_t written;
    } rows[] = {
        {BASE, BASE, BASE + 2000, BASE + 200, PEBS_OK, 0},
        {BASE, BASE + 200, BASE + 2000, BASE + 200, PEBS_OK, 1},
        {BASE, BASE + 2000, BASE + 2000, BASE + 2000, PEBS_OK, 10},
        {BASE, BASE, BASE + 2000, BASE, PEBS_OK, 0},
        {BASE, BASE, BASE, BASE, PEBS_MAXIMUM_BELOW_BASE, 0},
        {BASE, BASE, BASE - 1, BASE, PEBS_MAXIMUM_BELOW_BASE, 0},
        {BASE, BASE, BASE + 1, BASE, PEBS_SIZE_DOES_NOT_DIVIDE, 0},
        {BASE, BASE, BASE + 2001, BASE, PEBS_SIZE_DOES_NOT_DIVIDE, 0},
        {BASE, BASE, BASE + 1999, BASE, PEBS_SIZE_DOES_NOT_DIVIDE, 0},
        {BASE, BASE, BASE + 4096, BASE, PEBS_SIZE_DOES_NOT_DIVIDE, 0},
        {BASE, BASE - 1, BASE + 2000, BASE, PEBS_INDEX_BELOW_BASE, 0},
        {BASE, 0, BASE + 2000, BASE, PEBS_INDEX_BELOW_BASE, 0},
        {BASE, BASE + 2001, BASE + 2000, BASE, PEBS_INDEX_PAST_MAXIMUM, 0},
        {BASE, BASE + 2200, BASE + 2000, BASE, PEBS_INDEX_PAST_MAXIMUM, 0},
        {BASE, BASE + 1, BASE + 2000, BASE, PEBS_INDEX_BETWEEN_RECORDS, 0},
        {BASE, BASE + 192, BASE + 2000, BASE, PEBS_INDEX_BETWEEN_RECORDS, 0},
        {BASE, BASE + 200, BASE + 2000, BASE - 1, PEBS_THRESHOLD_OUTSIDE, 1},
        {BASE, BASE + 200, BASE + 2000, BASE + 2001, PEBS_THRESHOLD_OUTSIDE, 1},
        {BASE, BASE + 200, BASE + 2000, BASE + 10,
         PEBS_THRESHOLD_BETWEEN_RECORDS, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pebs_ds_area area = {
            .pebs_buffer_base = rows[i].base,
            .pebs_index = rows[i].index,
            .pebs_absolute_maximum = rows[i].maximum,
            .pebs_interrupt_threshold = rows[i].threshold,
        };
        uint64_t written = 99;
        assert_int_equal(pebs_ds_check(&area, 200, &written), rows[i].error);
        assert_int_equal(written, rows[i].written);
    }
}

/* The shortest record there is, those of formats 0 to 3, the longest. */
static void each_size(void **state)
{
    static const size_t sizes[] = {32, 144, 176, 192, 200, 6608};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct pebs_ds_area area;
        uint64_t written;
        assert_int_equal(pebs_ds_set(&area, BASE, 3, 2, sizes[i]), PEBS_OK);
        assert_int_equal(area.pebs_absolute_maximum, BASE + 3 * sizes[i]);
        area.pebs_index = BASE + 3 * sizes[i];
        assert_int_equal(pebs_ds_check(&area, sizes[i], &written), PEBS_OK);
        assert_int_equal(written, 3);
        area.pebs_index--;
        assert_int_equal(pebs_ds_check(&area, sizes[i], &written),
                         PEBS_INDEX_BETWEEN_RECORDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in),
        cmocka_unit_test(fills_in_no_nonsense),
        cmocka_unit_test(each_error),
        cmocka_unit_test(each_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
