/* SPDX-License-Identifier: BSD-2-Clause */
/* test_microcode_file.c - files of microcode updates, made here and damaged. */
#include "src/cpu/microcode_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIGNATURE 0x506e3u
#define PLATFORM  1u
#define DWORDS    512 /* 2048 bytes: the least that is usual */

/* By number: SDM 3A, "Microcode Update Field Definitions". */
enum {
    VERSION,
    REVISION,
    DATE,
    CPU,
    SUM,
    LOADER,
    FLAGS,
    DATA_SIZE,
    TOTAL_SIZE
};
#define HEADER 12

static uint32_t file[4 * DWORDS] __attribute__((aligned(16)));
static char why[MICROCODE_WHY_BYTES];
static struct microcode_update found;

static void finish(uint32_t *update, unsigned dwords, unsigned at)
{
    uint32_t sum = 0;

    update[at] = 0;
    for (unsigned i = 0; i < dwords; i++)
        sum += update[i];
    update[at] = 0 - sum;
}

static uint32_t *make(unsigned n, uint32_t revision)
{
    uint32_t *u = file + n * DWORDS;

    memset(u, 0, 4 * DWORDS);
    u[VERSION] = u[LOADER] = 1;
    u[REVISION] = revision;
    u[CPU] = SIGNATURE;
    u[FLAGS] = 1u << PLATFORM;
    u[DATA_SIZE] = 4 * (DWORDS - HEADER);
    u[TOTAL_SIZE] = 4 * DWORDS;
    for (unsigned i = HEADER; i < DWORDS; i++)
        u[i] = i * 0x01234567u;
    finish(u, DWORDS, SUM);
    return u;
}

static bool find(size_t updates)
{
    strcpy(why, "");
    return microcode_find(file, updates * sizeof(uint32_t) * DWORDS, SIGNATURE,
                          PLATFORM, 0xc6, &found, why);
}

static void refused(size_t updates, const char *reason)
{
    assert_false(find(updates));
    if (strstr(why, reason) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", reason, why);
}

static void a_newer_one_is_found(void **state)
{
    (void)state;
    make(0, 0xcc);
    assert_true(find(1));
    assert_int_equal(found.revision, 0xcc);
    assert_ptr_equal(found.data, file + HEADER);
}

static void sizes_of_zero_are_the_usual(void **state)
{
    (void)state;
    uint32_t *u = make(0, 0xcc);
    u[DATA_SIZE] = u[TOTAL_SIZE] = 0;
    finish(u, DWORDS, SUM);
    assert_true(find(1));
}

static void the_newest_of_several(void **state)
{
    (void)state;
    make(0, 0xcc);
    make(1, 0xea);
    make(2, 0xd0);
    make(3, 0xff)[CPU] = 0x906ea;
    finish(file + 3 * DWORDS, DWORDS, SUM);
    assert_true(find(4));
    assert_int_equal(found.revision, 0xea);
    assert_ptr_equal(found.data, file + DWORDS + HEADER);
}

static void not_newer(void **state)
{
    (void)state;
    make(0, 0xc6);
    refused(1, "of revision C6H, and the processor has C6H");
    make(0, 0xc2);
    refused(1, "of revision C2H, and the processor has C6H");
}

static void revisions_are_signed(void **state)
{
    (void)state;
    make(0, 0x80000010);
    refused(1, "of revision 80000010H, and the processor has C6H");
    make(1, 0xcc);
    assert_true(find(2));
    assert_int_equal(found.revision, 0xcc);
    assert_true(microcode_find(file, 4 * DWORDS, SIGNATURE, PLATFORM,
                               0x80000001, &found, why));
}

static void foreign(void **state)
{
    (void)state;
    make(0, 0xcc)[CPU] = SIGNATURE + 1;
    finish(file, DWORDS, SUM);
    refused(1, "no update of the file is for processor signature 506E3H, "
               "platform 1; the last one is for 506E4H, platforms 0x2");
    make(0, 0xcc)[FLAGS] = 1u << 5;
    finish(file, DWORDS, SUM);
    refused(1, "platforms 0x20");
}

static void damaged(void **state)
{
    (void)state;
    make(0, 0xcc)[100] ^= 4;
    refused(1, "update 1 of the file: its checksum is wrong");
    make(0, 0xcc);
    make(1, 0xcd)[REVISION] = 0xce;
    refused(2, "update 2 of the file: its checksum is wrong");
    make(0, 0xcc)[VERSION] = 2;
    refused(1, "no header of version 1");
    make(0, 0xcc)[LOADER] = 2;
    refused(1, "another loader");
    make(0, 0xcc)[DATA_SIZE]--;
    refused(1, "sizes");
    make(0, 0xcc)[DATA_SIZE] += 4; /* more than there is */
    refused(1, "sizes");
    make(0, 0xcc)[TOTAL_SIZE] -= 4;
    refused(1, "sizes");
    make(0, 0xcc)[TOTAL_SIZE] = 0;
    refused(1, "sizes");
}

static void short_files(void **state)
{
    (void)state;
    make(0, 0xcc);
    refused(0, "ends inside a header");
    file[TOTAL_SIZE] = 8 * DWORDS;
    refused(1, "the file ends inside it");
    make(0, 0xcc);
    for (size_t bytes = 0; bytes < 4 * DWORDS; bytes += 4)
        assert_false(microcode_find(file, bytes, SIGNATURE, PLATFORM, 0xc6,
                                    &found, why));
    assert_false(microcode_find(file, 4 * DWORDS + 4, SIGNATURE, PLATFORM, 0xc6,
                                &found, why));
}

/* For another processor; entries of the table at its end for two more. */
static uint32_t *with_table(void)
{
    enum { ENTRIES = 2, TABLE = 5 + 3 * ENTRIES, AT = DWORDS - TABLE };
    uint32_t *u = make(0, 0xcc), *table = u + AT;

    u[CPU] = 0x906ea;
    u[FLAGS] = 1;
    u[DATA_SIZE] = 4 * (AT - HEADER);
    memset(table, 0, 4 * TABLE);
    finish(u, AT, SUM);
    table[0] = ENTRIES;
    for (unsigned n = 0; n < ENTRIES; n++) {
        uint32_t *entry = table + 5 + 3 * n;
        entry[0] = SIGNATURE - n;
        entry[1] = 1u << PLATFORM;
        entry[2] = u[CPU] + u[FLAGS] + u[SUM] - entry[0] - entry[1];
    }
    finish(table, TABLE, 1);
    return table;
}

static void further_signatures(void **state)
{
    uint32_t *table;

    (void)state;
    with_table();
    assert_true(find(1));
    table = with_table();
    table[0]++;
    finish(file, DWORDS, SUM);
    refused(1, "another size than it says");
    table = with_table();
    table[2] = 1;
    finish(file, DWORDS, SUM);
    refused(1, "checksum of the extended signature table");
    table = with_table();
    table[7] += 1; /* the table's sum stays what it is */
    table[10] -= 1;
    refused(1, "checksum of an extended signature");
    with_table();
    file[DATA_SIZE] += 4 * 8; /* room for less than a table */
    finish(file, DWORDS, SUM);
    refused(1, "does not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_one_is_found),
        cmocka_unit_test(sizes_of_zero_are_the_usual),
        cmocka_unit_test(the_newest_of_several),
        cmocka_unit_test(not_newer),
        cmocka_unit_test(revisions_are_signed),
        cmocka_unit_test(foreign),
        cmocka_unit_test(damaged),
        cmocka_unit_test(short_files),
        cmocka_unit_test(further_signatures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
