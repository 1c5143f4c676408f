/* SPDX-License-Identifier: BSD-2-Clause */
/* operand_opcode.c - the opcode map, as far as memory goes. */
#include "tests/silicon/instructions/operand_opcode.h"

/* clang-format off */
/* F6H, F7H, FEH and FFH: by the reg field of ModR/M. */
static unsigned group_opcode(uint8_t op, unsigned reg)
{
    static const uint16_t ff[8] = {
        BOTH, BOTH, LOADS | FULL | PUSHES, 0, LOADS | FULL, 0,
        LOADS | FULL | PUSHES, 0,
    };

    if (op == 0xFF)
        return ff[reg];
    if (op == 0xFE)
        return reg < 2 ? BOTH : 0;
    if (reg < 2)
        return LOADS | (op == 0xF6 ? IMM8 : IMMZ);
    return reg < 4 ? BOTH : LOADS;
}

/* PUSH and POP of ES, CS, SS and DS, not of 64-bit mode; 0FH is none. */
static unsigned segment_opcode(uint8_t op)
{
    if (op >= 0x20 || (op & 7) < 6)
        return 0;
    return (op & 1) == 0 ? PUSHES : POPS;
}

/* D8H to DFH, with a memory operand; not the environment and the state. */
static unsigned x87_opcode(uint8_t op, unsigned reg)
{
    static const uint32_t d9[8] = {
        LOADS | LONG, 0, STORES | LONG, STORES | LONG, 0, LOADS | WORD, 0,
        STORES | WORD,
    };
    static const uint32_t db[8] = {
        LOADS | LONG, STORES | LONG, STORES | LONG, STORES | LONG, 0,
        LOADS | TEN, 0, STORES | TEN,
    };
    static const uint32_t dd[8] = {
        LOADS | EIGHT, STORES | EIGHT, STORES | EIGHT, STORES | EIGHT, 0, 0, 0,
        STORES | WORD,
    };
    static const uint32_t df[8] = {
        LOADS | WORD, STORES | WORD, STORES | WORD, STORES | WORD, LOADS | TEN,
        LOADS | EIGHT, STORES | TEN, STORES | EIGHT,
    };

    switch (op) {
    case 0xD8: case 0xDA:
        return LOADS | LONG;
    case 0xD9:
        return d9[reg];
    case 0xDB:
        return db[reg];
    case 0xDC:
        return LOADS | EIGHT;
    case 0xDD:
        return dd[reg];
    case 0xDE:
        return LOADS | WORD;
    default:
        return df[reg];
    }
}

unsigned operand_vex(unsigned map, uint8_t op, bool scalar)
{
    if (map == 2 && (op & 0xF0) == 0xF0)        /* ANDN, BEXTR and others */
        return MODRM | LOADS;
    if (map == 2)
        return MODRM | VECTOR | (op == 0x2E || op == 0x2F ? STORES : LOADS);
    if (map == 3)
        return MODRM | VECTOR | IMM8 |
               ((op >= 0x14 && op <= 0x17) || op == 0x19 || op == 0x39
                    ? STORES : LOADS);
    switch (op) {
    case 0x77:                          /* VZEROUPPER */
        return 0;
    case 0x11: case 0x13: case 0x17: case 0x29: case 0x2B: case 0x7F:
    case 0xD6: case 0xE7:
        return MODRM | STORES | (scalar ? WIDE : VECTOR);
    default:
        return MODRM | LOADS | (scalar ? WIDE : VECTOR);
    }
}

unsigned operand_one_byte(uint8_t op, unsigned reg, bool wide)
{
    unsigned byte = (op & 1) == 0 ? BYTE : 0;

    if (op < 0x40) {
        if ((op & 7) >= 4)
            return wide ? 0 : segment_opcode(op);
        return MODRM | byte | ((op & 2) != 0 || op >= 0x38 ? LOADS : BOTH);
    }
    if (op >= 0x50 && op <= 0x5F)
        return op < 0x58 ? PUSHES : POPS;
    if ((op & 0xF8) == 0xD8)
        return MODRM | x87_opcode(op, reg);
    switch (op) {
    case 0x63:                          /* MOVSXD; ARPL */
        return MODRM | (wide ? LOADS | LONG : BOTH | WORD);
    case 0x68: case 0x6A: case 0x9C: case 0xE8: /* PUSH, PUSHF, CALL */
        return PUSHES;
    case 0x69:                          /* IMUL */
        return MODRM | LOADS | IMMZ;
    case 0x6B:
        return MODRM | LOADS | IMM8;
    case 0x80: case 0x82: case 0x83:    /* 82H is not of 64-bit mode */
        if (op == 0x82 && wide)
            return 0;
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
        return MODRM | FULL | POPS | STORES;
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
unsigned operand_two_byte(uint8_t op, unsigned reg)
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
    case 0x10: case 0x28:               /* MOVUPS, MOVSS, MOVAPS and others */
        return MODRM | LOADS | WIDE;
    case 0x11: case 0x29:
        return MODRM | STORES | WIDE;
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
    case 0xAE:                          /* CLFLUSH, CLFLUSHOPT; PTWRITE */
        return reg == 7   ? MODRM | FLUSHES
               : reg == 4 ? MODRM | LOADS | WITH_F3
                          : 0;
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
