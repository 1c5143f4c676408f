/* SPDX-License-Identifier: BSD-2-Clause */
/* data_source.c - each encoding of each generation, typed once more. */
#include "src/memory/data_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const enum data_level wanted[DATA_SOURCES] = {
    LEVEL_MEMORY, LEVEL_L1,       LEVEL_PENDING, LEVEL_L2,
    LEVEL_L3,     LEVEL_L3,       LEVEL_L3,      LEVEL_RESERVED,
    LEVEL_MEMORY, LEVEL_RESERVED, LEVEL_MEMORY,  LEVEL_MEMORY,
    LEVEL_MEMORY, LEVEL_MEMORY,   LEVEL_IO,      LEVEL_UNCACHEABLE,
};

static void levels(void **state)
{
    static const struct {
        unsigned model;
        bool hitm; /* 07H is an encoding */
    } rows[] = {
        {0x1a, false}, {0x2e, true}, {0x25, false}, {0x2a, true},
        {0x2d, true},  {0x3a, true}, {0x3e, true},  {0x3c, true},
        {0x3d, true},  {0x4f, true}, {0x5e, true},  {0x55, true},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned n = 0; n < DATA_SOURCES; n++) {
            const struct data_source *source = data_source_of(
                generation_of(6, rows[i].model, 0), rows[i].model, n);
            assert_non_null(source);
            assert_non_null(source->name);
            assert_int_equal(source->level,
                             n == 7 && rows[i].hitm ? LEVEL_L3 : wanted[n]);
        }
}

/* "Data Source Encoding for Memory Accesses (Ice Lake and Later
 * Microarchitectures)": all is memory that neither the package's caches nor its
 * cores have. */
static void levels_later(void **state)
{
    static const enum data_level of_it[DATA_SOURCES] = {
        LEVEL_MEMORY, LEVEL_L1,     LEVEL_PENDING, LEVEL_L2,
        LEVEL_L3,     LEVEL_L3,     LEVEL_L3,      LEVEL_L3,
        LEVEL_MEMORY, LEVEL_MEMORY, LEVEL_MEMORY,  LEVEL_MEMORY,
        LEVEL_MEMORY, LEVEL_MEMORY, LEVEL_IO,      LEVEL_UNCACHEABLE,
    };
    static const uint8_t models[] = {0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x8f,
                                     0xcf, 0xad, 0x97, 0x9a, 0xb7, 0xba, 0xbf};

    (void)state;
    for (unsigned i = 0; i < sizeof(models); i++)
        for (unsigned n = 0; n < DATA_SOURCES; n++) {
            const struct data_source *source =
                data_source_of(generation_of(6, models[i], 0), models[i], n);
            assert_non_null(source);
            assert_int_equal(source->level, of_it[n]);
            assert_int_equal(source->core,
                             n == 7 ? CORE_FORWARDS : CORE_NOTHING);
        }
}

/* Before, the manual's encoding, and that which Linux has instead. */
static void modified(void **state)
{
    (void)state;
    for (unsigned n = 0; n < DATA_SOURCES; n++) {
        assert_int_equal(data_source_of(SKYLAKE, 0x5e, n)->core,
                         n == 6   ? CORE_EITHER
                         : n == 7 ? CORE_MODIFIED
                                  : CORE_NOTHING);
        assert_int_equal(data_source_of(NEHALEM, 0x1a, n)->core,
                         n == 6 ? CORE_EITHER : CORE_NOTHING);
    }
}

/* No two encodings of a generation read alike, but for those reserved. */
static void names(void **state)
{
    (void)state;
    for (unsigned n = 0; n < DATA_SOURCES; n++)
        for (unsigned m = 0; m < n; m++) {
            const struct data_source *a = data_source_of(SKYLAKE, 0x5e, n);
            const struct data_source *b = data_source_of(SKYLAKE, 0x5e, m);
            assert_true(a->level == LEVEL_RESERVED || a->name != b->name);
            assert_string_not_equal(data_source_of(GOLDEN_COVE, 0x8f, n)->name,
                                    data_source_of(GOLDEN_COVE, 0x8f, m)->name);
        }
}

static void unknown(void **state)
{
    (void)state;
    assert_null(data_source_of(GENERATION_UNKNOWN, 0xcc, 1));
    assert_ptr_equal(data_source_of(HASWELL, 0x3c, 0x13),
                     data_source_of(HASWELL, 0x3c, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),   cmocka_unit_test(levels_later),
        cmocka_unit_test(modified), cmocka_unit_test(names),
        cmocka_unit_test(unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
