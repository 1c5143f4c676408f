/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * induction.c - ordinary integer instructions of 64-bit mode alone, none that
 * writes a byte of a register.
 *
 * SDM volume 2A, "Instruction Format"; volume 2D, "Opcode Map".
 */
#include "tests/silicon/instructions/induction.h"

#include "tests/silicon/instructions/prefixes.h"

#define REX_W 8u
#define REX_R 4u
#define REX_B 1u

enum { RCX = 1 };

/* Rows of the opcode map, a bit for each column: reg is written; r/m is; none
 * is. Groups and immediates are in the code. */
static const uint16_t writes_reg[16] = {
    0x0808, 0x0808, 0x0808, 0x0008, 0, 0, 0x0A08, 0, 0x2800,
};
static const uint16_t writes_rm[16] = {
    0x0202, 0x0202, 0x0202, 0x0002, 0, 0, 0, 0, 0x0200,
};
static const uint16_t writes_none[16] = {
    0, 0, 0, 0x3F00, 0, 0, 0, 0, 0x0030, 0x0001, 0x0300,
};
static const uint16_t writes_reg_0f[16] = {
    0, 0, 0, 0, 0xFFFF, 0, 0, 0, 0, 0, 0x8000, 0xC0C0,
};

static bool is_in(const uint16_t *map, uint8_t op)
{
    return (map[op >> 4] >> (op & 15) & 1) != 0;
}

static void lose(struct induction *s, unsigned n)
{
    s->lost |= (uint16_t)(1u << n);
}

/* ADD, SUB of an immediate, INC, DEC: 64 bits. */
static void add(struct induction *s, unsigned n, bool wide, uint64_t what)
{
    s->general[n] += what;
    if (!wide)
        lose(s, n);
}

static uint64_t immediate(const uint8_t *b, bool byte)
{
    uint32_t value = (uint32_t)b[0] | (uint32_t)b[1] << 8 |
                     (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

    return byte ? (uint64_t)(int64_t)(int8_t)b[0]
                : (uint64_t)(int64_t)(int32_t)value;
}

/* 81H, 83H: ADD /0, SUB /5, CMP /7. */
static void step_group1(struct induction *s, const uint8_t *b, unsigned rm,
                        bool wide)
{
    uint64_t value = immediate(b + 2, b[0] == 0x83);

    switch (reg_of(b[1])) {
    case 0:
        add(s, rm, wide, value);
        break;
    case 5:
        add(s, rm, wide, -value);
        break;
    case 7:
        break;
    default:
        lose(s, rm);
    }
}

static bool step_0f(struct induction *s, uint8_t op, unsigned reg)
{
    if (op == 0x1F) /* NOP */
        return true;
    if (!is_in(writes_reg_0f, op))
        return false;
    lose(s, reg);
    return true;
}

/* b: from the opcode on, and four bytes after it at least. */
static bool step(struct induction *s, const uint8_t *b, unsigned rex)
{
    bool wide = (rex & REX_W) != 0;
    uint8_t op = b[0], modrm = b[op == 0x0F ? 2 : 1];
    unsigned reg = reg_of(modrm) | ((rex & REX_R) != 0 ? 8 : 0);
    unsigned rm = (modrm & 7) | ((rex & REX_B) != 0 ? 8 : 0);

    if (op == 0x0F)
        return step_0f(s, b[1], reg);
    if (is_in(writes_none, op) || (op >= 0x70 && op <= 0x7F))
        return op != 0x90 || rex == 0;
    if (op >= 0xB8 && op <= 0xBF) {
        lose(s, (op & 7u) | ((rex & REX_B) != 0 ? 8 : 0));
    } else if (op == 0xE2) {
        add(s, RCX, true, UINT64_MAX);
    } else if (is_in(writes_reg, op)) {
        lose(s, reg);
    } else if (is_memory(modrm)) {
        return is_in(writes_rm, op) || op == 0x81 || op == 0x83 || op == 0xC7 ||
               (op == 0xFF && reg_of(modrm) < 2);
    } else if (op == 0x81 || op == 0x83) {
        step_group1(s, b, rm, wide);
    } else if (op == 0xFF && reg_of(modrm) < 2) {
        add(s, rm, wide, reg_of(modrm) == 0 ? 1 : UINT64_MAX);
    } else if (is_in(writes_rm, op) || op == 0xC7) {
        lose(s, rm);
    } else {
        return false;
    }
    return true;
}

bool induction_step(struct induction *s, const uint8_t *bytes, size_t length)
{
    unsigned rex = 0;
    size_t at = 0;

    while (at < length && bytes[at] == 0x66)
        at++;
    if (at < length && (bytes[at] & 0xF0) == 0x40)
        rex = bytes[at++];
    return at + 6 <= length && step(s, bytes + at, rex);
}
