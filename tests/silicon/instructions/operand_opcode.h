/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * operand_opcode.h - what an opcode does with memory: its r/m operand and the
 * stack.
 *
 * SDM volume 2D, "Opcode Map".
 */
#ifndef SILICON_INSTRUCTIONS_OPERAND_OPCODE_H
#define SILICON_INSTRUCTIONS_OPERAND_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* What an opcode does with its r/m operand, and what follows it. */
#define LOADS    0x001u
#define STORES   0x002u
#define BOTH     (LOADS | STORES)
#define BYTE     0x004u /* one byte */
#define WORD     0x008u /* two */
#define FULL     0x010u /* as the stack has it, whatever the prefixes */
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
#define LONG     0x8000u  /* four bytes */
#define WIDE     0x10000u /* 16; with F3H four, with F2H eight */
#define EIGHT    0x20000u /* bytes, whatever the prefixes */
#define TEN      0x40000u
#define VECTOR   0x80000u  /* 16, or 32 by VEX.L */
#define WITH_F3  0x100000u /* with that prefix alone */

/* reg: that field of the byte after the opcode. wide: in 64-bit mode. */
unsigned operand_one_byte(uint8_t op, unsigned reg, bool wide);
/* After 0FH. */
unsigned operand_two_byte(uint8_t op, unsigned reg);
/* With VEX, of the map 0FH (1), 0F38H (2) or 0F3AH (3), with F3H or F2H there
 * or not. Not: gathers, broadcasts and moves of a part, which are taken for
 * whole ones. */
unsigned operand_vex(unsigned map, uint8_t op, bool scalar);

#endif
