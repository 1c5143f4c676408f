/* SPDX-License-Identifier: BSD-2-Clause */
/* bits.h - masks in the manual's [high:low] order; bytes of a word. */
#ifndef SILICON_MODEL_BITS_H
#define SILICON_MODEL_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BIT(n)          (UINT64_C(1) << (n))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & ~(BIT(low) - 1))

/* Has any of eight bytes this value? That one is 0 without its bits. */
static inline bool has_byte(const uint8_t *bytes, uint8_t value)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word;

    __builtin_memcpy(&word, bytes, sizeof(word));
    word ^= each * value;
    return ((word - each) & ~word & (each << 7)) != 0;
}

#endif
