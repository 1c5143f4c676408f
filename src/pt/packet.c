/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet.c - decodes packets.
 *
 * Most packets are known by their first byte: a table has all of these. What
 * decodes many of them at a time is in many.c; decode_one() decodes any packet,
 * and says what is wrong.
 */
#include "src/pt/packet.h"

#include "src/pt/bytes.h"
#include "src/pt/many.h"
#include "src/pt/psb.h"
#include "src/pt/opcodes.inc"

/* Packets between BBP and BEP that do not end the block. */
#define BIT_OF(NAME) (UINT32_C(1) << PT_##NAME)
#define STAY_IN_BLOCK                                                          \
    (BIT_OF(PAD) | BIT_OF(TSC) | BIT_OF(TMA) | BIT_OF(MTC) | BIT_OF(FUP) |     \
     BIT_OF(CYC) | BIT_OF(CBR) | BIT_OF(MNT) | BIT_OF(EXSTOP) | BIT_OF(PWRE) | \
     BIT_OF(PWRX) | BIT_OF(BIP) | BIT_OF(BBP))
_Static_assert(PT_KINDS <= 32, "a bit for each kind");

/* Lowest byte first. */
static uint64_t get_bytes(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static void set_packet(struct pt_packet *packet, struct pt_opcode opcode,
                       uint64_t payload)
{
    *packet = (struct pt_packet){.payload = payload,
                                 .kind = opcode.kind,
                                 .length = opcode.length,
                                 .detail = opcode.detail};
}

/* "CYC Packet Definition": five bits, then seven a byte while Exp is set, which
 * is bit 2 of the first byte and bit 0 of the others. */
static enum pt_result decode_cyc(const uint8_t *bytes, size_t size,
                                 struct pt_packet *packet)
{
    uint64_t value = bytes[0] >> 3;
    unsigned shift = 5;

    for (uint8_t length = 1; length < size; length++, shift += 7) {
        uint64_t bits = bytes[length] >> 1;
        if (shift > 63 || bits << shift >> shift != bits)
            return PT_CYC_TOO_LONG;
        value |= bits << shift;
        if ((bytes[length] & 1) == 0) {
            set_packet(packet,
                       (struct pt_opcode){PT_CYC, (uint8_t)(length + 1), 0, 0},
                       value);
            return PT_OK;
        }
    }
    return PT_CUT;
}

/* PT_SKD007: where 02H F3H follow the first byte of a CYC. Two CYCs that are
 * not full do not follow one another, so that it is an OVF. */
static bool is_ovf_in_cyc(const uint8_t *bytes, size_t size)
{
    return size > 2 && (bytes[0] & 4) != 0 && bytes[1] == 0x02 &&
           bytes[2] == 0xf3;
}

/* "MODE Packet" : leaf in bits 7:5. */
static enum pt_result decode_mode(const uint8_t *bytes, size_t size,
                                  struct pt_packet *packet)
{
    struct pt_opcode opcode = {PT_MODE_EXEC, 2, 0, 0};
    const unsigned exec = PT_MODE_EXEC_CS_L | PT_MODE_EXEC_CS_D;
    const unsigned tsx = PT_MODE_TSX_INTX | PT_MODE_TSX_TXABORT;

    if (size < 2)
        return PT_CUT;
    if (bytes[1] >> 5 == 1)
        opcode.kind = PT_MODE_TSX;
    set_packet(packet, opcode, bytes[1]);
    if (bytes[1] >> 5 > 1)
        return PT_RESERVED_MODE_LEAF;
    if (opcode.kind == PT_MODE_EXEC)
        return (bytes[1] & exec) == exec ? PT_RESERVED_MODE_EXEC : PT_OK;
    return (bytes[1] & tsx) == tsx ? PT_RESERVED_MODE_TSX : PT_OK;
}

/* "TNT Packet Definition", the long one. */
static enum pt_result decode_tnt_64(struct pt_packet *packet)
{
    if (packet->payload <= 1)
        return PT_TNT_EMPTY;
    packet->detail = (uint8_t)(63 - __builtin_clzll(packet->payload));
    packet->payload ^= UINT64_C(1) << packet->detail;
    return PT_OK;
}

/* How many of these bytes, which begin with `pattern` bytes of a PSB, are one:
 * all, where two at most are others, and not the last two; its end, where a
 * packet that is wrong has the beginning. 0: too little of it is there. */
static uint8_t left_of_psb(const uint8_t *bytes, size_t size, size_t pattern)
{
    unsigned same = 0;

    if (size < PSB_LENGTH)
        return 0;
    for (size_t i = 0; i < PSB_LENGTH; i++)
        same += bytes[i] == (i % 2 == 0 ? 0x02 : 0x82);
    if (same >= PSB_LENGTH - 2 &&
        psb_pattern_bytes(bytes + PSB_LENGTH - 2, 2) == 2)
        return PSB_LENGTH;
    return pattern >= PSB_LENGTH / 2 ? (uint8_t)pattern : 0;
}

/* 16 bytes, and no more: "a PSB packet cannot contain the start of the next",
 * so that a longer pattern is one that was cut, followed by another. */
static enum pt_result decode_psb(const uint8_t *bytes, size_t size, bool last,
                                 struct pt_packet *packet)
{
    const size_t pattern =
        psb_pattern_bytes(bytes, size < PSB_LENGTH + 2 ? size : PSB_LENGTH + 2);
    struct pt_opcode opcode = second_opcodes[0x82];

    if (pattern == PSB_LENGTH &&
        (last || size >= PSB_LENGTH + 2 ||
         (size > PSB_LENGTH && bytes[pattern] != 0x02))) {
        set_packet(packet, opcode, 0);
        return PT_OK;
    }
    const bool differs = pattern > PSB_LENGTH || size > pattern + 1 ||
                         (size > pattern && bytes[pattern] != 0x02);
    if (!differs || (size < PSB_LENGTH && !last))
        return PT_CUT;
    opcode.length =
        pattern > PSB_LENGTH ? 0 : left_of_psb(bytes, size, pattern);
    set_packet(packet, opcode, 0);
    return PT_BROKEN_PSB;
}

/* Packets whose first byte is 02H. */
static enum pt_result decode_extended(const uint8_t *bytes, size_t size,
                                      bool last, struct pt_packet *packet)
{
    struct pt_opcode opcode;
    unsigned head = 2; /* bytes in front of the payload */

    if (size < 2)
        return PT_CUT;
    opcode = second_opcodes[bytes[1]];
    if (opcode.length == 0)
        return (bytes[1] & 0x1f) == 0x12 ? PT_RESERVED_PTW_SIZE
                                         : PT_UNDEFINED_OPCODE;
    if (opcode.kind == PT_PSB)
        return decode_psb(bytes, size, last, packet);
    if (opcode.kind == PT_MNT || opcode.kind == PT_EVD)
        head = 3;
    if (opcode.kind == PT_MNT && size > 2 && bytes[2] != 0x88)
        return PT_UNDEFINED_OPCODE;
    if (size < opcode.length)
        return PT_CUT;
    set_packet(packet, opcode, get_bytes(bytes + head, opcode.length - head));
    if (opcode.kind == PT_TNT_64)
        return decode_tnt_64(packet);
    if (opcode.kind == PT_EVD)
        packet->detail = bytes[2] & 0x3f;
    if (opcode.kind == PT_CFE)
        packet->detail = bytes[2] >> 7;
    return PT_OK;
}

/* D9H: a byte with IP in bit 7 and ICNTV in bit 6, the trigger bits, and the
 * two bytes of ICNT where ICNTV is set. */
static enum pt_result decode_trig(const uint8_t *bytes, size_t size,
                                  struct pt_packet *packet)
{
    struct pt_opcode opcode = {PT_TRIG, 3, 0, 0};

    if (size < 2)
        return PT_CUT;
    opcode.detail = bytes[1] >> 7;
    if ((bytes[1] & 0x40) != 0)
        opcode.length = 5;
    if (size < opcode.length)
        return PT_CUT;
    set_packet(packet, opcode, get_bytes(bytes + 1, opcode.length - 1u));
    return PT_OK;
}

/* A BIP's first byte would be a short TNT outside of a block. */
static enum pt_result decode_bip(const uint8_t *bytes, size_t size,
                                 unsigned payload, struct pt_packet *packet)
{
    struct pt_opcode opcode = {PT_BIP, (uint8_t)(1 + payload), bytes[0] >> 3,
                               0};

    if (size < opcode.length)
        return PT_CUT;
    set_packet(packet, opcode, get_bytes(bytes + 1, payload));
    return PT_OK;
}

enum pt_result pt_decode_at(const struct pt_reader *reader,
                            const uint8_t *bytes, size_t size,
                            struct pt_packet *packet)
{
    const struct pt_opcode opcode = pt_opcodes[bytes[0]];

    if (reader->block != 0 && (bytes[0] & 7) == 4)
        return decode_bip(bytes, size, reader->block, packet);
    if (opcode.length != 0) {
        if (size < opcode.length)
            return PT_CUT;
        set_packet(packet, opcode,
                   get_bytes(bytes + 1, opcode.length - 1u) | opcode.value);
        return PT_OK;
    }
    if ((bytes[0] & 3) == 3 && (reader->errata & PT_SKD007) != 0) {
        if (size == 2 && bytes[1] == 0x02 && !reader->last)
            return PT_CUT;
        if (is_ovf_in_cyc(bytes, size)) {
            set_packet(packet, (struct pt_opcode){PT_OVF, 3, 0, 0}, 0);
            return PT_OK;
        }
    }
    if ((bytes[0] & 3) == 3)
        return decode_cyc(bytes, size, packet);
    if (bytes[0] == 0x99)
        return decode_mode(bytes, size, packet);
    if (bytes[0] == 0x02)
        return decode_extended(bytes, size, reader->last, packet);
    if (bytes[0] == 0xd9)
        return decode_trig(bytes, size, packet);
    switch (bytes[0] & 0x1f) {
    case 0x01:
    case 0x0d:
    case 0x11:
    case 0x1d:
        return PT_RESERVED_IPBYTES;
    default:
        return PT_UNDEFINED_OPCODE;
    }
}

/* Goes to the next PSB, or as far as there can be none. */
static enum pt_result find_psb(struct pt_reader *reader)
{
    size_t left = reader->size - reader->at, at;
    bool found = psb_find(reader->bytes + reader->at, left, reader->last, &at);

    reader->at += at;
    if (!found && !reader->last)
        return PT_MORE;
    reader->synced = found;
    reader->block = 0;
    reader->where = reader->lost;
    if (pt_offset(reader) == reader->lost)
        return found ? PT_OK : PT_END;
    reader->lost = pt_offset(reader);
    return PT_LOST;
}

/* One packet of any kind. */
static enum pt_result decode_one(struct pt_reader *reader,
                                 struct pt_packet *packet)
{
    enum pt_result result = reader->synced ? PT_OK : find_psb(reader);
    size_t left = reader->size - reader->at;

    if (result != PT_OK)
        return result;
    reader->where = pt_offset(reader);
    if (left == 0)
        return reader->last ? PT_END : PT_MORE;
    result = pt_decode_at(reader, reader->bytes + reader->at, left, packet);
    if (result == PT_CUT && !reader->last)
        return PT_MORE;
    if (result == PT_CUT) {
        reader->at = reader->size;
    } else if (result == PT_OK || result >= PT_TNT_EMPTY ||
               (result == PT_BROKEN_PSB && packet->length != 0)) {
        reader->at += packet->length;
        if (packet->kind == PT_BBP)
            reader->block = (packet->payload & 0x80) != 0 ? 4 : 8;
        else if ((STAY_IN_BLOCK >> packet->kind & 1) == 0)
            reader->block = 0;
    } else {
        reader->synced = false;
        reader->lost = reader->where;
    }
    return result;
}

void pt_open(struct pt_reader *reader)
{
    static const uint8_t none[1];

    *reader = (struct pt_reader){.bytes = none};
}

void pt_feed(struct pt_reader *reader, const uint8_t *bytes, size_t size,
             bool last)
{
    reader->offset += reader->at;
    reader->bytes = bytes;
    reader->size = size;
    reader->at = 0;
    reader->last = last;
}

size_t pt_decode(struct pt_reader *reader, struct pt_packet *packets,
                 size_t room, enum pt_result *result)
{
    size_t count = 0;

    *result = PT_OK;
    do {
        if (room - count > PT_SPAN && reader->synced && reader->block == 0 &&
            reader->size - reader->at >= PT_SPAN + PT_MARGIN) {
            const size_t at = reader->at;
            count += pt_decode_span(reader, packets + count);
            if (reader->at - at >= PT_SPAN - 3)
                continue;
        }
        *result = decode_one(reader, packets + count);
        count += *result == PT_OK;
    } while (*result == PT_OK && room - count > PT_SPAN);
    return count;
}
