/* SPDX-License-Identifier: BSD-2-Clause */
/* quick_crc.h - src/base/crc.h's CRC-32 of many bytes, eight at a time. */
#ifndef HOST_REPORT_QUICK_CRC_H
#define HOST_REPORT_QUICK_CRC_H

#include <stddef.h>
#include <stdint.h>

/* As crc32(). */
uint32_t quick_crc(uint32_t crc, const void *data, size_t bytes);

#endif
