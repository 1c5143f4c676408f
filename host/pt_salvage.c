/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_salvage.c - packets behind damage, found from the PSB that follows.
 *
 * From each byte packets lead to the PSB, or not. Those that begin at the first
 * bytes from which they do, more than the longest packet, have one of the
 * trace's own among them, and soon all of them are the same: what they have in
 * common is the trace. Its addresses are certain from the first on that does
 * not need the one before: "FUP/TIP IP Reconstruction", IPBytes 3 and 6.
 */
#include "host/pt_salvage.h"

#include "src/pt/many.h"

#define LEAST 32 /* packets; fewer lead to a PSB by chance */

/* By the byte: the length of a packet from which others lead to the end; 0:
 * they do not. A block (BBP) needs what was before. */
static void find_lengths(uint8_t *lengths, const uint8_t *bytes, size_t size,
                         unsigned errata)
{
    const struct pt_reader reader = {.errata = (uint8_t)errata};
    struct pt_packet packet;

    for (size_t at = size; at-- != 0;) {
        lengths[at] = 0;
        if (pt_decode_at(&reader, bytes + at, size - at, &packet) != PT_OK ||
            packet.kind == PT_BBP || packet.kind == PT_PSB)
            continue;
        const size_t next = at + packet.length;
        if (next == size || (next < size && lengths[next] != 0))
            lengths[at] = packet.length;
    }
}

/* Where the packets from one byte and another are the same. */
static size_t meet(const uint8_t *lengths, size_t a, size_t b)
{
    while (a != b)
        if (a < b)
            a += lengths[a];
        else
            b += lengths[b];
    return a;
}

/* Where the trace goes on; size: nowhere. */
static size_t common_start(const uint8_t *lengths, size_t size)
{
    size_t first = 0;

    while (first < size && lengths[first] == 0)
        first++;
    size_t start = first;
    for (size_t at = first; at < size && at <= first + PT_LENGTH_MAX; at++)
        if (lengths[at] != 0)
            start = meet(lengths, start, at);
    return start;
}

/* The first address from `at` on that is whole; size: there is none, or too few
 * packets. */
static size_t find_address(const uint8_t *lengths, const uint8_t *bytes,
                           size_t size, size_t at)
{
    size_t found = size, packets = 0;

    for (; at < size; at += lengths[at], packets++) {
        const struct pt_opcode opcode = pt_opcodes[bytes[at]];
        if (found == size && opcode.kind >= PT_TIP && opcode.kind <= PT_FUP &&
            (opcode.detail == 3 || opcode.detail == 6))
            found = at;
    }
    return packets < LEAST ? size : found;
}

bool pt_salvage_open(struct pt_salvage *salvage, const struct pt_reader *reader)
{
    const uint64_t lost = pt_offset(reader) - reader->where;

    if (!reader->synced || reader->where == 0 || lost > PT_SALVAGE)
        return false;
    const size_t size = (size_t)lost;
    const uint8_t *bytes = reader->bytes + reader->at - size;
    find_lengths(salvage->lengths, bytes, size, reader->errata);
    const size_t start = common_start(salvage->lengths, size);
    const size_t address = find_address(salvage->lengths, bytes, size, start);
    if (address == size)
        return false;
    pt_tsx_open(&salvage->tsx);
    salvage->tsx.reader = (struct pt_reader){.bytes = bytes,
                                             .size = size,
                                             .at = start,
                                             .offset = reader->where,
                                             .synced = true,
                                             .errata = reader->errata};
    salvage->certain = reader->where + address;
    return true;
}

bool pt_salvage_next(struct pt_salvage *salvage, struct pt_tsx_event *event)
{
    while (pt_tsx_next(&salvage->tsx, event) == PT_OK)
        if (event->transition != PT_NO_TRANSITION &&
            event->offset >= salvage->certain)
            return true;
    return false;
}
