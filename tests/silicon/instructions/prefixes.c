/* SPDX-License-Identifier: BSD-2-Clause */
/* prefixes.c - prefixes, and the hints of HLE among them. */
#include "tests/silicon/instructions/prefixes.h"

bool prefix_is(uint8_t op)
{
    return op == 0x66 || op == 0x67 || op == 0xF0 || op == 0xF2 || op == 0xF3 ||
           op == 0x2E || op == 0x36 || op == 0x3E || op == 0x26 || op == 0x64 ||
           op == 0x65 || (op & 0xF0) == 0x40;
}

/* LOCK may precede these, with a memory operand: ADD, OR, ADC, SBB, AND,
 * SUB, XOR, XCHG, NOT, NEG, INC, DEC. */
static bool is_lockable(uint8_t op, uint8_t modrm)
{
    unsigned reg = reg_of(modrm);

    if (op < 0x38)
        return (op & 7) < 2;
    if (op == 0x80 || op == 0x81 || op == 0x83)
        return reg != 7;
    if (op == 0xF6 || op == 0xF7)
        return reg == 2 || reg == 3;
    return op == 0x86 || op == 0x87 || (op >= 0xFE && reg < 2);
}

/* The same after 0FH: BTS, BTR, BTC, CMPXCHG, XADD, CMPXCHG8B. */
static bool is_lockable_0f(uint8_t op, uint8_t modrm, bool rex_w)
{
    switch (op) {
    case 0xAB:
    case 0xB0:
    case 0xB1:
    case 0xB3:
    case 0xBB:
    case 0xC0:
    case 0xC1:
        return true;
    case 0xBA:
        return reg_of(modrm) >= 5;
    case 0xC7:
        return reg_of(modrm) == 1 && !rex_w;
    default:
        return false;
    }
}

void hint_classify(struct instruction *i, const struct prefixes *p,
                   const uint8_t *b, size_t left)
{
    bool two = b[0] == 0x0F, rex_w = (p->rex & 8) != 0;
    uint8_t op = two && left > 1 ? b[1] : b[0];
    uint8_t modrm = left > 1u + two ? b[1 + two] : 0xFF;
    bool mov = !two && (op == 0x88 || op == 0x89 || op == 0xC6 || op == 0xC7);
    bool xchg = !two && (op == 0x86 || op == 0x87);

    if (p->rep == 0 || !is_memory(modrm))
        return;
    if ((p->lock &&
         (two ? is_lockable_0f(op, modrm, rex_w) : is_lockable(op, modrm))) ||
        xchg || (mov && p->rep == 0xF3)) {
        i->elide = p->rep == 0xF2 ? ELIDE_ACQUIRE : ELIDE_RELEASE;
        i->hinted = (uint16_t)(two ? 0x0F00 | op : op);
    } else if (two || (!mov && !is_lockable(op, modrm))) {
        return;
    } else { /* no hint, but what could be taken for one */
        i->hinted = (uint16_t)(p->rep << 8 | op);
    }
    if (two && op == 0xC7)
        i->operand_bytes = 8;
    else if ((op & 1) == 0 && !(two && op == 0xBA))
        i->operand_bytes = 1;
    else
        i->operand_bytes = rex_w ? 8 : p->operand_size ? 2 : 4;
}

uint32_t instruction_hints(const uint8_t *bytes, size_t length,
                           uint8_t *neutral)
{
    uint32_t hints = 0;
    uint8_t segment = 0x3E; /* DS, which 64-bit mode ignores */
    bool lock = false;
    size_t at = 0;

    for (; at < length && prefix_is(bytes[at]); at++) {
        if (bytes[at] == 0xF2 || bytes[at] == 0xF3)
            hints |= UINT32_C(1) << at;
        else if (bytes[at] == 0xF0)
            lock = true;
        else if (bytes[at] == 0x64 || bytes[at] == 0x65)
            segment = bytes[at];
    }
    /* A prefix may be there twice, and XCHG is locked in any case. */
    if (at < length && (bytes[at] == 0x86 || bytes[at] == 0x87))
        lock = true;
    *neutral = lock ? 0xF0 : segment;
    return hints;
}
