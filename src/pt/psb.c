/* SPDX-License-Identifier: BSD-2-Clause */
/* psb.c - looks for a PSB eight bytes at a time. */
#include "src/pt/psb.h"

#include "src/pt/bytes.h"

static bool is_psb_pair(const uint8_t *bytes)
{
    return bytes[0] == 0x02 && bytes[1] == 0x82;
}

size_t psb_pattern_bytes(const uint8_t *bytes, size_t size)
{
    size_t length = 0;

    while (length + 2 <= size && is_psb_pair(bytes + length))
        length += 2;
    return length;
}

/* Where the pattern of pairs that ends at bytes[at] begins. */
static size_t pattern_start(const uint8_t *bytes, size_t at)
{
    while (at >= 2 && is_psb_pair(bytes + at - 2))
        at -= 2;
    return at;
}

bool psb_find(const uint8_t *bytes, size_t size, bool last, size_t *at)
{
    const uint64_t even = 0x8202820282028202, odd = 0x0282028202820282;

    /* Wherever a PSB is, one of every eighth byte's words lies in it. */
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const uint64_t here = pt_get64(bytes + i);
        if (here != even && here != odd)
            continue;
        size_t start = pattern_start(bytes, here == even ? i : i + 1);
        size_t end = start + psb_pattern_bytes(bytes + start, size - start);
        if (end - start < PSB_LENGTH)
            continue;
        *at = end - PSB_LENGTH;
        return last || (end < size && bytes[end] != 0x02) || end + 1 < size;
    }
    *at = size;
    if (!last && size != 0)
        *at = pattern_start(bytes, bytes[size - 1] == 0x02 ? size - 1 : size);
    return false;
}
