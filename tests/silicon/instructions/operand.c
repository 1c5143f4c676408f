/* SPDX-License-Identifier: BSD-2-Clause */
/* operand.c - the data accesses of an instruction. */
#include "tests/silicon/instructions/operand.h"

#include "tests/silicon/instructions/operand_opcode.h"

#define REX_W 8u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

struct decoder {
    const struct operand_state *s;
    const uint8_t *bytes;
    size_t length, at;
    unsigned rep, rex, segment;
    bool lock, operand_size, address_size, vex_l;
    struct data_access *found;
    unsigned count;
};

static uint8_t byte_at(const struct decoder *d, size_t at)
{
    return at < d->length ? d->bytes[at] : 0;
}

static uint64_t signed_at(const struct decoder *d, size_t at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned n = 0; n < bytes; n++)
        value |= (uint64_t)byte_at(d, at + n) << 8 * n;
    if (bytes == 1)
        return (uint64_t)(int64_t)(int8_t)value;
    return (uint64_t)(int64_t)(int32_t)value;
}

static void take_prefixes(struct decoder *d)
{
    for (;; d->at++) {
        uint8_t b = byte_at(d, d->at);

        if (!d->s->narrow && (b & 0xF0) == 0x40) {
            d->rex = b;
            continue;
        }
        if (b == 0x66)
            d->operand_size = true;
        else if (b == 0x67)
            d->address_size = true;
        else if (b == 0xF0)
            d->lock = true;
        else if (b == 0xF2 || b == 0xF3)
            d->rep = b;
        else if (b == 0x64 || b == 0x65)
            d->segment = b;
        else if (b != 0x2E && b != 0x36 && b != 0x3E && b != 0x26)
            return;
        d->rex = 0; /* only right before the opcode */
    }
}

/* Address size 16 is for operand_find() alone. */
static bool has_narrow_addresses(const struct decoder *d)
{
    return d->s->narrow || d->address_size;
}

static uint8_t stack_bytes(const struct decoder *d)
{
    return d->operand_size ? 2 : d->s->narrow ? 4 : 8;
}

static uint8_t operand_bytes(const struct decoder *d, unsigned what)
{
    if ((what & BYTE) != 0)
        return 1;
    if ((what & WORD) != 0)
        return 2;
    if ((what & LONG) != 0)
        return 4;
    if ((what & EIGHT) != 0)
        return 8;
    if ((what & TEN) != 0)
        return 10;
    if ((what & VECTOR) != 0)
        return d->vex_l ? 32 : 16;
    if ((what & WIDE) != 0)
        return d->rep == 0xF3 ? 4 : d->rep == 0xF2 ? 8 : 16;
    if ((what & FULL) != 0 && d->s->narrow)
        return stack_bytes(d);
    if ((what & FULL) != 0 || (d->rex & REX_W) != 0)
        return 8;
    return d->operand_size ? 2 : 4;
}

static void add_access(struct decoder *d, enum data_kind kind, uint64_t linear,
                       uint8_t bytes, bool locked)
{
    if (d->s->narrow)
        linear &= 0xFFFFFFFF;
    if (d->count < DATA_ACCESSES_MAX)
        d->found[d->count++] =
            (struct data_access){linear, bytes, kind, locked};
}

static uint64_t segmented(const struct decoder *d, uint64_t offset)
{
    if (has_narrow_addresses(d))
        offset &= 0xFFFFFFFF;
    if (d->segment == 0x64)
        return offset + d->s->fs_base;
    if (d->segment == 0x65)
        return offset + d->s->gs_base;
    return offset;
}

/* The SIB byte after ModR/M: base and index; base 5 with mod 0 is none. */
static uint64_t sib_address(const struct decoder *d, uint8_t mod, uint8_t sib,
                            unsigned *displacement)
{
    const uint64_t *general = d->s->general;
    unsigned index = (sib >> 3 & 7) | ((d->rex & REX_X) != 0 ? 8 : 0);
    unsigned base = (sib & 7) | ((d->rex & REX_B) != 0 ? 8 : 0);
    uint64_t address = 0;

    if (index != RSP)
        address = general[index] << (sib >> 6);
    if ((sib & 7) == RBP && mod == 0)
        *displacement = 4;
    else
        address += general[base];
    return address;
}

/* The address of the memory operand whose ModR/M byte is at d->at; immediate:
 * how many bytes follow it, for addresses relative to RIP. */
static uint64_t effective_address(const struct decoder *d, unsigned immediate)
{
    uint8_t modrm = byte_at(d, d->at), mod = modrm >> 6, rm = modrm & 7;
    unsigned displacement = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    size_t at = d->at + 1;
    uint64_t address;

    if (rm == RSP) {
        address = sib_address(d, mod, byte_at(d, at), &displacement);
        at++;
    } else if (rm == RBP && mod == 0) {
        displacement = 4;
        address = d->s->narrow ? 0 : d->s->rip + at + 4 + immediate;
    } else {
        address = d->s->general[rm | ((d->rex & REX_B) != 0 ? 8 : 0)];
    }
    if (displacement > 0)
        address += signed_at(d, at, displacement);
    return segmented(d, address);
}

static uint64_t bit_offset(const struct decoder *d, uint8_t bytes)
{
    unsigned reg =
        (byte_at(d, d->at) >> 3 & 7) | ((d->rex & REX_R) != 0 ? 8 : 0);
    int64_t bit = (int64_t)d->s->general[reg];

    if (bytes < 8)
        bit = bytes == 4 ? (int32_t)bit : (int16_t)bit;
    return (uint64_t)((bit >> (bytes == 8 ? 6 : bytes == 4 ? 5 : 4)) * bytes);
}

static void add_stack_access(struct decoder *d, enum data_kind kind)
{
    uint8_t bytes = stack_bytes(d);
    uint64_t rsp = d->s->general[RSP];

    add_access(d, kind, kind == DATA_STORE ? rsp - bytes : rsp, bytes, false);
}

static void add_operand(struct decoder *d, unsigned what)
{
    unsigned immediate = (what & IMM8) != 0   ? 1
                         : (what & IMMZ) == 0 ? 0
                         : d->operand_size    ? 2
                                              : 4;
    uint8_t bytes = operand_bytes(d, what);
    bool memory = (what & MODRM) != 0 && byte_at(d, d->at) < 0xC0;
    bool locked = (what & BOTH) == BOTH && (d->lock || (what & XCHG) != 0);
    uint64_t at = memory ? effective_address(d, immediate) : 0;

    if ((what & WITH_F3) != 0 && d->rep != 0xF3)
        return;
    if (memory && (what & BITS_REG) != 0)
        at += bit_offset(d, bytes);
    if ((what & POPS) != 0)
        add_stack_access(d, DATA_LOAD);
    if (memory && (what & LOADS) != 0)
        add_access(d, DATA_LOAD, at, bytes, locked);
    if (memory && (what & STORES) != 0)
        add_access(d, DATA_STORE, at, bytes, locked);
    if (memory && (what & FLUSHES) != 0)
        add_access(d, DATA_FLUSH, at, 1, false);
    if (memory && (what & INVLPG) != 0)
        add_access(d, DATA_INVLPG, at, 1, false);
    if (memory && (what & FETCHES) != 0)
        add_access(d, DATA_PREFETCH, at, 1, false);
    if ((what & PUSHES) != 0)
        add_stack_access(d, DATA_STORE);
}

/* The string instructions: A4H-A7H, AAH-AFH. */
static void add_string_accesses(struct decoder *d, uint8_t op)
{
    const uint64_t *general = d->s->general;
    uint8_t bytes = operand_bytes(d, (op & 1) == 0 ? BYTE : 0);
    bool destination = (op & 0xE) != 0xC; /* all but LODS */
    bool source = op < 0xA8 || !destination;
    uint64_t mask = has_narrow_addresses(d) ? 0xFFFFFFFF : UINT64_MAX;

    if (d->rep != 0 && (general[RCX] & mask) == 0)
        return;
    if (source)
        add_access(d, DATA_LOAD, segmented(d, general[RSI]), bytes, false);
    if (destination)
        add_access(d,
                   op == 0xA4 || op == 0xA5 || op == 0xAA || op == 0xAB
                       ? DATA_STORE
                       : DATA_LOAD,
                   general[RDI] & mask, bytes, false);
}

/* MOV between the accumulator and an address in the instruction. */
static void add_moffs_access(struct decoder *d, uint8_t op)
{
    unsigned bytes = has_narrow_addresses(d) ? 4 : 8;
    uint64_t at = 0;

    for (unsigned n = 0; n < bytes; n++)
        at |= (uint64_t)byte_at(d, d->at + n) << 8 * n;
    add_access(d, op < 0xA2 ? DATA_LOAD : DATA_STORE, segmented(d, at),
               operand_bytes(d, (op & 1) == 0 ? BYTE : 0), false);
}

/* After C4H or C5H, in 64-bit mode: SDM volume 2A, "The VEX Prefix". */
static void add_vex_operand(struct decoder *d, bool three_bytes)
{
    const uint8_t first = byte_at(d, d->at++);
    const uint8_t last = three_bytes ? byte_at(d, d->at++) : first;
    const unsigned map = three_bytes ? first & 0x1F : 1;
    const unsigned pp = last & 3;
    const uint8_t op = byte_at(d, d->at++);

    d->rex = 0x40 | (~(unsigned)first >> 5 & (three_bytes ? 7u : REX_R));
    if (three_bytes && (last & 0x80) != 0)
        d->rex |= REX_W;
    d->vex_l = (last & 4) != 0;
    d->rep = pp == 2 ? 0xF3 : pp == 3 ? 0xF2 : 0;
    if (map >= 1 && map <= 3)
        add_operand(d, operand_vex(map, op, pp >= 2));
}

unsigned operand_find(struct data_access found[DATA_ACCESSES_MAX],
                      const struct operand_state *s, const uint8_t *bytes,
                      size_t length)
{
    struct decoder d = {
        .s = s,
        .bytes = bytes,
        .length = length,
        .found = found,
    };
    uint8_t op;

    take_prefixes(&d);
    if (d.at >= length || (s->narrow && d.address_size))
        return 0;
    op = byte_at(&d, d.at++);
    if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF)) {
        add_string_accesses(&d, op);
    } else if (op >= 0xA0 && op <= 0xA3) {
        add_moffs_access(&d, op);
    } else if ((op == 0xC4 || op == 0xC5) && !s->narrow) {
        add_vex_operand(&d, op == 0xC4);
    } else if (op == 0xC9) { /* LEAVE */
        add_access(&d, DATA_LOAD, s->general[RBP], s->narrow ? 4 : 8, false);
    } else if (op == 0x0F) {
        op = byte_at(&d, d.at++);
        /* CMPXCHG8B, CMPXCHG16B: twice the operand. */
        if (op == 0xC7 && (byte_at(&d, d.at) >> 3 & 7) == 1) {
            add_operand(&d, MODRM | BOTH | FULL);
            for (unsigned n = 0; n < d.count; n++)
                found[n].bytes = (d.rex & REX_W) != 0 ? 16 : 8;
        } else {
            add_operand(&d, operand_two_byte(op, byte_at(&d, d.at) >> 3 & 7));
        }
    } else {
        add_operand(
            &d, operand_one_byte(op, byte_at(&d, d.at) >> 3 & 7, !s->narrow));
    }
    return d.count;
}
