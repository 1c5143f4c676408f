/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore.c - the bits of off-core response per model, typed once more,
 * and which values select something. */
#include "src/uncore/offcore.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Every valid bit of a model, and those that must be refused. */
static const struct {
    uint16_t family, model;
    uint64_t valid, refused;
} rows[] = {
    {6, 0x2a, 0x3f807f8fff, 0xffffffc07f807000},
    {6, 0x3a, 0x3f807f8fff, 0xffffffc07f807000},
    {6, 0x2d, 0x3fffff8fff, 0xffffffc000007000},
    {6, 0x3c, 0x3f805f8077, 0xffffffc000007000},
    {6, 0x46, 0x3f805f8077, 0xffffffc000007000},
    {6, 0x45, 0x3f83df8077, 0xffffffc000007000},
    {6, 0x3f, 0x3fb87f8077, 0xffffffc000007000},
    {6, 0x3d, 0x3f805f8077, 0xffffffc000007000},
    {6, 0x47, 0x3f805f8077, 0xffffffc000007000},
    {6, 0x4e, 0x3fc45f8987, 0xffffffc000007000},
    {6, 0x5e, 0x3fc45f8987, 0xffffffc000007000},
    {6, 0x8e, 0x3fc45f8987, 0xffffffc000007000},
    {6, 0x9e, 0x3fc45f8987, 0xffffffc000007000},
    {6, 0x6a, 0x3fbffdaff7, 0xffffffc000004000},
    {6, 0x6c, 0x3fbffdaff7, 0xffffffc000004000},
    {6, 0x8f, 0x3fbffd6fff, 0xffffffc000000000},
    {6, 0xcf, 0x3fbffd6fff, 0xffffffc000000000},
    {6, 0xad, 0x3fbffd6fff, 0xffffffc000000000},
    {6, 0xae, 0x3fbffd6fff, 0xffffffc000000000},
};

static const struct offcore_table *table_of(uint16_t family, uint16_t model)
{
    const struct identity id = {.family = family, .model = model};

    return offcore_of(&id);
}

static void by_model(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct offcore_table *table =
            table_of(rows[i].family, rows[i].model);
        assert_non_null(table);
        assert_int_equal(table->request | OFFCORE_ANY | table->supplier |
                             table->snoop,
                         rows[i].valid);
        assert_int_equal(table->refused, rows[i].refused);
        assert_int_equal(table->refused & rows[i].valid, 0);
        assert_int_equal(table->request >> 16, 0);
        assert_int_equal(table->supplier & ~0x7ffe0000ull, 0);
        assert_int_equal(table->snoop, 0x3f80000000);
        assert_int_equal((table->l3_hit | table->memory) & ~table->supplier, 0);
        assert_int_equal(table->l3_hit & table->memory, 0);
    }
    assert_int_equal(table_of(6, 0x3c)->memory, 1 << 22);
    assert_int_equal(table_of(6, 0x5e)->memory, 1 << 26);
    assert_int_equal(table_of(6, 0x3d)->memory, 0);
    assert_int_equal(table_of(6, 0x8f)->memory, 0xf << 26);
    assert_int_equal(offcore_event(table_of(6, 0x6a), 0), 0x01b7);
    assert_int_equal(offcore_event(table_of(6, 0x6a), 1), 0x01bb);
    assert_int_equal(offcore_event(table_of(6, 0x8f), 0), 0x012a);
    assert_int_equal(offcore_event(table_of(6, 0xad), 1), 0x012b);
    assert_null(table_of(6, 0x55)); /* Skylake server: not in the manual */
    assert_null(table_of(6, 0xa5));
    assert_null(table_of(6, 0x37)); /* Silvermont: other bits */
    assert_null(table_of(6, 0x1a)); /* Nehalem: other bits */
    assert_null(table_of(15, 0x2a));
}

/* Each bit alone beside what makes it valid, and without that. */
static void validity(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct offcore_table *table =
            table_of(rows[i].family, rows[i].model);
        const uint64_t suppliers = table->supplier, snoops = table->snoop;
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t one = 1ull << bit;
            bool known = (rows[i].valid & one) != 0;
            assert_int_equal(offcore_validate(table, one | 1 | OFFCORE_ANY),
                             !known ? OFFCORE_RESERVED
                             : (one & table->all_or_none) != 0
                                 ? OFFCORE_INCOMPLETE
                                 : OFFCORE_VALID);
            if (bit < 16 && known) {
                assert_int_equal(offcore_validate(table, one | OFFCORE_ANY),
                                 OFFCORE_VALID);
                assert_int_equal(
                    offcore_validate(table, one | suppliers | snoops),
                    OFFCORE_VALID);
                assert_int_equal(offcore_validate(table, one | suppliers),
                                 OFFCORE_NO_RESPONSE);
                assert_int_equal(offcore_validate(table, one | snoops),
                                 OFFCORE_NO_RESPONSE);
                assert_int_equal(offcore_validate(table, one),
                                 OFFCORE_NO_RESPONSE);
            }
            if (bit > 16 && known)
                assert_int_equal(
                    offcore_validate(table, one | suppliers | snoops),
                    OFFCORE_NO_REQUEST);
        }
        assert_int_equal(offcore_validate(table, 0), OFFCORE_NO_REQUEST);
        assert_int_equal(offcore_validate(table, OFFCORE_ANY),
                         OFFCORE_NO_REQUEST);
    }
}

/* "either all 0s or all 1s" */
static void remote_dram(void **state)
{
    const struct offcore_table *table = table_of(6, 0x2d);

    (void)state;
    assert_int_equal(offcore_validate(table, 0x7f80000000 >> 8 | 0x80000001),
                     OFFCORE_VALID);
    assert_int_equal(offcore_validate(table, 0x40800001ull | 1ull << 31),
                     OFFCORE_INCOMPLETE);
}

/* What does not validate never reaches the register. */
static void writes(void **state)
{
    static struct test_context all[1];
    struct test_context *t = &all[0];
    static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};

    (void)state;
    fake_reset();
    memset(all, 0, sizeof(all));
    t->all = all;
    t->processors = 1;
    context_begin(t, &each, 1);
    fake_msr(0x1a6)->value = 5;
    fake_msr(0x1a7);
    assert_false(offcore_write(t, table_of(6, 0x5e), 0, 1));
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_int_equal(fake_msr(0x1a6)->writes, 0);
    assert_true(offcore_write(t, table_of(6, 0x5e), 0, 0x10001));
    assert_int_equal(fake_msr(0x1a6)->value, 0x10001);
    assert_true(offcore_write(t, table_of(6, 0x5e), 1, 0x10002));
    assert_int_equal(fake_msr(0x1a7)->value, 0x10002);
    restore_msrs(t);
    assert_int_equal(fake_msr(0x1a6)->value, 5);
    assert_int_equal(fake_msr(0x1a7)->value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_model),
        cmocka_unit_test(validity),
        cmocka_unit_test(remote_dram),
        cmocka_unit_test(writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
