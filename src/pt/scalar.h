/* SPDX-License-Identifier: BSD-2-Clause */
/* scalar.h - many.h in plain C, inline: what many.c is, and what a program that
 * has it by vector instructions has to agree with, and falls back to. */
#ifndef SRC_PT_SCALAR_H
#define SRC_PT_SCALAR_H

#include "src/pt/bytes.h"
#include "src/pt/ip.h"
#include "src/pt/many.h"
#include "src/pt/tsx_events.h"

/* By the length of a packet of pt_opcodes. */
static const uint64_t payload_masks[10] = {0,
                                           0,
                                           0xff,
                                           0xffff,
                                           0xffffff,
                                           0xffffffff,
                                           0xffffffffff,
                                           0xffffffffffff,
                                           0xffffffffffffff,
                                           UINT64_MAX};

/* Packets that begin in the next PT_SPAN bytes, where there are PT_MARGIN more;
 * returns how many, and stops before one that is more than a packet for the
 * reader: wrong, or the start of a block. The lengths by the first byte are
 * found for every byte, packet or not, before going from packet to packet: so
 * each step waits for one load, not for two. */
static inline size_t scalar_span(struct pt_reader *reader,
                                 struct pt_packet *packets)
{
    const uint8_t *bytes = reader->bytes + reader->at;
    struct pt_packet *packet = packets;
    uint8_t lengths[PT_SPAN];
    size_t at = 0;

#pragma GCC unroll 8
    for (size_t i = 0; i < PT_SPAN; i++)
        lengths[i] = pt_opcodes[bytes[i]].length;
    for (; at < PT_SPAN; packet++) {
        const struct pt_opcode opcode = pt_opcodes[bytes[at]];
        packet->payload =
            (pt_get64(bytes + at + 1) & payload_masks[opcode.length]) |
            opcode.value;
        packet->kind = opcode.kind;
        packet->length = opcode.length;
        packet->detail = opcode.detail;
        packet->value = opcode.value;
        if (lengths[at] != 0) {
            at += lengths[at];
            continue;
        }
        if (pt_decode_at(reader, bytes + at, PT_SPAN + PT_MARGIN - at,
                         packet) != PT_OK ||
            packet->kind == PT_BBP)
            break;
        at += packet->length;
    }
    reader->at += at;
    return (size_t)(packet - packets);
}

/* How many bits of these 8 bytes, from the lowest on and at most 7 bytes, are
 * packets of one: short TNT (bit 0 is 0; 00H is PAD, 02H an opcode) or CYC
 * (011B). */
static inline unsigned one_byte_packet_bits(uint64_t bytes)
{
    const uint64_t ones = 0x0101010101010101;
    const uint64_t cyc = bytes & bytes >> 1 & ~(bytes >> 2);
    const uint64_t other = bytes & ~(ones << 1); /* 0: neither TNT nor CYC */
    const uint64_t zero = (other - ones) & ~other & ones << 7;
    const uint64_t ends = (bytes & ~cyc & ones) | zero >> 7 | ones << 56;

    return (unsigned)__builtin_ctzll(ends);
}

/* The bytes of a CYC of any length; more than 9 is not for skip_ahead(). */
static inline size_t cyc_length(const uint8_t *bytes)
{
    size_t length = 1;

    if ((bytes[0] & 4) != 0)
        while (length < 10 && (bytes[length++] & 1) != 0)
            continue;
    return length;
}

/* Steps over the packets that change nothing while no transition is pending and
 * PacketEn is 1, but for the last IP. */
static inline void scalar_skip(struct pt_tsx *tsx)
{
    struct pt_reader *reader = &tsx->reader;
    const uint8_t *bytes = reader->bytes;
    uint64_t last_ip = tsx->last_ip;
    size_t at = reader->at, length;

    while (at + 7 + PT_LENGTH_MAX <= reader->size) {
        const uint64_t next = pt_get64(bytes + at);
        const unsigned bits = next == 0 ? 56 : one_byte_packet_bits(next);
        const struct pt_opcode opcode = pt_opcodes[next >> bits & 0xff];
        at += bits / 8;
        length = opcode.length;
        if (opcode.kind > PT_TIP) {
            length = cyc_length(bytes + at);
            if ((bytes[at] & 3) != 3 || length == 10 ||
                (length == 2 && (reader->errata & PT_SKD007) != 0))
                break;
        }
        /* Without a branch: every third of these is no TIP. */
        const unsigned is_tip = 0u - (opcode.kind == PT_TIP);
        last_ip =
            pt_ip(last_ip, opcode.detail & is_tip, pt_get64(bytes + at + 1));
        at += length;
    }
    reader->at = at;
    tsx->last_ip = last_ip;
}

#endif
