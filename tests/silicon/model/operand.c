/* SPDX-License-Identifier: BSD-2-Clause */
/* operand.c - the data accesses of an instruction. */
#include "tests/silicon/model/operand.h"

#define REX_W 8u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* What an opcode does with its r/m operand, and what follows it. */
#define LOADS    0x001u
#define STORES   0x002u
#define BOTH     (LOADS | STORES)
#define BYTE     0x004u /* one byte */
#define WORD     0x008u /* two */
#define QUAD     0x010u /* eight, whatever the prefixes */
#define IMM8     0x020u
#define IMMZ     0x040u /* 16 or 32 bits, by operand size */
#define XCHG     0x080u /* locked without a prefix */
#define FLUSHES  0x100u
#define FETCHES  0x200u /* prefetches */
#define PUSHES   0x400u /* and a store to the stack */
#define POPS     0x800u /* a load from the stack, before */
#define MODRM    0x1000u
#define BITS_REG 0x2000u /* a bit string: the register chooses the address */
#define INVLPG   0x4000u
#define LONG     0x8000u /* four bytes */

struct decoder {
    const struct operand_state *s;
    const uint8_t *bytes;
    size_t length, at;
    unsigned rep, rex, segment;
    bool lock, operand_size, address_size;
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

        if ((b & 0xF0) == 0x40) {
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

static uint8_t operand_bytes(const struct decoder *d, unsigned what)
{
    if ((what & BYTE) != 0)
        return 1;
    if ((what & WORD) != 0)
        return 2;
    if ((what & LONG) != 0)
        return 4;
    if ((what & QUAD) != 0 || (d->rex & REX_W) != 0)
        return 8;
    return d->operand_size ? 2 : 4;
}

static void add_access(struct decoder *d, enum data_kind kind, uint64_t linear,
                       uint8_t bytes, bool locked)
{
    if (d->count < DATA_ACCESSES_MAX)
        d->found[d->count++] =
            (struct data_access){linear, bytes, kind, locked};
}

static uint64_t segmented(const struct decoder *d, uint64_t offset)
{
    if (d->address_size)
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
        address = d->s->rip + at + 4 + immediate;
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
    uint8_t bytes = d->operand_size ? 2 : 8;
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

    if (d->rep != 0 && general[RCX] == 0)
        return;
    if (source)
        add_access(d, DATA_LOAD, segmented(d, general[RSI]), bytes, false);
    if (destination)
        add_access(d,
                   op == 0xA4 || op == 0xA5 || op == 0xAA || op == 0xAB
                       ? DATA_STORE
                       : DATA_LOAD,
                   general[RDI] & (d->address_size ? 0xFFFFFFFF : UINT64_MAX),
                   bytes, false);
}

/* MOV between the accumulator and an address in the instruction. */
static void add_moffs_access(struct decoder *d, uint8_t op)
{
    unsigned bytes = d->address_size ? 4 : 8;
    uint64_t at = 0;

    for (unsigned n = 0; n < bytes; n++)
        at |= (uint64_t)byte_at(d, d->at + n) << 8 * n;
    add_access(d, op < 0xA2 ? DATA_LOAD : DATA_STORE, segmented(d, at),
               operand_bytes(d, (op & 1) == 0 ? BYTE : 0), false);
}

/* clang-format off */
/* F6H, F7H, FEH and FFH: by the reg field of ModR/M. */
static unsigned group_opcode(uint8_t op, unsigned reg)
{
    static const uint16_t ff[8] = {
        BOTH, BOTH, LOADS | QUAD | PUSHES, 0, LOADS | QUAD, 0,
        LOADS | QUAD | PUSHES, 0,
    };

    if (op == 0xFF)
        return ff[reg];
    if (op == 0xFE)
        return reg < 2 ? BOTH : 0;
    if (reg < 2)
        return LOADS | (op == 0xF6 ? IMM8 : IMMZ);
    return reg < 4 ? BOTH : LOADS;
}

static unsigned one_byte_opcode(uint8_t op, unsigned reg)
{
    unsigned byte = (op & 1) == 0 ? BYTE : 0;

    if (op < 0x40) {
        if ((op & 7) >= 4)
            return 0;
        return MODRM | byte | ((op & 2) != 0 || op >= 0x38 ? LOADS : BOTH);
    }
    if (op >= 0x50 && op <= 0x5F)
        return op < 0x58 ? PUSHES : POPS;
    switch (op) {
    case 0x63:                          /* MOVSXD */
        return MODRM | LOADS | LONG;
    case 0x68: case 0x6A: case 0x9C: case 0xE8: /* PUSH, PUSHF, CALL */
        return PUSHES;
    case 0x69:                          /* IMUL */
        return MODRM | LOADS | IMMZ;
    case 0x6B:
        return MODRM | LOADS | IMM8;
    case 0x80: case 0x83:
        return MODRM | byte | IMM8 | (reg == 7 ? LOADS : BOTH);
    case 0x81:
        return MODRM | IMMZ | (reg == 7 ? LOADS : BOTH);
    case 0x84: case 0x85: case 0x8A: case 0x8B: /* TEST, MOV */
        return MODRM | byte | LOADS;
    case 0x86: case 0x87:
        return MODRM | byte | BOTH | XCHG;
    case 0x88: case 0x89:
        return MODRM | byte | STORES;
    case 0x8C:                          /* MOV of segment registers */
        return MODRM | WORD | STORES;
    case 0x8E:
        return MODRM | WORD | LOADS;
    case 0x8F:
        return MODRM | QUAD | POPS | STORES;
    case 0x9D: case 0xC2: case 0xC3:    /* POPF, RET */
        return POPS;
    case 0xC0: case 0xC1:               /* shifts */
        return MODRM | byte | BOTH | IMM8;
    case 0xD0: case 0xD1: case 0xD2: case 0xD3:
        return MODRM | byte | BOTH;
    case 0xC6:
        return MODRM | BYTE | STORES | IMM8;
    case 0xC7:
        return MODRM | STORES | IMMZ;
    case 0xF6: case 0xF7: case 0xFE: case 0xFF:
        return MODRM | byte | group_opcode(op, reg);
    default:
        return 0;
    }
}

/* After 0FH. */
static unsigned two_byte_opcode(uint8_t op, unsigned reg)
{
    unsigned byte = (op & 1) == 0 ? BYTE : 0;

    if ((op & 0xF0) == 0x40)            /* CMOVcc */
        return MODRM | LOADS;
    if ((op & 0xF0) == 0x90)            /* SETcc */
        return MODRM | BYTE | STORES;
    switch (op) {
    case 0x01:
        return reg == 7 ? MODRM | INVLPG : 0;
    case 0x0D: case 0x18:
        return MODRM | FETCHES;
    case 0xA0: case 0xA8:               /* PUSH, POP of FS, GS */
        return PUSHES;
    case 0xA1: case 0xA9:
        return POPS;
    case 0xA3:                          /* BT, BTS, BTR, BTC */
        return MODRM | LOADS | BITS_REG;
    case 0xAB: case 0xB3: case 0xBB:
        return MODRM | BOTH | BITS_REG;
    case 0xBA:
        return MODRM | IMM8 | (reg == 4 ? LOADS : reg > 4 ? BOTH : 0);
    case 0xA4: case 0xAC:               /* SHLD, SHRD */
        return MODRM | BOTH | IMM8;
    case 0xA5: case 0xAD:
        return MODRM | BOTH;
    case 0xAE:                          /* CLFLUSH, CLFLUSHOPT */
        return reg == 7 ? MODRM | FLUSHES : 0;
    case 0xAF: case 0xB8: case 0xBC: case 0xBD: /* IMUL, POPCNT, BSF, BSR */
        return MODRM | LOADS;
    case 0xB0: case 0xB1: case 0xC0: case 0xC1: /* CMPXCHG, XADD */
        return MODRM | byte | BOTH;
    case 0xB6: case 0xBE:               /* MOVZX, MOVSX */
        return MODRM | BYTE | LOADS;
    case 0xB7: case 0xBF:
        return MODRM | WORD | LOADS;
    case 0xC3:                          /* MOVNTI */
        return MODRM | STORES;
    default:
        return 0;
    }
}

/* clang-format on */

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
    if (d.at >= length)
        return 0;
    op = byte_at(&d, d.at++);
    if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF)) {
        add_string_accesses(&d, op);
    } else if (op >= 0xA0 && op <= 0xA3) {
        add_moffs_access(&d, op);
    } else if (op == 0xC9) { /* LEAVE */
        add_access(&d, DATA_LOAD, s->general[RBP], 8, false);
    } else if (op == 0x0F) {
        op = byte_at(&d, d.at++);
        /* CMPXCHG8B, CMPXCHG16B: twice the operand. */
        if (op == 0xC7 && (byte_at(&d, d.at) >> 3 & 7) == 1) {
            add_operand(&d, MODRM | BOTH | QUAD);
            for (unsigned n = 0; n < d.count; n++)
                found[n].bytes = (d.rex & REX_W) != 0 ? 16 : 8;
        } else {
            add_operand(&d, two_byte_opcode(op, byte_at(&d, d.at) >> 3 & 7));
        }
    } else {
        add_operand(&d, one_byte_opcode(op, byte_at(&d, d.at) >> 3 & 7));
    }
    return d.count;
}
