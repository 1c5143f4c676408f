/* SPDX-License-Identifier: BSD-2-Clause */
/* bytes.h - eight bytes at any address, lowest first; compilers make one load
 * of it. */
#ifndef SRC_PT_BYTES_H
#define SRC_PT_BYTES_H

#include <stdint.h>

static inline uint64_t pt_get64(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 |
           (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
           (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

#endif
