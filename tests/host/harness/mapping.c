/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping.c - addresses of which some are mapped, none of which is read. */
#include "src/harness/mapping.h"
#include "src/base/hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool mapped[512]; /* by bits [47:39] */

bool hw_physical(const void *at, uint64_t *physical, unsigned *pat)
{
    const uint64_t address = (uintptr_t)at;
    const uint64_t upper = address >> 47;

    assert_true(upper == 0 || upper == 0x1ffff); /* canonical */
    *physical = *pat = 0;
    return mapped[address >> 39 & 511];
}

static void found(void **state)
{
    (void)state;
    memset(mapped, 0, sizeof(mapped));
    assert_true(mapping_find_absent() == UINT64_C(0xffff800000000000));
    mapped[256] = true;
    assert_true(mapping_find_absent() == UINT64_C(0xffff808000000000));
    memset(mapped + 256, 1, 256);
    mapped[1] = true;
    assert_true(mapping_find_absent() == UINT64_C(2) << 39); /* 0 is none */
    memset(mapped, 1, 512);
    assert_true(mapping_find_absent() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
