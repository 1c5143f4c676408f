/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction_length.c - how long any instruction of 64-bit mode is: where the
 * next one begins, without knowing what it does. SDM volume 2, "Instruction
 * Format", and appendix "Opcode Map".
 */
#include "tests/silicon/instructions/prefixes.h"

#define NONE    0xFF /* no opcode of 64-bit mode */
#define IMM_Z   0x10 /* 4 bytes, 2 with 66H; B8H and on: 8 with REX.W */
#define OFFSET  0x20 /* an address */
#define MODRM   0x40
#define IMM(n)  (n) /* so many bytes */
#define IMM_LOW 0x0F

/* From so many places before a byte, the nearest so near, the instructions are
 * walked: wherever that begins, it soon meets the true ones. */
#define WALKS      8
#define WALK_BYTES 32

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

/* clang-format off */

static uint8_t form_one_byte(uint8_t op)
{
    if (op < 0x40) {
        static const uint8_t forms[8] = {MODRM, MODRM, MODRM, MODRM, IMM(1),
                                         IMM_Z, NONE, NONE};
        return forms[op & 7];
    }
    switch (op) {
    case 0x63: case 0x84: case 0x85: case 0x86: case 0x87: case 0x88:
    case 0x89: case 0x8A: case 0x8B: case 0x8C: case 0x8D: case 0x8E:
    case 0x8F: case 0xD0: case 0xD1: case 0xD2: case 0xD3: case 0xD8:
    case 0xD9: case 0xDA: case 0xDB: case 0xDC: case 0xDD: case 0xDE:
    case 0xDF: case 0xF6: case 0xF7: case 0xFE: case 0xFF:
        return MODRM;
    case 0x6B: case 0x80: case 0x83: case 0xC0: case 0xC1: case 0xC6:
        return MODRM | IMM(1);
    case 0x69: case 0x81: case 0xC7:
        return MODRM | IMM_Z;
    case 0x6A: case 0xA8: case 0xCD: case 0xE0: case 0xE1: case 0xE2:
    case 0xE3: case 0xE4: case 0xE5: case 0xE6: case 0xE7: case 0xEB:
        return IMM(1);
    case 0xC2: case 0xCA:
        return IMM(2);
    case 0xC8:
        return IMM(3);
    case 0xE8: case 0xE9:
        return IMM(4);
    case 0x68: case 0xA9:
        return IMM_Z;
    case 0xA0: case 0xA1: case 0xA2: case 0xA3:
        return OFFSET;
    case 0x60: case 0x61: case 0x82: case 0x9A: case 0xCE: case 0xD4:
    case 0xD5: case 0xD6: case 0xEA:
        return NONE;
    case 0xB8: case 0xB9: case 0xBA: case 0xBB: case 0xBC: case 0xBD:
    case 0xBE: case 0xBF:
        return IMM_Z;
    default:
        return (op & 0xF8) == 0xB0 || (op & 0xF0) == 0x70 ? IMM(1) : IMM(0);
    }
}

static uint8_t form_0f(uint8_t op)
{
    switch (op) {
    case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0B:
    case 0x0E: case 0x30: case 0x31: case 0x32: case 0x33: case 0x34:
    case 0x35: case 0x37: case 0x77: case 0xA0: case 0xA1: case 0xA2:
    case 0xA8: case 0xA9: case 0xAA:
        return IMM(0);
    case 0x04: case 0x0A: case 0x0C: case 0x24: case 0x25: case 0x26:
    case 0x27: case 0x36: case 0x39: case 0x3B: case 0x3C: case 0x3D:
    case 0x3E: case 0x3F:
        return NONE;
    case 0x0F: case 0x70: case 0x71: case 0x72: case 0x73: case 0xA4:
    case 0xAC: case 0xBA: case 0xC2: case 0xC4: case 0xC5: case 0xC6:
        return MODRM | IMM(1);
    default:
        if ((op & 0xF8) == 0xC8)
            return IMM(0);
        return (op & 0xF0) == 0x80 ? IMM(4) : MODRM;
    }
}

/* clang-format on */

static uint8_t form_of(enum map map, uint8_t op)
{
    switch (map) {
    case MAP_ONE:
        return form_one_byte(op);
    case MAP_0F:
        return form_0f(op);
    case MAP_0F38:
        return MODRM;
    case MAP_0F3A:
        return MODRM | IMM(1);
    }
    return NONE;
}

/* VEX and EVEX: the map is in them, and the opcode behind them. */
static size_t vex(const uint8_t *b, size_t left, enum map *map)
{
    const size_t bytes = b[0] == 0xC5 ? 2 : b[0] == 0xC4 ? 3 : 4;

    if (left <= bytes)
        return 0;
    *map = b[0] == 0xC5 ? MAP_0F : (enum map)(b[1] & (b[0] == 0x62 ? 7 : 0x1F));
    return *map >= MAP_0F && *map <= MAP_0F3A ? bytes : 0;
}

/* The opcode's map, and where it is; `length`: nowhere. */
static size_t find_opcode(const uint8_t *b, size_t length, size_t at,
                          enum map *map)
{
    *map = MAP_ONE;
    if (at >= length)
        return length;
    if (b[at] == 0xC4 || b[at] == 0xC5 || b[at] == 0x62) {
        const size_t bytes = vex(&b[at], length - at, map);
        return bytes != 0 ? at + bytes : length;
    }
    if (b[at] != 0x0F)
        return at;
    *map = MAP_0F;
    if (at + 1 < length && (b[at + 1] == 0x38 || b[at + 1] == 0x3A)) {
        *map = b[at + 1] == 0x38 ? MAP_0F38 : MAP_0F3A;
        at++;
    }
    return at + 1;
}

size_t instruction_bytes(const uint8_t *bytes, size_t length)
{
    bool operand_size = false, address_size = false, rex_w = false;
    enum map map;
    size_t at = 0, end;
    uint8_t form, op;

    for (; at < length && prefix_is(bytes[at]); at++) {
        operand_size = operand_size || bytes[at] == 0x66;
        address_size = address_size || bytes[at] == 0x67;
        rex_w = (bytes[at] & 0xF8) == 0x48; /* the last prefix, or none */
    }
    at = find_opcode(bytes, length, at, &map);
    if (at >= length)
        return 0;
    op = bytes[at];
    form = form_of(map, op);
    if (form == NONE)
        return 0;
    end = at + 1;
    if ((form & MODRM) != 0) {
        const uint8_t modrm = end < length ? bytes[end] : 0;
        const uint8_t sib = end + 1 < length ? bytes[end + 1] : 0;
        if (map == MAP_ONE && (op == 0xF6 || op == 0xF7) && reg_of(modrm) < 2)
            form |= op == 0xF6 ? IMM(1) : IMM_Z;
        end += instruction_operand(modrm, sib);
    }
    if ((form & IMM_Z) != 0)
        end += map == MAP_ONE && (op & 0xF8) == 0xB8 && rex_w ? 8
               : operand_size && !rex_w                       ? 2
                                                              : 4;
    if ((form & OFFSET) != 0)
        end += address_size ? 4 : 8;
    end += form & IMM_LOW;
    return end <= length && end <= INSTRUCTION_BYTES_MAX ? end : 0;
}

size_t instruction_prefixes(const uint8_t *code, size_t at)
{
    while (at > 0 && prefix_is(code[at - 1]))
        at--;
    return at;
}

bool instruction_begins(const uint8_t *code, size_t bytes, size_t first,
                        size_t last)
{
    if (first < WALK_BYTES + WALKS)
        return true;
    for (size_t n = 0; n < WALKS; n++) {
        size_t at = first - WALK_BYTES - n;
        while (at < first) {
            size_t length = instruction_bytes(&code[at], bytes - at);
            at += length != 0 ? length : 1;
        }
        if (at <= last)
            return true;
    }
    return false;
}
