/* SPDX-License-Identifier: BSD-2-Clause */
/* crc.h - CRC-32 as in IEEE 802.3 and zlib. */
#ifndef SRC_BASE_CRC_H
#define SRC_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what `crc` covers followed by these bytes; 0 covers nothing. */
uint32_t crc32(uint32_t crc, const void *data, size_t bytes);

#endif
