/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_vector.c - src/pt/many.h by vector instructions, where the processor has
 * them; else in plain C. Where packets begin is pt_map.h's: a trace is walked
 * without a branch that depends on them, but for those that are not to be
 * stepped over.
 */
#include "host/pt_map.h"

#include "src/pt/scalar.h"

#include <immintrin.h>
#include <pthread.h>
#include <string.h>

/* What all processors have that have AVX2 (pt_map.h). */
#define SWIFT __attribute__((target("bmi2,popcnt")))

_Static_assert(SPAN == PT_SPAN, "as many packets as the caller has room for");

static struct codes all, skipped; /* skipped: by vector_skip() */

/* By code: the bits of the payload in eight bytes, and what pt_packet has. */
static uint64_t masks[256];
static struct pt_opcode opcodes[256];

/* All of the packet's bits that change its payload alone: tried one by one. */
static void make_row(unsigned code, const uint8_t *head, size_t size)
{
    const struct pt_reader reader = {.last = true};
    uint8_t bytes[PT_LENGTH_MAX] = {0};
    struct pt_packet packet, other;

    memcpy(bytes, head, size);
    if (pt_decode_at(&reader, bytes, sizeof(bytes), &packet) != PT_OK)
        return;
    opcodes[code] =
        (struct pt_opcode){packet.kind, packet.length, packet.detail, 0};
    for (unsigned bit = 0; bit < 64; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (pt_decode_at(&reader, bytes, sizeof(bytes), &other) == PT_OK &&
            other.kind == packet.kind && other.length == packet.length) {
            if (other.detail == packet.detail &&
                other.payload != packet.payload)
                masks[code] |= UINT64_C(1) << bit;
            if (other.detail != packet.detail && bit >= 8 * size)
                opcodes[code].length = 0; /* it is not the code alone */
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void make_rows(void)
{
    static const uint8_t cyc[] = {0x07, 0x01, 0x01};

    for (unsigned b = 0; b < 256; b++)
        if (pt_opcodes[b].length != 0)
            make_row(b, (const uint8_t[]){(uint8_t)b}, 1);
    for (size_t i = 0; i < SECONDS; i++)
        make_row(code_of_second(i), (const uint8_t[]){0x02, second_bytes[i][0]},
                 2);
    make_row(CODE_EXEC, (const uint8_t[]){0x99, 0x00}, 2);
    make_row(CODE_TSX, (const uint8_t[]){0x99, 0x20}, 2);
    masks[CODE_EXEC] = masks[CODE_TSX] = 0xff00; /* not all are allowed */
    make_row(CODE_CYC2, cyc, 1);
    make_row(CODE_CYC3, cyc, 2);
    make_row(CODE_CYC4, cyc, 3);
}

/* What a row can say; and what changes nothing but the last IP. */
static void make_tables(void)
{
    make_codes(&all);
    make_codes(&skipped);
    make_rows();
    for (unsigned code = 1; code < 256; code += 2) {
        const struct pt_opcode opcode = opcodes[code];
        if (opcode.length == 0 || opcode.length > 8)
            all.length[code / 2] = UNKNOWN;
        if (opcode.length == 0 || opcode.kind > PT_TIP)
            skipped.length[code / 2] = UNKNOWN;
    }
    skipped.length[skipped.second[0xa3 >> 4 << 2 | 3] / 2] = 8;
}

static inline __attribute__((always_inline)) SWIFT void
decode_here(unsigned code, const uint8_t *bytes, struct pt_packet *packet)
{
    packet->payload = _pext_u64(pt_get64(bytes), masks[code]);
    memcpy(&packet->kind, &opcodes[code], sizeof(opcodes[code]));
}

/* What no row says. False: pt_next() has to. */
static bool decode_other(const struct pt_reader *reader, const uint8_t *bytes,
                         struct pt_packet *packet)
{
    const uint64_t next = pt_get64(bytes);

    if ((next & 0xffff) != 0xa302 || next >> 16 <= 1)
        return pt_decode_at(reader, bytes, PT_LENGTH_MAX + 2, packet) ==
                   PT_OK &&
               packet->kind != PT_BBP;
    const unsigned results = 47 - (unsigned)__builtin_clzll(next);
    *packet = (struct pt_packet){.payload = next >> 16 ^ UINT64_C(1) << results,
                                 .kind = PT_TNT_64,
                                 .length = 8,
                                 .detail = (uint8_t)results};
    return true;
}

SWIFT static size_t vector_span(struct pt_reader *reader,
                                struct pt_packet *packets)
{
    const uint8_t *bytes = reader->bytes + reader->at;
    struct pt_packet *packet = packets;
    struct map map;
    size_t at = 0;

    make_map(&map, &all, bytes);
    while (at < SPAN - 3) {
        const size_t second = at + map.one[at];
        const size_t third = second + map.one[second];
        const size_t fourth = third + map.one[third];
        decode_here(map.code[at], bytes + at, packet);
        decode_here(map.code[second], bytes + second, packet + 1);
        decode_here(map.code[third], bytes + third, packet + 2);
        if (__builtin_expect(map.four[at] < UNKNOWN, 1)) {
            decode_here(map.code[fourth], bytes + fourth, packet + 3);
            at += map.four[at];
            packet += 4;
            continue;
        }
        packet += (second != at) + (third != second) + (fourth != third);
        at = fourth;
        if (!decode_other(reader, bytes + at, packet))
            break;
        at += packet++->length;
    }
    reader->at += at;
    return (size_t)(packet - packets);
}

/* As many spans as there are, up to a packet that is to be decoded. */
SWIFT static void vector_skip(struct pt_tsx *tsx)
{
    struct pt_reader *reader = &tsx->reader;
    struct map map;
    uint16_t tips[SPAN + 4];
    bool good = true;

    while (good && reader->size - reader->at >= READ) {
        const uint8_t *bytes = reader->bytes + reader->at;
        size_t at = 0, count = 0;
        make_map(&map, &skipped, bytes);
        while (good && at < SPAN - 3) {
            const size_t step = map.four[at];
            size_t place = at;
            for (unsigned i = 0; i < 4; i++) {
                tips[count] = (uint16_t)place;
                count += (map.code[place] & 0x1f) == 0x0d;
                place += map.one[place];
            }
            good = step < UNKNOWN;
            at = good ? at + step : place;
        }
        for (size_t i = 0; i < count; i++) {
            const uint8_t *tip = bytes + tips[i];
            tsx->last_ip = pt_ip(tsx->last_ip, tip[0] >> 5, pt_get64(tip + 1));
        }
        reader->at += at;
    }
    if (good)
        scalar_skip(tsx);
}

/* Whether there is a map; the tables are made then. */
static bool has_vectors(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!can_map())
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
