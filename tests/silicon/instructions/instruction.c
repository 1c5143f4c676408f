/* SPDX-License-Identifier: BSD-2-Clause */
/* instruction.c - what kind of instruction is this? */
#include "tests/silicon/instructions/instruction.h"

#include "tests/silicon/instructions/prefixes.h"

#define SLOW INSTRUCTION_SLOW

/* clang-format off */
/* 0F 01, memory forms: SGDT, SIDT, LGDT, LIDT, SMSW, -, LMSW, INVLPG. */
static enum instruction_tx tx_0f01_memory(uint8_t modrm)
{
    static const enum instruction_tx by_reg[8] = {
        TX_MAY_TABLE, TX_MAY_TABLE, TX_MAY, TX_MAY,
        TX_SAFE, TX_MAY, TX_MAY, TX_MAY_CACHE,
    };

    return by_reg[reg_of(modrm)];
}

/* 0F 01: XEND, XTEST, with F2H XSUSLDTRK and XRESLDTRK, and the system
 * instructions around them. */
static void classify_0f01(struct instruction *i, const struct prefixes *p,
                          uint8_t modrm, size_t at)
{
    if ((modrm == 0xE8 || modrm == 0xE9) && p->rep == 0xF2) {
        i->kind = modrm == 0xE8 ? INSTRUCTION_XSUSLDTRK
                                : INSTRUCTION_XRESLDTRK;
        i->prefixed = p->operand_size;
        i->length = (uint8_t)(at + 1);
        return;
    }
    if (modrm == 0xD5 || modrm == 0xD6) {
        i->kind = modrm == 0xD5 ? INSTRUCTION_XEND : INSTRUCTION_XTEST;
        i->length = (uint8_t)(at + 1);
        return;
    }
    if (is_memory(modrm)) {
        i->tx = tx_0f01_memory(modrm);
        i->flags = reg_of(modrm) == 4 || i->tx == TX_MAY_TABLE ? 0 : SLOW;
        return;
    }
    i->flags = SLOW;
    switch (modrm) {
    case 0xCF: case 0xD7:               /* ENCLS, ENCLU */
        i->tx = TX_ABORTS;
        break;
    case 0xD0: case 0xF9: case 0xEE:    /* XGETBV, RDTSCP, RDPKRU */
        break;
    default:                            /* VMX, MONITOR, STAC, SWAPGS .. */
        i->tx = reg_of(modrm) == 4 ? TX_SAFE : TX_MAY;
    }
}

/* 0F AE: FXSAVE, FXRSTOR, LDMXCSR, STMXCSR, XSAVE, XRSTOR, XSAVEOPT or CLWB,
 * CLFLUSH or CLFLUSHOPT; the register forms are fences, and with F3H the bases
 * of FS and GS. */
static enum instruction_tx tx_0fae(const struct prefixes *p, uint8_t modrm)
{
    unsigned reg = reg_of(modrm);

    if (!is_memory(modrm))
        return p->rep == 0xF3 && (reg == 2 || reg == 3) ? TX_MAY : TX_SAFE;
    if (reg == 7 || (reg == 6 && p->operand_size))
        return TX_MAY_CACHE;
    return reg == 2 || reg == 3 ? TX_SAFE : TX_MAY;
}

/* SDM volume 2, appendix "Opcode Map", two-byte opcodes without a mandatory
 * prefix: do they work on MMX registers? */
static bool is_mmx(const struct prefixes *p, uint8_t op)
{
    if (op == 0xD6)                     /* MOVDQ2Q, MOVQ2DQ */
        return p->rep != 0;
    if (op == 0x2A || op == 0x2C || op == 0x2D) /* CVTPI2PS and kin */
        return p->rep == 0;
    if (p->rep != 0 || p->operand_size)
        return false;
    return (op >= 0x60 && op <= 0x6B) || op == 0x6E || op == 0x6F ||
           (op >= 0x70 && op <= 0x77) || op == 0x7E || op == 0x7F ||
           op == 0xC4 || op == 0xC5 ||
           (op >= 0xD1 && op <= 0xFE && op != 0xE6 && op != 0xE7 &&
            op != 0xF0 && op != 0xF7);
}

/* 0F 38 and 0F 3A: MOVNTDQA; PABSB and kin, PALIGNR on MMX registers. */
static enum instruction_tx tx_three_bytes(const struct prefixes *p,
                                          uint8_t map, uint8_t op)
{
    bool no_prefix = p->rep == 0 && !p->operand_size;

    if (map == 0x3A)
        return no_prefix && op == 0x0F ? TX_MAY_X87 : TX_SAFE;
    if (op == 0x2A && p->operand_size)
        return TX_MAY_HINT;
    if (op >= 0x80 && op <= 0x82)       /* INVEPT, INVVPID, INVPCID */
        return TX_MAY;
    return no_prefix && (op <= 0x0B || (op >= 0x1C && op <= 0x1E)) ? TX_MAY_X87
                                                               : TX_SAFE;
}

/* 0F AE: SDM volume 2B, "PTWRITE". */
static void classify_ptwrite(struct instruction *i, const struct prefixes *p)
{
    i->is_ptwrite = true;
    i->flags = SLOW;
    i->operand_bytes = (p->rex & 8) != 0 ? 8 : 4;
    i->prefixed = p->operand_size;
}

static enum instruction_tx tx_0f(const struct prefixes *p, uint8_t op,
                                 uint8_t next)
{
    switch (op) {
    case 0xA2:                          /* CPUID */
        return TX_ABORTS;
    case 0x00:                          /* SLDT, STR, LLDT, LTR, VERR, VERW */
        return reg_of(next) < 2 ? TX_MAY_TABLE
             : reg_of(next) < 4 ? TX_MAY : TX_SAFE;
    case 0x05: case 0x07: case 0x34: case 0x35: /* SYSCALL .. SYSEXIT */
    case 0x06: case 0x08: case 0x09:    /* CLTS, INVD, WBINVD */
    case 0x0B: case 0xB9: case 0xFF:    /* UD2, UD1, UD0 */
    case 0x22: case 0x23:               /* MOV to control, debug registers */
    case 0x30: case 0x32:               /* WRMSR, RDMSR */
    case 0x37: case 0xAA:               /* GETSEC, RSM */
    case 0x78: case 0x79:               /* VMREAD, VMWRITE */
    case 0xA1: case 0xA9:               /* POP FS, POP GS */
    case 0xB2: case 0xB4: case 0xB5:    /* LSS, LFS, LGS */
        return TX_MAY;
    case 0x38: case 0x3A:
        return tx_three_bytes(p, op, next);
    case 0xAE:
        return tx_0fae(p, next);
    case 0xC7:                          /* CMPXCHG8B, RDRAND do not */
        return reg_of(next) == 1 || (reg_of(next) >= 6 && !is_memory(next))
                   ? TX_SAFE : TX_MAY;
    case 0x2B: case 0xC3: case 0xE7: case 0xF7: /* MOVNTPS, MOVNTI, MOVNTQ,
                                                 * MASKMOVQ and kin */
        return TX_MAY_HINT;
    default:
        return is_mmx(p, op) ? TX_MAY_X87 : TX_SAFE;
    }
}

/* SYSCALL, SYSRET. */
static void classify_call(struct instruction *i, const struct prefixes *p,
                          uint8_t op, size_t length)
{
    if (op != 0x05 && op != 0x07)
        return;
    i->system = op == 0x05 ? SYSTEM_SYSCALL : SYSTEM_SYSRET;
    i->operand_bytes = (p->rex & 8) != 0 ? 8 : 4;
    i->length = (uint8_t)length;
}

/* INT3, INT n. */
static void classify_int(struct instruction *i, const uint8_t *b, size_t length,
                         size_t at)
{
    if (b[at] == 0xCC) {
        i->system = SYSTEM_INT;
        i->immediate = 3;
        i->length = (uint8_t)(at + 1);
    } else if (b[at] == 0xCD && at + 1 < length) {
        i->system = SYSTEM_INT;
        i->immediate = b[at + 1];
        i->length = (uint8_t)(at + 2);
    }
}

static void classify_0f(struct instruction *i, const struct prefixes *p,
                        const uint8_t *b, size_t length, size_t at)
{
    uint8_t op = at < length ? b[at] : 0,
            next = at + 1 < length ? b[at + 1] : 0;

    if (op == 0x01) {
        classify_0f01(i, p, next, at + 1);
        return;
    }
    if (op >= 0x80 && op <= 0x8F) {
        i->flags = INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL;
        i->length = (uint8_t)(at + 5);
        return;
    }
    if (op == 0xAE && p->rep == 0xF3 && reg_of(next) == 4) {
        classify_ptwrite(i, p);
        return;
    }
    i->tx = tx_0f(p, op, next);
    classify_call(i, p, op, at + 1);
    if (op == 0x22 && reg_of(next) == 3)
        i->flags = INSTRUCTION_SETS_CR3;
    if (op == 0x05 || op == 0x07 || op == 0x34 || op == 0x35)
        i->flags = INSTRUCTION_BRANCH | INSTRUCTION_FAR;
    else if (i->tx == TX_ABORTS || i->tx == TX_MAY || i->tx == TX_MAY_CACHE ||
             op == 0x20 || op == 0x21 ||        /* MOV from CR, DR */
             op == 0x31 || op == 0x33)          /* RDTSC, RDPMC */
        i->flags |= SLOW | (op == 0x23 ? INSTRUCTION_SETS_DR : 0) |
                   (op == 0x21 ? INSTRUCTION_GETS_DR : 0);
}

/* SDM volume 2A, "ModR/M and SIB Bytes": from ModR/M to the displacement. */
size_t instruction_operand(uint8_t modrm, uint8_t sib)
{
    unsigned mod = modrm >> 6, rm = modrm & 7;
    size_t bytes = mod < 3 && rm == 4 ? 2 : 1;

    if (mod == 1)
        return bytes + 1;
    if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
        return bytes + 4;
    return bytes;
}

static void classify_ff(struct instruction *i, const uint8_t *b, size_t length,
                        size_t at)
{
    uint8_t modrm = at < length ? b[at] : 0;
    uint8_t sib = at + 1 < length ? b[at + 1] : 0;

    switch (reg_of(modrm)) {
    case 2:
        i->flags = INSTRUCTION_BRANCH | INSTRUCTION_CALL | INSTRUCTION_INDIRECT;
        i->length = (uint8_t)(at + instruction_operand(modrm, sib));
        break;
    case 4:
        i->flags = INSTRUCTION_BRANCH | INSTRUCTION_INDIRECT;
        i->length = (uint8_t)(at + instruction_operand(modrm, sib));
        break;
    case 3:
    case 5:
        i->flags = INSTRUCTION_BRANCH | INSTRUCTION_FAR;
        i->tx = TX_MAY;
        break;
    default:
        break;
    }
}

static enum instruction_tx tx_one_byte(const struct prefixes *p, uint8_t op)
{
    if (op >= 0x6C && op <= 0x6F)       /* INS, OUTS */
        return TX_MAY;
    if ((op >= 0xD8 && op <= 0xDF) || op == 0x9B) /* x87, FWAIT */
        return TX_MAY_X87;
    switch (op) {
    case 0x90:                          /* PAUSE; with REX.B it is XCHG */
        return p->rep == 0xF3 && (p->rex & 1) == 0 ? TX_ABORTS : TX_SAFE;
    case 0x8E: case 0x9D:               /* MOV to segment, POPF */
    case 0xCA: case 0xCB: case 0xCF:    /* far RET, IRET */
    case 0xCD: case 0xCE:               /* INT n, INTO */
    case 0xE4: case 0xE5: case 0xE6: case 0xE7: /* IN, OUT */
    case 0xEC: case 0xED: case 0xEE: case 0xEF:
    case 0xF4: case 0xFA: case 0xFB:    /* HLT, CLI, STI */
        return TX_MAY;
    case 0xCC: case 0xF1:               /* INT3, INT1 */
        return TX_BREAKPOINT;
    case 0xFC:
        return TX_MAY_CLD;
    case 0xFD:
        return TX_MAY_STD;
    default:
        return TX_SAFE;
    }
}

static uint32_t flags_one_byte(const struct prefixes *p, uint8_t op)
{
    if (op >= 0x70 && op <= 0x7F)
        return INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL;
    if (op >= 0x6C && op <= 0x6F)       /* INS, OUTS */
        return SLOW | (p->rep != 0 ? INSTRUCTION_REPEATS : 0);
    if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF))
        return p->rep != 0 ? INSTRUCTION_REPEATS : 0;
    switch (op) {
    case 0xE0: case 0xE1: case 0xE2: case 0xE3: /* LOOPcc, JRCXZ */
        return INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL | INSTRUCTION_LOOP;
    case 0xE9: case 0xEB:
        return INSTRUCTION_BRANCH;
    case 0xE8:
        return INSTRUCTION_BRANCH | INSTRUCTION_CALL;
    case 0xC2:
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN | INSTRUCTION_FREES;
    case 0xC3:
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN;
    case 0xCA: case 0xCB:               /* far RET */
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN | INSTRUCTION_FAR;
    case 0xCF:
        return INSTRUCTION_BRANCH | INSTRUCTION_RETURN | INSTRUCTION_FAR |
               INSTRUCTION_IRET;
    case 0xCC: case 0xCD: case 0xF1:    /* INT3, INT n, INT1 */
        return INSTRUCTION_BRANCH | INSTRUCTION_FAR;
    case 0x9C:
        return INSTRUCTION_PUSHF;
    case 0x9D:
        return INSTRUCTION_POPF | SLOW;
    case 0xC8:                          /* ENTER */
        return SLOW;
    default:
        return tx_one_byte(p, op) == TX_MAY || tx_one_byte(p, op) == TX_ABORTS
                   ? SLOW
                   : 0;
    }
}

/* clang-format on */

static int32_t signed32(const uint8_t *b)
{
    return (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 |
                     (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

static int32_t signed16(const uint8_t *b)
{
    return (int16_t)(b[0] | b[1] << 8);
}

void instruction_classify(struct instruction *i, const uint8_t *bytes,
                          size_t length)
{
    struct prefixes p = {.rep = 0};
    size_t at = 0;
    uint8_t op, next;

    *i = (struct instruction){.kind = INSTRUCTION_OTHER};
    for (; at < length && prefix_is(bytes[at]); at++) {
        op = bytes[at];
        if (op == 0xF2 || op == 0xF3)
            p.rep = op;
        p.operand_size = p.operand_size || op == 0x66;
        p.lock = p.lock || op == 0xF0;
        p.rex = (op & 0xF0) == 0x40 ? op : 0;
    }
    if (at >= length)
        return;
    op = bytes[at];
    next = at + 1 < length ? bytes[at + 1] : 0;
    /* SDM volume 2, "XBEGIN": rel16 with 66H; REX.W goes before it. */
    const size_t wide = p.operand_size && (p.rex & 8) == 0 ? 0 : 2;
    i->locked = p.lock || ((op == 0x86 || op == 0x87) && is_memory(next));
    hint_classify(i, &p, &bytes[at], length - at);
    if (op == 0x0F) {
        i->prefixed = p.operand_size || p.rep != 0;
        classify_0f(i, &p, bytes, length, at + 1);
    } else if (op == 0xC7 && next == 0xF8 && at + 4 + wide <= length) {
        i->kind = INSTRUCTION_XBEGIN;
        i->length = (uint8_t)(at + 4 + wide);
        i->displacement =
            wide != 0 ? signed32(&bytes[at + 2]) : signed16(&bytes[at + 2]);
        i->short_displacement = wide == 0;
    } else if (op == 0xC6 && next == 0xF8 && at + 3 <= length) {
        i->kind = INSTRUCTION_XABORT;
        i->length = (uint8_t)(at + 3);
        i->immediate = bytes[at + 2];
    } else if (op == 0xFF) {
        classify_ff(i, bytes, length, at + 1);
    } else {
        i->tx = tx_one_byte(&p, op);
        i->is_pause = i->tx == TX_ABORTS;
        if (op == 0xC8 && at + 3 < length && bytes[at + 3] != 0)
            i->tx = TX_MAY; /* ENTER with many stores */
        i->flags = flags_one_byte(&p, op);
        classify_int(i, bytes, length, at);
        if ((i->flags & INSTRUCTION_CONDITIONAL) != 0)
            i->length = (uint8_t)(at + 2);
        else if (op == 0xE8)
            i->length = (uint8_t)(at + 5);
    }
}
