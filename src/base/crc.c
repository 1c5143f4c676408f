/* SPDX-License-Identifier: BSD-2-Clause */
/* crc.c - CRC-32, bit by bit: reports are small. */
#include "src/base/crc.h"

#define POLYNOMIAL UINT32_C(0xedb88320) /* 04C11DB7H, lowest bit first */

uint32_t crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    return ~crc;
}
