/* SPDX-License-Identifier: BSD-2-Clause */
/* prefixes.h - what stands before an opcode, and what it makes of it: for
 * instruction.c. */
#ifndef SILICON_INSTRUCTIONS_PREFIXES_H
#define SILICON_INSTRUCTIONS_PREFIXES_H

#include "tests/silicon/instructions/instruction.h"

/* The prefixes before an opcode. */
struct prefixes {
    uint8_t rep;       /* F2H, F3H, or 0: the last of them */
    bool operand_size; /* 66H */
    bool lock;         /* F0H */
    uint8_t rex;
};

static inline uint8_t reg_of(uint8_t modrm)
{
    return (modrm >> 3) & 7;
}

static inline bool is_memory(uint8_t modrm)
{
    return modrm < 0xC0;
}

bool prefix_is(uint8_t op);

/* SDM volume 2, "XACQUIRE/XRELEASE": with a LOCK prefix, or XCHG; XRELEASE
 * also on MOV to memory, 88H, 89H, C6H and C7H. b: from the opcode on. */
void hint_classify(struct instruction *i, const struct prefixes *p,
                   const uint8_t *b, size_t left);

#endif
