/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * induction.c - ordinary integer instructions of 64-bit mode, and those of SSE
 * that write no general register.
 *
 * SDM volume 2A, "Instruction Format"; volume 2D, "Opcode Map".
 */
#include "tests/silicon/instructions/induction.h"

#include "tests/silicon/instructions/prefixes.h"

#define REX_W 8u
#define REX_R 4u
#define REX_B 1u

enum { RAX = 0, RCX = 1, RDX = 2, RSP = 4, RBP = 5 };

#define STACK_BYTES 8

/* An instruction: from the opcode on, and four bytes after it at least. */
struct step {
    const uint8_t *b;
    uint8_t modrm;
    unsigned rex, reg, rm;
    bool narrow; /* 66H */
};

/* Rows of the opcode map, a bit for each column: reg is written; r/m is; RAX
 * is; none is. Of the first two, those with an even opcode write a byte. Groups
 * and immediates are in the code. */
static const uint16_t writes_reg[16] = {
    0x0C0C, 0x0C0C, 0x0C0C, 0x000C, 0, 0, 0x0A08, 0, 0x2C00,
};
static const uint16_t writes_rm[16] = {
    0x0303, 0x0303, 0x0303, 0x0003, 0, 0, 0, 0, 0x0300, 0, 0, 0, 0x00C3, 0x000F,
};
static const uint16_t writes_rax[16] = {
    0x3030, 0x3030, 0x3030, 0x0030, 0, 0, 0, 0, 0, 0x0100,
};
static const uint16_t writes_none[16] = {
    0, 0, 0, 0x3F00, 0, 0, 0, 0xFFFF, 0x0030, 0x0001, 0x0300,
};
/* After 0FH, where those of r/m write a byte in row 9 alone. */
static const uint16_t writes_reg_0f[16] = {
    0, 0, 0x3000, 0, 0xFFFF, 0x0001, 0, 0, 0, 0, 0x8000, 0xF1C0, 0x0020, 0x0080,
};
static const uint16_t writes_rm_0f[16] = {
    0, 0, 0, 0, 0, 0, 0, 0x4000, 0, 0xFFFF, 0x3830, 0x0808,
};
static const uint16_t writes_none_0f[16] = {
    0x2000, 0x81FF, 0xCF00, 0, 0,    0xFFFE, 0xFFFF, 0x807F,
    0,      0,      0x0008, 0, 0x5C, 0xFF7F, 0xFFFF, 0x7F7F,
};

static bool is_in(const uint16_t *map, uint8_t op)
{
    return (map[op >> 4] >> (op & 15) & 1) != 0;
}

static void lose(struct induction *s, unsigned n)
{
    s->lost |= (uint16_t)(1u << n);
}

/* Without REX 4 to 7 are AH, CH, DH and BH. */
static void lose_part(struct induction *s, const struct step *i, unsigned n,
                      bool byte)
{
    lose(s, byte && i->rex == 0 ? n & 3 : n);
}

static void lose_rm(struct induction *s, const struct step *i, bool byte)
{
    if (!is_memory(i->modrm))
        lose_part(s, i, i->rm, byte);
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

/* 80H, 81H, 83H: ADD /0, SUB /5, CMP /7. */
static bool step_group1(struct induction *s, const struct step *i)
{
    const bool wide = (i->rex & REX_W) != 0;
    const uint64_t value = immediate(i->b + 2, i->b[0] == 0x83);

    if (is_memory(i->modrm) || reg_of(i->modrm) == 7)
        return true;
    if (i->b[0] != 0x80 && reg_of(i->modrm) == 0)
        add(s, i->rm, wide, value);
    else if (i->b[0] != 0x80 && reg_of(i->modrm) == 5)
        add(s, i->rm, wide, -value);
    else
        lose_part(s, i, i->rm, i->b[0] == 0x80);
    return true;
}

/* F6H, F7H: TEST, NOT and NEG, MUL and DIV. */
static bool step_group3(struct induction *s, const struct step *i)
{
    if (reg_of(i->modrm) >= 4) {
        lose(s, RAX);
        lose(s, RDX);
    } else if (reg_of(i->modrm) >= 2) {
        lose_rm(s, i, i->b[0] == 0xF6);
    }
    return true;
}

static bool push(struct induction *s, const struct step *i)
{
    s->general[RSP] -= STACK_BYTES;
    return !i->narrow;
}

/* FEH, FFH: INC, DEC, PUSH. */
static bool step_group5(struct induction *s, const struct step *i)
{
    const unsigned what = reg_of(i->modrm);

    if (i->b[0] == 0xFF && what == 6)
        return push(s, i);
    if (what > 1)
        return false;
    if (i->b[0] == 0xFF && !is_memory(i->modrm))
        add(s, i->rm, (i->rex & REX_W) != 0, what == 0 ? 1 : UINT64_MAX);
    else
        lose_rm(s, i, true);
    return true;
}

/* 50H to 5FH, by the register that the opcode has. */
static bool step_stack(struct induction *s, const struct step *i, unsigned n)
{
    if (i->b[0] < 0x58)
        return push(s, i);
    s->general[RSP] += STACK_BYTES;
    lose(s, n);
    return !i->narrow;
}

static bool step_0f(struct induction *s, const struct step *i)
{
    const uint8_t op = i->b[1];

    if (op == 0x1E) /* ENDBR64, ENDBR32 */
        return (i->modrm & 0xFE) == 0xFA;
    if (op == 0xBA) { /* BT /4, and those that write */
        if (reg_of(i->modrm) != 4)
            lose_rm(s, i, false);
        return true;
    }
    if (op >= 0xC8 && op <= 0xCF) { /* BSWAP */
        lose(s, (op & 7u) | ((i->rex & REX_B) != 0 ? 8 : 0));
        return true;
    }
    if (is_in(writes_reg_0f, op))
        lose(s, i->reg);
    else if (is_in(writes_rm_0f, op))
        lose_rm(s, i, (op & 0xF0) == 0x90);
    else
        return is_in(writes_none_0f, op);
    return true;
}

static bool step_map(struct induction *s, const struct step *i)
{
    const uint8_t op = i->b[0];

    if (is_in(writes_reg, op))
        lose_part(s, i, i->reg, (op & 1) == 0);
    else if (is_in(writes_rm, op))
        lose_rm(s, i, (op & 1) == 0);
    else if (is_in(writes_rax, op))
        lose(s, RAX);
    else
        return is_in(writes_none, op) && (op != 0x90 || i->rex == 0);
    return true;
}

static bool step(struct induction *s, const struct step *i)
{
    const uint8_t op = i->b[0];
    const unsigned n = (op & 7u) | ((i->rex & REX_B) != 0 ? 8 : 0);

    if (op >= 0x50 && op <= 0x5F)
        return step_stack(s, i, n);
    if (op >= 0xB0 && op <= 0xBF) {
        lose_part(s, i, n, op < 0xB8);
        return true;
    }
    switch (op) {
    case 0x0F:
        return step_0f(s, i);
    case 0x68:
    case 0x6A:
        return push(s, i);
    case 0x80:
    case 0x81:
    case 0x83:
        return step_group1(s, i);
    case 0x99: /* CDQ */
        lose(s, RDX);
        return true;
    case 0xC9: /* LEAVE */
        lose(s, RSP);
        lose(s, RBP);
        return true;
    case 0xE2:
        add(s, RCX, true, UINT64_MAX);
        return true;
    case 0xF6:
    case 0xF7:
        return step_group3(s, i);
    case 0xFE:
    case 0xFF:
        return step_group5(s, i);
    default:
        return step_map(s, i);
    }
}

/* Not 67H, nor REX before another one. */
static bool is_passed_over(uint8_t b)
{
    return b == 0x66 || b == 0xF2 || b == 0xF3 || b == 0x64 || b == 0x65 ||
           b == 0x2E || b == 0x36 || b == 0x3E || b == 0x26 || b == 0xF0;
}

bool induction_step(struct induction *s, const uint8_t *bytes, size_t length)
{
    struct step i = {.narrow = false};
    size_t at = 0;

    for (; at < length && is_passed_over(bytes[at]); at++)
        i.narrow |= bytes[at] == 0x66;
    if (at < length && (bytes[at] & 0xF0) == 0x40)
        i.rex = bytes[at++];
    if (at + 6 > length)
        return false;
    i.b = bytes + at;
    i.modrm = i.b[i.b[0] == 0x0F ? 2 : 1];
    i.reg = reg_of(i.modrm) | ((i.rex & REX_R) != 0 ? 8 : 0);
    i.rm = (i.modrm & 7) | ((i.rex & REX_B) != 0 ? 8 : 0);
    return step(s, &i);
}
