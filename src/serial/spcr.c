/* SPDX-License-Identifier: BSD-2-Clause */
/* spcr.c - reads the table byte by byte: nothing in it is aligned. */
#include "src/serial/spcr.h"

#include "src/base/mem.h"

/* Offsets, by the names of table 1 of the specification. */
#define LENGTH         4
#define INTERFACE_TYPE 36
#define BASE_ADDRESS   40 /* a GAS */
#define CONFIGURED     58 /* Configured Baud Rate */
#define UART_FREQUENCY 76 /* from revision 3 on */
#define PRECISE_SPEED  80 /* from revision 4 on */
#define LEAST_BYTES    76

/* In a GAS. */
#define SPACE_ID    0
#define BIT_WIDTH   1
#define ACCESS_SIZE 3
#define ADDRESS     4

static uint64_t read_number(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes-- != 0)
        value = value << 8 | from[bytes];
    return value;
}

size_t acpi_table_length(const uint8_t *table, size_t bytes)
{
    uint8_t sum = 0;

    if (bytes < ACPI_HEADER_BYTES)
        return 0;
    uint64_t length = read_number(table + LENGTH, 4);
    if (length < ACPI_HEADER_BYTES || length > bytes)
        return 0;
    for (uint64_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + table[i]);
    return sum == 0 ? length : 0;
}

/* 0 where the table ends before it. */
static uint32_t read_late(const uint8_t *table, size_t length, size_t at)
{
    return length >= at + 4 ? (uint32_t)read_number(table + at, 4) : 0;
}

static uint32_t speed_of(const uint8_t *table, size_t length)
{
    static const uint32_t speeds[] = {
        [3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    uint32_t precise = read_late(table, length, PRECISE_SPEED);
    uint8_t code = table[CONFIGURED];

    if (precise != 0)
        return precise;
    return code < sizeof(speeds) / sizeof(speeds[0]) ? speeds[code] : 0;
}

static const char *read_address(const uint8_t *gas, struct uart *out)
{
    unsigned bits = gas[BIT_WIDTH], size = gas[ACCESS_SIZE];

    if (gas[SPACE_ID] > 1)
        return "SPCR: its address space is neither memory nor I/O";
    if (bits % 8 != 0 || bits > 64 || size > 3)
        return "SPCR: a register width that no 16550 has";
    out->memory = gas[SPACE_ID] == 0;
    out->base = read_number(gas + ADDRESS, 8);
    out->width = size != 0 ? 1u << (size - 1) : 1;
    out->stride = bits / 8 > out->width ? bits / 8 : out->width;
    if (out->base == 0)
        return "SPCR: console redirection is off (address 0)";
    if (!out->memory && out->base > 0xfff8)
        return "SPCR: an I/O port beyond FFF8H";
    return NULL;
}

const char *spcr_parse(const uint8_t *table, size_t bytes, struct uart *out)
{
    size_t length = acpi_table_length(table, bytes);

    *out = (struct uart){.clock = 0};
    if (length < LEAST_BYTES || memcmp(table, "SPCR", 4) != 0)
        return "SPCR: too short, or its checksum is wrong";
    /* Full 16550, 16450 subset, and 16550 as the GAS says it. */
    uint8_t type = table[INTERFACE_TYPE];
    if (type != 0x00 && type != 0x01 && type != 0x12)
        return "SPCR: its interface is not a 16550";
    out->clock = read_late(table, length, UART_FREQUENCY);
    if (out->clock == 0)
        out->clock = UART_CLOCK;
    out->speed = speed_of(table, length);
    return read_address(table + BASE_ADDRESS, out);
}
