/* SPDX-License-Identifier: BSD-2-Clause */
/* breakpoints.c - DR7 and the accesses that hit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/breakpoints.h"

static void hits_by_table(void **state)
{
    static const struct {
        uint64_t dr7;
        unsigned n;
        enum access access;
        uint64_t address;
        unsigned bytes;
        bool hit;
    } rows[] = {
        {0x400, 0, ACCESS_EXECUTE, 0x1004, 1, false},
        {0x401, 0, ACCESS_EXECUTE, 0x1004, 1, true},
        {0x402, 0, ACCESS_EXECUTE, 0x1004, 1, true},
        {0x401, 1, ACCESS_EXECUTE, 0x1004, 1, false},
        {0x480, 3, ACCESS_EXECUTE, 0x1004, 1, true},
        {0x401, 0, ACCESS_EXECUTE, 0x1003, 4, false},
        {0x401, 0, ACCESS_WRITE, 0x1004, 1, false},
        {0x10401, 0, ACCESS_WRITE, 0x1004, 1, true}, /* writes, 1 */
        {0x10401, 0, ACCESS_READ, 0x1004, 1, false},
        {0x10401, 0, ACCESS_WRITE, 0x1005, 1, false},
        {0x10401, 0, ACCESS_WRITE, 0x1001, 4, true},
        {0x10401, 0, ACCESS_WRITE, 0x1000, 4, false},
        {0x20401, 0, ACCESS_WRITE, 0x1004, 1, false}, /* I/O */
        {0x30401, 0, ACCESS_READ, 0x1004, 1, true},   /* both */
        {0xF0401, 0, ACCESS_READ, 0x1007, 1, true},   /* 4 bytes */
        {0xF0401, 0, ACCESS_READ, 0x1008, 1, false},
        {0xB0401, 0, ACCESS_WRITE, 0x1000, 1, true}, /* 8, aligned */
        {0xB0401, 0, ACCESS_WRITE, 0x1008, 1, false},
        {0x10000440, 3, ACCESS_WRITE, 0x1004, 1, true},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        if (breakpoint_hit(rows[n].dr7, rows[n].n, 0x1004, rows[n].access,
                           rows[n].address, rows[n].bytes) != rows[n].hit)
            fail_msg("row %zu", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_by_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
