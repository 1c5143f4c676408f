/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quick_crc.c - the CRC by eight tables, table n for a byte that n others
 * follow (Kounavis and Berry, "A Systematic Approach to Building High
 * Performance Software-based CRC Generators", slicing by 8).
 */
#include "host/report/quick_crc.h"

#include <string.h>

#define POLYNOMIAL UINT32_C(0xedb88320) /* IEEE 802.3, the low bit first */
#define SLICES     8

static uint32_t tables[SLICES][256];

static void fill_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (unsigned n = 1; n < SLICES; n++)
        for (unsigned byte = 0; byte < 256; byte++)
            tables[n][byte] = (tables[n - 1][byte] >> 8) ^
                              tables[0][tables[n - 1][byte] & 0xff];
}

uint32_t quick_crc(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t eight;

    if (tables[0][1] == 0)
        fill_tables();
    crc = ~crc;
    for (; bytes >= SLICES; at += SLICES, bytes -= SLICES) {
        memcpy(&eight, at, SLICES); /* x86: the low byte first */
        eight ^= crc;
        crc = 0;
        for (unsigned n = 0; n < SLICES; n++)
            crc ^= tables[SLICES - 1 - n][eight >> (8 * n) & 0xff];
    }
    for (; bytes != 0; at++, bytes--)
        crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 0xff];
    return ~crc;
}
