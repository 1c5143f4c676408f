/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3.c - descriptors and page tables of ring 3, as the manual draws them. */
#include "src/counting/ring3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(4096) uint64_t root[512], tables[4][512];
static _Alignas(4096) uint8_t page[2][4096];
static const void *const pages[] = {page[0], page[1]};

static void descriptors(void **state)
{
    (void)state;
    /* P, S, type code readable, L; P, S, type data writable; DPL [46:45] */
    assert_int_equal(ring3_descriptor(true, 0), UINT64_C(0x00209a0000000000));
    assert_int_equal(ring3_descriptor(true, 3), UINT64_C(0x0020fa0000000000));
    assert_int_equal(ring3_descriptor(false, 0), UINT64_C(0x0000920000000000));
    assert_int_equal(ring3_descriptor(false, 3), UINT64_C(0x0000f20000000000));
}

static void maps_pages(void **state)
{
    (void)state;
    for (unsigned depth = 3; depth <= 4; depth++) {
        memset(root, 0, sizeof(root));
        memset(tables, 0xee, sizeof(tables));
        root[0] = 0x1003;
        root[255] = 0x2003;
        root[254] = 0x3003;
        unsigned entry = ring3_map(root, tables, depth, pages, 2);

        assert_int_equal(entry, 253);
        uint64_t at = root[entry];
        for (unsigned i = 0; i < depth; i++) {
            assert_int_equal(at, (uintptr_t)tables[i] | 7);
            for (unsigned other = i + 1 < depth ? 1 : 2; other < 512; other++)
                assert_int_equal(tables[i][other], 0);
            at = tables[i][0];
        }
        assert_int_equal(at, (uintptr_t)pages[0] | 7);
        assert_int_equal(tables[depth - 1][1], (uintptr_t)pages[1] | 7);
        assert_int_equal(root[0], 0x1003);
        assert_int_equal(root[254], 0x3003);
    }
}

static void needs_a_free_entry(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        root[i] = i == 0 ? 0 : 0x1003;
    assert_int_equal(ring3_map(root, tables, 3, pages, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors),
        cmocka_unit_test(maps_pages),
        cmocka_unit_test(needs_a_free_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
