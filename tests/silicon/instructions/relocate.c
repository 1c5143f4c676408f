/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relocate.c - an operand in memory becomes one relative to RIP, which no
 * register but RSP is needed for; segments are in the operand's address
 * already.
 *
 * SDM volume 2A, "Instruction Format", "RIP-Relative Addressing"; volume 2D,
 * "Opcode Map".
 */
#include "tests/silicon/instructions/relocate.h"

#include "tests/silicon/instructions/prefixes.h"

#define REX   0x40u
#define REX_W 8u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

#define MODRM_RIP 5u /* with mod = 0 */
#define RSP       4u

#define OPCODE_LEA 0x8D

/* Rows of the opcode map, a bit for each column: with ModR/M, and without. */
static const uint16_t with_modrm[16] = {
    0x0F0F, 0x0F0F, 0x0F0F, 0x0F0F, 0,      0,      0x0A08, 0,
    0x2FFB, 0,      0,      0,      0x00C3, 0x000F, 0,      0xC0C0,
};
static const uint16_t without[16] = {
    0x3030, 0x3030, 0x3030, 0x3030, 0, 0, 0, 0,
    0,      0x0301, 0x0300, 0xFFFF, 0, 0, 0, 0,
};
/* After 0FH: CMOV, SETcc, BT, IMUL, MOVZX, BT by an immediate, BSF, BSR, MOVSX;
 * BSWAP. */
static const uint16_t with_modrm_0f[16] = {
    0, 0, 0, 0, 0xFFFF, 0, 0, 0, 0, 0xFFFF, 0x8008, 0xF4C0,
};
static const uint16_t without_0f[16] = {[12] = 0xFF00};

/* What there is before its operand, and behind it. */
struct parts {
    const uint8_t *bytes; /* from the opcode on */
    unsigned opcode;      /* of so many bytes */
    unsigned operand;     /* ModR/M, SIB and displacement */
    unsigned immediate;
    unsigned rex; /* 0: there is none */
    bool narrow;  /* 66H */
};

struct written {
    uint8_t *to;
    unsigned count;
};

static void put(struct written *w, unsigned byte)
{
    w->to[w->count++] = (uint8_t)byte;
}

static void put_bytes(struct written *w, const uint8_t *bytes, unsigned count)
{
    while (count-- > 0)
        put(w, *bytes++);
}

static bool is_in(const uint16_t map[16], uint8_t op)
{
    return (map[op >> 4] >> (op & 15) & 1) != 0;
}

/* Of the groups, none that divides, branches, or is undefined. */
static bool is_known_group(const struct parts *p)
{
    const uint8_t op = p->bytes[p->opcode - 1];
    const unsigned reg = reg_of(p->bytes[p->opcode]);

    if (p->opcode == 2)
        return op != 0xBA || reg >= 4;
    switch (op) {
    case 0xC6:
    case 0xC7:
        return reg == 0;
    case 0xF6:
    case 0xF7:
        return reg != 1 && reg < 6;
    case 0xFE:
    case 0xFF:
        return reg < 2;
    default:
        return true;
    }
}

/* XCHG locks its operand, and BT of a register finds its byte by it. */
static bool is_in_register(const struct parts *p)
{
    const uint8_t op = p->bytes[p->opcode - 1];

    return p->opcode == 2 ? op == 0xA3 || op == 0xBA : (op & 0xFE) == 0x86;
}

static bool take_apart(struct parts *p, const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    for (; at < length; at++) {
        if (bytes[at] == 0x66)
            p->narrow = true;
        else if (bytes[at] != 0x64 && bytes[at] != 0x65 &&
                 (bytes[at] & 0xE7) != 0x26)
            break;
    }
    if (at < length && (bytes[at] & 0xF0) == REX)
        p->rex = bytes[at++];
    if (at + 1 >= length && (at >= length || bytes[at] == 0x0F))
        return false;
    p->bytes = bytes + at;
    p->opcode = bytes[at] == 0x0F ? 2 : 1;
    p->operand = 0;
    at += p->opcode;
    if (is_in(p->opcode == 2 ? with_modrm_0f : with_modrm,
              p->bytes[p->opcode - 1])) {
        if (at >= length)
            return false;
        p->operand = (unsigned)instruction_operand(
            bytes[at], at + 1 < length ? bytes[at + 1] : 0);
        at += p->operand;
    } else if (!is_in(p->opcode == 2 ? without_0f : without,
                      p->bytes[p->opcode - 1])) {
        return false;
    }
    p->immediate = (unsigned)(length - at);
    return at <= length;
}

/* Its reg field is that of the instruction; false: it is out of reach. */
static bool put_relative(struct written *w, unsigned reg, uint64_t operand,
                         unsigned behind)
{
    const uint64_t next = (uint64_t)w->to + w->count + 5 + behind;
    const int32_t displacement = (int32_t)(operand - next);

    put(w, MODRM_RIP | reg << 3);
    for (unsigned n = 0; n < 4; n++)
        put(w, (uint32_t)displacement >> 8 * n & 0xFF);
    return operand != 0 && next + (uint64_t)(int64_t)displacement == operand;
}

static void put_prefixes(struct written *w, const struct parts *p, unsigned rex)
{
    if (p->narrow)
        put(w, 0x66);
    if (rex != 0)
        put(w, rex);
    put_bytes(w, p->bytes, p->opcode);
}

/* LEA of what is relative to RIP is MOV of an immediate: B8H. */
static bool put_lea(struct written *w, const struct parts *p, uint64_t next)
{
    const uint8_t *at = p->bytes + 1;
    const unsigned reg = reg_of(*at);
    int32_t displacement;
    uint64_t value;

    if (!is_memory(*at))
        return false;
    if ((*at & 0xC7) != MODRM_RIP) {
        put_prefixes(w, p, p->rex);
        put_bytes(w, at, p->operand);
        return true;
    }
    if ((p->rex & REX_W) == 0)
        return false;
    __builtin_memcpy(&displacement, at + 1, sizeof(displacement));
    value = next + (uint64_t)(int64_t)displacement;
    put(w, REX | REX_W | ((p->rex & REX_R) != 0 ? REX_B : 0));
    put(w, 0xB8 | reg);
    for (unsigned n = 0; n < 8; n++)
        put(w, value >> 8 * n & 0xFF);
    return true;
}

static bool put_ordinary(struct written *w, const struct parts *p,
                         uint64_t next, uint64_t operand)
{
    const uint8_t *at = p->bytes + p->opcode;
    bool good = true;

    if (p->operand > 0 && !is_known_group(p))
        return false;
    if (p->opcode == 1 && p->bytes[0] == OPCODE_LEA)
        return put_lea(w, p, next);
    if (p->operand > 0 && is_memory(*at)) {
        if (is_in_register(p))
            return false;
        put_prefixes(w, p, p->rex & ~(REX_X | REX_B));
        good = put_relative(w, reg_of(*at), operand, p->immediate);
    } else {
        put_prefixes(w, p, p->rex);
        put_bytes(w, at, p->operand);
    }
    put_bytes(w, at + p->operand, p->immediate);
    return good;
}

/* LEA of RSP leaves the flags alone. */
static void put_lea_rsp(struct written *w, unsigned displacement)
{
    static const uint8_t bytes[] = {REX | REX_W, OPCODE_LEA, 0x64, 0x24};

    put_bytes(w, bytes, sizeof(bytes));
    put(w, displacement);
}

/* MOV and LEA in place of PUSH and POP of a register: 50H to 5FH. */
static bool put_stack(struct written *w, const uint8_t *bytes, size_t length,
                      uint64_t operand)
{
    const bool extends = length == 2;
    const uint8_t op = bytes[length - 1];
    const bool pops = op >= 0x58;
    bool good;

    if ((op & 7) == RSP && !extends && pops)
        return false;
    if (pops)
        put_lea_rsp(w, 8);
    put(w, REX | REX_W | (extends && (bytes[0] & REX_B) != 0 ? REX_R : 0));
    put(w, pops ? 0x8B : 0x89);
    good = put_relative(w, op & 7, operand, 0);
    if (!pops)
        put_lea_rsp(w, 0xF8);
    return good;
}

/* NOP with ModR/M; ENDBR64. Neither does anything. */
static bool is_nop(const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    while (at < length && (bytes[at] == 0x66 || (bytes[at] & 0xE7) == 0x26))
        at++;
    if (at + 2 < length && (bytes[at] & 0xF8) == (REX | REX_W))
        at++;
    if (at + 2 < length && bytes[at] == 0x0F && bytes[at + 1] == 0x1F)
        return true;
    return length == 4 && bytes[0] == 0xF3 && bytes[1] == 0x0F &&
           bytes[2] == 0x1E && bytes[3] == 0xFA;
}

unsigned relocate(uint8_t to[RELOCATED_MAX], const uint8_t *bytes, uint64_t rip,
                  uint64_t operand)
{
    const size_t length = instruction_bytes(bytes, INSTRUCTION_BYTES_MAX);
    struct written w = {.to = to};
    struct parts p = {.rex = 0};

    if (length == 0)
        return 0;
    if (is_nop(bytes, length)) {
        put(&w, 0x90);
        return w.count;
    }
    if ((length == 1 && (bytes[0] & 0xF0) == 0x50) ||
        (length == 2 && (bytes[0] & 0xF0) == REX && (bytes[1] & 0xF0) == 0x50))
        return put_stack(&w, bytes, length, operand) ? w.count : 0;
    if (!take_apart(&p, bytes, length) ||
        !put_ordinary(&w, &p, rip + length, operand))
        return 0;
    return w.count;
}
