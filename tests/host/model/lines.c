/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - the read set and the write set, by the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/memory/lines.h"

static uint64_t entries[LINE_ENTRIES];
static struct line_set set;

static int empty(void **state)
{
    (void)state;
    for (size_t n = 0; n < LINE_ENTRIES; n++)
        entries[n] = 0;
    lines_start(&set, entries);
    return 0;
}

static void lines_are_exact(void **state)
{
    (void)state;
    assert_true(lines_add(&set, 0x12345, LINE_READ));
    assert_true(lines_add(&set, 0x12347, LINE_READ)); /* the same */
    assert_true(lines_add(&set, 0x12380, LINE_WRITTEN));
    assert_int_equal(lines_find(&set, 0x12340), LINE_READ);
    assert_int_equal(lines_find(&set, 0x1237F), LINE_READ);
    assert_int_equal(lines_find(&set, 0x1233F), 0);
    assert_int_equal(lines_find(&set, 0x12380), LINE_WRITTEN);
    assert_int_equal(lines_find(&set, 0x123C0), 0);
    assert_true(lines_add(&set, 0x12340, LINE_WRITTEN));
    assert_int_equal(lines_find(&set, 0x12340), LINE_READ | LINE_WRITTEN);
    assert_int_equal(set.reads, 1);
    assert_int_equal(set.writes, 2);
    assert_true(lines_on_page(&set, 0x12FFF));
    assert_false(lines_on_page(&set, 0x13000));
}

/* More often than serial numbers last. */
static void clearing_forgets_all(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 0x20010; n++) {
        assert_int_equal(lines_find(&set, 0x4000), 0);
        assert_true(lines_add(&set, 0x4000, LINE_WRITTEN));
        assert_int_equal(set.writes, 1);
        lines_clear(&set);
    }
}

static void full_is_said(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < LINE_ENTRIES; n++)
        assert_true(lines_add(&set, n * LINE_BYTES, LINE_READ));
    assert_int_equal(set.reads, LINE_ENTRIES);
    assert_false(lines_add(&set, LINE_ENTRIES * LINE_BYTES, LINE_READ));
    assert_int_equal(lines_find(&set, LINE_ENTRIES * LINE_BYTES), 0);
    assert_true(lines_add(&set, 0, LINE_WRITTEN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lines_are_exact, empty),
        cmocka_unit_test_setup(clearing_forgets_all, empty),
        cmocka_unit_test_setup(full_is_said, empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
