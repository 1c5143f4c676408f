/* SPDX-License-Identifier: BSD-2-Clause */
/* crc.c - CRC-32, by a byte at a time. */
#include "src/base/crc.h"

/* What one bit of a byte leaves of itself, after eight steps; the polynomial,
 * 04C11DB7H, has its lowest bit first: EDB88320H. That of a byte is the sum. */
#define BIT(byte, n, left) (((byte) >> (n)&1) != 0 ? UINT32_C(left) : 0)
#define BYTE(b)                                                              \
    (BIT(b, 0, 0x77073096) ^ BIT(b, 1, 0xEE0E612C) ^ BIT(b, 2, 0x076DC419) ^ \
     BIT(b, 3, 0x0EDB8832) ^ BIT(b, 4, 0x1DB71064) ^ BIT(b, 5, 0x3B6E20C8) ^ \
     BIT(b, 6, 0x76DC4190) ^ BIT(b, 7, 0xEDB88320))
#define BYTES_4(b) BYTE(b), BYTE((b) + 1), BYTE((b) + 2), BYTE((b) + 3)
#define BYTES_16(b) \
    BYTES_4(b), BYTES_4((b) + 4), BYTES_4((b) + 8), BYTES_4((b) + 12)
#define BYTES_64(b) \
    BYTES_16(b), BYTES_16((b) + 16), BYTES_16((b) + 32), BYTES_16((b) + 48)

static const uint32_t remainders[256] = {BYTES_64(0), BYTES_64(64),
                                         BYTES_64(128), BYTES_64(192)};

uint32_t crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    crc = ~crc;
    for (size_t i = 0; i < bytes; i++)
        crc = crc >> 8 ^ remainders[(crc ^ at[i]) & 0xFF];
    return ~crc;
}
