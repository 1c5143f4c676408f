/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - the arithmetic of an output in parts. */
#include "src/trace/parts.h"

#include "src/base/mem.h"

uint64_t parts_pointers(const struct parts *parts)
{
    return (uint64_t)parts->part[0].first << 32 | parts->part[0].low;
}

bool parts_written(const struct parts *parts, uint64_t base, uint64_t pointers,
                   size_t *bytes)
{
    const uint32_t low = (uint32_t)pointers,
                   offset = (uint32_t)(pointers >> 32);
    size_t before = 0;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct part *part = &parts->part[i];
        if (part->base == base && part->low == low && offset >= part->first &&
            offset < part->end) {
            *bytes = before + (offset - part->first);
            return true;
        }
        before += part->end - part->first;
    }
    return false;
}

/* Bytes of the part that the first `bytes` of the output fill. */
static size_t filled(const struct part *part, size_t bytes)
{
    const size_t size = part->end - part->first;

    return bytes < size ? bytes : size;
}

size_t parts_copy(const struct parts *parts, const uint8_t *memory,
                  size_t bytes, uint8_t *to, size_t room)
{
    size_t copied = 0;

    for (unsigned i = 0; i < parts->count && bytes != 0; i++) {
        const struct part *part = &parts->part[i];
        size_t some = filled(part, bytes);
        bytes -= some;
        if (some > room - copied)
            some = room - copied;
        memcpy(to + copied, memory + (part->at + part->first), some);
        copied += some;
    }
    return copied;
}

size_t parts_inside(const struct parts *parts, size_t bytes, size_t from,
                    size_t to)
{
    size_t inside = 0;

    for (unsigned i = 0; i < parts->count && bytes != 0; i++) {
        const struct part *part = &parts->part[i];
        const size_t some = filled(part, bytes);
        size_t start = part->at + part->first, end = start + some;
        bytes -= some;
        start = start > from ? start : from;
        end = end < to ? end : to;
        inside += end > start ? end - start : 0;
    }
    return inside;
}
