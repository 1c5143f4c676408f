/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.c - SMBIOS, whole and damaged. */
#include "src/cpu/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t table[1024];
static size_t bytes;

/* A structure whose formatted part has `length` bytes, the numbers of its texts
 * at fields[], and its texts, each ended by '/'. */
static uint8_t *add(uint8_t type, uint8_t length, const uint8_t *fields,
                    const char *texts)
{
    uint8_t *at = table + bytes;

    memset(at, 0, length);
    at[0] = type;
    at[1] = length;
    for (uint8_t n = 1; fields[n - 1] != 0; n++)
        at[fields[n - 1]] = n;
    bytes += length;
    for (; *texts != '\0'; texts++)
        table[bytes++] = *texts == '/' ? 0 : (uint8_t)*texts;
    table[bytes++] = 0;
    return at;
}

static void make(void)
{
    bytes = 0;
    add(0, 0x18, (const uint8_t[]){4, 5, 8, 0}, "Maker/F.42/07\x01_2021/");
    uint8_t *system = add(1, 0x1b, (const uint8_t[]){4, 5, 7, 0},
                          "Some Corp.  /Model 5/SN-1/");
    for (unsigned i = 0; i < MACHINE_UUID_BYTES; i++)
        system[8 + i] = (uint8_t)(i + 1);
    add(2, 0x0f, (const uint8_t[]){4, 5, 7, 0}, "Board Corp./B-1/BSN-1/");
    add(2, 0x0f, (const uint8_t[]){4, 5, 7, 0}, "Riser Corp./R-1/RSN-1/");
    add(3, 0x15, (const uint8_t[]){7, 0}, "CSN-1/");
    add(127, 4, (const uint8_t[]){0}, "/");
    add(0, 0x18, (const uint8_t[]){4, 0}, "After the end/");
}

static struct machine read_bytes(size_t count)
{
    static struct machine m;
    uint8_t *copy = malloc(count + 1); /* one byte too many is seen */

    memset(&m, 0, sizeof(m));
    memcpy(copy, table, count);
    copy = realloc(copy, count != 0 ? count : 1);
    machine_read(&m, copy, count);
    free(copy);
    return m;
}

static void whole(void **state)
{
    (void)state;
    make();
    struct machine m = read_bytes(bytes);
    assert_string_equal(m.text[MACHINE_BIOS_VENDOR], "Maker");
    assert_string_equal(m.text[MACHINE_BIOS_VERSION], "F.42");
    assert_string_equal(m.text[MACHINE_BIOS_DATE], "07\x01_2021");
    assert_string_equal(m.text[MACHINE_SYSTEM_VENDOR], "Some Corp.");
    assert_string_equal(m.text[MACHINE_SYSTEM], "Model 5");
    assert_string_equal(m.text[MACHINE_SYSTEM_SERIAL], "SN-1");
    assert_string_equal(m.text[MACHINE_BOARD_VENDOR], "Board Corp.");
    assert_string_equal(m.text[MACHINE_BOARD], "B-1");
    assert_string_equal(m.text[MACHINE_BOARD_SERIAL], "BSN-1");
    assert_string_equal(m.text[MACHINE_CHASSIS_SERIAL], "CSN-1");
    assert_int_equal(m.uuid[0], 1);
    assert_int_equal(m.uuid[15], 16);
}

/* Cut off, each structure that is whole is read, and no other: of a type that
 * nothing is read of too. */
static void cut_off(void **state)
{
    static const enum machine_text last[] = {
        MACHINE_BIOS_DATE, MACHINE_SYSTEM_SERIAL, MACHINE_BOARD_SERIAL,
        MACHINE_CHASSIS_SERIAL};
    size_t ends[4];

    (void)state;
    bytes = 0;
    add(0, 9, (const uint8_t[]){4, 5, 8, 0}, "a/b/c/");
    ends[0] = bytes;
    add(1, 0x18, (const uint8_t[]){4, 5, 7, 0}, "d/e/f/");
    ends[1] = bytes;
    add(4, 4, (const uint8_t[]){0}, "/");
    add(126, 8, (const uint8_t[]){4, 0}, "x/");
    add(2, 8, (const uint8_t[]){4, 5, 7, 0}, "g/h/i/");
    ends[2] = bytes;
    add(3, 8, (const uint8_t[]){7, 0}, "j/");
    ends[3] = bytes;
    for (size_t count = 0; count <= bytes; count++) {
        struct machine m = read_bytes(count);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(m.text[last[i]][0] != '\0', count >= ends[i]);
    }
}

/* What a structure of an older version does not have, and a text that there is
 * not, is none; a header shorter than one ends it all. */
static void short_structures(void **state)
{
    (void)state;
    for (uint8_t length = 4; length <= 0x1b; length++) {
        bytes = 0;
        uint8_t *at = add(1, length, (const uint8_t[]){0}, "a/b/c/");
        for (uint8_t i = 4; i < length; i++)
            at[i] = i == 4 || i == 5 ? i - 3 : i == 7 ? 3 : i;
        struct machine m = read_bytes(bytes);
        assert_string_equal(m.text[MACHINE_SYSTEM_VENDOR],
                            length > 4 ? "a" : "");
        assert_string_equal(m.text[MACHINE_SYSTEM], length > 5 ? "b" : "");
        assert_string_equal(m.text[MACHINE_SYSTEM_SERIAL],
                            length > 7 ? "c" : "");
        assert_int_equal(m.uuid[15], length >= 0x18 ? 0x17 : 0);
    }
    for (uint8_t number = 0; number < 6; number++) {
        bytes = 0;
        add(0, 9, (const uint8_t[]){0}, "a/b/")[4] = number;
        struct machine m = read_bytes(bytes);
        assert_string_equal(m.text[MACHINE_BIOS_VENDOR], number == 1   ? "a"
                                                         : number == 2 ? "b"
                                                                       : "");
    }
    for (uint8_t length = 0; length < 4; length++) {
        bytes = 0;
        add(126, 4, (const uint8_t[]){0}, "/")[1] = length;
        add(0, 9, (const uint8_t[]){4, 0}, "a/");
        struct machine m = read_bytes(bytes);
        assert_string_equal(m.text[MACHINE_BIOS_VENDOR], "");
    }
}

/* Cut anywhere, and with any byte changed: nothing outside is read. */
static void damaged(void **state)
{
    static const uint8_t values[] = {0, 1, 3, 4, 127, 255};

    (void)state;
    make();
    for (size_t count = 0; count <= bytes; count++)
        (void)read_bytes(count);
    for (size_t at = 0; at < bytes; at++)
        for (unsigned v = 0; v < sizeof(values); v++) {
            make();
            table[at] = values[v];
            (void)read_bytes(bytes);
        }
}

static void texts_too_long_are_cut(void **state)
{
    char text[100];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[98] = '/';
    text[99] = '\0';
    bytes = 0;
    add(0, 0x18, (const uint8_t[]){4, 0}, text);
    struct machine m = read_bytes(bytes);
    assert_int_equal(strlen(m.text[MACHINE_BIOS_VENDOR]),
                     MACHINE_TEXT_BYTES - 1);
}

/* Equal boards differ by a serial number alone; what has none has no id. */
static void ids(void **state)
{
    char a[MACHINE_ID_BYTES], b[MACHINE_ID_BYTES];

    (void)state;
    make();
    struct machine m = read_bytes(bytes);
    assert_true(machine_id(&m, a));
    assert_string_equal(a, "6B393CB2785269AB");
    m.text[MACHINE_CHASSIS_SERIAL][4] = '2';
    assert_true(machine_id(&m, b));
    assert_string_not_equal(a, b);
    m.text[MACHINE_CHASSIS_SERIAL][4] = '1';
    m.uuid[15]++;
    assert_true(machine_id(&m, b));
    assert_string_not_equal(a, b);
    /* The same letters in another field. */
    struct machine one = {.text[MACHINE_SYSTEM_SERIAL] = "1"};
    struct machine two = {.text[MACHINE_BOARD_SERIAL] = "1"};
    assert_true(machine_id(&one, a) && machine_id(&two, b));
    assert_string_not_equal(a, b);
    memset(&m, 0, sizeof(m));
    assert_false(machine_id(&m, a));
    memset(m.uuid, 0xff, sizeof(m.uuid));
    assert_false(machine_id(&m, a));
    m.uuid[3] = 0;
    assert_true(machine_id(&m, a));
}

/* Equal on each board: no id, rather than one that many machines have. */
static void placeholders(void **state)
{
    static const char *const texts[] = {"Default string",
                                        "To be filled by O.E.M.",
                                        "To Be Filled By O.E.M.",
                                        "System Serial Number",
                                        "Base Board Serial Number",
                                        "Chassis Serial Number",
                                        "Serial Number",
                                        "Not Specified",
                                        "Not Applicable",
                                        "Not Available",
                                        "None",
                                        "N/A",
                                        "UNKNOWN",
                                        "INVALID",
                                        "0",
                                        "00000000",
                                        "xxxxxxxx",
                                        "XXXX",
                                        "....",
                                        "-",
                                        "",
                                        "123456789",
                                        "0123456789",
                                        "1234567890"};
    static const char *const numbers[] = {"1",  "1111", "aaaa", "000x",  "x0",
                                          "x.", "@@",   "[[",   "None1", "Z9"};
    static const uint8_t uuid[MACHINE_UUID_BYTES] = {0, 2, 0, 3, 0, 4, 0, 5,
                                                     0, 6, 0, 7, 0, 8, 0, 9};
    char a[MACHINE_ID_BYTES], b[MACHINE_ID_BYTES];
    struct machine m = {.year = 0}, with = {.text[MACHINE_BOARD_SERIAL] = "1A"};

    (void)state;
    memcpy(m.uuid, uuid, sizeof(uuid));
    assert_false(machine_id(&m, a));
    m.uuid[15] = 8;
    assert_true(machine_id(&m, a));
    m.uuid[15] = 9;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        snprintf(m.text[MACHINE_SYSTEM_SERIAL], MACHINE_TEXT_BYTES, "%s",
                 texts[i]);
        assert_false(machine_id(&m, a));
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        snprintf(m.text[MACHINE_SYSTEM_SERIAL], MACHINE_TEXT_BYTES, "%s",
                 numbers[i]);
        assert_true(machine_id(&m, a));
    }
    m.text[MACHINE_SYSTEM_SERIAL][0] = '\0';
    snprintf(m.text[MACHINE_SYSTEM_VENDOR], MACHINE_TEXT_BYTES, "Maker");
    assert_false(machine_id(&m, a)); /* no number: many have it */
    /* A number beside them is the only one that counts. */
    assert_true(machine_id(&with, a));
    snprintf(with.text[MACHINE_SYSTEM_SERIAL], MACHINE_TEXT_BYTES, "None");
    assert_true(machine_id(&with, b));
    assert_string_equal(a, b);
}

static void entries(void **state)
{
    uint8_t entry[MACHINE_ENTRY_BYTES] = "_SM3_";
    uint64_t address = 0;
    size_t size = 0;

    (void)state;
    entry[0x0c] = 0x34;
    entry[0x0d] = 0x12;
    entry[0x10] = 0x78;
    entry[0x17] = 1;
    assert_true(machine_entry(entry, &address, &size));
    assert_int_equal(address, 0x0100000000000078);
    assert_int_equal(size, 0x1234);
    entry[0x0f] = 1;
    assert_true(machine_entry(entry, &address, &size));
    assert_int_equal(size, MACHINE_TABLE_MAX);
    entry[0x0f] = 0;
    for (unsigned byte = 0; byte < 8; byte++) { /* of the address, the size */
        memset(entry + 0x0c, 0, 12);
        entry[0x10 + byte] = 0x5a;
        entry[0x0c + byte % 2] = 0x1f;
        assert_true(machine_entry(entry, &address, &size));
        assert_true(address == UINT64_C(0x5a) << 8 * byte);
        assert_int_equal(size, 0x1f << 8 * (byte % 2));
    }
    memset(entry, 0, sizeof(entry));
    memcpy(entry, "_SM_", 4);
    entry[0x17] = 2;
    entry[0x18] = 5;
    entry[0x1c] = 9; /* after the address */
    assert_true(machine_entry(entry, &address, &size));
    assert_int_equal(address, 5);
    assert_int_equal(size, 0x200);
    entry[0x18] = 0;
    assert_false(machine_entry(entry, &address, &size));
    entry[0x18] = 5;
    entry[2] = 'N';
    assert_false(machine_entry(entry, &address, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(short_structures),
        cmocka_unit_test(damaged),
        cmocka_unit_test(texts_too_long_are_cut),
        cmocka_unit_test(ids),
        cmocka_unit_test(placeholders),
        cmocka_unit_test(entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
