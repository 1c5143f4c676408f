/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping.c - walks over tables of 4 and 5 levels, pages of three sizes. */
#include "src/harness/mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LA57  UINT64_C(0x1000)
#define LARGE UINT64_C(0x80)

static _Alignas(4096) uint64_t tables[5][512]; /* of levels 5 to 1 */

static uint64_t at(unsigned n)
{
    return (uint64_t)(uintptr_t)tables[n];
}

/* Entry 1 of each leads to the next; no flag but P. */
static int set_up(void **state)
{
    (void)state;
    memset(tables, 0, sizeof(tables));
    for (unsigned n = 0; n < 4; n++)
        tables[n][1] = at(n + 1) | 1;
    tables[4][1] = 0x1234000 | 1;
    return 0;
}

static void walked(void **state)
{
    const uint64_t four = UINT64_C(1) << 39 | 1 << 30 | 1 << 21 | 1 << 12;
    const uint64_t five = UINT64_C(1) << 48 | four;

    (void)state;
    assert_true(mapping_is_present(at(1) | 0x18, 0, four | 0xfff));
    assert_true(mapping_is_present(at(0), LA57, five));
    assert_false(mapping_is_present(at(1), 0, four + 0x1000));
    assert_false(mapping_is_present(at(1), 0, four + (1 << 21)));
    assert_false(mapping_is_present(at(0), LA57, four));
    tables[4][1] ^= 1; /* each level's P */
    assert_false(mapping_is_present(at(1), 0, four));
    tables[3][1] = 0x200000 | LARGE | 1;
    assert_true(mapping_is_present(at(1), 0, four));
    assert_true(mapping_is_present(at(1), 0, four + 0x5000));
    tables[3][1] = at(4);
    assert_false(mapping_is_present(at(1), 0, four));
    tables[2][1] = 0x40000000 | LARGE | 1;
    assert_true(mapping_is_present(at(1), 0, four + (5 << 21)));
    tables[2][1] = 0;
    assert_false(mapping_is_present(at(1), 0, four));
    tables[1][1] = LARGE | at(2); /* reserved in this level, and not P */
    assert_false(mapping_is_present(at(1), 0, four));
}

static void found(void **state)
{
    (void)state;
    assert_true(mapping_find_absent(at(1), 0) == UINT64_C(0xffff800000000000));
    tables[1][256] = at(2) | 1;
    tables[2][0] = 0; /* only the address's own page counts */
    assert_true(mapping_find_absent(at(1), 0) == UINT64_C(0xffff800000000000));
    tables[2][0] = LARGE | 1;
    assert_true(mapping_find_absent(at(1), 0) == UINT64_C(0xffff808000000000));
    assert_true(mapping_find_absent(at(0), LA57) ==
                UINT64_C(0xff00000000000000));
    /* All of the upper half is mapped; then the lower too. Never 0. */
    for (unsigned n = 256; n < 512; n++)
        tables[1][n] = at(2) | 1;
    tables[1][0] = 0;
    tables[1][1] = at(2) | 1;
    assert_true(mapping_find_absent(at(1), 0) == UINT64_C(2) << 39);
    for (unsigned n = 0; n < 512; n++)
        tables[1][n] = at(2) | 1;
    assert_true(mapping_find_absent(at(1), 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(walked, set_up),
        cmocka_unit_test_setup(found, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
