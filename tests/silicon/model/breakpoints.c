/* SPDX-License-Identifier: BSD-2-Clause */
/* breakpoints.c - DR7, and the accesses that hit. */
#include "tests/silicon/model/breakpoints.h"

/* R/Wn, bits 17:16 and so on. 10b is for I/O. */
#define TYPE_EXECUTE 0u
#define TYPE_WRITE   1u
#define TYPE_ANY     3u /* reads or writes */

bool breakpoint_for(uint64_t dr7, unsigned n, enum access access)
{
    unsigned type = dr7 >> (16 + 4 * n) & 3;

    if ((dr7 >> 2 * n & 3) == 0)
        return false;
    switch (access) {
    case ACCESS_EXECUTE:
        return type == TYPE_EXECUTE;
    case ACCESS_READ:
        return type == TYPE_ANY;
    case ACCESS_WRITE:
        return type == TYPE_WRITE || type == TYPE_ANY;
    }
    return false;
}

bool breakpoint_hit(uint64_t dr7, unsigned n, uint64_t at, enum access access,
                    uint64_t address, unsigned bytes)
{
    static const uint8_t lengths[4] = {1, 2, 8, 4}; /* LENn, bits 19:18 */
    uint64_t length = lengths[dr7 >> (18 + 4 * n) & 3];

    if (!breakpoint_for(dr7, n, access))
        return false;
    if (access == ACCESS_EXECUTE)
        return address == at;
    at &= ~(length - 1); /* low bits are ignored */
    return address < at + length && at < address + bytes;
}
