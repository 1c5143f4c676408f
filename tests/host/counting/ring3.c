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
            assert_int_equal(at, (uintptr_t)tables[i] | 0x67);
            for (unsigned other = i + 1 < depth ? 1 : 2; other < 512; other++)
                assert_int_equal(tables[i][other], 0);
            at = tables[i][0];
        }
        assert_int_equal(at, (uintptr_t)pages[0] | 0x67);
        assert_int_equal(tables[depth - 1][1], (uintptr_t)pages[1] | 0x67);
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

static struct ring3_registers loaded;

void ring3_load(const struct ring3_registers *in)
{
    loaded = *in;
}

/* SDM 3A, "Segment Descriptor Types", "TSS Descriptor in 64-bit mode": what is
 * loaded into TR must not be busy, and is afterwards. Firmware's is given back
 * where TR held one, within its table. */
static void firmware_gets_its_tss_back(void **state)
{
    static const uint64_t busy = UINT64_C(0x80008b7654320067),
                          available = UINT64_C(0x8000897654320067);
    static const struct {
        unsigned tr, limit;
        uint64_t descriptor;
        bool given;
    } rows[] = {
        {0x18, 39, busy, true},
        {0x18, 31, busy, true},
        {0x18, 30, busy, false},
        {0x18, 23, busy, false},
        {0x18, 39, available, false},
        {0x18, 39, 0, false},
        {0, 39, busy, false},
        {0x18, 39, busy | UINT64_C(1) << 44, false}, /* code */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint64_t gdt[5] = {1, 2, 3, rows[n].descriptor, 5};
        struct ring3_session s = {.ring3 = NULL};

        s.firmware.tr = (uint16_t)rows[n].tr;
        s.firmware.gdt.limit = (uint16_t)rows[n].limit;
        s.firmware.gdt.base = (uintptr_t)gdt;
        s.firmware.cr3 = 0x5000;
        ring3_end(&s);
        assert_int_equal(loaded.tr, rows[n].given ? rows[n].tr : 0);
        assert_int_equal(loaded.cr3, 0x5000);
        assert_true(gdt[3] == (rows[n].given ? available : rows[n].descriptor));
        assert_true(gdt[0] == 1 && gdt[1] == 2 && gdt[2] == 3 && gdt[4] == 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors),
        cmocka_unit_test(maps_pages),
        cmocka_unit_test(needs_a_free_entry),
        cmocka_unit_test(firmware_gets_its_tss_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
