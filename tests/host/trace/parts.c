/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - an output in parts: where pointers stand in it, and its bytes. */
#include "src/trace/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* 6 bytes of one region, then 4 of another that lies before it in memory. */
static const struct parts two = {
    .count = 2,
    .part = {{.base = 0x1000, .low = 0x7f, .at = 16, .first = 2, .end = 8},
             {.base = 0x1000, .low = 0xff, .at = 0, .first = 0, .end = 4}}};

static void pointers(void **state)
{
    static const struct {
        uint64_t base, pointers;
        bool in;
        size_t bytes;
    } rows[] = {
        {0x1000, UINT64_C(2) << 32 | 0x7f, true, 0},
        {0x1000, UINT64_C(7) << 32 | 0x7f, true, 5},
        {0x1000, UINT64_C(8) << 32 | 0x7f, false, 0},
        {0x1000, UINT64_C(1) << 32 | 0x7f, false, 0},
        {0x1000, UINT64_C(0) << 32 | 0xff, true, 6},
        {0x1000, UINT64_C(3) << 32 | 0xff, true, 9},
        {0x1000, UINT64_C(4) << 32 | 0xff, false, 0},
        {0x2000, UINT64_C(3) << 32 | 0xff, false, 0},
        {0x1000, UINT64_C(3) << 32 | 0x17f, false, 0},
    };

    (void)state;
    assert_int_equal(parts_pointers(&two), UINT64_C(2) << 32 | 0x7f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t bytes = 0;
        assert_int_equal(
            parts_written(&two, rows[i].base, rows[i].pointers, &bytes),
            rows[i].in);
        if (rows[i].in)
            assert_int_equal(bytes, rows[i].bytes);
    }
}

static void contents(void **state)
{
    uint8_t memory[32], to[16];

    (void)state;
    for (uint8_t i = 0; i < sizeof(memory); i++)
        memory[i] = i;
    assert_int_equal(parts_copy(&two, memory, 9, to, sizeof(to)), 9);
    assert_memory_equal(to, "\x12\x13\x14\x15\x16\x17\x00\x01\x02", 9);
    assert_int_equal(parts_copy(&two, memory, 3, to, sizeof(to)), 3);
    memset(to, 0xee, sizeof(to));
    assert_int_equal(parts_copy(&two, memory, 9, to, 7), 7);
    assert_int_equal(to[6], 0);
    assert_int_equal(to[7], 0xee);
    assert_int_equal(parts_inside(&two, 9, 0, 32), 9);
    assert_int_equal(parts_inside(&two, 9, 0, 16), 3);
    assert_int_equal(parts_inside(&two, 9, 20, 23), 3);
    assert_int_equal(parts_inside(&two, 2, 16, 32), 2);
    assert_int_equal(parts_inside(&two, 0, 0, 32), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers),
        cmocka_unit_test(contents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
