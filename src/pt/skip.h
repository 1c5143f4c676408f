/* SPDX-License-Identifier: BSD-2-Clause */
/* skip.h - steps over packets without decoding them. Inline: in the loop that
 * decides how fast a trace is read. */
#ifndef SRC_PT_SKIP_H
#define SRC_PT_SKIP_H

#include "src/pt/bytes.h"
#include "src/pt/ip.h"
#include "src/pt/tsx_events.h"

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

/* Steps over PADs, eight at a time. */
static inline void skip_pads(struct pt_reader *reader)
{
    while (reader->at + 8 <= reader->size &&
           pt_get64(reader->bytes + reader->at) == 0)
        reader->at += 8;
}

/* Steps over the packets that change nothing while no transition is pending and
 * PacketEn is 1, but for the last IP. */
static inline void skip_ahead(struct pt_tsx *tsx)
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
