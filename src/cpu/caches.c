/* SPDX-License-Identifier: BSD-2-Clause */
/* caches.c - CPUID.04H. */
#include "src/cpu/caches.h"

#include "src/base/msr.h"

#define CACHES_MAX 16 /* that are looked at */

bool caches_find(const struct identity *id, unsigned level,
                 struct hw_cpuid *out)
{
    for (uint32_t n = 0; id->leaf_max >= 4 && n < CACHES_MAX; n++) {
        hw_cpuid(4, n, out);
        if ((out->eax & BITS(4, 0)) == 0)
            break;
        if ((out->eax >> 5 & BITS(2, 0)) == level)
            return true;
    }
    return false;
}

bool caches_l3_includes(const struct identity *id)
{
    struct hw_cpuid l3;

    return !caches_find(id, 3, &l3) || (l3.edx & BIT(1)) != 0;
}

unsigned caches_l2_shift(const struct identity *id)
{
    struct hw_cpuid l2;
    unsigned shift = 0;

    if (caches_find(id, 2, &l2))
        while ((l2.eax >> 14 & BITS(11, 0)) >> shift != 0)
            shift++;
    return shift;
}
