/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * operand.h - which memory an instruction is about to touch: the linear
 * address, the size and the kind of each of its data accesses. The ordinary
 * integer instructions alone, none with 16-bit addresses; any other has none
 * here.
 *
 * SDM volume 2A, "Instruction Format", tables "32-Bit Addressing Forms with
 * the ModR/M Byte" and "with the SIB Byte"; volume 2D, "Opcode Map".
 */
#ifndef SILICON_INSTRUCTIONS_OPERAND_H
#define SILICON_INSTRUCTIONS_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATA_ACCESSES_MAX 4

enum data_kind {
    DATA_LOAD,
    DATA_STORE,
    DATA_PREFETCH, /* of software: fills the caches, retires as nothing */
    DATA_FLUSH,    /* CLFLUSH, CLFLUSHOPT */
    DATA_INVLPG,   /* the translation alone */
};

struct data_access {
    uint64_t linear;
    uint8_t bytes;
    enum data_kind kind;
    bool locked; /* of a LOCK prefix or XCHG: its load and its store */
};

/* The state before the instruction. */
struct operand_state {
    uint64_t general[16]; /* as ModR/M numbers them: RAX, RCX, RDX, RBX .. */
    uint64_t rip;
    uint64_t fs_base, gs_base;
    bool narrow; /* of 32-bit code; the other segments begin at 0 */
};

/* bytes: what is readable at RIP. How many accesses there are, in the order in
 * which they happen. */
unsigned operand_find(struct data_access found[DATA_ACCESSES_MAX],
                      const struct operand_state *s, const uint8_t *bytes,
                      size_t length);

#endif
