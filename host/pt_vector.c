/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_vector.c - src/pt/many.h by vector instructions, where the processor has
 * AVX-512 VBMI; else in plain C.
 *
 * How long a packet is that begins at a byte, packet or not, is found for 64
 * bytes at a time, and from that how long two are: then a trace is walked with
 * one load for each two packets, and without a branch that depends on them.
 * Lengths are those of SDM 3C, "Packet Definitions", as in src/pt/opcodes.inc.
 */
#include "host/pt_lengths.h"

#include "src/pt/scalar.h"

#include <pthread.h>
#include <string.h>

_Static_assert(SPAN == PT_SPAN, "as many packets as the caller has room for");

static struct lengths all, skipped; /* skipped: by vector_skip() */
/* For each byte: how long a packet is that begins there, and how long are two;
 * and the number of its row. */
struct map {
    uint8_t one[SPAN + BLOCK], two[SPAN + BLOCK];
    uint16_t row[SPAN + BLOCK];
};

/* By class and byte. */
static struct row {
    uint64_t mask; /* of the payload in eight bytes */
    struct pt_opcode opcode;
} rows[CLASSES * 256];

/* All of the packet's bits that change its payload alone: tried one by one. */
static void make_row(struct row *row, const uint8_t *head, size_t size)
{
    const struct pt_reader reader = {.last = true};
    uint8_t bytes[PT_LENGTH_MAX] = {0};
    struct pt_packet packet, other;

    memcpy(bytes, head, size);
    if (pt_decode_at(&reader, bytes, sizeof(bytes), &packet) != PT_OK)
        return;
    row->opcode =
        (struct pt_opcode){packet.kind, packet.length, packet.detail, 0};
    for (unsigned bit = 0; bit < 64; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (pt_decode_at(&reader, bytes, sizeof(bytes), &other) == PT_OK &&
            other.kind == packet.kind && other.length == packet.length &&
            other.detail == packet.detail && other.payload != packet.payload)
            row->mask |= UINT64_C(1) << bit;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void make_tables(void)
{
    for (unsigned b = 0; b < 256; b++) {
        const struct pt_opcode opcode = pt_opcodes[b];
        if (opcode.length <= 8)
            all.first[b] = opcode.length;
        if (opcode.kind <= PT_TIP)
            skipped.first[b] = opcode.length;
        make_row(&rows[BY_FIRST * 256 + b], (const uint8_t[]){(uint8_t)b}, 1);
    }
    for (size_t i = 0; i < sizeof(second_lengths); i += 2) {
        const uint8_t bytes[] = {0x02, second_lengths[i]};
        all.second[bytes[1]] = second_lengths[i + 1];
        make_row(&rows[BY_SECOND * 256 + bytes[1]], bytes, 2);
    }
    skipped.second[0xa3] = 8;
    for (unsigned b = 0; b < 0x40; b++) {
        make_row(&rows[BY_MODE * 256 + b], (const uint8_t[]){0x99, (uint8_t)b},
                 2);
        rows[BY_MODE * 256 + b].mask = 0xff00; /* not all values are allowed */
    }
    for (unsigned length = 2; length <= 4; length++)
        make_row(&rows[BY_CYC * 256 + length],
                 &(const uint8_t[]){0x07, 0x01, 0x01}[0], length - 1);
}

INLINE void make_map(struct map *map, const struct lengths *table,
                     const uint8_t *bytes, bool decode)
{
    static const uint8_t counting[BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_loadu_si512(counting);
    __m512i here = lengths_at(table, bytes, decode, decode ? map->row : NULL);

    for (size_t at = 0; at < SPAN; at += BLOCK) {
        const __m512i next = lengths_at(table, bytes + at + BLOCK, decode,
                                        decode ? map->row + at + BLOCK : NULL);
        const __m512i after =
            _mm512_permutex2var_epi8(here, _mm512_add_epi8(index, here), next);
        const __mmask64 none = _mm512_test_epi8_mask(here, here);
        _mm512_storeu_si512(map->one + at, here);
        _mm512_storeu_si512(map->two + at,
                            _mm512_maskz_add_epi8(none, here, after));
        here = next;
    }
    _mm512_storeu_si512(map->one + SPAN, here);
}

INLINE void decode_here(const struct row *row, const uint8_t *bytes,
                        struct pt_packet *packet)
{
    packet->payload = _pext_u64(pt_get64(bytes), row->mask);
    packet->kind = row->opcode.kind;
    packet->length = row->opcode.length;
    packet->detail = row->opcode.detail;
    packet->value = row->opcode.value;
}

VECTOR static size_t vector_span(struct pt_reader *reader,
                                 struct pt_packet *packets)
{
    const uint8_t *bytes = reader->bytes + reader->at;
    struct pt_packet *packet = packets;
    struct map map;
    size_t at = 0;

    make_map(&map, &all, bytes, true);
    while (at < SPAN) {
        const size_t one = map.one[at], two = map.two[at];
        if (__builtin_expect(one == 0, 0)) {
            if (pt_decode_at(reader, bytes + at, PT_LENGTH_MAX + 2, packet) !=
                    PT_OK ||
                packet->kind == PT_BBP)
                break;
            at += packet++->length;
            continue;
        }
        decode_here(&rows[map.row[at]], bytes + at, packet);
        decode_here(&rows[map.row[at + one]], bytes + at + one, packet + 1);
        packet += two != one ? 2 : 1;
        at += two;
    }
    reader->at += at;
    return (size_t)(packet - packets);
}

/* As many spans as there are, up to a packet that is to be decoded. */
VECTOR static void vector_skip(struct pt_tsx *tsx)
{
    struct pt_reader *reader = &tsx->reader;
    struct map map;
    uint16_t tips[SPAN + 2];

    while (reader->size - reader->at >= READ) {
        const uint8_t *bytes = reader->bytes + reader->at;
        size_t at = 0, step = 1, count = 0;
        make_map(&map, &skipped, bytes, false);
        while (at < SPAN && step != 0) {
            const size_t middle = at + map.one[at];
            step = map.two[at];
            tips[count] = (uint16_t)at;
            count += pt_opcodes[bytes[at]].kind == PT_TIP;
            tips[count] = (uint16_t)middle;
            count += middle != at && pt_opcodes[bytes[middle]].kind == PT_TIP;
            at += step;
        }
        for (size_t i = 0; i < count; i++) {
            const uint8_t *tip = bytes + tips[i];
            tsx->last_ip = pt_ip(tsx->last_ip, tip[0] >> 5, pt_get64(tip + 1));
        }
        reader->at += at;
        if (step == 0)
            return;
    }
    scalar_skip(tsx);
}

/* Whether the processor has what VECTOR says; the tables are made then. */
static bool has_vectors(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!has_avx512())
        return false;
    pthread_once(&once, make_tables);
    return true;
}

size_t pt_decode_span(struct pt_reader *reader, struct pt_packet *packets)
{
    return reader->size - reader->at >= READ && has_vectors() &&
                   (reader->errata & PT_SKD007) == 0
               ? vector_span(reader, packets)
               : scalar_span(reader, packets);
}

void pt_skip(struct pt_tsx *tsx)
{
    if (tsx->reader.errata == 0 && has_vectors())
        vector_skip(tsx);
    else
        scalar_skip(tsx);
}
