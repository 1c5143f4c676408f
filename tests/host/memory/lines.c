/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - the lines chosen are apart in every way that matters. */
#include "src/memory/lines.h"
#include "src/harness/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void apart(void **state)
{
    static char source[TEST_SOURCE_BYTES] __attribute__((aligned(4096)));
    static struct test_context t;
    unsigned ascending = 0;

    (void)state;
    t.source = source;
    for (unsigned seed = 0; seed < 100; seed++) {
        struct lines lines;
        t.random = seed;
        lines_choose(&t, &lines);
        for (unsigned i = 0; i < LINES; i++) {
            const char *a = lines.at[i];
            assert_true(a >= source && a + 8 <= source + sizeof(source));
            assert_int_equal((uintptr_t)a % 64, 0);
            for (unsigned k = 0; k < i; k++) {
                const char *b = lines.at[k];
                assert_int_not_equal((a - source) / 4096, (b - source) / 4096);
                /* Sets of an L1 of 64; and no two lines of one pair. */
                assert_int_not_equal((uintptr_t)a / 128 % 32,
                                     (uintptr_t)b / 128 % 32);
            }
            ascending += i > 0 && a > (const char *)lines.at[i - 1];
        }
    }
    /* In a random order half of the steps go up. */
    assert_in_range(ascending, 100 * LINES / 3, 100 * LINES * 2 / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(apart)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
