/* SPDX-License-Identifier: BSD-2-Clause */
/* instruction.c - what kind of instruction is this? */
#include "tests/silicon/model/instruction.h"

#define ABORTS INSTRUCTION_ABORTS_TX
#define SLOW   INSTRUCTION_SLOW

static uint8_t reg_of(uint8_t modrm)
{
    return (modrm >> 3) & 7;
}

/* 0F 01: XEND, XTEST, and the system instructions around them. */
static uint32_t look_0f01(struct instruction *i, uint8_t modrm, size_t at)
{
    if (modrm == 0xD5 || modrm == 0xD6) {
        i->kind = modrm == 0xD5 ? INSTRUCTION_XEND : INSTRUCTION_XTEST;
        i->length = (uint8_t)(at + 1);
        return 0;
    }
    if (modrm == 0xF9)                  /* RDTSCP */
        return SLOW;
    if (modrm < 0xC0 && (reg_of(modrm) <= 1 || reg_of(modrm) == 4))
        return 0;                       /* SGDT, SIDT, SMSW */
    return ABORTS | SLOW;
}

static uint32_t look_0f(struct instruction *i, const uint8_t *b, size_t length,
                        size_t at)
{
    uint8_t op = at < length ? b[at] : 0, next = at + 1 < length ? b[at + 1] : 0;

    if (op >= 0x80 && op <= 0x8F)
        return INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL;
    switch (op) {
    case 0x01:
        return look_0f01(i, next, at + 1);
    case 0x00:                          /* LLDT, LTR and kin */
        return reg_of(next) == 2 || reg_of(next) == 3 ? ABORTS | SLOW : 0;
    case 0x05: case 0x07: case 0x34: case 0x35: /* SYSCALL .. SYSEXIT */
        return INSTRUCTION_BRANCH | INSTRUCTION_FAR | ABORTS;
    case 0x06: case 0x08: case 0x09:    /* CLTS, INVD, WBINVD */
    case 0x0B: case 0xB9: case 0xFF:    /* UD2, UD1, UD0 */
    case 0x20: case 0x21: case 0x22: case 0x23: /* control, debug registers */
    case 0x30: case 0x32:               /* WRMSR, RDMSR */
    case 0xA2:                          /* CPUID */
    case 0xA1: case 0xA9:               /* POP FS, POP GS */
    case 0xB2: case 0xB4: case 0xB5:    /* LSS, LFS, LGS */
        return ABORTS | SLOW;
    case 0x31: case 0x33:               /* RDTSC, RDPMC */
        return SLOW;
    case 0xAE:                          /* FXSAVE .. CLFLUSH; fences do not */
        return next < 0xC0 && reg_of(next) != 2 && reg_of(next) != 3
                   ? ABORTS | SLOW : 0;
    case 0xC7:                          /* CMPXCHG8B, RDRAND do not */
        return reg_of(next) == 1 || reg_of(next) >= 6 ? 0 : ABORTS | SLOW;
    default:
        return 0;
    }
}

static uint32_t look_ff(uint8_t modrm)
{
    switch (reg_of(modrm)) {
    case 2:
        return INSTRUCTION_BRANCH | INSTRUCTION_CALL;
    case 4:
        return INSTRUCTION_BRANCH;
    case 3:
    case 5:
        return INSTRUCTION_BRANCH | INSTRUCTION_FAR | ABORTS;
    default:
        return 0;
    }
}

/* One-byte opcodes. rep: F2H or F3H came before. */
static uint32_t look_one(uint8_t op, uint8_t modrm, uint8_t rep)
{
    if (op >= 0x70 && op <= 0x7F)
        return INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL;
    if (op >= 0x6C && op <= 0x6F)       /* INS, OUTS */
        return ABORTS | SLOW | (rep != 0 ? INSTRUCTION_REPEATS : 0);
    if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF))
        return rep != 0 ? INSTRUCTION_REPEATS : 0;
    switch (op) {
    case 0xE0: case 0xE1: case 0xE2: case 0xE3: /* LOOPcc, JRCXZ */
        return INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL;
    case 0xE9: case 0xEB:
        return INSTRUCTION_BRANCH;
    case 0xE8:
        return INSTRUCTION_BRANCH | INSTRUCTION_CALL;
    case 0xC2: case 0xC3:
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN;
    case 0xCA: case 0xCB: case 0xCF:    /* far RET, IRET */
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN | INSTRUCTION_FAR |
               ABORTS;
    case 0xCC: case 0xCD: case 0xF1:    /* INT3, INT n, INT1 */
        return INSTRUCTION_BRANCH | INSTRUCTION_FAR | ABORTS;
    case 0xFF:
        return look_ff(modrm);
    case 0x90:
        return rep == 0xF3 ? ABORTS | SLOW : 0; /* PAUSE */
    case 0x9C:
        return INSTRUCTION_PUSHF;
    case 0x8E: case 0x9D:               /* MOV to segment, POPF */
    case 0xC8:                          /* ENTER */
    case 0xE4: case 0xE5: case 0xE6: case 0xE7: /* IN, OUT */
    case 0xEC: case 0xED: case 0xEE: case 0xEF:
    case 0xF4: case 0xFA: case 0xFB:    /* HLT, CLI, STI */
        return ABORTS | SLOW;
    default:
        return 0;
    }
}

static int32_t signed32(const uint8_t *b)
{
    return (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 |
                     (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

void instruction_look(struct instruction *i, const uint8_t *bytes,
                      size_t length)
{
    size_t at = 0;
    uint8_t rep = 0, op, next;

    *i = (struct instruction){ .kind = INSTRUCTION_OTHER };
    for (; at < length; at++) {
        op = bytes[at];
        if (op == 0xF2 || op == 0xF3)
            rep = op;
        else if (op != 0x66 && op != 0x67 && op != 0xF0 && op != 0x2E &&
                 op != 0x36 && op != 0x3E && op != 0x26 && op != 0x64 &&
                 op != 0x65 && (op & 0xF0) != 0x40)
            break;
    }
    if (at >= length)
        return;
    op = bytes[at];
    next = at + 1 < length ? bytes[at + 1] : 0;
    if (op == 0x0F) {
        i->flags = look_0f(i, bytes, length, at + 1);
        if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
            i->length = (uint8_t)(at + 6);
    } else if (op == 0xC7 && next == 0xF8 && at + 6 <= length) {
        i->kind = INSTRUCTION_XBEGIN;
        i->length = (uint8_t)(at + 6);
        i->displacement = signed32(&bytes[at + 2]);
    } else if (op == 0xC6 && next == 0xF8 && at + 3 <= length) {
        i->kind = INSTRUCTION_XABORT;
        i->length = (uint8_t)(at + 3);
        i->immediate = bytes[at + 2];
    } else {
        i->flags = look_one(op, next, rep);
        if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
            i->length = (uint8_t)(at + 2);
    }
}
