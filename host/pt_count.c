/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_count.c - counts packets by what begins at each (pt_map.h), and looks at
 * none of them. */
#include "host/pt_count.h"

#include "host/pt_map.h"
#include "src/pt/many.h"
#include "src/pt/psb.h"

#include <pthread.h>
#include <string.h>

static struct codes codes;

static void make_count_codes(void)
{
    make_codes(&codes);
}

/* The packets that begin in a span; returns how many bytes. *good: false, what
 * follows is not for here. */
static size_t count_span(struct pt_counts *counts, const uint8_t *bytes,
                         bool *good)
{
    struct map map;
    size_t at = 0;

    make_map(&map, &codes, bytes);
    while (at < SPAN) {
        const size_t step = map.four[at];
        if (__builtin_expect(step < UNKNOWN, 1)) {
            const size_t second = at + map.one[at];
            const size_t third = second + map.one[second];
            counts->ways[0][map.code[at]]++;
            counts->ways[1][map.code[second]]++;
            counts->ways[2][map.code[third]]++;
            counts->ways[3][map.code[third + map.one[third]]]++;
            at += step;
            continue;
        }
        for (size_t length; (length = map.one[at]) != 0; at += length)
            counts->ways[0][map.code[at]]++;
        if (psb_pattern_bytes(bytes + at, PSB_LENGTH + 2) != PSB_LENGTH) {
            *good = false;
            return at;
        }
        counts->psbs++;
        at += PSB_LENGTH;
    }
    return at;
}

void pt_count(struct pt_reader *reader, struct pt_counts *counts)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool good = true;

    if (!reader->synced || reader->block != 0 || reader->errata != 0 ||
        reader->size - reader->at < READ || !can_map())
        return;
    pthread_once(&once, make_count_codes);
    while (good && reader->size - reader->at >= READ)
        reader->at += count_span(counts, reader->bytes + reader->at, &good);
}

/* The bytes that a code stands for, with something in the payload. */
static void bytes_of(unsigned code, uint8_t *bytes)
{
    memset(bytes, 0x01, PT_LENGTH_MAX);
    bytes[0] = (uint8_t)code;
    if (code == CODE_EXEC || code == CODE_TSX) {
        bytes[0] = 0x99;
        bytes[1] = code == CODE_TSX ? 0x20 : 0x00;
    } else if (code == CODE_CYC2 || code == CODE_CYC3 || code == CODE_CYC4) {
        bytes[0] = 0x03;
    }
    for (size_t i = 0; i < SECONDS; i++)
        if (code == code_of_second(i)) {
            bytes[0] = 0x02;
            bytes[1] = second_bytes[i][0];
        }
}

void pt_count_kinds(const struct pt_counts *counts, uint64_t kinds[PT_KINDS])
{
    const struct pt_reader reader = {.last = true};
    struct pt_packet packet;

    for (unsigned code = 0; code < 256; code++) {
        uint8_t bytes[PT_LENGTH_MAX];
        bytes_of(code, bytes);
        if (pt_decode_at(&reader, bytes, sizeof(bytes), &packet) == PT_OK)
            for (unsigned way = 0; way < 4; way++)
                kinds[packet.kind] += counts->ways[way][code];
    }
    kinds[PT_PSB] += counts->psbs;
}
