/* SPDX-License-Identifier: BSD-2-Clause */
/* spcr.c - the table right and wrong, byte by byte. */
#include "src/serial/spcr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint8_t table[96];

static void put(unsigned at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        table[at + i] = (uint8_t)(value >> 8 * i);
}

static void seal(unsigned length)
{
    uint8_t sum = 0;

    put(4, 4, length);
    table[9] = 0;
    for (unsigned i = 0; i < length; i++)
        sum = (uint8_t)(sum + table[i]);
    table[9] = (uint8_t)-sum;
}

/* Revision 2: a 16550 at an address, as most boards have it. */
static void make(uint8_t space, uint8_t bits, uint8_t size, uint64_t address,
                 uint8_t speed)
{
    memset(table, 0, sizeof(table));
    memcpy(table, "SPCR", 4);
    table[8] = 2;
    table[40] = space;
    table[41] = bits;
    table[43] = size;
    put(44, 8, address);
    table[58] = speed;
    seal(80);
}

static struct uart parse(size_t bytes)
{
    struct uart uart;

    assert_null(spcr_parse(table, bytes, &uart));
    return uart;
}

static const char *wrong(size_t bytes)
{
    struct uart uart;
    const char *why = spcr_parse(table, bytes, &uart);

    assert_non_null(why);
    assert_true(strncmp(why, "SPCR: ", 6) == 0);
    return why;
}

static void io_port(void **state)
{
    (void)state;
    make(1, 8, 0, 0x2f8, 7);
    struct uart u = parse(sizeof(table));
    assert_false(u.memory);
    assert_true(u.base == 0x2f8);
    assert_int_equal(u.stride, 1);
    assert_int_equal(u.width, 1);
    assert_int_equal(u.speed, 115200);
    assert_int_equal(u.clock, UART_CLOCK);
    table[58] = 3;
    seal(80);
    assert_int_equal(parse(80).speed, 9600);
    table[58] = 4;
    seal(80);
    assert_int_equal(parse(80).speed, 19200);
    table[58] = 6;
    seal(80);
    assert_int_equal(parse(80).speed, 57600);
    table[58] = 0; /* as it is */
    seal(80);
    assert_int_equal(parse(80).speed, 0);
    table[58] = 200;
    seal(80);
    assert_int_equal(parse(80).speed, 0);
}

static void memory_of_every_width(void **state)
{
    (void)state;
    make(0, 32, 3, 0x1fe034000, 7);
    table[36] = 0x12;
    seal(80);
    struct uart u = parse(80);
    assert_true(u.memory);
    assert_true(u.base == 0x1fe034000);
    assert_int_equal(u.stride, 4);
    assert_int_equal(u.width, 4);
    make(0, 32, 1, 0xfe034000, 7); /* bytes, four apart */
    u = parse(80);
    assert_int_equal(u.stride, 4);
    assert_int_equal(u.width, 1);
    make(0, 8, 3, 0xfe034000, 7); /* an access cannot reach the next one */
    u = parse(80);
    assert_int_equal(u.stride, 4);
    assert_int_equal(u.width, 4);
    make(0, 16, 2, 0xfe034000, 7);
    u = parse(80);
    assert_int_equal(u.stride, 2);
    assert_int_equal(u.width, 2);
    make(0, 0, 0, 0xfe034000, 7);
    assert_int_equal(parse(80).stride, 1);
    make(0, 64, 2, 0x0123456789abcde0, 7);
    u = parse(80);
    assert_int_equal(u.stride, 8);
    assert_int_equal(u.width, 2);
    assert_true(u.base == 0x0123456789abcde0);
}

static void clock_and_precise_speed(void **state)
{
    (void)state;
    make(0, 32, 3, 0xfe034000, 7);
    put(76, 4, 48000000);
    put(80, 4, 921600);
    seal(90);
    assert_int_equal(parse(96).clock, 48000000);
    assert_int_equal(parse(96).speed, 921600);
    seal(84); /* it has both just so */
    assert_int_equal(parse(84).clock, 48000000);
    assert_int_equal(parse(84).speed, 921600);
    for (unsigned length = 80; length < 84; length++) {
        seal(length); /* revision 3 has no precise speed */
        assert_int_equal(parse(96).clock, 48000000);
        assert_int_equal(parse(96).speed, 115200);
    }
    for (unsigned length = 76; length < 80; length++) {
        seal(length); /* revision 1 */
        assert_int_equal(parse(96).clock, UART_CLOCK);
        assert_int_equal(parse(96).speed, 115200);
    }
    put(76, 4, 0);
    seal(84);
    assert_int_equal(parse(84).clock, UART_CLOCK);
    put(80, 4, 0);
    put(84, 4, 1);
    seal(90);
    assert_int_equal(parse(96).clock, UART_CLOCK);
    assert_int_equal(parse(96).speed, 115200);
    for (unsigned byte = 0; byte < 4; byte++) {
        put(76, 4, 0x51u << 8 * byte);
        put(80, 4, 0xa2u << 8 * byte);
        seal(84);
        assert_int_equal(parse(84).clock, 0x51u << 8 * byte);
        assert_int_equal(parse(84).speed, 0xa2u << 8 * byte);
    }
}

/* ACPI, "System Description Table Header": 36 bytes, the length at 4, all bytes
 * sum up to 0. */
static void lengths(void **state)
{
    (void)state;
    make(1, 8, 1, 0x3f8, 7);
    assert_int_equal(acpi_table_length(table, 96), 80);
    assert_int_equal(acpi_table_length(table, 80), 80);
    assert_int_equal(acpi_table_length(table, 79), 0);
    seal(36);
    assert_int_equal(acpi_table_length(table, 36), 36);
    assert_int_equal(acpi_table_length(table, 35), 0);
    for (unsigned length = 0; length < 36; length++) {
        uint8_t sum = 0;
        put(4, 4, length);
        for (unsigned i = 0; i < length; i++)
            sum = (uint8_t)(sum + table[i]);
        table[0] = (uint8_t)(table[0] - sum);
        assert_int_equal(acpi_table_length(table, 96), 0);
    }
    for (unsigned byte = 1; byte < 4; byte++) {
        make(1, 8, 1, 0x3f8, 7);
        put(4, 4, 80 | 1u << 8 * byte); /* longer than what there is */
        table[9]--;
        assert_int_equal(acpi_table_length(table, 96), 0);
    }
    for (unsigned at = 0; at < 80; at++) {
        make(1, 8, 1, 0x3f8, 7);
        table[at] ^= 0x80;
        assert_int_equal(acpi_table_length(table, 96), 0);
    }
}

static void wrong_tables(void **state)
{
    (void)state;
    make(1, 8, 1, 0x3f8, 7);
    for (size_t bytes = 0; bytes < 80; bytes++)
        wrong(bytes);
    table[60]++;
    wrong(80); /* the checksum */
    make(1, 8, 1, 0x3f8, 7);
    table[0] = 'X';
    seal(80);
    wrong(80);
    make(1, 8, 1, 0x3f8, 7);
    seal(75);
    wrong(96);
    make(1, 8, 1, 0, 7);
    assert_string_equal(wrong(80),
                        "SPCR: console redirection is off (address 0)");
    make(2, 8, 1, 0x3f8, 7);
    wrong(80);
    make(0, 12, 1, 0x3f8, 7);
    wrong(80);
    make(0, 72, 1, 0x3f8, 7);
    wrong(80);
    make(0, 8, 4, 0x3f8, 7);
    wrong(80);
    make(1, 8, 1, 0xfff9, 7);
    wrong(80);
    make(1, 8, 1, 0xfff8, 7); /* the last that has room for 8 registers */
    parse(80);
    make(0, 8, 1, 0xfff9, 7); /* of memory there is more */
    parse(80);
    make(1, 8, 1, 0x3f8, 7);
    /* Table 3: 0, 1 and 12H are 16550s, 3 for one is an ARM PL011. */
    for (unsigned type = 0; type < 256; type++) {
        table[36] = (uint8_t)type;
        seal(80);
        if (type == 0 || type == 1 || type == 0x12)
            parse(80);
        else
            wrong(80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(io_port),
        cmocka_unit_test(memory_of_every_width),
        cmocka_unit_test(clock_and_precise_speed),
        cmocka_unit_test(lengths),
        cmocka_unit_test(wrong_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
