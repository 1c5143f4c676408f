/* SPDX-License-Identifier: BSD-2-Clause */
/* bits.h - masks in the manual's [high:low] order. */
#ifndef SILICON_MODEL_BITS_H
#define SILICON_MODEL_BITS_H

#include <stdint.h>

#define BIT(n)          (UINT64_C(1) << (n))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & ~(BIT(low) - 1))

#endif
