/* SPDX-License-Identifier: BSD-2-Clause */
/* output.c - registers and tables of Processor Trace, with numbers
 * from the tables of SDM 3C. */
#include "src/trace/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* From leaf 14H: nothing that is not enumerated. */
static void control(void **state)
{
    static const struct {
        uint32_t ebx, ebx_1;
        bool topa;
        uint64_t control;
        uint32_t psb_bytes;
    } rows[] = {
        {0x1, 0, true, 0x2104, 0}, /* Broadwell */
        {0xf, 0x003f1fff, true, 0x2104, 2048},
        {0xf, 0x003f1fff, false, 0x2004, 2048},
        {0xf, 0x003e1fff, true, 0x1002104, 4096}, /* not every 2 KB */
        {0xf, 0x80001fff, true, 0xf002104, 2048u << 15},
        {0xd, 0x003e1fff, true, 0x2104, 0}, /* without EBX[1] no PSBFreq */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.leaf14_ebx = rows[i].ebx,
                                    .leaf14_1_ebx = rows[i].ebx_1};
        assert_int_equal(output_control(&id, rows[i].topa), rows[i].control);
        assert_int_equal(output_psb_bytes(&id), rows[i].psb_bytes);
    }
}

static void tables(void **state)
{
    uint64_t table[5] = {0, 0, 0, 0, 0xabcd};

    (void)state;
    assert_int_equal(output_topa_entry(0x12345000, 0, TOPA_INT), 0x12345004);
    output_topa_table(table, 0x7000, 0x40000, 1, 3, TOPA_STOP);
    assert_int_equal(table[0], 0x400d0); /* 32 KB, STOP */
    assert_int_equal(table[1], 0x7001);  /* END, back to itself */
    assert_int_equal(table[2], 0);
    output_topa_table(table, 0x7000, 0x40000, 3, 1, TOPA_INT);
    assert_int_equal(table[0], 0x40040);
    assert_int_equal(table[1], 0x42040);
    assert_int_equal(table[2], 0x44044);
    assert_int_equal(table[3], 0x7001);
    assert_int_equal(table[4], 0xabcd);
}

static void pointers(void **state)
{
    (void)state;
    assert_int_equal(output_range_pointers(128, 0), 0x7f);
    assert_int_equal(output_range_pointers(4096, 0x1000), 0x100000000fff);
    assert_int_equal(output_topa_pointers(0, 0), 0x7f);
    assert_int_equal(output_topa_pointers(2, 0x34), 0x340000017f);
    assert_int_equal(output_entry(0x340000017f), 2);
    assert_int_equal(output_offset(0x340000017f), 0x34);
    assert_int_equal(output_entry(0xffffffffffffffff), 0x1ffffff);
}

/* Errata TGL052, ADL037, RPL017; a page is reliable on each processor. */
static void ranges(void **state)
{
    static const struct {
        uint16_t family, model;
        bool reliable; /* of more than a page */
    } rows[] = {
        {6, 0x3d, true},   {6, 0x55, true},  {6, 0x5e, true},  {6, 0x6a, true},
        {6, 0x7e, true},   {6, 0x8e, true},  {6, 0x9e, true},  {6, 0xa5, true},
        {6, 0xa6, true},   {6, 0x8c, false}, {6, 0x8d, false}, {6, 0x8f, false},
        {6, 0x97, false},  {6, 0xa7, false}, {6, 0xbe, false}, {6, 0xcf, false},
        {15, 0x3d, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = rows[i].family,
                                    .model = rows[i].model};
        assert_true(output_range_is_reliable(&id, 4096));
        assert_int_equal(output_range_is_reliable(&id, 8192), rows[i].reliable);
    }
}

static void models(void **state)
{
    static const struct {
        uint16_t family, model;
        bool broadwell, lbr;
    } rows[] = {
        {6, 0x3d, true, true},   {6, 0x47, true, true},
        {6, 0x4f, true, true},   {6, 0x56, true, true},
        {6, 0x4e, false, true},  {6, 0x5e, false, true},
        {6, 0x55, false, false}, {15, 0x3d, false, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = rows[i].family,
                                    .model = rows[i].model};
        assert_int_equal(output_is_broadwell(&id), rows[i].broadwell);
        assert_int_equal(output_excludes_lbr(&id), rows[i].lbr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control),  cmocka_unit_test(tables),
        cmocka_unit_test(pointers), cmocka_unit_test(ranges),
        cmocka_unit_test(models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
