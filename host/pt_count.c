/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_count.c - counts packets. Those of one byte, most of a trace, are counted
 * together; each step goes from one longer packet to the next.
 */
#include "host/pt_count.h"

#include "host/pt_lengths.h"
#include "src/pt/bytes.h"
#include "src/pt/many.h"
#include "src/pt/psb.h"

#include <pthread.h>
#include <string.h>

static struct lengths lengths; /* all that opcodes alone say */

static void make_lengths(void)
{
    static const uint8_t others[] = {0x13, 4, 0x32, 10, 0x53, 11,
                                     0xa3, 8, 0xb2, 10, 0xc2, 10};

    for (size_t i = 0; i < sizeof(second_lengths); i += 2)
        lengths.second[second_lengths[i]] = second_lengths[i + 1];
    for (size_t i = 0; i < sizeof(others); i += 2)
        lengths.second[others[i]] = others[i + 1];
    for (unsigned b = 0; b < 256; b++)
        lengths.first[b] = pt_opcodes[b].length;
}

/* The bytes of a packet that is more than its opcode; 0: not for here. */
static unsigned other_length(const uint8_t *bytes)
{
    if (psb_pattern_bytes(bytes, PSB_LENGTH + 2) == PSB_LENGTH)
        return PSB_LENGTH;
    return 0;
}

/* The packet at bytes[0], and how long it is; 0, and it is not counted, where
 * it is not for here. */
INLINE unsigned count_one(struct pt_counts *counts, const uint8_t *bytes,
                          unsigned length)
{
    if (__builtin_expect(bytes[0] == 0x02, 0)) {
        if (length == 0)
            length = other_length(bytes);
        if (bytes[1] == 0xa3 && pt_get64(bytes) >> 16 <= 1)
            length = 0; /* no result in it */
        counts->second[bytes[1]] += length != 0;
        return length;
    }
    if (bytes[0] == 0x99)
        counts->mode[bytes[1]] += length != 0;
    else
        counts->first[bytes[0]] += length != 0;
    return length;
}

/* The packets that begin in 64 bytes, from `at` on. Returns where the next
 * begins; *good: false, that one is not for here. */
VECTOR static unsigned count_block(struct pt_counts *counts,
                                   const uint8_t *bytes, unsigned at,
                                   bool *good)
{
    uint8_t length_at[BLOCK];
    const __m512i one = _mm512_set1_epi8(1), three = _mm512_set1_epi8(3);
    const __m512i first = _mm512_loadu_si512(bytes);
    const __m512i length = lengths_at(&lengths, bytes, true, NULL);
    const uint64_t cyc =
        _mm512_cmpeq_epi8_mask(_mm512_and_si512(first, three), three);
    const uint64_t single = _mm512_cmpeq_epi8_mask(length, one) &
                            (cyc | _mm512_testn_epi8_mask(first, one));
    const uint64_t pads = _mm512_testn_epi8_mask(first, first);
    uint64_t starts = ~UINT64_C(0) << at & single;

    _mm512_storeu_si512(length_at, length);
    while (at < BLOCK) {
        const uint64_t rest = ~single >> at;
        if (rest == 0) {
            at = BLOCK;
            break;
        }
        at += (unsigned)_tzcnt_u64(rest);
        const unsigned step = count_one(counts, bytes + at, length_at[at]);
        if (step == 0) {
            starts &= (UINT64_C(1) << at) - 1;
            *good = false;
            break;
        }
        starts &= ~(((UINT64_C(1) << step) - 1) << at);
        at += step;
    }
    counts->first[0x00] += (uint64_t)_mm_popcnt_u64(starts & pads);
    counts->first[0x04] += (uint64_t)_mm_popcnt_u64(starts & ~pads & ~cyc);
    counts->first[0x03] += (uint64_t)_mm_popcnt_u64(starts & cyc);
    return at;
}

VECTOR static void count(struct pt_reader *reader, struct pt_counts *counts)
{
    unsigned at = 0;
    bool good = true;

    while (reader->size - reader->at >= READ) {
        at = count_block(counts, reader->bytes + reader->at, at, &good);
        if (!good)
            break;
        reader->at += BLOCK;
        at -= BLOCK;
    }
    reader->at += at;
}

void pt_count(struct pt_reader *reader, struct pt_counts *counts)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!reader->synced || reader->block != 0 || reader->errata != 0 ||
        reader->size - reader->at < READ || !has_avx512())
        return;
    pthread_once(&once, make_lengths);
    count(reader, counts);
}

void pt_count_kinds(const struct pt_counts *counts, uint64_t kinds[PT_KINDS])
{
    const struct pt_reader reader = {.last = true};
    struct pt_packet packet;

    for (unsigned b = 0; b < 256; b++) {
        uint8_t bytes[PT_LENGTH_MAX] = {(uint8_t)b};
        if (counts->first[b] != 0) {
            (void)pt_decode_at(&reader, bytes, sizeof(bytes), &packet);
            kinds[(b & 3) == 3 ? PT_CYC : packet.kind] += counts->first[b];
        }
        bytes[0] = 0x02;
        bytes[1] = (uint8_t)b;
        if (counts->second[b] != 0 && b != 0x82) {
            (void)pt_decode_at(&reader, bytes, sizeof(bytes), &packet);
            kinds[packet.kind] += counts->second[b];
        }
        kinds[b < 0x20 ? PT_MODE_EXEC : PT_MODE_TSX] += counts->mode[b];
    }
    kinds[PT_PSB] += counts->second[0x82];
}
